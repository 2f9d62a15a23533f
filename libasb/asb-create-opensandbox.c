/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-opensandbox-config.h"

#include "asb-backend-options-private.h"
#include "asb-call-private.h"
#include "asb-error-private.h"
#include "asb-sync-private.h"

#define PROVIDER_NAME "opensandbox"
#define DEFAULT_IMAGE "python:3.12"
#define TEMPLATE_OPTION "template_id"
#define TEMPLATE_MEMBER "templateId"

/* The options of the connection, as the provider takes them. */

static void
insert_string (GVariantDict *dict, const char *name, const char *value)
{
  if (value)
    g_variant_dict_insert (dict, name, "s", value);
}

static void
insert_headers (GVariantDict *dict, GHashTable *headers)
{
  GVariantBuilder builder;
  GHashTableIter iter;
  gpointer name, value;

  if (!headers)
    return;
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  g_hash_table_iter_init (&iter, headers);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_variant_builder_add (&builder, "{ss}", name, value);
  g_variant_dict_insert_value (dict, "headers", g_variant_builder_end (&builder));
}

static GVariant *
describe_connection (const char *url, AsbOpensandboxConfig *config)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  insert_string (&dict, "url", url);
  insert_string (&dict, "api-key", asb_opensandbox_config_get_api_key (config));
  insert_string (&dict, "execd-token", asb_opensandbox_config_get_execd_token (config));
  insert_string (&dict, "provider-key", asb_opensandbox_config_get_provider_key (config));
  g_variant_dict_insert (&dict, "use-server-proxy", "b",
                         asb_opensandbox_config_get_use_server_proxy (config));
  g_variant_dict_insert (&dict, "request-timeout-seconds", "d",
                         asb_opensandbox_config_get_request_timeout_seconds (config));
  g_variant_dict_insert (&dict, "idle-timeout-seconds", "d",
                         asb_opensandbox_config_get_idle_timeout_seconds (config));
  g_variant_dict_insert (
      &dict, "ready-timeout-seconds", "d",
      asb_backend_options_get_ready_timeout_seconds (ASB_BACKEND_OPTIONS (config)));
  insert_headers (&dict, asb_opensandbox_config_get_headers (config));
  g_variant_dict_insert (&dict, "debug", "b", asb_opensandbox_config_get_debug (config));
  g_variant_dict_insert (&dict, "max-connections", "u",
                         asb_opensandbox_config_get_max_connections (config));
  g_variant_dict_insert (&dict, "max-connections-per-host", "u",
                         asb_opensandbox_config_get_max_connections_per_host (config));
  g_variant_dict_insert (&dict, "keep-alive-seconds", "u",
                         asb_opensandbox_config_get_keep_alive_seconds (config));
  insert_string (&dict, "proxy", asb_opensandbox_config_get_proxy (config));
  insert_string (&dict, "tls-ca-file", asb_opensandbox_config_get_tls_ca_file (config));
  insert_string (&dict, "transport", asb_opensandbox_config_get_transport (config));
  return g_variant_dict_end (&dict);
}

/* The options of the backend. */

static gboolean
has_template (AsbBackendOptions *options)
{
  GVariant *create_options = asb_backend_options_get_create_options (options);
  g_auto (GVariantDict) given = { 0 };

  if (!create_options || !g_variant_is_of_type (create_options, G_VARIANT_TYPE_VARDICT))
    return FALSE;
  g_variant_dict_init (&given, create_options);
  return g_variant_dict_contains (&given, TEMPLATE_OPTION)
         || g_variant_dict_contains (&given, TEMPLATE_MEMBER);
}

/* As many at once and as often again as in the Python package. */
static void
fill_in_rules (AsbBackendOptions *options)
{
  g_autoptr (AsbConcurrencyConfig) concurrency = NULL;
  g_autoptr (AsbRetryConfig) retry = NULL;

  if (!asb_backend_options_get_concurrency (options))
    {
      concurrency = asb_concurrency_config_new ();
      asb_backend_options_set_concurrency (options, concurrency);
    }
  if (!asb_backend_options_get_retry (options))
    {
      retry = asb_retry_config_new ();
      asb_backend_options_set_retry (options, retry);
    }
}

static void
fill_in (AsbBackendOptions *options)
{
  g_autoptr (AsbHistoryConfig) history = NULL;

  fill_in_rules (options);
  if (asb_backend_options_get_mode (options) == ASB_BACKEND_MODE_CREATE
      && !asb_backend_options_get_image (options) && !asb_backend_options_get_snapshot_id (options)
      && !has_template (options))
    asb_backend_options_set_image (options, DEFAULT_IMAGE);
  if (!asb_backend_options_get_agent_name (options))
    asb_backend_options_set_agent_name (options, asb_backend_options_get_sandbox_name (options));
  if (asb_backend_options_get_history (options) || asb_backend_options_get_history_store (options))
    return;
  history = asb_history_config_new ();
  asb_history_config_set_mode (history, ASB_HISTORY_MODE_SANDBOX);
  asb_backend_options_set_history (options, history);
}

static gboolean
is_blank (gunichar character)
{
  return g_unichar_isspace (character) || character == '\v';
}

/* Names are given without what stands around them. */
static void
trim_name (AsbBackendOptions *options)
{
  const char *start = asb_backend_options_get_sandbox_name (options);
  const char *end;
  g_autofree char *trimmed = NULL;

  if (!start || !g_utf8_validate (start, -1, &end))
    return;
  while (*start && is_blank (g_utf8_get_char (start)))
    start = g_utf8_next_char (start);
  while (end > start && is_blank (g_utf8_get_char (g_utf8_prev_char (end))))
    end = g_utf8_prev_char (end);
  trimmed = g_strndup (start, end - start);
  asb_backend_options_set_sandbox_name (options, trimmed);
}

static gboolean
check_provider (AsbBackendOptions *options, GError **error)
{
  const char *name = asb_backend_options_get_provider_name (options);

  if (!asb_backend_options_get_provider (options)
      && !asb_backend_options_get_provider_options (options)
      && (!name || g_str_equal (name, PROVIDER_NAME)))
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                       "Options “provider”, “provider-name” and “provider-options” cannot be given "
                       "here: the provider is made from the address and the options of its "
                       "connection");
  return FALSE;
}

/**
 * asb_opensandbox_config_make_options:
 * @self: a [class@OpensandboxConfig]
 * @url: (nullable): the address of the server, as for [func@create_opensandbox_backend_async]
 * @error: return location for an error
 *
 * Makes the options of which [func@create_opensandbox_backend] makes a backend, for example for a
 * [class@Pool] of such. The configuration stays as it is.
 *
 * Returns: (transfer full): the options
 *
 * Since: 1.0
 */
AsbBackendOptions *
asb_opensandbox_config_make_options (AsbOpensandboxConfig *self, const char *url, GError **error)
{
  g_autoptr (AsbBackendOptions) options = NULL;

  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), NULL);

  if (!check_provider (ASB_BACKEND_OPTIONS (self), error))
    {
      asb_error_info_note (error);
      return NULL;
    }
  options = asb_backend_options_copy (ASB_BACKEND_OPTIONS (self));
  asb_backend_options_set_provider_name (options, PROVIDER_NAME);
  asb_backend_options_set_provider_options (options, describe_connection (url, self));
  trim_name (options);
  fill_in (options);
  return g_steal_pointer (&options);
}

/**
 * asb_create_opensandbox_backend_async:
 * @url: (nullable): the address of the server, as `host:8080` or `https://host`, without user,
 * path, query or fragment; %NULL for the environment variable `OPEN_SANDBOX_DOMAIN`, or else
 * `localhost:8080`
 * @config: (nullable): what is to be done; not to be changed until it is done; %NULL for the
 * defaults
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Makes a sandbox on an OpenSandbox server, or connects to one, and gives the backend to work with
 * it. This is [func@create_backend_async] with the provider `opensandbox`.
 *
 * Since: 1.0
 */
void
asb_create_opensandbox_backend_async (const char *url, AsbOpensandboxConfig *config,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data)
{
  g_autoptr (AsbOpensandboxConfig) own = NULL;
  g_autoptr (AsbBackendOptions) options = NULL;
  GError *error = NULL;

  g_return_if_fail (!config || ASB_IS_OPENSANDBOX_CONFIG (config));

  own = config ? g_object_ref (config) : asb_opensandbox_config_new ();
  options = asb_opensandbox_config_make_options (own, url, &error);
  if (options)
    asb_create_backend_async (options, cancellable, callback, user_data);
  else
    g_task_report_error (NULL, callback, user_data, asb_create_opensandbox_backend_async, error);
}

/**
 * asb_create_opensandbox_backend_finish:
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [func@create_opensandbox_backend_async].
 *
 * Returns: (transfer full): the backend
 *
 * Since: 1.0
 */
AsbBackend *
asb_create_opensandbox_backend_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return asb_task_finish_pointer (result, error);
}

/**
 * asb_create_opensandbox_backend:
 * @url: (nullable): the address of the server, as `host:8080` or `https://host`, without user,
 * path, query or fragment; %NULL for the environment variable `OPEN_SANDBOX_DOMAIN`, or else
 * `localhost:8080`
 * @config: (nullable): what is to be done; not to be changed until it is done; %NULL for the
 * defaults
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Makes a sandbox on an OpenSandbox server, or connects to one, and gives the backend to work with
 * it. Blocks; see [func@create_opensandbox_backend_async].
 *
 * Returns: (transfer full): the backend
 *
 * Since: 1.0
 */
AsbBackend *
asb_create_opensandbox_backend (const char *url, AsbOpensandboxConfig *config,
                                GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (!config || ASB_IS_OPENSANDBOX_CONFIG (config), NULL);

  asb_sync_begin (&sync);
  asb_create_opensandbox_backend_async (url, config, cancellable, asb_sync_ready_cb, &sync);
  return asb_create_opensandbox_backend_finish (asb_sync_wait (&sync), error);
}
