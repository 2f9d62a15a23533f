/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the connection options of a provider say. */

#pragma once

#include <gio/gio.h>

typedef enum
{
  ASB_OPENSANDBOX_TRANSPORT_AUTO,
  ASB_OPENSANDBOX_TRANSPORT_GUEST,
  ASB_OPENSANDBOX_TRANSPORT_WEBSOCKET,
  ASB_OPENSANDBOX_TRANSPORT_PTY,
  ASB_OPENSANDBOX_TRANSPORT_NATIVE
} AsbOpensandboxTransportChoice;

/* Filled in by whoever makes it, and only read once it is shared. Any thread. */
typedef struct
{
  char *scheme; /* “http” or “https” */
  char *domain; /* host and port as written */
  char *api_key;
  char *execd_token;
  GHashTable *headers; /* name → value, any case; neither the key nor the token is in it */
  gboolean use_server_proxy;
  double request_timeout_seconds;
  double ready_timeout_seconds;
  double idle_timeout_seconds;
  guint max_connections;
  guint max_connections_per_host;
  guint keep_alive_seconds;
  char *proxy_uri;
  GTlsDatabase *tls_database; /* NULL: the system's */
  gboolean debug;
  AsbOpensandboxTransportChoice transport;
} AsbOpensandboxSettings;

#define ASB_OPENSANDBOX_DEFAULT_REQUEST_TIMEOUT 30.0
#define ASB_OPENSANDBOX_DEFAULT_READY_TIMEOUT 30.0
#define ASB_OPENSANDBOX_DEFAULT_IDLE_TIMEOUT 60.0
#define ASB_OPENSANDBOX_DEFAULT_MAX_CONNECTIONS 1024
#define ASB_OPENSANDBOX_DEFAULT_MAX_CONNECTIONS_PER_HOST 1024
#define ASB_OPENSANDBOX_DEFAULT_KEEP_ALIVE_SECONDS 20

/* With the defaults of all but the address. A NULL or empty @url is $OPEN_SANDBOX_DOMAIN, else
 * localhost:8080; a key that is not given later is $OPEN_SANDBOX_API_KEY.
 * Returns: (transfer full) (nullable) */
AsbOpensandboxSettings *asb_opensandbox_settings_new (const char *url, GError **error);
AsbOpensandboxSettings *asb_opensandbox_settings_ref (AsbOpensandboxSettings *self);
void asb_opensandbox_settings_unref (AsbOpensandboxSettings *self);

/* A NULL or empty @key leaves what the environment says. */
gboolean asb_opensandbox_settings_set_key (AsbOpensandboxSettings *self, const char *key,
                                           GError **error);
gboolean asb_opensandbox_settings_set_execd_token (AsbOpensandboxSettings *self, const char *token,
                                                   GError **error);

/* @headers is an a{ss}. One with the name of the key's or the token's header is taken as that. */
gboolean asb_opensandbox_settings_set_headers (AsbOpensandboxSettings *self, GVariant *headers,
                                               GError **error);

/* A NULL @uri leaves it to the system, “direct://” is no proxy at all. */
gboolean asb_opensandbox_settings_set_proxy (AsbOpensandboxSettings *self, const char *uri,
                                             GError **error);

/* Reads the file. */
gboolean asb_opensandbox_settings_set_tls_ca_file (AsbOpensandboxSettings *self, const char *path,
                                                   GError **error);
gboolean asb_opensandbox_settings_set_transport (AsbOpensandboxSettings *self, const char *name,
                                                 GError **error);

/* A timeout for timers: at least one millisecond, and what fits where it is longer than any wait.
 */
guint asb_opensandbox_settings_to_milliseconds (double seconds);

/* The first 16 hexadecimal digits of the SHA-256 of “scheme://domain”. */
char *asb_opensandbox_settings_dup_fingerprint (AsbOpensandboxSettings *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxSettings, asb_opensandbox_settings_unref)
