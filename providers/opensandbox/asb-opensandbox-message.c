/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-opensandbox-message.h"

#include <asb.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "asb-opensandbox-certificate.h"
#include "asb-opensandbox-headers.h"
#include "asb-opensandbox-measured.h"
#include "asb-opensandbox-url.h"

#define RESENT_KEY "asb-opensandbox-message-resent"
#define MAX_TLS_ALERT 256
#define KEEP_ALIVE_IDLE 60
#define KEEP_ALIVE_INTERVAL 15
#define KEEP_ALIVE_COUNT 4

GUri *
asb_opensandbox_message_parse_uri (AsbOpensandboxRequest *request, GError **error)
{
  g_autofree char *text = asb_opensandbox_request_dup_url (request);
  g_autoptr (GUri) uri = g_uri_parse (text, SOUP_HTTP_URI_FLAGS, NULL);
  const char *scheme = uri ? g_uri_get_scheme (uri) : "";

  /* Endpoints are what a server said, and may hold a token. */
  if ((g_str_equal (scheme, "http") || g_str_equal (scheme, "https"))
      && asb_opensandbox_url_is_host (g_uri_get_host (uri)) && !g_uri_get_userinfo (uri))
    return g_steal_pointer (&uri);
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
               "Could not %s: the server named an address that is none",
               asb_opensandbox_request_get_what (request));
  return NULL;
}

/* Headers of a lookup are what a server said. */
static gboolean
add_headers (SoupMessageHeaders *to, GHashTable *from, const char *what, GError **error)
{
  GHashTableIter iter;
  gpointer name;
  gpointer value;

  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      if (!asb_opensandbox_headers_is_name (name) || !asb_opensandbox_headers_is_value (value)
          || !asb_opensandbox_headers_is_settable (name))
        {
          g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                       "Could not %s: a header that goes with it cannot be sent", what);
          return FALSE;
        }
      soup_message_headers_replace (to, name, value);
    }
  return TRUE;
}

/* An endpoint that claims to be the server, and is another one, does not get the key. */
static gboolean
is_server (GUri *uri, AsbOpensandboxSettings *settings)
{
  g_autofree char *text = g_strdup_printf ("%s://%s/", settings->scheme, settings->domain);
  g_autoptr (GUri) server = g_uri_parse (text, SOUP_HTTP_URI_FLAGS, NULL);

  return server && asb_opensandbox_url_same_origin (server, uri);
}

static void
add_secrets (SoupMessageHeaders *headers, GUri *uri, AsbOpensandboxEndpoint *endpoint,
             AsbOpensandboxSettings *settings)
{
  if (endpoint->flags & ASB_OPENSANDBOX_ENDPOINT_SEND_KEY && settings->api_key
      && is_server (uri, settings))
    soup_message_headers_replace (headers, ASB_OPENSANDBOX_KEY_HEADER, settings->api_key);
  if (endpoint->flags & ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN && settings->execd_token)
    soup_message_headers_replace (headers, ASB_OPENSANDBOX_EXECD_TOKEN_HEADER,
                                  settings->execd_token);
}

static gboolean
is_read_by_proxy (SoupMessage *message)
{
  GUri *uri = soup_message_get_uri (message);

  return g_str_equal (soup_message_get_method (message), "CONNECT")
         || g_str_equal (g_uri_get_scheme (uri), "http");
}

void
asb_opensandbox_message_log_in_at_proxy (SoupMessage *message, AsbOpensandboxProxy *proxy)
{
  g_autofree char *login
      = asb_opensandbox_proxy_dup_login (proxy, g_uri_get_host (soup_message_get_uri (message)));

  if (login && is_read_by_proxy (message))
    soup_message_headers_replace (soup_message_get_request_headers (message), "Proxy-Authorization",
                                  login);
}

gboolean
asb_opensandbox_message_is_trusted (SoupMessage *message)
{
  return g_str_equal (g_uri_get_scheme (soup_message_get_uri (message)), "http")
         || (soup_message_get_tls_peer_certificate (message)
             && soup_message_get_tls_peer_certificate_errors (message) == 0);
}

static void
add_body (SoupMessage *message, AsbOpensandboxRequest *request)
{
  const char *type = asb_opensandbox_request_get_content_type (request);
  GBytes *body = asb_opensandbox_request_get_body (request);
  GInputStream *stream = asb_opensandbox_request_get_stream (request);
  gint64 size = asb_opensandbox_request_get_stream_size (request);
  g_autoptr (GInputStream) measured = NULL;

  if (body)
    soup_message_set_request_body_from_bytes (message, type, body);
  if (!stream)
    return;
  measured
      = size < 0 ? g_object_ref (stream) : asb_opensandbox_measured_new (stream, (guint64)size);
  soup_message_set_request_body (message, type, measured, (gssize)size);
}

/* libsoup sends an idempotent request again by itself when a connection it had kept turns out to be
 * closed; what it had read of the body is gone then. */
static void
restarted_cb (SoupMessage *message, gpointer data)
{
  AsbOpensandboxRequest *request = data;

  g_object_set_data (G_OBJECT (message), RESENT_KEY, GINT_TO_POINTER (TRUE));
  if (asb_opensandbox_request_get_body (request))
    add_body (message, request);
}

static void
watch_peer (GSocket *socket)
{
  g_socket_set_keepalive (socket, TRUE);
  g_socket_set_option (socket, IPPROTO_TCP, TCP_KEEPIDLE, KEEP_ALIVE_IDLE, NULL);
  g_socket_set_option (socket, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_ALIVE_INTERVAL, NULL);
  g_socket_set_option (socket, IPPROTO_TCP, TCP_KEEPCNT, KEEP_ALIVE_COUNT, NULL);
}

/* The kernel knows how long ago something was sent and something came. */
gboolean
asb_opensandbox_message_is_silent (GIOStream *stream, guint milliseconds)
{
  struct tcp_info info = { 0 };
  socklen_t size = sizeof info;
  int fd;

  if (!G_IS_SOCKET_CONNECTION (stream))
    return FALSE;
  fd = g_socket_get_fd (g_socket_connection_get_socket (G_SOCKET_CONNECTION (stream)));
  if (getsockopt (fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
    return FALSE;
  return info.tcpi_bytes_sent > 0 && info.tcpi_last_data_sent >= milliseconds
         && info.tcpi_last_data_recv >= info.tcpi_last_data_sent;
}

/* Streams have no timeout, so the kernel looks whether the other side is still there. HTTP/2 would
 * tell nothing of what was sent and read, which decides about repetitions. */
static void
network_event_cb (SoupMessage *message, GSocketClientEvent event, GIOStream *connection,
                  gpointer data)
{
  static const char *const protocols[] = { "http/1.1", NULL };

  if (event == G_SOCKET_CLIENT_CONNECTED && G_IS_SOCKET_CONNECTION (connection))
    watch_peer (g_socket_connection_get_socket (G_SOCKET_CONNECTION (connection)));
  else if (event == G_SOCKET_CLIENT_TLS_HANDSHAKING && G_IS_TLS_CONNECTION (connection))
    g_tls_connection_set_advertised_protocols (G_TLS_CONNECTION (connection), protocols);
}

/* Digits, and the same each time there are any. */
static gboolean
is_length (const char *text)
{
  g_auto (GStrv) lengths = g_strsplit (text, ",", -1);

  for (guint i = 0; lengths[i]; i++)
    {
      g_strstrip (lengths[i]);
      if (*lengths[i] == '\0' || lengths[i][strspn (lengths[i], "0123456789")] != '\0'
          || !g_str_equal (lengths[i], lengths[0]))
        return FALSE;
    }
  return TRUE;
}

/* libsoup takes the last of several lengths, and hands a negative one on to a stream, which
 * complains in the name of the program. It sets the status when the head is read and before it
 * looks at the length; one that is no number it refuses. */
static void
status_cb (SoupMessage *message, GParamSpec *pspec, gpointer data)
{
  SoupMessageHeaders *headers = soup_message_get_response_headers (message);
  const char *length = soup_message_headers_get_list (headers, "Content-Length");

  if (length && (!is_length (length) || soup_message_headers_get_content_length (headers) < 0))
    soup_message_headers_replace (headers, "Content-Length", "none");
}

SoupMessage *
asb_opensandbox_message_new (AsbOpensandboxRequest *request, GUri *uri,
                             AsbOpensandboxSettings *settings, GError **error)
{
  AsbOpensandboxEndpoint *endpoint = asb_opensandbox_request_get_endpoint (request);
  const char *what = asb_opensandbox_request_get_what (request);
  g_autoptr (SoupMessage) message
      = soup_message_new_from_uri (asb_opensandbox_request_get_method (request), uri);
  SoupMessageHeaders *headers = soup_message_get_request_headers (message);

  /* The last one is for connections: libsoup takes a new one for each POST otherwise. It repeats by
   * the method, and so no POST. */
  soup_message_add_flags (message, SOUP_MESSAGE_NO_REDIRECT | SOUP_MESSAGE_COLLECT_METRICS
                                       | SOUP_MESSAGE_IDEMPOTENT);
  if (asb_opensandbox_request_get_once (request))
    soup_message_add_flags (message, SOUP_MESSAGE_NEW_CONNECTION);
  soup_message_disable_feature (message, SOUP_TYPE_AUTH_MANAGER);
  soup_message_headers_replace (headers, "User-Agent", "libasb/" ASB_VERSION);
  soup_message_headers_replace (headers, "Accept", "*/*");
  if (!add_headers (headers, settings->headers, what, error)
      || !add_headers (headers, endpoint->headers, what, error)
      || !add_headers (headers, asb_opensandbox_request_get_headers (request), what, error))
    return NULL;
  add_secrets (headers, uri, endpoint, settings);
  add_body (message, request);
  g_signal_connect (message, "notify::status-code", G_CALLBACK (status_cb), NULL);
  g_signal_connect (message, "network-event", G_CALLBACK (network_event_cb), NULL);
  g_signal_connect_data (message, "restarted", G_CALLBACK (restarted_cb),
                         asb_opensandbox_request_ref (request),
                         (GClosureNotify)asb_opensandbox_request_unref, 0);
  return g_steal_pointer (&message);
}

gboolean
asb_opensandbox_message_is_repeatable (AsbOpensandboxRequest *request)
{
  return asb_opensandbox_request_get_stream (request) == NULL;
}

GUri *
asb_opensandbox_message_parse_target (SoupMessage *message, GUri *base)
{
  const char *location
      = soup_message_headers_get_one (soup_message_get_response_headers (message), "Location");

  return location ? g_uri_parse_relative (base, location, SOUP_HTTP_URI_FLAGS, NULL) : NULL;
}

gboolean
asb_opensandbox_message_was_sent (SoupMessage *message)
{
  SoupMessageMetrics *metrics = soup_message_get_metrics (message);

  return asb_opensandbox_message_was_resent (message)
         || (metrics && soup_message_metrics_get_request_header_bytes_sent (metrics) > 0);
}

gboolean
asb_opensandbox_message_has_head (SoupMessage *message)
{
  SoupMessageMetrics *metrics = soup_message_get_metrics (message);

  return metrics
         && soup_message_metrics_get_response_header_bytes_received (metrics) > MAX_TLS_ALERT;
}

gboolean
asb_opensandbox_message_was_resent (SoupMessage *message)
{
  return g_object_get_data (G_OBJECT (message), RESENT_KEY) != NULL;
}

GError *
asb_opensandbox_message_explain (SoupMessage *message, GError *error)
{
  /* Some of GLib's are sentences. */
  if (g_str_has_suffix (error->message, "."))
    error->message[strlen (error->message) - 1] = '\0';
  return asb_opensandbox_certificate_explain (
      error, soup_message_get_tls_peer_certificate_errors (message));
}
