/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-options-private.h"

#include <string.h>

#include "asb-error.h"
#include "asb-mount-private.h"
#include "asb-path-private.h"
#include "asb-upload-scan-private.h"
#include "asb-work-config-rules-private.h"

#define MAX_NAME_LENGTH 128
#define NAME_KEY "agent_sandbox.name"

typedef gboolean (*AsbOptionCheck) (AsbBackendOptions *options);

/* One thing that must not be: TRUE from @is_wrong. The order is the order in which callers are
 * told. */
typedef struct
{
  AsbOptionCheck is_wrong;
  const char *message;
} AsbOptionRule;

static gboolean
mode_is_wrong (AsbBackendOptions *options)
{
  AsbBackendMode mode = asb_backend_options_get_mode (options);

  return mode != ASB_BACKEND_MODE_CREATE && mode != ASB_BACKEND_MODE_CONNECT;
}

static gboolean
cleanup_is_wrong (AsbBackendOptions *options)
{
  AsbCleanupPolicy cleanup = asb_backend_options_get_cleanup (options);

  return cleanup < ASB_CLEANUP_POLICY_ON_CLOSE || cleanup > ASB_CLEANUP_POLICY_NEVER;
}

static gboolean
ttl_is_wrong (AsbBackendOptions *options)
{
  return asb_backend_options_get_sandbox_ttl_mode (options) == ASB_TTL_MODE_SECONDS
         && asb_backend_options_get_sandbox_ttl_seconds (options) <= 0;
}

static gboolean
cleanup_ttl_is_missing (AsbBackendOptions *options)
{
  return asb_backend_options_get_cleanup (options) == ASB_CLEANUP_POLICY_TTL
         && asb_backend_options_get_cleanup_ttl_seconds (options) <= 0;
}

static gboolean
cleanup_ttl_is_stray (AsbBackendOptions *options)
{
  return asb_backend_options_get_cleanup (options) != ASB_CLEANUP_POLICY_TTL
         && asb_backend_options_get_cleanup_ttl_seconds (options) != 0;
}

static gboolean
reconnect_is_wrong (AsbBackendOptions *options)
{
  return asb_backend_options_get_reconnect_seconds (options) > ASB_MAX_RECONNECT_SECONDS;
}

static gboolean
ready_timeout_is_wrong (AsbBackendOptions *options)
{
  double seconds = asb_backend_options_get_ready_timeout_seconds (options);

  /* This way round, since it may be no number. */
  return !(seconds >= ASB_MIN_READY_SECONDS && seconds <= ASB_MAX_READY_SECONDS);
}

static gboolean
history_is_double (AsbBackendOptions *options)
{
  return asb_backend_options_get_history (options)
         && asb_backend_options_get_history_store (options);
}

static gboolean
provider_is_double (AsbBackendOptions *options)
{
  return asb_backend_options_get_provider (options)
         && asb_backend_options_get_provider_name (options);
}

static gboolean
provider_is_missing (AsbBackendOptions *options)
{
  return !asb_backend_options_get_provider (options)
         && !asb_backend_options_get_provider_name (options);
}

static gboolean
provider_options_are_stray (AsbBackendOptions *options)
{
  return asb_backend_options_get_provider (options)
         && asb_backend_options_get_provider_options (options);
}

static gboolean
has_history_mode (AsbBackendOptions *options, AsbHistoryMode mode)
{
  AsbHistoryConfig *history = asb_backend_options_get_history (options);

  return history && asb_history_config_get_mode (history) == mode;
}

static gboolean
database_is_missing (AsbBackendOptions *options)
{
  return has_history_mode (options, ASB_HISTORY_MODE_DATABASE)
         && !asb_backend_options_get_history_database_url (options);
}

static gboolean
database_is_stray (AsbBackendOptions *options)
{
  return !has_history_mode (options, ASB_HISTORY_MODE_DATABASE)
         && asb_backend_options_get_history_database_url (options);
}

static gboolean
ref_is_stray (AsbBackendOptions *options)
{
  return asb_backend_options_get_mode (options) == ASB_BACKEND_MODE_CREATE
         && asb_backend_options_get_ref (options);
}

static gboolean
ref_is_missing (AsbBackendOptions *options)
{
  return asb_backend_options_get_mode (options) == ASB_BACKEND_MODE_CONNECT
         && !asb_backend_options_get_ref (options);
}

static gboolean
name_is_stray (AsbBackendOptions *options)
{
  return asb_backend_options_get_mode (options) == ASB_BACKEND_MODE_CONNECT
         && asb_backend_options_get_sandbox_name (options);
}

static gboolean
name_is_wrong (AsbBackendOptions *options)
{
  const char *name = asb_backend_options_get_sandbox_name (options);
  glong length;

  if (!name)
    return FALSE;
  if (!g_utf8_validate (name, -1, NULL))
    return TRUE;
  for (const char *at = name; *at; at++)
    if ((guchar)*at < 0x20 || *at == 0x7F)
      return TRUE;
  length = g_utf8_strlen (name, -1);
  return length < 1 || length > MAX_NAME_LENGTH;
}

static gboolean
name_is_contradicted (AsbBackendOptions *options)
{
  const char *name = asb_backend_options_get_sandbox_name (options);
  GHashTable *metadata = asb_backend_options_get_metadata (options);
  const char *other = metadata ? g_hash_table_lookup (metadata, NAME_KEY) : NULL;

  return name && other && !g_str_equal (name, other);
}

static gboolean
workdir_is_wrong (AsbBackendOptions *options)
{
  const char *workdir = asb_backend_options_get_workdir (options);
  g_autofree char *absolute
      = workdir && workdir[0] == '/' ? asb_path_resolve ("/", workdir, NULL) : NULL;

  return !absolute;
}

static gboolean
environment_is_wrong (AsbBackendOptions *options)
{
  const char *const *environment = asb_backend_options_get_environment (options);

  for (gsize i = 0; environment && environment[i]; i++)
    if (environment[i][0] == '=' || !strchr (environment[i], '='))
      return TRUE;
  return FALSE;
}

static gboolean
mounts_are_stray (AsbBackendOptions *options)
{
  return asb_backend_options_get_mode (options) == ASB_BACKEND_MODE_CONNECT
         && g_list_model_get_n_items (asb_backend_options_get_mounts (options)) > 0;
}

static gboolean
image_is_double (AsbBackendOptions *options)
{
  return asb_backend_options_get_image (options) && asb_backend_options_get_snapshot_id (options);
}

static gboolean
credentials_are_half (AsbBackendOptions *options)
{
  return !asb_backend_options_get_image_username (options)
         != !asb_backend_options_get_image_password (options);
}

static gboolean
create_options_are_wrong (AsbBackendOptions *options)
{
  GVariant *create_options = asb_backend_options_get_create_options (options);

  return create_options && !g_variant_is_of_type (create_options, G_VARIANT_TYPE_VARDICT);
}

static gboolean
entrypoint_is_empty (AsbBackendOptions *options)
{
  const char *const *entrypoint = asb_backend_options_get_entrypoint (options);

  return entrypoint && !entrypoint[0];
}

static gboolean
is_connecting_with (AsbBackendOptions *options, gboolean is_set)
{
  return is_set && asb_backend_options_get_mode (options) == ASB_BACKEND_MODE_CONNECT;
}

static gboolean
entrypoint_is_stray (AsbBackendOptions *options)
{
  return is_connecting_with (options, asb_backend_options_get_entrypoint (options) != NULL);
}

static gboolean
resources_are_stray (AsbBackendOptions *options)
{
  return is_connecting_with (options, asb_backend_options_get_resources (options) != NULL);
}

static gboolean
policy_is_stray (AsbBackendOptions *options)
{
  return is_connecting_with (options, asb_backend_options_get_network_policy (options) != NULL);
}

static gboolean
snapshot_is_stray (AsbBackendOptions *options)
{
  return is_connecting_with (options, asb_backend_options_get_snapshot_id (options) != NULL);
}

static gboolean
create_options_are_stray (AsbBackendOptions *options)
{
  return is_connecting_with (options, asb_backend_options_get_create_options (options) != NULL);
}

static const AsbOptionRule rules[] = {
  { mode_is_wrong, "Option “mode” must be create or connect" },
  { cleanup_is_wrong, "Option “cleanup” must be on-close, ttl or never" },
  { ttl_is_wrong, "Option “sandbox-ttl-seconds” must be more than 0" },
  { cleanup_ttl_is_missing,
    "Option “cleanup-ttl-seconds” must be more than 0 with the clean-up policy ttl" },
  { cleanup_ttl_is_stray, "Option “cleanup-ttl-seconds” needs the clean-up policy ttl" },
  { reconnect_is_wrong, "Option “reconnect-seconds” must be 0 to 300" },
  { ready_timeout_is_wrong, "Option “ready-timeout-seconds” must be 0.001 to 31622400" },
  { history_is_double, "Options “history” and “history-store” exclude each other" },
  { provider_is_double, "Options “provider” and “provider-name” exclude each other" },
  { provider_is_missing, "One of the options “provider” and “provider-name” is needed" },
  { provider_options_are_stray,
    "Option “provider-options” needs a provider by name, not a ready one" },
  { database_is_missing,
    "The history mode database needs option “history-database-url” or “history-store”" },
  { database_is_stray, "Option “history-database-url” needs the history mode database" },
  { ref_is_stray, "Option “ref” needs mode connect" },
  { ref_is_missing, "Mode connect needs option “ref”" },
  { name_is_stray, "Option “sandbox-name” needs mode create" },
  { name_is_wrong,
    "Option “sandbox-name” must have 1 to 128 characters, no control characters among them" },
  { name_is_contradicted, "Option “sandbox-name” is not what “" NAME_KEY "” in “metadata” says" },
  { workdir_is_wrong, "Option “workdir” must be an absolute path without “..”" },
  { mounts_are_stray, "Option “mounts” needs mode create" },
  { entrypoint_is_stray, "Option “entrypoint” needs mode create" },
  { entrypoint_is_empty, "Option “entrypoint” must name a program" },
  { resources_are_stray, "Option “resources” needs mode create" },
  { policy_is_stray, "Option “network-policy” needs mode create" },
  { snapshot_is_stray, "Option “snapshot-id” needs mode create" },
  { image_is_double, "Options “image” and “snapshot-id” exclude each other" },
  { credentials_are_half, "Options “image-username” and “image-password” need each other" },
  { create_options_are_stray, "Option “create-options” needs mode create" },
  { create_options_are_wrong, "Option “create-options” must be a dictionary, an a{sv}" },
  { environment_is_wrong, "Option “environment” must hold entries of the form NAME=value" },
};

/* Also whether what is to be uploaded is there and may be. */
static gboolean
check_uploads (AsbBackendOptions *self, GError **error)
{
  GListModel *uploads = asb_backend_options_get_uploads (self);
  AsbUploadConfig *config = asb_backend_options_get_upload_config (self);

  for (guint i = 0; i < g_list_model_get_n_items (uploads); i++)
    {
      g_autoptr (AsbUploadSpec) spec = g_list_model_get_item (uploads, i);

      if (!asb_upload_check (spec, config, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
asb_backend_options_check (AsbBackendOptions *self, GError **error)
{
  AsbHistoryConfig *history = asb_backend_options_get_history (self);
  AsbConcurrencyConfig *concurrency = asb_backend_options_get_concurrency (self);
  AsbRetryConfig *retry = asb_backend_options_get_retry (self);

  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    if (rules[i].is_wrong (self))
      {
        g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, rules[i].message);
        return FALSE;
      }
  return asb_mounts_check (asb_backend_options_get_mounts (self), error)
         && (!history || asb_history_config_validate (history, error))
         && (!concurrency || asb_concurrency_config_check (concurrency, error))
         && (!retry || asb_retry_config_check (retry, error)) && check_uploads (self, error);
}
