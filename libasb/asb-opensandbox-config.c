/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-opensandbox-config.h"

#include "asb-property-private.h"

/**
 * AsbOpensandboxConfig:
 *
 * How [func@create_opensandbox_backend] makes a sandbox on an OpenSandbox server: the options of a
 * backend, with what the connection needs.
 *
 * The provider and its options are filled in by that function and are not to be set. Of the other
 * options these have another default: the image is `python:3.12`, the history is kept in the
 * sandbox, and [property@BackendOptions:concurrency] and [property@BackendOptions:retry] are a
 * [class@ConcurrencyConfig] and a [class@RetryConfig] as they are made: four commands at once, and
 * what only looks is tried again.
 *
 * Programs that make many backends with one server can make the provider themselves and hand it to
 * [func@create_backend]: it is made by the name `opensandbox` with the properties of this class,
 * and `url`, as its options.
 *
 * Since: 1.0
 */

struct _AsbOpensandboxConfig
{
  AsbBackendOptions parent_instance;

  char *api_key;
  char *execd_token;
  char *provider_key;
  gboolean use_server_proxy;
  double request_timeout_seconds;
  double idle_timeout_seconds;
  GHashTable *headers;
  gboolean debug;
  guint max_connections;
  guint max_connections_per_host;
  guint keep_alive_seconds;
  char *proxy;
  char *tls_ca_file;
  char *transport;
};

enum
{
  PROP_0,
  PROP_API_KEY,
  PROP_EXECD_TOKEN,
  PROP_PROVIDER_KEY,
  PROP_USE_SERVER_PROXY,
  PROP_REQUEST_TIMEOUT_SECONDS,
  PROP_IDLE_TIMEOUT_SECONDS,
  PROP_HEADERS,
  PROP_DEBUG,
  PROP_MAX_CONNECTIONS,
  PROP_MAX_CONNECTIONS_PER_HOST,
  PROP_KEEP_ALIVE_SECONDS,
  PROP_PROXY,
  PROP_TLS_CA_FILE,
  PROP_TRANSPORT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbOpensandboxConfig, asb_opensandbox_config, ASB_TYPE_BACKEND_OPTIONS)

static void
asb_opensandbox_config_finalize (GObject *object)
{
  AsbOpensandboxConfig *self = ASB_OPENSANDBOX_CONFIG (object);

  g_clear_pointer (&self->api_key, g_free);
  g_clear_pointer (&self->execd_token, g_free);
  g_clear_pointer (&self->provider_key, g_free);
  g_clear_pointer (&self->headers, g_hash_table_unref);
  g_clear_pointer (&self->proxy, g_free);
  g_clear_pointer (&self->tls_ca_file, g_free);
  g_clear_pointer (&self->transport, g_free);

  G_OBJECT_CLASS (asb_opensandbox_config_parent_class)->finalize (object);
}

static void
asb_opensandbox_config_get_property (GObject *object, guint property_id, GValue *value,
                                     GParamSpec *pspec)
{
  AsbOpensandboxConfig *self = ASB_OPENSANDBOX_CONFIG (object);

  switch (property_id)
    {
    case PROP_API_KEY:
      g_value_set_string (value, self->api_key);
      break;
    case PROP_EXECD_TOKEN:
      g_value_set_string (value, self->execd_token);
      break;
    case PROP_PROVIDER_KEY:
      g_value_set_string (value, self->provider_key);
      break;
    case PROP_USE_SERVER_PROXY:
      g_value_set_boolean (value, self->use_server_proxy);
      break;
    case PROP_REQUEST_TIMEOUT_SECONDS:
      g_value_set_double (value, self->request_timeout_seconds);
      break;
    case PROP_IDLE_TIMEOUT_SECONDS:
      g_value_set_double (value, self->idle_timeout_seconds);
      break;
    case PROP_HEADERS:
      g_value_set_boxed (value, self->headers);
      break;
    case PROP_DEBUG:
      g_value_set_boolean (value, self->debug);
      break;
    case PROP_MAX_CONNECTIONS:
      g_value_set_uint (value, self->max_connections);
      break;
    case PROP_MAX_CONNECTIONS_PER_HOST:
      g_value_set_uint (value, self->max_connections_per_host);
      break;
    case PROP_KEEP_ALIVE_SECONDS:
      g_value_set_uint (value, self->keep_alive_seconds);
      break;
    case PROP_PROXY:
      g_value_set_string (value, self->proxy);
      break;
    case PROP_TLS_CA_FILE:
      g_value_set_string (value, self->tls_ca_file);
      break;
    case PROP_TRANSPORT:
      g_value_set_string (value, self->transport);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_opensandbox_config_set_property (GObject *object, guint property_id, const GValue *value,
                                     GParamSpec *pspec)
{
  AsbOpensandboxConfig *self = ASB_OPENSANDBOX_CONFIG (object);

  switch (property_id)
    {
    case PROP_API_KEY:
      asb_opensandbox_config_set_api_key (self, g_value_get_string (value));
      break;
    case PROP_EXECD_TOKEN:
      asb_opensandbox_config_set_execd_token (self, g_value_get_string (value));
      break;
    case PROP_PROVIDER_KEY:
      asb_opensandbox_config_set_provider_key (self, g_value_get_string (value));
      break;
    case PROP_USE_SERVER_PROXY:
      asb_opensandbox_config_set_use_server_proxy (self, g_value_get_boolean (value));
      break;
    case PROP_REQUEST_TIMEOUT_SECONDS:
      asb_opensandbox_config_set_request_timeout_seconds (self, g_value_get_double (value));
      break;
    case PROP_IDLE_TIMEOUT_SECONDS:
      asb_opensandbox_config_set_idle_timeout_seconds (self, g_value_get_double (value));
      break;
    case PROP_HEADERS:
      asb_opensandbox_config_set_headers (self, g_value_get_boxed (value));
      break;
    case PROP_DEBUG:
      asb_opensandbox_config_set_debug (self, g_value_get_boolean (value));
      break;
    case PROP_MAX_CONNECTIONS:
      asb_opensandbox_config_set_max_connections (self, g_value_get_uint (value));
      break;
    case PROP_MAX_CONNECTIONS_PER_HOST:
      asb_opensandbox_config_set_max_connections_per_host (self, g_value_get_uint (value));
      break;
    case PROP_KEEP_ALIVE_SECONDS:
      asb_opensandbox_config_set_keep_alive_seconds (self, g_value_get_uint (value));
      break;
    case PROP_PROXY:
      asb_opensandbox_config_set_proxy (self, g_value_get_string (value));
      break;
    case PROP_TLS_CA_FILE:
      asb_opensandbox_config_set_tls_ca_file (self, g_value_get_string (value));
      break;
    case PROP_TRANSPORT:
      asb_opensandbox_config_set_transport (self, g_value_get_string (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_opensandbox_config_class_init (AsbOpensandboxConfigClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_opensandbox_config_finalize;
  object_class->get_property = asb_opensandbox_config_get_property;
  object_class->set_property = asb_opensandbox_config_set_property;

  /**
   * AsbOpensandboxConfig:api-key:
   *
   * The key of the lifecycle server; %NULL for the environment variable `OPEN_SANDBOX_API_KEY`. It
   * goes to that server only, and is in no record, log or error.
   *
   * Since: 1.0
   */
  properties[PROP_API_KEY] = g_param_spec_string ("api-key", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:execd-token:
   *
   * The access token of the program that works inside the sandboxes, where it asks for one.
   *
   * Since: 1.0
   */
  properties[PROP_EXECD_TOKEN]
      = g_param_spec_string ("execd-token", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:provider-key:
   *
   * A name for the server, part of the identity of its sandboxes: it is to be the same wherever
   * they are connected to. The default is `opensandbox-default`.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER_KEY] = g_param_spec_string ("provider-key", NULL, NULL,
                                                       "opensandbox-default", ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:use-server-proxy:
   *
   * Whether the sandboxes are reached through the lifecycle server, and not at addresses of their
   * own. The default is %TRUE.
   *
   * Since: 1.0
   */
  properties[PROP_USE_SERVER_PROXY]
      = g_param_spec_boolean ("use-server-proxy", NULL, NULL, TRUE, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:request-timeout-seconds:
   *
   * How long an answer of the server may take, in seconds. 0.001 to 31,622,400; the default is 30.
   *
   * Since: 1.0
   */
  properties[PROP_REQUEST_TIMEOUT_SECONDS] = g_param_spec_double (
      "request-timeout-seconds", NULL, NULL, 0.001, 31622400, 30, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:idle-timeout-seconds:
   *
   * How long nothing may go on with a file or an archive that is read or written without the guest,
   * while the sandbox is waited for, in seconds; then it is %ASB_ERROR_INTERRUPTED. How long all of
   * it takes is not bounded, and a sandbox that is paused is waited for. 0.001 to 31,622,400; the
   * default is 60.
   *
   * Since: 1.0
   */
  properties[PROP_IDLE_TIMEOUT_SECONDS] = g_param_spec_double (
      "idle-timeout-seconds", NULL, NULL, 0.001, 31622400, 60, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:headers: (type GLib.HashTable(utf8,utf8))
   *
   * Headers to send with each request, by name; %NULL for none. They may be secret.
   *
   * Since: 1.0
   */
  properties[PROP_HEADERS]
      = g_param_spec_boxed ("headers", NULL, NULL, G_TYPE_HASH_TABLE, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:debug:
   *
   * Whether requests and answers are logged. Nothing secret is.
   *
   * Since: 1.0
   */
  properties[PROP_DEBUG] = g_param_spec_boolean ("debug", NULL, NULL, FALSE, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:max-connections:
   *
   * How many connections there may be at once. 1 to 65,535; the default is 1,024.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_CONNECTIONS]
      = g_param_spec_uint ("max-connections", NULL, NULL, 1, 65535, 1024, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:max-connections-per-host:
   *
   * How many connections there may be at once to one server or sandbox. 1 to 65,535; the default is
   * 1,024.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_CONNECTIONS_PER_HOST] = g_param_spec_uint (
      "max-connections-per-host", NULL, NULL, 1, 65535, 1024, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:keep-alive-seconds:
   *
   * How long a connection nobody uses is kept, in seconds. 1 to 3,600; the default is 20.
   *
   * Since: 1.0
   */
  properties[PROP_KEEP_ALIVE_SECONDS]
      = g_param_spec_uint ("keep-alive-seconds", NULL, NULL, 1, 3600, 20, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:proxy:
   *
   * The address of a proxy for what is not on this machine; %NULL for what the system says.
   *
   * Since: 1.0
   */
  properties[PROP_PROXY] = g_param_spec_string ("proxy", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:tls-ca-file:
   *
   * A file of certificates to trust instead of the system's; %NULL for those of the system.
   *
   * Since: 1.0
   */
  properties[PROP_TLS_CA_FILE]
      = g_param_spec_string ("tls-ca-file", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbOpensandboxConfig:transport:
   *
   * The way into the sandboxes: `auto` for the best there is, `guest` for one that has the guest
   * work there, `websocket` or `pty` for a certain one of these, or `native` for what the server
   * offers itself. The default is `auto`.
   *
   * Since: 1.0
   */
  properties[PROP_TRANSPORT]
      = g_param_spec_string ("transport", NULL, NULL, "auto", ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_opensandbox_config_init (AsbOpensandboxConfig *self)
{
  self->provider_key = g_strdup ("opensandbox-default");
  self->use_server_proxy = TRUE;
  self->request_timeout_seconds = 30;
  self->idle_timeout_seconds = 60;
  self->max_connections = 1024;
  self->max_connections_per_host = 1024;
  self->keep_alive_seconds = 20;
  self->transport = g_strdup ("auto");
}

/**
 * asb_opensandbox_config_new:
 *
 * Makes a [class@OpensandboxConfig] with every property at its default.
 *
 * Returns: (transfer full): a new [class@OpensandboxConfig]
 *
 * Since: 1.0
 */
AsbOpensandboxConfig *
asb_opensandbox_config_new (void)
{
  return g_object_new (ASB_TYPE_OPENSANDBOX_CONFIG, NULL);
}

/**
 * asb_opensandbox_config_get_api_key:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:api-key].
 *
 * Returns: (transfer none) (nullable): the key of the lifecycle server; %NULL for the environment
 * variable `OPEN_SANDBOX_API_KEY`
 *
 * Since: 1.0
 */
const char *
asb_opensandbox_config_get_api_key (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), NULL);

  return self->api_key;
}

/**
 * asb_opensandbox_config_set_api_key:
 * @self: a [class@OpensandboxConfig]
 * @api_key: (nullable): the key of the lifecycle server; %NULL for the environment variable
 * `OPEN_SANDBOX_API_KEY`
 *
 * Sets [property@OpensandboxConfig:api-key].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_api_key (AsbOpensandboxConfig *self, const char *api_key)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (asb_property_replace_string (&self->api_key, api_key))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_API_KEY]);
}

/**
 * asb_opensandbox_config_get_execd_token:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:execd-token].
 *
 * Returns: (transfer none) (nullable): the access token of the program that works inside the
 * sandboxes, where it asks for one
 *
 * Since: 1.0
 */
const char *
asb_opensandbox_config_get_execd_token (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), NULL);

  return self->execd_token;
}

/**
 * asb_opensandbox_config_set_execd_token:
 * @self: a [class@OpensandboxConfig]
 * @execd_token: (nullable): the access token of the program that works inside the sandboxes, where
 * it asks for one
 *
 * Sets [property@OpensandboxConfig:execd-token].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_execd_token (AsbOpensandboxConfig *self, const char *execd_token)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (asb_property_replace_string (&self->execd_token, execd_token))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_EXECD_TOKEN]);
}

/**
 * asb_opensandbox_config_get_provider_key:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:provider-key].
 *
 * Returns: (transfer none): a name for the server, part of the identity of its sandboxes: it is to
 * be the same wherever they are connected to
 *
 * Since: 1.0
 */
const char *
asb_opensandbox_config_get_provider_key (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), NULL);

  return self->provider_key;
}

/**
 * asb_opensandbox_config_set_provider_key:
 * @self: a [class@OpensandboxConfig]
 * @provider_key: a name for the server, part of the identity of its sandboxes: it is to be the same
 * wherever they are connected to
 *
 * Sets [property@OpensandboxConfig:provider-key].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_provider_key (AsbOpensandboxConfig *self, const char *provider_key)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (asb_property_replace_string (&self->provider_key, provider_key))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROVIDER_KEY]);
}

/**
 * asb_opensandbox_config_get_use_server_proxy:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:use-server-proxy].
 *
 * Returns: whether the sandboxes are reached through the lifecycle server, and not at addresses of
 * their own
 *
 * Since: 1.0
 */
gboolean
asb_opensandbox_config_get_use_server_proxy (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), FALSE);

  return self->use_server_proxy;
}

/**
 * asb_opensandbox_config_set_use_server_proxy:
 * @self: a [class@OpensandboxConfig]
 * @use_server_proxy: whether the sandboxes are reached through the lifecycle server, and not at
 * addresses of their own
 *
 * Sets [property@OpensandboxConfig:use-server-proxy].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_use_server_proxy (AsbOpensandboxConfig *self, gboolean use_server_proxy)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (self->use_server_proxy == use_server_proxy)
    return;
  self->use_server_proxy = use_server_proxy;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_USE_SERVER_PROXY]);
}

/**
 * asb_opensandbox_config_get_request_timeout_seconds:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:request-timeout-seconds].
 *
 * Returns: how long an answer of the server may take, in seconds
 *
 * Since: 1.0
 */
double
asb_opensandbox_config_get_request_timeout_seconds (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), 0);

  return self->request_timeout_seconds;
}

/**
 * asb_opensandbox_config_set_request_timeout_seconds:
 * @self: a [class@OpensandboxConfig]
 * @request_timeout_seconds: how long an answer of the server may take, in seconds
 *
 * Sets [property@OpensandboxConfig:request-timeout-seconds].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_request_timeout_seconds (AsbOpensandboxConfig *self,
                                                    double request_timeout_seconds)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (self->request_timeout_seconds == request_timeout_seconds)
    return;
  self->request_timeout_seconds = request_timeout_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_REQUEST_TIMEOUT_SECONDS]);
}

/**
 * asb_opensandbox_config_get_idle_timeout_seconds:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:idle-timeout-seconds].
 *
 * Returns: how long nothing may come of a file that is being read, in seconds
 *
 * Since: 1.0
 */
double
asb_opensandbox_config_get_idle_timeout_seconds (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), 0);

  return self->idle_timeout_seconds;
}

/**
 * asb_opensandbox_config_set_idle_timeout_seconds:
 * @self: a [class@OpensandboxConfig]
 * @idle_timeout_seconds: how long nothing may come of a file that is being read, in seconds
 *
 * Sets [property@OpensandboxConfig:idle-timeout-seconds].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_idle_timeout_seconds (AsbOpensandboxConfig *self,
                                                 double idle_timeout_seconds)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (self->idle_timeout_seconds == idle_timeout_seconds)
    return;
  self->idle_timeout_seconds = idle_timeout_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_IDLE_TIMEOUT_SECONDS]);
}

/**
 * asb_opensandbox_config_get_headers:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:headers].
 *
 * Returns: (transfer none) (nullable) (element-type utf8 utf8): headers to send with each request;
 * %NULL for none
 *
 * Since: 1.0
 */
GHashTable *
asb_opensandbox_config_get_headers (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), NULL);

  return self->headers;
}

/**
 * asb_opensandbox_config_set_headers:
 * @self: a [class@OpensandboxConfig]
 * @headers: (nullable) (element-type utf8 utf8): headers to send with each request; %NULL for none
 *
 * Sets [property@OpensandboxConfig:headers].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_headers (AsbOpensandboxConfig *self, GHashTable *headers)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (asb_property_replace_map (&self->headers, headers))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HEADERS]);
}

/**
 * asb_opensandbox_config_get_debug:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:debug].
 *
 * Returns: whether requests and answers are logged
 *
 * Since: 1.0
 */
gboolean
asb_opensandbox_config_get_debug (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), FALSE);

  return self->debug;
}

/**
 * asb_opensandbox_config_set_debug:
 * @self: a [class@OpensandboxConfig]
 * @debug: whether requests and answers are logged
 *
 * Sets [property@OpensandboxConfig:debug].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_debug (AsbOpensandboxConfig *self, gboolean debug)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (self->debug == debug)
    return;
  self->debug = debug;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DEBUG]);
}

/**
 * asb_opensandbox_config_get_max_connections:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:max-connections].
 *
 * Returns: how many connections there may be at once
 *
 * Since: 1.0
 */
guint
asb_opensandbox_config_get_max_connections (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), 0);

  return self->max_connections;
}

/**
 * asb_opensandbox_config_set_max_connections:
 * @self: a [class@OpensandboxConfig]
 * @max_connections: how many connections there may be at once
 *
 * Sets [property@OpensandboxConfig:max-connections].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_max_connections (AsbOpensandboxConfig *self, guint max_connections)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (self->max_connections == max_connections)
    return;
  self->max_connections = max_connections;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_CONNECTIONS]);
}

/**
 * asb_opensandbox_config_get_max_connections_per_host:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:max-connections-per-host].
 *
 * Returns: how many connections there may be at once to one server or sandbox
 *
 * Since: 1.0
 */
guint
asb_opensandbox_config_get_max_connections_per_host (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), 0);

  return self->max_connections_per_host;
}

/**
 * asb_opensandbox_config_set_max_connections_per_host:
 * @self: a [class@OpensandboxConfig]
 * @max_connections_per_host: how many connections there may be at once to one server or sandbox
 *
 * Sets [property@OpensandboxConfig:max-connections-per-host].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_max_connections_per_host (AsbOpensandboxConfig *self,
                                                     guint max_connections_per_host)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (self->max_connections_per_host == max_connections_per_host)
    return;
  self->max_connections_per_host = max_connections_per_host;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_CONNECTIONS_PER_HOST]);
}

/**
 * asb_opensandbox_config_get_keep_alive_seconds:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:keep-alive-seconds].
 *
 * Returns: how long a connection nobody uses is kept, in seconds
 *
 * Since: 1.0
 */
guint
asb_opensandbox_config_get_keep_alive_seconds (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), 0);

  return self->keep_alive_seconds;
}

/**
 * asb_opensandbox_config_set_keep_alive_seconds:
 * @self: a [class@OpensandboxConfig]
 * @keep_alive_seconds: how long a connection nobody uses is kept, in seconds
 *
 * Sets [property@OpensandboxConfig:keep-alive-seconds].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_keep_alive_seconds (AsbOpensandboxConfig *self, guint keep_alive_seconds)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (self->keep_alive_seconds == keep_alive_seconds)
    return;
  self->keep_alive_seconds = keep_alive_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_KEEP_ALIVE_SECONDS]);
}

/**
 * asb_opensandbox_config_get_proxy:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:proxy].
 *
 * Returns: (transfer none) (nullable): the address of a proxy for what is not on this machine;
 * %NULL for what the system says
 *
 * Since: 1.0
 */
const char *
asb_opensandbox_config_get_proxy (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), NULL);

  return self->proxy;
}

/**
 * asb_opensandbox_config_set_proxy:
 * @self: a [class@OpensandboxConfig]
 * @proxy: (nullable): the address of a proxy for what is not on this machine; %NULL for what the
 * system says
 *
 * Sets [property@OpensandboxConfig:proxy].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_proxy (AsbOpensandboxConfig *self, const char *proxy)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (asb_property_replace_string (&self->proxy, proxy))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROXY]);
}

/**
 * asb_opensandbox_config_get_tls_ca_file:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:tls-ca-file].
 *
 * Returns: (transfer none) (nullable) (type filename): a file of certificates to trust instead of
 * the system's; %NULL for those of the system
 *
 * Since: 1.0
 */
const char *
asb_opensandbox_config_get_tls_ca_file (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), NULL);

  return self->tls_ca_file;
}

/**
 * asb_opensandbox_config_set_tls_ca_file:
 * @self: a [class@OpensandboxConfig]
 * @tls_ca_file: (nullable) (type filename): a file of certificates to trust instead of the
 * system's; %NULL for those of the system
 *
 * Sets [property@OpensandboxConfig:tls-ca-file].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_tls_ca_file (AsbOpensandboxConfig *self, const char *tls_ca_file)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (asb_property_replace_string (&self->tls_ca_file, tls_ca_file))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TLS_CA_FILE]);
}

/**
 * asb_opensandbox_config_get_transport:
 * @self: a [class@OpensandboxConfig]
 *
 * Gets [property@OpensandboxConfig:transport].
 *
 * Returns: (transfer none): the way into the sandboxes: `auto`, `guest`, `websocket`, `pty` or
 * `native`
 *
 * Since: 1.0
 */
const char *
asb_opensandbox_config_get_transport (AsbOpensandboxConfig *self)
{
  g_return_val_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self), NULL);

  return self->transport;
}

/**
 * asb_opensandbox_config_set_transport:
 * @self: a [class@OpensandboxConfig]
 * @transport: the way into the sandboxes: `auto`, `guest`, `websocket`, `pty` or `native`
 *
 * Sets [property@OpensandboxConfig:transport].
 *
 * Since: 1.0
 */
void
asb_opensandbox_config_set_transport (AsbOpensandboxConfig *self, const char *transport)
{
  g_return_if_fail (ASB_IS_OPENSANDBOX_CONFIG (self));

  if (asb_property_replace_string (&self->transport, transport))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TRANSPORT]);
}
