/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-error-private.h"

#include "asb-property-private.h"

#include <gio/gio.h>

typedef struct
{
  AsbErrorInfo *info;
} AsbErrorPrivate;

static void
asb_error_domain_private_init (AsbErrorPrivate *priv)
{
  priv->info = NULL;
}

static void
asb_error_domain_private_copy (const AsbErrorPrivate *source, AsbErrorPrivate *target)
{
  target->info = source->info ? g_object_ref (source->info) : NULL;
}

static void
asb_error_domain_private_clear (AsbErrorPrivate *priv)
{
  g_clear_object (&priv->info);
}

/* As GLib defines it; what is public registers it for D-Bus on top. */
GQuark asb_error_domain_quark (void);

/* clang-format off */
G_DEFINE_EXTENDED_ERROR (AsbError, asb_error_domain)
/* clang-format on */

static const char *const names[] = {
  [ASB_ERROR_SANDBOX_BACKEND] = "sandbox_backend_error",
  [ASB_ERROR_SANDBOX_NOT_FOUND] = "sandbox_not_found",
  [ASB_ERROR_SANDBOX_STATE] = "sandbox_state_error",
  [ASB_ERROR_UNSUPPORTED_CAPABILITY] = "unsupported_capability",
  [ASB_ERROR_FILE_NOT_FOUND] = "file_not_found",
  [ASB_ERROR_CONCURRENT_MODIFICATION] = "concurrent_modification",
  [ASB_ERROR_COMMAND_EXECUTION] = "command_execution_error",
  [ASB_ERROR_PROVIDER] = "provider_error",
  [ASB_ERROR_HISTORY_DATABASE] = "history_database_error",
  [ASB_ERROR_HISTORY_TRANSPORT] = "history_transport_error",
  [ASB_ERROR_HISTORY_CONFIG_VALIDATION] = "history_config_validation",
  [ASB_ERROR_HISTORY_CONFIG_CONFLICT] = "history_config_conflict",
  [ASB_ERROR_HISTORY_STORAGE_EXHAUSTED] = "history_storage_exhausted",
  [ASB_ERROR_LOCAL_PATH_NOT_FOUND] = "local_path_not_found",
  [ASB_ERROR_LOCAL_PATH_NOT_ALLOWED] = "local_path_not_allowed",
  [ASB_ERROR_UPLOAD_POLICY] = "upload_policy_error",
  [ASB_ERROR_UPLOAD_TOO_MANY_FILES] = "upload_too_many_files",
  [ASB_ERROR_UPLOAD_FILE_TOO_LARGE] = "upload_file_too_large",
  [ASB_ERROR_UPLOAD_TOTAL_SIZE_EXCEEDED] = "upload_total_size_exceeded",
  [ASB_ERROR_UPLOAD_SYMLINK] = "upload_symlink_error",
  [ASB_ERROR_UPLOAD_ARCHIVE_SECURITY] = "upload_archive_security_error",
  [ASB_ERROR_UPLOAD_CONFLICT] = "upload_conflict",
  [ASB_ERROR_UPLOAD_CHECKSUM_MISMATCH] = "upload_checksum_mismatch",
  [ASB_ERROR_UPLOAD_ATOMIC_COMMIT] = "upload_atomic_commit",
  [ASB_ERROR_UPLOAD_PARTIAL_FAILURE] = "upload_partial_failure",
  [ASB_ERROR_LOCK_ACQUISITION_TIMEOUT] = "lock_acquisition_timeout",
  [ASB_ERROR_COMMAND_QUEUE_TIMEOUT] = "command_queue_timeout",
  [ASB_ERROR_SANDBOX_LEASE_EXPIRED] = "sandbox_lease_expired",
  [ASB_ERROR_SANDBOX_DELETING] = "sandbox_deleting",
  [ASB_ERROR_BACKEND_CLOSE] = "backend_close_error",
  [ASB_ERROR_INVALID_ARGUMENT] = "invalid_argument",
  [ASB_ERROR_CLOSED] = "closed",
  [ASB_ERROR_TIMED_OUT] = "timed_out",
  [ASB_ERROR_INTERRUPTED] = "interrupted",
  [ASB_ERROR_PROTOCOL] = "protocol_error",
  [ASB_ERROR_GUEST_UNAVAILABLE] = "guest_unavailable",
  [ASB_ERROR_PROVIDER_UNAVAILABLE] = "provider_unavailable",
  [ASB_ERROR_MODULE_NOT_FOUND] = "module_not_found",
  [ASB_ERROR_MODULE_INVALID] = "module_invalid",
  [ASB_ERROR_COMMAND_NOT_FOUND] = "command_not_found",
  [ASB_ERROR_COMMAND_NOT_EXECUTABLE] = "command_not_executable",
  [ASB_ERROR_WORKING_DIRECTORY] = "working_directory",
  [ASB_ERROR_TEXT_NOT_FOUND] = "text_not_found",
  [ASB_ERROR_TEXT_AMBIGUOUS] = "text_ambiguous",
  [ASB_ERROR_ALREADY_EXISTS] = "already_exists",
  [ASB_ERROR_IS_DIRECTORY] = "is_directory",
  [ASB_ERROR_NOT_DIRECTORY] = "not_directory",
  [ASB_ERROR_NOT_REGULAR_FILE] = "not_regular_file",
  [ASB_ERROR_DIRECTORY_NOT_EMPTY] = "directory_not_empty",
  [ASB_ERROR_PERMISSION_DENIED] = "permission_denied",
  [ASB_ERROR_NO_SPACE] = "no_space",
  [ASB_ERROR_READ_ONLY] = "read_only",
  [ASB_ERROR_TOO_LARGE] = "too_large",
  [ASB_ERROR_PATH_PROTECTED] = "path_protected",
  [ASB_ERROR_IO] = "io_error",
  [ASB_ERROR_HISTORY_UNAVAILABLE] = "history_unavailable",
  [ASB_ERROR_HISTORY_IDENTITY] = "history_identity",
  [ASB_ERROR_TOO_MANY_REQUESTS] = "too_many_requests",
  [ASB_ERROR_JOB_NOT_FOUND] = "job_not_found",
  [ASB_ERROR_JOB_RUNNING] = "job_running",
  [ASB_ERROR_OUTPUT_DROPPED] = "output_dropped",
  [ASB_ERROR_SANDBOX_EXPIRED] = "sandbox_expired",
  [ASB_ERROR_SANDBOX_DELETED] = "sandbox_deleted",
  [ASB_ERROR_SNAPSHOT_NOT_FOUND] = "snapshot_not_found",
  [ASB_ERROR_ARCHIVE_DAMAGED] = "archive_damaged",
  [ASB_ERROR_POOL_NOT_RUNNING] = "pool_not_running",
  [ASB_ERROR_POOL_EMPTY] = "pool_empty",
  [ASB_ERROR_POOL_ACQUIRE_FAILED] = "pool_acquire_failed",
  [ASB_ERROR_POOL_INCOMPLETE] = "pool_incomplete",
  [ASB_ERROR_INTERNAL] = "internal_error",
};

/* “sandbox_not_found” becomes “org.libasb.Error.SandboxNotFound”. */
static void
register_for_dbus (GQuark domain, int code)
{
  g_autoptr (GString) name = g_string_new ("org.libasb.Error.");
  gboolean starts_word = TRUE;

  for (const char *c = names[code]; *c; c++)
    {
      if (*c != '_')
        g_string_append_c (name, starts_word ? g_ascii_toupper (*c) : *c);
      starts_word = *c == '_';
    }
  g_dbus_error_register_error (domain, code, name->str);
}

/**
 * asb_error_quark:
 *
 * Gets the error domain of the library, %ASB_ERROR. Its codes have names on D-Bus, for example
 * `org.libasb.Error.SandboxNotFound`, so that an error of a service keeps its code.
 *
 * Returns: the domain
 *
 * Since: 1.0
 */
GQuark
asb_error_quark (void)
{
  static gsize domain;

  if (g_once_init_enter (&domain))
    {
      for (int i = 0; i < (int)G_N_ELEMENTS (names); i++)
        if (names[i])
          register_for_dbus (asb_error_domain_quark (), i);
      g_once_init_leave (&domain, asb_error_domain_quark ());
    }
  return (GQuark)domain;
}

/**
 * asb_error_code_to_string:
 * @code: an [error@Error]
 *
 * Gets the name of an error code as it stands in records and in JSON.
 *
 * Returns: (transfer none) (nullable): the name, for example `sandbox_not_found`; %NULL for a
 * number that is no code
 *
 * Since: 1.0
 */
const char *
asb_error_code_to_string (int code)
{
  return code >= 0 && (gsize)code < G_N_ELEMENTS (names) ? names[code] : NULL;
}

/**
 * asb_error_code_from_string:
 * @string: a name
 * @code: (out): the [error@Error]
 *
 * Gets the error code of a name.
 *
 * Returns: whether there is a code of that name
 *
 * Since: 1.0
 */
gboolean
asb_error_code_from_string (const char *string, int *code)
{
  g_return_val_if_fail (string != NULL && code != NULL, FALSE);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], string))
      {
        *code = (int)i;
        return TRUE;
      }
  return FALSE;
}

/**
 * asb_error_new_with_info: (skip)
 * @code: an [error@Error]
 * @message: one sentence for people
 * @info: (nullable): what else is known
 *
 * Makes an error in the domain %ASB_ERROR.
 *
 * Returns: (transfer full): a new #GError
 *
 * Since: 1.0
 */
GError *
asb_error_new_with_info (int code, const char *message, AsbErrorInfo *info)
{
  GError *error;

  g_return_val_if_fail (message != NULL, NULL);
  g_return_val_if_fail (info == NULL || ASB_IS_ERROR_INFO (info), NULL);

  error = g_error_new_literal (ASB_ERROR, code, message);
  asb_error_set_info (error, info);
  return error;
}

/**
 * asb_error_get_info:
 * @error: an error
 *
 * Gets what is known of an error beside its code. For an error of another domain, and from
 * languages whose bindings copy only domain, code and message, use [func@ErrorInfo.get_last].
 *
 * Returns: (transfer none) (nullable): the details, if there are any
 *
 * Since: 1.0
 */
AsbErrorInfo *
asb_error_get_info (const GError *error)
{
  g_return_val_if_fail (error != NULL, NULL);

  return error->domain == ASB_ERROR ? asb_error_domain_get_private (error)->info : NULL;
}

void
asb_error_set_info (GError *error, AsbErrorInfo *info)
{
  if (error->domain == ASB_ERROR)
    g_set_object (&asb_error_domain_get_private (error)->info, info);
}

static AsbErrorInfo *
copy_info (AsbErrorInfo *info)
{
  AsbErrorInfo *copy = asb_error_info_new ();

  asb_property_copy_all (info, copy);
  return copy;
}

AsbErrorInfo *
asb_error_own_info (GError *error)
{
  g_autoptr (AsbErrorInfo) own = NULL;
  AsbErrorInfo *known = asb_error_get_info (error);

  if (error->domain != ASB_ERROR)
    return NULL;
  own = known ? copy_info (known) : asb_error_info_new ();
  asb_error_set_info (error, own);
  return asb_error_get_info (error);
}

/* What stands for an error of another domain in the details of its successor. */
static char *
dup_origin (GQuark domain, int code)
{
  return g_strdup_printf ("%s:%d", g_quark_to_string (domain), code);
}

gboolean
asb_error_was (const GError *error, GQuark domain, int code)
{
  AsbErrorInfo *info = asb_error_get_info (error);
  const char *origin = info ? asb_error_info_get_provider_error_code (info) : NULL;
  g_autofree char *asked_for = dup_origin (domain, code);

  return g_error_matches (error, domain, code) || g_strcmp0 (origin, asked_for) == 0;
}

static gboolean
is_own (const GError *error)
{
  return error->domain == ASB_ERROR ? asb_error_code_to_string (error->code) != NULL
                                    : asb_error_is_cancelled (error);
}

void
asb_error_advise (GError *error, const char *advice)
{
  g_autofree char *told = g_steal_pointer (&error->message);

  error->message = g_strconcat (told, "; ", advice, NULL);
}

void
asb_error_prefix (GError *error, const char *prefix)
{
  if (!g_str_has_prefix (error->message, prefix))
    g_prefix_error (&error, "%s", prefix);
}

GError *
asb_error_adopt (GError *error, AsbError code)
{
  g_autoptr (GError) foreign = NULL;
  g_autoptr (AsbErrorInfo) info = NULL;
  g_autofree char *origin = NULL;
  g_autofree char *message = NULL;

  if (is_own (error) && g_utf8_validate (error->message, -1, NULL))
    return error;
  message = g_utf8_make_valid (error->message, -1);
  if (is_own (error))
    {
      g_free (error->message);
      error->message = g_steal_pointer (&message);
      return error;
    }
  foreign = error;
  if (g_error_matches (foreign, G_IO_ERROR, G_IO_ERROR_TIMED_OUT))
    code = ASB_ERROR_TIMED_OUT;
  origin = dup_origin (foreign->domain, foreign->code);
  info = asb_error_info_new ();
  asb_error_info_set_provider_error_code (info, origin);
  return asb_error_new_with_info ((int)code, message, info);
}

gboolean
asb_error_is_cancelled (const GError *error)
{
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

gboolean
asb_error_is_sandbox_gone (const GError *error)
{
  return g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND)
         || g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED)
         || g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_EXPIRED);
}
