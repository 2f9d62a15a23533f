/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pool-private.h"

#include "asb-backend-options-private.h"
#include "asb-error.h"
#include "asb-provider-private.h"
#include "asb-upload-config-private.h"

#define INSTANCE_ID_KEY "sandbox_instance_id"

/* What cannot be in a pool, whose sandboxes are many, alike, and gone with it. */

static gboolean
mode_is_wrong (AsbBackendOptions *options)
{
  return asb_backend_options_get_mode (options) != ASB_BACKEND_MODE_CREATE;
}

static gboolean
cleanup_is_wrong (AsbBackendOptions *options)
{
  return asb_backend_options_get_cleanup (options) != ASB_CLEANUP_POLICY_ON_CLOSE;
}

static gboolean
lifetime_is_wrong (AsbBackendOptions *options)
{
  return asb_backend_options_get_lifetime (options) != ASB_LIFETIME_OWNED;
}

static gboolean
ttl_is_wrong (AsbBackendOptions *options)
{
  return asb_backend_options_get_sandbox_ttl_mode (options) == ASB_TTL_MODE_NEVER;
}

static gboolean
key_is_wrong (AsbBackendOptions *options)
{
  return asb_backend_options_get_idempotency_key (options) != NULL;
}

static gboolean
instance_is_wrong (AsbBackendOptions *options)
{
  GHashTable *metadata = asb_backend_options_get_metadata (options);

  return metadata && g_hash_table_contains (metadata, INSTANCE_ID_KEY);
}

static gboolean
store_is_wrong (AsbBackendOptions *options)
{
  return asb_backend_options_get_history_store (options) != NULL;
}

static gboolean
coordinator_is_wrong (AsbBackendOptions *options)
{
  return asb_backend_options_get_close_coordinator (options) != NULL;
}

typedef struct
{
  gboolean (*is_wrong) (AsbBackendOptions *options);
  const char *message;
} AsbPoolRule;

static const AsbPoolRule rules[] = {
  { mode_is_wrong,
    "Option “mode” of a pool must be create: it makes its sandboxes, and cannot hold one that is "
    "there already" },
  { cleanup_is_wrong,
    "Option “cleanup” of a pool must be on-close: what it made is gone when it is shut down" },
  { lifetime_is_wrong,
    "Option “lifetime” of a pool must be owned: its sandboxes must not outlive a "
    "program that has crashed" },
  { ttl_is_wrong, "Option “sandbox-ttl-mode” of a pool must not be never: its sandboxes must not "
                  "outlive a program that has crashed" },
  { key_is_wrong,
    "Option “idempotency-key” cannot be given for a pool: all its sandboxes would be one" },
  { instance_is_wrong, "Option “metadata” of a pool cannot have “" INSTANCE_ID_KEY
                       "”: it makes more than one sandbox" },
  { store_is_wrong, "Option “history-store” cannot be given for a pool: a store is of one sandbox; "
                    "use option “history”" },
  { coordinator_is_wrong, "A pool cannot have a close coordinator, which could leave its sandboxes "
                          "where they are" },
};

gboolean
asb_pool_check_options (AsbBackendOptions *options, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    if (rules[i].is_wrong (options))
      {
        g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, rules[i].message);
        return FALSE;
      }
  return asb_backend_options_check (options, error);
}

static gboolean
is_kept_alive (AsbProvider *provider)
{
  g_autoptr (AsbCapabilities) capabilities = asb_provider_get_capabilities (provider);

  return asb_capabilities_supports (capabilities, ASB_CAPABILITY_KEEP_ALIVE);
}

gboolean
asb_pool_check_provider (AsbBackendOptions *options, AsbProvider *provider, gint64 *ttl_seconds,
                         GError **error)
{
  AsbKeepAlivePlan plan;
  g_autofree char *name = asb_provider_dup_name (provider);

  *ttl_seconds = 0;
  if (!asb_keep_alive_plan (provider, options, &plan, error))
    return FALSE;
  if (plan.mode != ASB_TTL_MODE_SECONDS || is_kept_alive (provider))
    return TRUE;
  *ttl_seconds = plan.seconds;
  if (ASB_PROVIDER_GET_IFACE (provider)->renew_sandbox)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "Option “sandbox-ttl-mode” of a pool must not be seconds with provider “%s”, which "
               "cannot renew sandboxes that have waited in it",
               name);
  return FALSE;
}

static gboolean
asks_before_uploads (AsbBackendOptions *options)
{
  AsbUploadConfig *config = asb_backend_options_get_upload_config (options);

  return config && asb_upload_config_get_approval (config);
}

/* Stores in a database are not ours, and may be of a scripting language. */
static gboolean
has_foreign_store (AsbBackendOptions *options)
{
  AsbHistoryConfig *history = asb_backend_options_get_history (options);

  return history && asb_history_config_get_mode (history) == ASB_HISTORY_MODE_DATABASE;
}

gboolean
asb_pool_takes_threads (AsbBackendOptions *options, AsbProvider *provider)
{
  return asb_provider_is_thread_safe (provider)
         && !asb_backend_options_get_readiness_check (options)
         && !asb_backend_options_get_transport_factory (options) && !asks_before_uploads (options)
         && !has_foreign_store (options);
}
