/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "exchange.h"

#include "asb-opensandbox-thread.h"

typedef struct
{
  AsbOpensandboxClient *client;
  AsbOpensandboxRequest *request;
  GCancellable *cancellable;
  GAsyncQueue *heard;
  gsize size;
  enum
  {
    SEND,
    OPEN,
    CONNECT
  } kind;

  GMutex lock;
  GCond done_cond;
  gboolean is_done;
  AsbOpensandboxReply *reply;
  gboolean is_connected;
  GByteArray *body;
  guint8 *buffer;
  GError *error;
} Call;

AsbOpensandboxSettings *
exchange_settings_new (HostileServer *server)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxSettings) settings
      = asb_opensandbox_settings_new (hostile_server_get_domain (server), &error);

  g_assert_no_error (error);
  asb_opensandbox_settings_set_key (settings, "the-key-of-tests", &error);
  g_assert_no_error (error);
  asb_opensandbox_settings_set_execd_token (settings, "the-token-of-tests", &error);
  g_assert_no_error (error);
  return g_steal_pointer (&settings);
}

AsbOpensandboxClient *
exchange_client_new (HostileServer *server)
{
  g_autoptr (AsbOpensandboxSettings) settings = exchange_settings_new (server);

  return asb_opensandbox_client_new (settings);
}

AsbOpensandboxRequest *
exchange_request_new (AsbOpensandboxClient *client, const char *method, const char *path)
{
  AsbOpensandboxRequest *request
      = asb_opensandbox_request_new (method, asb_opensandbox_client_get_lifecycle (client), path);

  asb_opensandbox_request_set_what (request, "do the test");
  return request;
}

static void
finish (Call *call)
{
  g_mutex_lock (&call->lock);
  call->is_done = TRUE;
  g_cond_signal (&call->done_cond);
  g_mutex_unlock (&call->lock);
}

static void
sent_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Call *call = data;

  g_assert_true (asb_opensandbox_thread_is_current ());
  call->reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &call->error);
  finish (call);
}

static void read_more (Call *call);

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Call *call = data;
  gssize n_read = g_input_stream_read_finish (G_INPUT_STREAM (source), result, &call->error);

  if (n_read > 0)
    {
      g_byte_array_append (call->body, call->buffer, (guint)n_read);
      if (call->heard)
        g_async_queue_push (call->heard, call);
      read_more (call);
      return;
    }
  g_input_stream_close_async (G_INPUT_STREAM (source), G_PRIORITY_DEFAULT, NULL, NULL, NULL);
  finish (call);
}

static void
read_more (Call *call)
{
  g_input_stream_read_async (asb_opensandbox_reply_get_stream (call->reply), call->buffer,
                             call->size, G_PRIORITY_DEFAULT, call->cancellable, read_cb, call);
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Call *call = data;

  call->reply
      = asb_opensandbox_client_open_finish (ASB_OPENSANDBOX_CLIENT (source), result, &call->error);
  if (call->reply)
    read_more (call);
  else
    finish (call);
}

static void
connected_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Call *call = data;
  g_autoptr (SoupWebsocketConnection) connection = asb_opensandbox_client_connect_finish (
      ASB_OPENSANDBOX_CLIENT (source), result, &call->error);

  call->is_connected = connection != NULL;
  finish (call);
}

static void
start (gpointer data)
{
  Call *call = data;

  if (call->kind == SEND)
    asb_opensandbox_client_send_async (call->client, call->request, call->cancellable, sent_cb,
                                       call);
  else if (call->kind == OPEN)
    asb_opensandbox_client_open_async (call->client, call->request, call->cancellable, opened_cb,
                                       call);
  else
    asb_opensandbox_client_connect_async (call->client, call->request, call->cancellable,
                                          connected_cb, call);
}

static void
wait_for (Call *call, AsbOpensandboxThreadFunc function)
{
  g_mutex_init (&call->lock);
  g_cond_init (&call->done_cond);
  asb_opensandbox_thread_post (function, call);
  g_mutex_lock (&call->lock);
  while (!call->is_done)
    g_cond_wait (&call->done_cond, &call->lock);
  g_mutex_unlock (&call->lock);
  g_mutex_clear (&call->lock);
  g_cond_clear (&call->done_cond);
}

static void
run (Call *call)
{
  wait_for (call, start);
}

AsbOpensandboxReply *
exchange_send (AsbOpensandboxClient *client, AsbOpensandboxRequest *request,
               GCancellable *cancellable, GError **error)
{
  Call call = { .client = client, .request = request, .cancellable = cancellable, .kind = SEND };

  run (&call);
  g_assert_true ((call.reply == NULL) == (call.error != NULL));
  if (call.error)
    g_propagate_error (error, call.error);
  return call.reply;
}

static void
drop (gpointer data)
{
  asb_opensandbox_reply_unref (data);
}

guint
exchange_open (AsbOpensandboxClient *client, AsbOpensandboxRequest *request, gsize size,
               GCancellable *cancellable, GAsyncQueue *heard, GByteArray **body, GError **error)
{
  Call call = { .client = client,
                .request = request,
                .cancellable = cancellable,
                .heard = heard,
                .kind = OPEN,
                .size = size };
  guint status = 0;

  call.body = g_byte_array_new ();
  call.buffer = g_malloc (size);
  run (&call);
  g_free (call.buffer);
  if (call.reply)
    {
      status = asb_opensandbox_reply_get_status (call.reply);
      asb_opensandbox_thread_post (drop, call.reply);
    }
  if (call.error)
    g_propagate_error (error, call.error);
  *body = call.body;
  return status;
}

gboolean
exchange_connect (AsbOpensandboxClient *client, AsbOpensandboxRequest *request,
                  GCancellable *cancellable, GError **error)
{
  Call call = { .client = client, .request = request, .cancellable = cancellable, .kind = CONNECT };

  run (&call);
  if (call.error)
    g_propagate_error (error, call.error);
  return call.is_connected;
}

char *
exchange_dup_body (AsbOpensandboxReply *reply)
{
  gsize size;
  const char *data = g_bytes_get_data (asb_opensandbox_reply_get_body (reply), &size);

  return g_strndup (size > 0 ? data : "", size);
}

char *
exchange_simple (AsbOpensandboxClient *client, const char *method, const char *path, GError **error)
{
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, method, path);
  g_autoptr (AsbOpensandboxReply) reply = exchange_send (client, request, NULL, error);

  return reply ? exchange_dup_body (reply) : NULL;
}

static gboolean
settle_cb (gpointer data)
{
  finish (data);
  return G_SOURCE_REMOVE;
}

static void
start_settling (gpointer data)
{
  g_autoptr (GSource) source = g_idle_source_new ();

  /* After everything that is ready now. */
  g_source_set_callback (source, settle_cb, data, NULL);
  g_source_attach (source, asb_opensandbox_thread_get_context ());
}

void
exchange_settle (void)
{
  Call call = { .kind = SEND };

  wait_for (&call, start_settling);
}

static gboolean
cancel_cb (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_REMOVE;
}

void
exchange_cancel_in (GCancellable *cancellable, guint milliseconds)
{
  g_autoptr (GSource) source = g_timeout_source_new (milliseconds);

  g_source_set_callback (source, cancel_cb, g_object_ref (cancellable), g_object_unref);
  g_source_attach (source, asb_opensandbox_thread_get_context ());
}

typedef struct
{
  GCancellable *cancellable;
  HostileServer *server;
  guint n_requests;
} Cancelling;

/* In a thread that is not the module's, as of programs. */
static gpointer
cancel_after (gpointer data)
{
  g_autofree Cancelling *cancelling = data;

  hostile_server_wait_for_requests (cancelling->server, cancelling->n_requests);
  g_cancellable_cancel (cancelling->cancellable);
  g_object_unref (cancelling->cancellable);
  return NULL;
}

void
exchange_cancel_after (GCancellable *cancellable, HostileServer *server, guint n_requests)
{
  Cancelling *cancelling = g_new (Cancelling, 1);

  cancelling->cancellable = g_object_ref (cancellable);
  cancelling->server = server;
  cancelling->n_requests = n_requests;
  g_thread_unref (g_thread_new ("cancel", cancel_after, cancelling));
}
