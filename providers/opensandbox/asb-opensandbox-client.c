/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-client.h"

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-headers.h"
#include "asb-opensandbox-thread.h"
#include "asb-opensandbox-url.h"

struct _AsbOpensandboxClient
{
  GObject parent_instance;

  AsbOpensandboxSettings *settings;
  AsbOpensandboxEndpoint *lifecycle;
  SoupSession *session; /* [io] */
};

G_DEFINE_FINAL_TYPE (AsbOpensandboxClient, asb_opensandbox_client, G_TYPE_OBJECT)

static void
asb_opensandbox_client_finalize (GObject *object)
{
  AsbOpensandboxClient *self = ASB_OPENSANDBOX_CLIENT (object);

  asb_opensandbox_thread_unref (g_steal_pointer (&self->session));
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
}

AsbOpensandboxClient *
asb_opensandbox_client_new (AsbOpensandboxSettings *settings)
{
  AsbOpensandboxClient *self = g_object_new (ASB_TYPE_OPENSANDBOX_CLIENT, NULL);

  self->settings = asb_opensandbox_settings_ref (settings);
  self->lifecycle = asb_opensandbox_endpoint_new_lifecycle (settings);
  return self;
}

AsbOpensandboxSettings *
asb_opensandbox_client_get_settings (AsbOpensandboxClient *self)
{
  return self->settings;
}

AsbOpensandboxEndpoint *
asb_opensandbox_client_get_lifecycle (AsbOpensandboxClient *self)
{
  return self->lifecycle;
}

gint64
asb_opensandbox_client_get_server_time (AsbOpensandboxClient *self)
{
  return g_get_real_time ();
}

static SoupSession *
get_session (AsbOpensandboxClient *self)
{
  if (!self->session)
    self->session = soup_session_new_with_options (
        "timeout", 0, "idle-timeout", self->settings->keep_alive_seconds, "max-conns",
        (int)self->settings->max_connections, "max-conns-per-host",
        (int)self->settings->max_connections_per_host, NULL);
  return self->session;
}

static void
add_headers (SoupMessageHeaders *headers, GHashTable *from)
{
  GHashTableIter iter;
  gpointer name;
  gpointer value;

  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &name, &value))
    soup_message_headers_replace (headers, name, value);
}

static SoupMessage *
new_message (AsbOpensandboxClient *self, AsbOpensandboxRequest *request, GError **error)
{
  AsbOpensandboxEndpoint *endpoint = asb_opensandbox_request_get_endpoint (request);
  g_autofree char *url = asb_opensandbox_request_dup_url (request);
  g_autoptr (GUri) uri = g_uri_parse (url, SOUP_HTTP_URI_FLAGS, error);
  g_autoptr (SoupMessage) message = NULL;
  SoupMessageHeaders *headers;

  if (!uri)
    return NULL;
  message = soup_message_new_from_uri (asb_opensandbox_request_get_method (request), uri);
  headers = soup_message_get_request_headers (message);
  soup_message_add_flags (message, SOUP_MESSAGE_NO_REDIRECT);
  add_headers (headers, self->settings->headers);
  add_headers (headers, endpoint->headers);
  add_headers (headers, asb_opensandbox_request_get_headers (request));
  if (endpoint->flags & ASB_OPENSANDBOX_ENDPOINT_SEND_KEY && self->settings->api_key)
    soup_message_headers_replace (headers, ASB_OPENSANDBOX_KEY_HEADER, self->settings->api_key);
  if (endpoint->flags & ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN && self->settings->execd_token)
    soup_message_headers_replace (headers, ASB_OPENSANDBOX_EXECD_TOKEN_HEADER,
                                  self->settings->execd_token);
  if (asb_opensandbox_request_get_body (request))
    soup_message_set_request_body_from_bytes (message,
                                              asb_opensandbox_request_get_content_type (request),
                                              asb_opensandbox_request_get_body (request));
  else if (asb_opensandbox_request_get_stream (request))
    soup_message_set_request_body (message, asb_opensandbox_request_get_content_type (request),
                                   asb_opensandbox_request_get_stream (request),
                                   (gssize)asb_opensandbox_request_get_stream_size (request));
  return g_steal_pointer (&message);
}

static void
return_failure (GTask *task, const GError *error)
{
  AsbOpensandboxRequest *request = g_task_get_task_data (task);

  g_task_return_error (task, asb_opensandbox_error_from_transport (
                                 error, asb_opensandbox_request_get_endpoint (request),
                                 asb_opensandbox_request_get_what (request)));
}

static void
body_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);
  AsbOpensandboxRequest *request = g_task_get_task_data (task);
  SoupMessage *message = soup_session_get_async_result_message (SOUP_SESSION (source), result);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) body
      = soup_session_send_and_read_finish (SOUP_SESSION (source), result, &error);
  g_autoptr (AsbOpensandboxReply) reply = NULL;

  if (!body)
    {
      return_failure (task, error);
      return;
    }
  reply = asb_opensandbox_reply_new (soup_message_get_status (message),
                                     soup_message_get_response_headers (message), body, NULL);
  if (!SOUP_STATUS_IS_SUCCESSFUL (asb_opensandbox_reply_get_status (reply)))
    g_task_return_error (
        task, asb_opensandbox_error_from_reply (reply, asb_opensandbox_request_get_what (request)));
  else
    g_task_return_pointer (task, g_steal_pointer (&reply),
                           (GDestroyNotify)asb_opensandbox_reply_unref);
}

static void
head_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);
  AsbOpensandboxRequest *request = g_task_get_task_data (task);
  SoupMessage *message = soup_session_get_async_result_message (SOUP_SESSION (source), result);
  g_autoptr (GError) error = NULL;
  g_autoptr (GInputStream) stream
      = soup_session_send_finish (SOUP_SESSION (source), result, &error);
  g_autoptr (AsbOpensandboxReply) reply = NULL;

  if (!stream)
    {
      return_failure (task, error);
      return;
    }
  reply = asb_opensandbox_reply_new (soup_message_get_status (message),
                                     soup_message_get_response_headers (message), NULL, stream);
  if (!SOUP_STATUS_IS_SUCCESSFUL (asb_opensandbox_reply_get_status (reply)))
    g_task_return_error (
        task, asb_opensandbox_error_from_reply (reply, asb_opensandbox_request_get_what (request)));
  else
    g_task_return_pointer (task, g_steal_pointer (&reply),
                           (GDestroyNotify)asb_opensandbox_reply_unref);
}

static GTask *
new_task (AsbOpensandboxClient *self, AsbOpensandboxRequest *request, GCancellable *cancellable,
          GAsyncReadyCallback callback, gpointer user_data, gpointer tag)
{
  GTask *task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, tag);
  g_task_set_task_data (task, asb_opensandbox_request_ref (request),
                        (GDestroyNotify)asb_opensandbox_request_unref);
  return task;
}

void
asb_opensandbox_client_send_async (AsbOpensandboxClient *self, AsbOpensandboxRequest *request,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  g_autoptr (GTask) task = new_task (self, request, cancellable, callback, user_data,
                                     asb_opensandbox_client_send_async);
  g_autoptr (GError) error = NULL;
  g_autoptr (SoupMessage) message = new_message (self, request, &error);

  if (!message)
    return_failure (task, error);
  else
    soup_session_send_and_read_async (get_session (self), message, G_PRIORITY_DEFAULT, cancellable,
                                      body_cb, g_steal_pointer (&task));
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
  g_autoptr (GTask) task = new_task (self, request, cancellable, callback, user_data,
                                     asb_opensandbox_client_open_async);
  g_autoptr (GError) error = NULL;
  g_autoptr (SoupMessage) message = new_message (self, request, &error);

  if (!message)
    return_failure (task, error);
  else
    soup_session_send_async (get_session (self), message, G_PRIORITY_DEFAULT, cancellable, head_cb,
                             g_steal_pointer (&task));
}

AsbOpensandboxReply *
asb_opensandbox_client_open_finish (AsbOpensandboxClient *self, GAsyncResult *result,
                                    GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

static void
connected_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);
  g_autoptr (GError) error = NULL;
  SoupWebsocketConnection *connection
      = soup_session_websocket_connect_finish (SOUP_SESSION (source), result, &error);

  if (connection)
    g_task_return_pointer (task, connection, g_object_unref);
  else
    return_failure (task, error);
}

void
asb_opensandbox_client_connect_async (AsbOpensandboxClient *self, AsbOpensandboxRequest *request,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data)
{
  g_autoptr (GTask) task = new_task (self, request, cancellable, callback, user_data,
                                     asb_opensandbox_client_connect_async);
  g_autoptr (GError) error = NULL;
  g_autoptr (SoupMessage) message = new_message (self, request, &error);

  if (!message)
    return_failure (task, error);
  else
    soup_session_websocket_connect_async (get_session (self), message, NULL, NULL,
                                          G_PRIORITY_DEFAULT, cancellable, connected_cb,
                                          g_steal_pointer (&task));
}

SoupWebsocketConnection *
asb_opensandbox_client_connect_finish (AsbOpensandboxClient *self, GAsyncResult *result,
                                       GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
