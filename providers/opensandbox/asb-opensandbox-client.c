/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-client-private.h"

#include <asb.h>

#include "asb-opensandbox-clock.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-exchange.h"
#include "asb-opensandbox-headers.h"
#include "asb-opensandbox-kept.h"
#include "asb-opensandbox-message.h"
#include "asb-opensandbox-proxy.h"
#include "asb-opensandbox-redact.h"
#include "asb-opensandbox-thread.h"
#include "asb-opensandbox-url.h"

struct _AsbOpensandboxClient
{
  GObject parent_instance;

  AsbOpensandboxSettings *settings;
  AsbOpensandboxEndpoint *lifecycle;
  AsbOpensandboxClock clock;
  AsbOpensandboxProxy *proxy;
  SoupSession *session;    /* [io] */
  AsbOpensandboxKept kept; /* [io] */
  gboolean is_known;       /* [io] the server has answered */
};

G_DEFINE_FINAL_TYPE (AsbOpensandboxClient, asb_opensandbox_client, G_TYPE_OBJECT)

static void
asb_opensandbox_client_finalize (GObject *object)
{
  AsbOpensandboxClient *self = ASB_OPENSANDBOX_CLIENT (object);

  asb_opensandbox_thread_unref (g_steal_pointer (&self->session));
  asb_opensandbox_kept_clear (&self->kept);
  g_clear_object (&self->proxy);
  asb_opensandbox_clock_clear (&self->clock);
  g_clear_pointer (&self->lifecycle, asb_opensandbox_endpoint_unref);
  g_clear_pointer (&self->settings, asb_opensandbox_settings_unref);
  G_OBJECT_CLASS (asb_opensandbox_client_parent_class)->finalize (object);
}

static void
asb_opensandbox_client_class_init (AsbOpensandboxClientClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_opensandbox_client_finalize;
}

static void
asb_opensandbox_client_init (AsbOpensandboxClient *self)
{
  asb_opensandbox_clock_init (&self->clock);
  asb_opensandbox_kept_init (&self->kept);
}

AsbOpensandboxClient *
asb_opensandbox_client_new (AsbOpensandboxSettings *settings)
{
  AsbOpensandboxClient *self = g_object_new (ASB_TYPE_OPENSANDBOX_CLIENT, NULL);

  self->settings = asb_opensandbox_settings_ref (settings);
  self->lifecycle = asb_opensandbox_endpoint_new_lifecycle (settings);
  self->proxy = asb_opensandbox_proxy_new (settings->proxy_uri);
  return self;
}

AsbOpensandboxSettings *
asb_opensandbox_client_get_settings (AsbOpensandboxClient *self)
{
  return self->settings;
}

guint
asb_opensandbox_client_get_timeout (AsbOpensandboxClient *self, AsbOpensandboxRequest *request)
{
  gint64 timeout = asb_opensandbox_request_get_timeout (request);

  return timeout >= 0
             ? (guint)timeout
             : asb_opensandbox_settings_to_milliseconds (self->settings->request_timeout_seconds);
}

AsbOpensandboxEndpoint *
asb_opensandbox_client_get_lifecycle (AsbOpensandboxClient *self)
{
  return self->lifecycle;
}

gint64
asb_opensandbox_client_get_server_time (AsbOpensandboxClient *self)
{
  return asb_opensandbox_clock_get (&self->clock);
}

static void
queued_cb (SoupSession *session, SoupMessage *message, AsbOpensandboxProxy *proxy)
{
  if (g_str_equal (soup_message_get_method (message), "CONNECT"))
    asb_opensandbox_message_log_in_at_proxy (message, proxy);
}

/* No timeout of libsoup's, which would end quiet streams, and nothing that decodes, logs in or
 * keeps cookies. The authenticator stays, because libsoup gathers the bodies of all 401 for one
 * that is missing; messages leave it out. */
SoupSession *
asb_opensandbox_client_get_session (AsbOpensandboxClient *self)
{
  if (self->session)
    return self->session;
  self->session = soup_session_new_with_options (
      "timeout", 0, "idle-timeout", self->settings->keep_alive_seconds, "max-conns",
      (int)self->settings->max_connections, "max-conns-per-host",
      (int)self->settings->max_connections_per_host, "proxy-resolver", self->proxy, NULL);
  if (self->settings->tls_database)
    soup_session_set_tls_database (self->session, self->settings->tls_database);
  g_signal_connect (self->session, "request-queued", G_CALLBACK (queued_cb), self->proxy);
  soup_session_remove_feature_by_type (self->session, SOUP_TYPE_CONTENT_DECODER);
  soup_session_remove_feature_by_type (self->session, SOUP_TYPE_CONTENT_SNIFFER);
  soup_session_remove_feature_by_type (self->session, SOUP_TYPE_COOKIE_JAR);
  soup_session_remove_feature_by_type (self->session, SOUP_TYPE_WEBSOCKET_EXTENSION_MANAGER);
  return self->session;
}

gboolean
asb_opensandbox_client_was_used (AsbOpensandboxClient *self, SoupMessage *message, gint64 *idle)
{
  return asb_opensandbox_kept_was_used (&self->kept, soup_message_get_connection_id (message),
                                        idle);
}

void
asb_opensandbox_client_note_use (SoupMessage *message, gpointer client)
{
  asb_opensandbox_kept_note_use (&ASB_OPENSANDBOX_CLIENT (client)->kept,
                                 soup_message_get_connection_id (message));
}

void
asb_opensandbox_client_log_in_at_proxy (AsbOpensandboxClient *self, SoupMessage *message)
{
  asb_opensandbox_message_log_in_at_proxy (message, self->proxy);
}

void
asb_opensandbox_client_note_stream (AsbOpensandboxClient *self, SoupMessage *message,
                                    GIOStream *stream)
{
  asb_opensandbox_kept_note_stream (&self->kept, soup_message_get_connection_id (message), stream);
}

GIOStream *
asb_opensandbox_client_dup_stream (AsbOpensandboxClient *self, SoupMessage *message)
{
  return asb_opensandbox_kept_dup_stream (&self->kept, soup_message_get_connection_id (message));
}

void
asb_opensandbox_client_learn_time (AsbOpensandboxClient *self, SoupMessage *message, gint64 sent)
{
  gint64 date = asb_opensandbox_headers_parse_date (
      soup_message_headers_get_one (soup_message_get_response_headers (message), "Date"));

  self->is_known = TRUE;
  if (date >= 0)
    asb_opensandbox_clock_learn (&self->clock, date, sent, asb_opensandbox_clock_now ());
}

gboolean
asb_opensandbox_client_knows_server (AsbOpensandboxClient *self)
{
  return self->is_known;
}

GError *
asb_opensandbox_client_make_error (AsbOpensandboxClient *self, AsbOpensandboxRequest *request,
                                   GUri *uri, const GError *cause)
{
  AsbOpensandboxEndpoint *endpoint = asb_opensandbox_request_get_endpoint (request);
  g_autofree char *proxy = asb_opensandbox_proxy_dup_last (self->proxy, g_uri_get_host (uri));
  g_autoptr (GError) whole = g_error_copy (cause);

  if (proxy && cause->domain != ASB_ERROR)
    g_prefix_error (&whole, "through the proxy “%s”: ", proxy);
  return asb_opensandbox_error_from_transport (whole, endpoint,
                                               asb_opensandbox_request_get_what (request));
}

GError *
asb_opensandbox_client_name_proxy (AsbOpensandboxClient *self, GUri *uri, GError *error)
{
  g_autofree char *proxy = asb_opensandbox_proxy_dup_last (self->proxy, g_uri_get_host (uri));
  g_autofree char *message = error->message;

  error->message = proxy ? g_strdup_printf ("%s, through the proxy “%s”", message, proxy)
                         : g_steal_pointer (&message);
  return error;
}

void
asb_opensandbox_client_log (AsbOpensandboxClient *self, AsbOpensandboxRequest *request, GUri *uri,
                            guint status, const char *note, gint64 started)
{
  AsbOpensandboxEndpoint *endpoint = asb_opensandbox_request_get_endpoint (request);
  g_autofree char *url = NULL;
  g_autofree char *line = NULL;
  g_autofree char *plain = NULL;

  if (!self->settings->debug)
    return;
  url = uri ? asb_opensandbox_url_dup_plain (uri) : g_strdup ("?");
  line = g_strdup_printf ("%s %s %u %s%s(%.1f ms)", asb_opensandbox_request_get_method (request),
                          url, status, note ? note : "", note ? " " : "",
                          (double)(asb_opensandbox_clock_now () - started) / 1000.0);
  plain = asb_opensandbox_redact (line, self->settings, endpoint);
  g_debug ("%s", plain);
}

static GTask *
new_task (AsbOpensandboxClient *self, GCancellable *cancellable, GAsyncReadyCallback callback,
          gpointer user_data, gpointer tag)
{
  GTask *task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, tag);
  /* What was answered counts, also when the cancellation came at the same time. */
  g_task_set_check_cancellable (task, FALSE);
  return task;
}

void
asb_opensandbox_client_send_async (AsbOpensandboxClient *self, AsbOpensandboxRequest *request,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  g_autoptr (GTask) task
      = new_task (self, cancellable, callback, user_data, asb_opensandbox_client_send_async);

  asb_opensandbox_exchange_run (self, request, ASB_OPENSANDBOX_EXCHANGE_WHOLE, task);
}

AsbOpensandboxReply *
asb_opensandbox_client_send_finish (AsbOpensandboxClient *self, GAsyncResult *result,
                                    GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

void
asb_opensandbox_client_open_async (AsbOpensandboxClient *self, AsbOpensandboxRequest *request,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  g_autoptr (GTask) task
      = new_task (self, cancellable, callback, user_data, asb_opensandbox_client_open_async);

  asb_opensandbox_exchange_run (self, request, ASB_OPENSANDBOX_EXCHANGE_STREAM, task);
}

AsbOpensandboxReply *
asb_opensandbox_client_open_finish (AsbOpensandboxClient *self, GAsyncResult *result,
                                    GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

void
asb_opensandbox_client_connect_async (AsbOpensandboxClient *self, AsbOpensandboxRequest *request,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data)
{
  g_autoptr (GTask) task
      = new_task (self, cancellable, callback, user_data, asb_opensandbox_client_connect_async);

  asb_opensandbox_exchange_run (self, request, ASB_OPENSANDBOX_EXCHANGE_WEBSOCKET, task);
}

SoupWebsocketConnection *
asb_opensandbox_client_connect_finish (AsbOpensandboxClient *self, GAsyncResult *result,
                                       GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
