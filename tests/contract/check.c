/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "check.h"

#include <stdarg.h>

#define TAG_NAME "asb-check"

void
check_init (Check *check, AsbRegistry *registry, const char *provider_name,
            GVariant *provider_options)
{
  *check = (Check){ .registry = g_object_ref (registry), .provider_name = provider_name };
  if (provider_options)
    check->provider_options = g_variant_ref_sink (provider_options);
  g_mutex_init (&check->warnings);
  check->tag = asb_uuid_v7_new ();
  check->created = g_ptr_array_new_with_free_func (g_free);
}

void
check_clear (Check *check)
{
  g_clear_pointer (&check->tag, g_free);
  g_clear_pointer (&check->created, g_ptr_array_unref);
  g_clear_pointer (&check->provider_options, g_variant_unref);
  g_clear_object (&check->registry);
  g_mutex_clear (&check->warnings);
}

void
check_say (const char *format, ...)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i]; i++)
    g_print ("# %s\n", lines[i]);
}

void
check_fail (Check *check, const char *file, int line, const char *text)
{
  if (!check->failure)
    {
      g_autofree char *base = g_path_get_basename (file);

      check->failure = g_strdup_printf ("%s:%d: %s", base, line, text);
    }
}

void
check_skip (Check *check, const char *reason)
{
  if (!check->skipped)
    check->skipped = g_strdup (reason);
}

gboolean
check_is_over (Check *check)
{
  return check->failure || check->skipped;
}

gboolean
check_text_is (Check *check, const char *file, int line, const char *what, const char *text,
               const char *expected)
{
  g_autofree char *complaint = NULL;

  if (g_strcmp0 (text, expected) == 0)
    return TRUE;
  complaint = g_strdup_printf ("%s is “%s”, not “%s”", what, text ? text : "(null)",
                               expected ? expected : "(null)");
  check_fail (check, file, line, complaint);
  return FALSE;
}

gboolean
check_count_is (Check *check, const char *file, int line, const char *what, gint64 count,
                gint64 expected)
{
  g_autofree char *complaint = NULL;

  if (count == expected)
    return TRUE;
  complaint = g_strdup_printf ("%s is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, what, count,
                               expected);
  check_fail (check, file, line, complaint);
  return FALSE;
}

/* As the documentation calls it. */
static char *
describe_code (GQuark domain, int code)
{
  if (domain == ASB_ERROR && asb_error_code_to_string (code))
    return g_strdup (asb_error_code_to_string (code));
  return g_strdup_printf ("%s %d", g_quark_to_string (domain), code);
}

gboolean
check_error_is (Check *check, const char *file, int line, GError *error, GQuark domain, int code)
{
  g_autofree char *complaint = NULL;
  g_autofree char *wanted = describe_code (domain, code);
  g_autofree char *found = error ? describe_code (error->domain, error->code) : NULL;

  if (g_error_matches (error, domain, code))
    return TRUE;
  if (error)
    complaint = g_strdup_printf ("the error is “%s” (%s), not %s", error->message, found, wanted);
  else
    complaint = g_strdup_printf ("there is no error, where %s must be", wanted);
  check_fail (check, file, line, complaint);
  return FALSE;
}

gboolean
check_no_error (Check *check, const char *file, int line, GError *error)
{
  g_autofree char *complaint = NULL;
  g_autofree char *code = error ? describe_code (error->domain, error->code) : NULL;

  if (!error)
    return TRUE;
  complaint = g_strdup_printf ("an error: %s (%s)", error->message, code);
  check_fail (check, file, line, complaint);
  return FALSE;
}

/* One check. */

static void
print_line (Check *check, const char *name)
{
  check->n_done++;
  if (check->failure)
    {
      check->n_failed++;
      g_print ("not ok %u - %s\n", check->n_done, name);
      check_say ("%s", check->failure);
    }
  else if (check->skipped)
    {
      check->n_skipped++;
      g_print ("ok %u - %s # SKIP %s\n", check->n_done, name, check->skipped);
    }
  else
    g_print ("ok %u - %s\n", check->n_done, name);
  g_clear_pointer (&check->failure, g_free);
  g_clear_pointer (&check->skipped, g_free);
}

static void
close_backend (Check *check)
{
  g_autoptr (GError) error = NULL;

  if (check->backend && !asb_backend_close (check->backend, NULL, &error))
    check_no_error (check, __FILE__, __LINE__, error);
  g_clear_object (&check->backend);
}

static void
delete_created (Check *check)
{
  for (guint i = 0; i < check->created->len; i++)
    {
      g_autoptr (GError) error = NULL;

      asb_provider_delete_sandbox (check->provider, check->created->pdata[i], NULL, &error);
      if (error && !g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND))
        check_no_error (check, __FILE__, __LINE__, error);
    }
  g_ptr_array_set_size (check->created, 0);
}

/* What a provider does wrong without anybody noticing: it answers twice, or lets go of what it does
 * not hold. In any thread. */
static void
log_cb (const char *domain, GLogLevelFlags level, const char *message, gpointer user_data)
{
  Check *check = user_data;

  if (level & G_LOG_LEVEL_CRITICAL)
    {
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&check->warnings);

      if (!check->warning)
        check->warning = g_strdup_printf ("%s: %s", domain ? domain : "warning", message);
    }
  g_log_default_handler (domain, level, message, NULL);
}

static void
take_warning (Check *check)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&check->warnings);
  g_autofree char *warning = g_steal_pointer (&check->warning);

  if (warning && !check->failure)
    check->failure = g_strconcat ("a critical warning: ", warning, NULL);
}

void
check_run (Check *check, const char *name, CheckFunction function)
{
  GLogFunc before = g_log_set_default_handler (log_cb, check);
  g_autoptr (GError) error = NULL;

  check->provider = check_new_provider (check, &error);
  if (check->provider)
    {
      function (check);
      close_backend (check);
      delete_created (check);
    }
  else
    check_no_error (check, __FILE__, __LINE__, error);
  g_clear_object (&check->provider);
  g_log_set_default_handler (before, NULL);
  take_warning (check);
  print_line (check, name);
}

void
check_end (Check *check)
{
  g_print ("1..%u\n", check->n_done);
}

/* Sandboxes. */

AsbProvider *
check_new_provider (Check *check, GError **error)
{
  return asb_registry_create_provider (check->registry, check->provider_name,
                                       check->provider_options, error);
}

static GHashTable *
new_tags (Check *check)
{
  GHashTable *tags = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  g_hash_table_insert (tags, g_strdup (TAG_NAME), g_strdup (check->tag));
  return tags;
}

AsbSandboxSpec *
check_new_spec (Check *check)
{
  g_autoptr (GHashTable) tags = new_tags (check);
  AsbSandboxSpec *spec = asb_sandbox_spec_new ();

  asb_sandbox_spec_set_metadata (spec, tags);
  if (check->image)
    asb_sandbox_spec_set_image (spec, check->image);
  return spec;
}

AsbSandboxFilter *
check_new_filter (Check *check)
{
  g_autoptr (GHashTable) tags = new_tags (check);
  AsbSandboxFilter *filter = asb_sandbox_filter_new ();

  asb_sandbox_filter_set_metadata (filter, tags);
  return filter;
}

const char *
check_id (AsbSandboxInfo *info)
{
  return asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info));
}

AsbSandboxInfo *
check_create (Check *check, AsbSandboxSpec *spec)
{
  g_autoptr (GError) error = NULL;
  AsbSandboxInfo *info = asb_provider_create_sandbox (check->provider, spec, NULL, &error);

  if (info)
    g_ptr_array_add (check->created, g_strdup (check_id (info)));
  else if (g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE))
    check_skip (check, error->message);
  else
    check_no_error (check, __FILE__, __LINE__, error);
  return info;
}

gboolean
check_delete (Check *check, const char *id)
{
  g_autoptr (GError) error = NULL;

  asb_provider_delete_sandbox (check->provider, id, NULL, &error);
  return check_no_error (check, __FILE__, __LINE__, error);
}

GListModel *
check_list (Check *check, AsbSandboxFilter *filter)
{
  g_autoptr (AsbSandboxFilter) ours = check_new_filter (check);
  g_autoptr (GError) error = NULL;
  GListModel *infos
      = asb_provider_list_sandboxes (check->provider, filter ? filter : ours, NULL, &error);

  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    check_skip (check, "the provider lists no sandboxes");
  else
    check_no_error (check, __FILE__, __LINE__, error);
  return infos;
}

static AsbBackendOptions *
new_options (Check *check)
{
  g_autoptr (GHashTable) tags = new_tags (check);
  AsbBackendOptions *options = asb_backend_options_new ();

  asb_backend_options_set_registry (options, check->registry);
  asb_backend_options_set_provider (options, check->provider);
  asb_backend_options_set_metadata (options, tags);
  if (check->image)
    asb_backend_options_set_image (options, check->image);
  return options;
}

static gboolean
add_store (Check *check, AsbBackendOptions *options, GError **error)
{
  g_autoptr (AsbHistoryStore) store = NULL;

  if (!check->store_name)
    return TRUE;
  store = asb_registry_create_history_store (check->registry, check->store_name, NULL, error);
  if (!store)
    return FALSE;
  asb_backend_options_set_history_store (options, store);
  return TRUE;
}

gboolean
check_open_backend (Check *check)
{
  g_autoptr (AsbBackendOptions) options = new_options (check);
  g_autoptr (GError) error = NULL;

  if (add_store (check, options, &error))
    check->backend = asb_create_backend (options, NULL, &error);
  if (check->backend)
    return TRUE;
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE))
    check_skip (check, error->message);
  else
    check_no_error (check, __FILE__, __LINE__, error);
  return FALSE;
}

gboolean
check_open_backend_for (Check *check, const char *needed)
{
  g_autoptr (AsbCapabilities) capabilities = NULL;
  g_autofree char *reason = NULL;

  if (!check_open_backend (check))
    return FALSE;
  capabilities = asb_backend_get_capabilities (check->backend);
  if (asb_capabilities_supports (capabilities, needed))
    return TRUE;
  reason = g_strdup_printf ("the provider says that it lacks %s", needed);
  check_skip (check, reason);
  return FALSE;
}

/* Asynchronous calls. */

void
check_ready_cb (GObject *source, GAsyncResult *result, gpointer place)
{
  *(GAsyncResult **)place = g_object_ref (result);
}

GAsyncResult *
check_wait (GAsyncResult **place)
{
  while (!*place)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
  return *place;
}
