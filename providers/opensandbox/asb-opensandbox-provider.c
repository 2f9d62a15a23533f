/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-provider.h"

#include "asb-opensandbox-operations.h"

#define MAX_SECONDS (366.0 * 24 * 3600)
#define MAX_CONNECTIONS 65535

struct _AsbOpensandboxProvider
{
  GObject parent_instance;

  /* As given when it was made, until it is initialised. */
  char *url;
  char *api_key;
  char *execd_token;
  GVariant *headers;
  char *transport;
  char *proxy;
  char *tls_ca_file;
  double request_timeout_seconds;
  double ready_timeout_seconds;
  double idle_timeout_seconds;
  guint max_connections;
  guint max_connections_per_host;
  guint keep_alive_seconds;
  gboolean use_server_proxy;
  gboolean debug;

  char *key;
  char *fingerprint;
  AsbOpensandboxLifecycle *lifecycle;
};

enum
{
  PROP_0,
  PROP_URL,
  PROP_API_KEY,
  PROP_PROVIDER_KEY,
  PROP_USE_SERVER_PROXY,
  PROP_REQUEST_TIMEOUT_SECONDS,
  PROP_READY_TIMEOUT_SECONDS,
  PROP_IDLE_TIMEOUT_SECONDS,
  PROP_HEADERS,
  PROP_DEBUG,
  PROP_EXECD_TOKEN,
  PROP_MAX_CONNECTIONS,
  PROP_MAX_CONNECTIONS_PER_HOST,
  PROP_KEEP_ALIVE_SECONDS,
  PROP_PROXY,
  PROP_TLS_CA_FILE,
  PROP_TRANSPORT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void asb_opensandbox_provider_iface_init (AsbProviderInterface *iface);
static void asb_opensandbox_provider_initable_init (GInitableIface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbOpensandboxProvider, asb_opensandbox_provider, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_INITABLE,
                                                      asb_opensandbox_provider_initable_init)
                                   G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER,
                                                          asb_opensandbox_provider_iface_init))

static void
asb_opensandbox_provider_finalize (GObject *object)
{
  AsbOpensandboxProvider *self = ASB_OPENSANDBOX_PROVIDER (object);

  g_clear_object (&self->lifecycle);
  g_clear_pointer (&self->fingerprint, g_free);
  g_clear_pointer (&self->key, g_free);
  g_clear_pointer (&self->tls_ca_file, g_free);
  g_clear_pointer (&self->proxy, g_free);
  g_clear_pointer (&self->transport, g_free);
  g_clear_pointer (&self->headers, g_variant_unref);
  g_clear_pointer (&self->execd_token, g_free);
  g_clear_pointer (&self->api_key, g_free);
  g_clear_pointer (&self->url, g_free);
  G_OBJECT_CLASS (asb_opensandbox_provider_parent_class)->finalize (object);
}

static void
asb_opensandbox_provider_get_property (GObject *object, guint prop_id, GValue *value,
                                       GParamSpec *pspec)
{
  AsbOpensandboxProvider *self = ASB_OPENSANDBOX_PROVIDER (object);

  switch (prop_id)
    {
    case PROP_PROVIDER_KEY:
      g_value_set_string (value, self->key);
      break;
    case PROP_USE_SERVER_PROXY:
      g_value_set_boolean (value, self->use_server_proxy);
      break;
    case PROP_REQUEST_TIMEOUT_SECONDS:
      g_value_set_double (value, self->request_timeout_seconds);
      break;
    case PROP_READY_TIMEOUT_SECONDS:
      g_value_set_double (value, self->ready_timeout_seconds);
      break;
    case PROP_IDLE_TIMEOUT_SECONDS:
      g_value_set_double (value, self->idle_timeout_seconds);
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
    case PROP_TRANSPORT:
      g_value_set_string (value, self->transport);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
asb_opensandbox_provider_set_property (GObject *object, guint prop_id, const GValue *value,
                                       GParamSpec *pspec)
{
  AsbOpensandboxProvider *self = ASB_OPENSANDBOX_PROVIDER (object);

  switch (prop_id)
    {
    case PROP_URL:
      self->url = g_value_dup_string (value);
      break;
    case PROP_API_KEY:
      self->api_key = g_value_dup_string (value);
      break;
    case PROP_PROVIDER_KEY:
      self->key = g_value_dup_string (value);
      break;
    case PROP_USE_SERVER_PROXY:
      self->use_server_proxy = g_value_get_boolean (value);
      break;
    case PROP_REQUEST_TIMEOUT_SECONDS:
      self->request_timeout_seconds = g_value_get_double (value);
      break;
    case PROP_READY_TIMEOUT_SECONDS:
      self->ready_timeout_seconds = g_value_get_double (value);
      break;
    case PROP_IDLE_TIMEOUT_SECONDS:
      self->idle_timeout_seconds = g_value_get_double (value);
      break;
    case PROP_HEADERS:
      self->headers = g_value_dup_variant (value);
      break;
    case PROP_DEBUG:
      self->debug = g_value_get_boolean (value);
      break;
    case PROP_EXECD_TOKEN:
      self->execd_token = g_value_dup_string (value);
      break;
    case PROP_MAX_CONNECTIONS:
      self->max_connections = g_value_get_uint (value);
      break;
    case PROP_MAX_CONNECTIONS_PER_HOST:
      self->max_connections_per_host = g_value_get_uint (value);
      break;
    case PROP_KEEP_ALIVE_SECONDS:
      self->keep_alive_seconds = g_value_get_uint (value);
      break;
    case PROP_PROXY:
      self->proxy = g_value_dup_string (value);
      break;
    case PROP_TLS_CA_FILE:
      self->tls_ca_file = g_value_dup_string (value);
      break;
    case PROP_TRANSPORT:
      self->transport = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

#define GIVEN_ONCE (G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS)
/* Secrets, and what may hold one, are not given out again. */
#define NEVER_READ (G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS)

static void
asb_opensandbox_provider_class_init (AsbOpensandboxProviderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_opensandbox_provider_finalize;
  object_class->get_property = asb_opensandbox_provider_get_property;
  object_class->set_property = asb_opensandbox_provider_set_property;

  properties[PROP_URL] = g_param_spec_string ("url", NULL, NULL, NULL, NEVER_READ);
  properties[PROP_API_KEY] = g_param_spec_string ("api-key", NULL, NULL, NULL, NEVER_READ);
  properties[PROP_PROVIDER_KEY]
      = g_param_spec_string ("provider-key", NULL, NULL, ASB_OPENSANDBOX_PROVIDER_KEY, GIVEN_ONCE);
  properties[PROP_USE_SERVER_PROXY]
      = g_param_spec_boolean ("use-server-proxy", NULL, NULL, FALSE, GIVEN_ONCE);
  properties[PROP_REQUEST_TIMEOUT_SECONDS]
      = g_param_spec_double ("request-timeout-seconds", NULL, NULL, 0.001, MAX_SECONDS,
                             ASB_OPENSANDBOX_DEFAULT_REQUEST_TIMEOUT, GIVEN_ONCE);
  properties[PROP_READY_TIMEOUT_SECONDS]
      = g_param_spec_double ("ready-timeout-seconds", NULL, NULL, 0.001, MAX_SECONDS,
                             ASB_OPENSANDBOX_DEFAULT_READY_TIMEOUT, GIVEN_ONCE);
  properties[PROP_IDLE_TIMEOUT_SECONDS]
      = g_param_spec_double ("idle-timeout-seconds", NULL, NULL, 0.001, MAX_SECONDS,
                             ASB_OPENSANDBOX_DEFAULT_IDLE_TIMEOUT, GIVEN_ONCE);
  properties[PROP_HEADERS]
      = g_param_spec_variant ("headers", NULL, NULL, G_VARIANT_TYPE ("a{ss}"), NULL, NEVER_READ);
  properties[PROP_DEBUG] = g_param_spec_boolean ("debug", NULL, NULL, FALSE, GIVEN_ONCE);
  properties[PROP_EXECD_TOKEN] = g_param_spec_string ("execd-token", NULL, NULL, NULL, NEVER_READ);
  properties[PROP_MAX_CONNECTIONS]
      = g_param_spec_uint ("max-connections", NULL, NULL, 1, MAX_CONNECTIONS,
                           ASB_OPENSANDBOX_DEFAULT_MAX_CONNECTIONS, GIVEN_ONCE);
  properties[PROP_MAX_CONNECTIONS_PER_HOST]
      = g_param_spec_uint ("max-connections-per-host", NULL, NULL, 1, MAX_CONNECTIONS,
                           ASB_OPENSANDBOX_DEFAULT_MAX_CONNECTIONS_PER_HOST, GIVEN_ONCE);
  properties[PROP_KEEP_ALIVE_SECONDS]
      = g_param_spec_uint ("keep-alive-seconds", NULL, NULL, 1, 3600,
                           ASB_OPENSANDBOX_DEFAULT_KEEP_ALIVE_SECONDS, GIVEN_ONCE);
  properties[PROP_PROXY] = g_param_spec_string ("proxy", NULL, NULL, NULL, NEVER_READ);
  properties[PROP_TLS_CA_FILE] = g_param_spec_string ("tls-ca-file", NULL, NULL, NULL, NEVER_READ);
  properties[PROP_TRANSPORT] = g_param_spec_string ("transport", NULL, NULL, "auto", GIVEN_ONCE);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_opensandbox_provider_init (AsbOpensandboxProvider *self)
{
}

static AsbOpensandboxSettings *
make_settings (AsbOpensandboxProvider *self, GError **error)
{
  g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new (self->url, error);

  /* Headers first: an option of its own counts more than a header of that name. */
  if (!settings || !asb_opensandbox_settings_set_headers (settings, self->headers, error)
      || !asb_opensandbox_settings_set_key (settings, self->api_key, error)
      || !asb_opensandbox_settings_set_execd_token (settings, self->execd_token, error)
      || !asb_opensandbox_settings_set_proxy (settings, self->proxy, error)
      || !asb_opensandbox_settings_set_tls_ca_file (settings, self->tls_ca_file, error)
      || !asb_opensandbox_settings_set_transport (settings, self->transport, error))
    return NULL;
  settings->use_server_proxy = self->use_server_proxy;
  settings->request_timeout_seconds = self->request_timeout_seconds;
  settings->ready_timeout_seconds = self->ready_timeout_seconds;
  settings->idle_timeout_seconds = self->idle_timeout_seconds;
  settings->max_connections = self->max_connections;
  settings->max_connections_per_host = self->max_connections_per_host;
  settings->keep_alive_seconds = self->keep_alive_seconds;
  settings->debug = self->debug;
  return g_steal_pointer (&settings);
}

static gboolean
asb_opensandbox_provider_initable_do (GInitable *initable, GCancellable *cancellable,
                                      GError **error)
{
  AsbOpensandboxProvider *self = ASB_OPENSANDBOX_PROVIDER (initable);
  g_autoptr (AsbOpensandboxSettings) settings = NULL;
  g_autoptr (AsbOpensandboxClient) client = NULL;

  if (self->lifecycle)
    return TRUE;
  if (!self->key || *self->key == '\0')
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "Option “provider-key” of provider “opensandbox” must not be empty");
      return FALSE;
    }
  settings = make_settings (self, error);
  if (!settings)
    return FALSE;
  self->fingerprint = asb_opensandbox_settings_dup_fingerprint (settings);
  client = asb_opensandbox_client_new (settings);
  self->lifecycle = asb_opensandbox_lifecycle_new (client, self->key);
  return TRUE;
}

static void
asb_opensandbox_provider_initable_init (GInitableIface *iface)
{
  iface->init = asb_opensandbox_provider_initable_do;
}

AsbOpensandboxLifecycle *
asb_opensandbox_provider_get_lifecycle (AsbOpensandboxProvider *self)
{
  return self->lifecycle;
}

static char *
asb_opensandbox_provider_dup_name (AsbProvider *provider)
{
  return g_strdup (ASB_OPENSANDBOX_PROVIDER_NAME);
}

static char *
asb_opensandbox_provider_dup_key (AsbProvider *provider)
{
  return g_strdup (ASB_OPENSANDBOX_PROVIDER (provider)->key);
}

static char *
asb_opensandbox_provider_dup_endpoint_fingerprint (AsbProvider *provider)
{
  return g_strdup (ASB_OPENSANDBOX_PROVIDER (provider)->fingerprint);
}

static void
asb_opensandbox_provider_iface_init (AsbProviderInterface *iface)
{
  iface->dup_name = asb_opensandbox_provider_dup_name;
  iface->dup_key = asb_opensandbox_provider_dup_key;
  iface->dup_endpoint_fingerprint = asb_opensandbox_provider_dup_endpoint_fingerprint;
  asb_opensandbox_operations_install (iface);
  iface->thread_safe = TRUE;
}
