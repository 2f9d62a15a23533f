/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-websocket-link.h"

#include <string.h>

#include "asb-cancel-source-private.h"
#include "asb-opensandbox-bounded.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-thread.h"

#define PIPE_CAPACITY (256 * 1024)
#define MAX_PAYLOAD (64 * 1024)
#define MAX_INCOMING_PAYLOAD (16 * 1024 * 1024)

/* What the reader has not taken yet beyond its pipe. A guest sends less than half of it before it
 * waits for an answer. */
#define MAX_BACKLOG (16 * 1024 * 1024)
/* It stands in pieces of this size, since messages may be as small as they like. */
#define BACKLOG_PIECE (64 * 1024)

/* What may stand in the queue of libsoup, which has no bound of its own, and from where on it is
 * watched. */
#define MAX_QUEUED (256 * 1024)
#define WATCH_QUEUED (128 * 1024)

/* libsoup writes its queue by a source of the default priority: one below it that waits for the
 * same stream gets its turn when nothing is left in the queue. */
#define PRIORITY_DRAINED (G_PRIORITY_DEFAULT + 1)

#define KEEP_ALIVE_SECONDS 20
#define MAX_SILENT_INTERVALS 3
#define MAX_REASON 256

struct _AsbOpensandboxWebsocketLink
{
  gatomicrefcount references;
  const AsbOpensandboxWebsocketKind *kind;
  gpointer data;
  SoupWebsocketConnection *connection; /* NULL once it has ended */
  AsbPipe *input;
  AsbPipe *output;

  GQueue backlog; /* of GByteArray */
  gsize backlog_size;
  gsize backlog_offset; /* in the first */
  GSource *room;
  GSource *outgoing;
  gsize queued;
  GSource *drained;

  GSource *keep_alive;
  guint n_silent;
  gboolean is_ready;
  GError *failure; /* what libsoup or we complain of */
  GTask *waiting;
  GSource *waiting_timer;
  GSource *waiting_cancelled;
};

static void send_outgoing (AsbOpensandboxWebsocketLink *self);

AsbOpensandboxWebsocketLink *
asb_opensandbox_websocket_link_ref (AsbOpensandboxWebsocketLink *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
asb_opensandbox_websocket_link_unref (AsbOpensandboxWebsocketLink *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_queue_clear_full (&self->backlog, (GDestroyNotify)g_byte_array_unref);
  g_clear_error (&self->failure);
  asb_pipe_unref (self->input);
  asb_pipe_unref (self->output);
  if (self->kind->free)
    self->kind->free (self->data);
  g_free (self);
}

AsbPipe *
asb_opensandbox_websocket_link_get_input (AsbOpensandboxWebsocketLink *self)
{
  return self->input;
}

AsbPipe *
asb_opensandbox_websocket_link_get_output (AsbOpensandboxWebsocketLink *self)
{
  return self->output;
}

static GSource *
attach (AsbOpensandboxWebsocketLink *self, GSource *source, GSourceFunc function)
{
  g_source_set_callback (source, function, self, NULL);
  g_source_attach (source, asb_opensandbox_thread_get_context ());
  return source;
}

/* Who waits for the beginning. */

static void
answer_waiting (AsbOpensandboxWebsocketLink *self, GError *error)
{
  g_autoptr (GTask) task = g_steal_pointer (&self->waiting);

  asb_opensandbox_thread_clear_timer (&self->waiting_timer);
  asb_opensandbox_thread_clear_timer (&self->waiting_cancelled);
  if (!task)
    g_clear_error (&error);
  else if (error)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

static gboolean
waited_too_long_cb (gpointer data)
{
  AsbOpensandboxWebsocketLink *self = data;

  answer_waiting (self, g_error_new_literal (ASB_ERROR, ASB_ERROR_TIMED_OUT,
                                             "Nobody answered behind the WebSocket"));
  return G_SOURCE_REMOVE;
}

static gboolean
waiting_cancelled_cb (gpointer data)
{
  AsbOpensandboxWebsocketLink *self = data;
  GError *error = NULL;

  g_cancellable_set_error_if_cancelled (g_task_get_cancellable (self->waiting), &error);
  answer_waiting (self, error);
  return G_SOURCE_REMOVE;
}

static GError *
new_end_error (AsbOpensandboxWebsocketLink *self)
{
  if (self->failure)
    return g_error_copy (self->failure);
  return g_error_new_literal (ASB_ERROR, ASB_ERROR_INTERRUPTED, "The WebSocket was closed");
}

void
asb_opensandbox_websocket_link_wait_async (AsbOpensandboxWebsocketLink *self, guint milliseconds,
                                           GCancellable *cancellable, GAsyncReadyCallback callback,
                                           gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_source_tag (task, asb_opensandbox_websocket_link_wait_async);
  if (self->is_ready)
    g_task_return_boolean (task, TRUE);
  else if (!self->connection)
    g_task_return_error (task, new_end_error (self));
  else
    {
      self->waiting = g_steal_pointer (&task);
      self->waiting_timer
          = asb_opensandbox_thread_add_timer (milliseconds, waited_too_long_cb, self);
      if (cancellable)
        self->waiting_cancelled
            = attach (self, asb_cancel_source_new (cancellable), waiting_cancelled_cb);
    }
}

gboolean
asb_opensandbox_websocket_link_wait_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
asb_opensandbox_websocket_link_set_ready (AsbOpensandboxWebsocketLink *self)
{
  self->is_ready = TRUE;
  answer_waiting (self, NULL);
}

/* The end. */

static void
stop_sources (AsbOpensandboxWebsocketLink *self)
{
  asb_opensandbox_thread_clear_timer (&self->outgoing);
  asb_opensandbox_thread_clear_timer (&self->drained);
  asb_opensandbox_thread_clear_timer (&self->keep_alive);
}

/* After what still waits to be read. */
static void
finish_input (AsbOpensandboxWebsocketLink *self)
{
  if (self->failure)
    asb_pipe_finish_error (self->input, self->failure);
  else
    asb_pipe_finish (self->input);
}

/* Nothing more comes or goes. Lets go of the reference that the connection had. */
static void
end (AsbOpensandboxWebsocketLink *self)
{
  SoupWebsocketConnection *connection = g_steal_pointer (&self->connection);
  g_autoptr (GError) closed = NULL;

  if (!connection)
    return;
  g_signal_handlers_disconnect_by_data (connection, self);
  /* libsoup may be in the middle of a signal, and goes on with the connection after it. */
  asb_opensandbox_thread_post (g_object_unref, connection);
  stop_sources (self);
  if (self->kind->ended)
    self->kind->ended (self->data, &self->failure);
  closed = new_end_error (self);
  asb_pipe_stop (self->output, closed);
  answer_waiting (self, g_steal_pointer (&closed));
  if (g_queue_is_empty (&self->backlog))
    {
      finish_input (self);
      asb_opensandbox_websocket_link_unref (self);
    }
}

static void
fail (AsbOpensandboxWebsocketLink *self, GError *error)
{
  if (self->failure)
    g_error_free (error);
  else
    self->failure = error;
}

void
asb_opensandbox_websocket_link_drop (AsbOpensandboxWebsocketLink *self, const GError *error)
{
  if (!self->connection)
    return;
  if (error)
    fail (self, g_error_copy (error));
  end (self);
}

static GError *
new_close_error (SoupWebsocketConnection *connection)
{
  gushort code = soup_websocket_connection_get_close_code (connection);
  const char *reason = soup_websocket_connection_get_close_data (connection);
  g_autofree char *text
      = reason ? asb_opensandbox_error_dup_text (reason, strlen (reason), MAX_REASON) : NULL;

  if (code == SOUP_WEBSOCKET_CLOSE_NORMAL)
    return NULL;
  if (code == 0 || code == SOUP_WEBSOCKET_CLOSE_ABNORMAL)
    return g_error_new_literal (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                                "The connection of the WebSocket was lost");
  return g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                      "The other side closed the WebSocket with code %u%s%s", code,
                      text && *text ? ": " : "", text ? text : "");
}

static void
closed_cb (SoupWebsocketConnection *connection, gpointer data)
{
  AsbOpensandboxWebsocketLink *self = data;
  GError *error = new_close_error (connection);

  if (error)
    fail (self, error);
  end (self);
}

static void
error_cb (SoupWebsocketConnection *connection, GError *error, gpointer data)
{
  AsbOpensandboxWebsocketLink *self = data;

  /* After a Close nobody has to listen to ours. */
  if (soup_websocket_connection_get_close_code (connection) != 0)
    return;
  fail (self,
        g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED, "The WebSocket broke: %s", error->message));
}

/* Nothing is written to a connection that was closed. */
static void
close_connection (AsbOpensandboxWebsocketLink *self, gushort code)
{
  if (self->connection
      && soup_websocket_connection_get_state (self->connection) == SOUP_WEBSOCKET_STATE_OPEN)
    soup_websocket_connection_close (self->connection, code, NULL);
}

/* What comes in. */

static gboolean
room_cb (gpointer data)
{
  AsbOpensandboxWebsocketLink *self = data;
  GByteArray *first;

  while ((first = g_queue_peek_head (&self->backlog)))
    {
      gsize size = first->len;
      gsize taken = asb_pipe_push (self->input, first->data + self->backlog_offset,
                                   size - self->backlog_offset);

      if (asb_pipe_is_stopped (self->input))
        taken = size - self->backlog_offset;
      self->backlog_offset += taken;
      self->backlog_size -= taken;
      if (self->backlog_offset < size)
        return G_SOURCE_CONTINUE;
      g_byte_array_unref (g_queue_pop_head (&self->backlog));
      self->backlog_offset = 0;
    }
  asb_opensandbox_thread_clear_timer (&self->room);
  if (!self->connection)
    {
      finish_input (self);
      asb_opensandbox_websocket_link_unref (self);
    }
  return G_SOURCE_REMOVE;
}

guint
asb_opensandbox_websocket_link_count_pieces (AsbOpensandboxWebsocketLink *self)
{
  return g_queue_get_length (&self->backlog);
}

static void
append_to_backlog (AsbOpensandboxWebsocketLink *self, const guint8 *bytes, gsize size)
{
  GByteArray *last = g_queue_peek_tail (&self->backlog);

  if (!last || last->len + size > BACKLOG_PIECE)
    {
      last = g_byte_array_new ();
      g_queue_push_tail (&self->backlog, last);
    }
  g_byte_array_append (last, bytes, (guint)size);
  self->backlog_size += size;
}

static void
keep_for_later (AsbOpensandboxWebsocketLink *self, const guint8 *bytes, gsize size)
{
  g_autoptr (GError) error = NULL;

  if (self->backlog_size + size > MAX_BACKLOG)
    {
      error = g_error_new_literal (ASB_ERROR, ASB_ERROR_PROTOCOL,
                                   "The other side sends more than was asked for");
      asb_opensandbox_websocket_link_drop (self, error);
      return;
    }
  append_to_backlog (self, bytes, size);
  if (!self->room)
    self->room
        = attach (self, asb_pipe_create_source (self->input, ASB_PIPE_CONDITION_WRITABLE), room_cb);
}

void
asb_opensandbox_websocket_link_deliver (AsbOpensandboxWebsocketLink *self, const guint8 *bytes,
                                        gsize size)
{
  gsize taken = 0;

  if (g_queue_is_empty (&self->backlog))
    taken = asb_pipe_push (self->input, bytes, size);
  if (taken < size && !asb_pipe_is_stopped (self->input))
    keep_for_later (self, bytes + taken, size - taken);
}

static gboolean
plain_receive (gpointer data, AsbOpensandboxWebsocketLink *link, SoupWebsocketDataType type,
               GBytes *message, GError **error)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (message, &size);

  if (type != SOUP_WEBSOCKET_DATA_BINARY)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "Text came by the WebSocket, where there is only binary data");
      return FALSE;
    }
  asb_opensandbox_websocket_link_set_ready (link);
  asb_opensandbox_websocket_link_deliver (link, bytes, size);
  return TRUE;
}

const AsbOpensandboxWebsocketKind asb_opensandbox_websocket_plain = { .receive = plain_receive };

static void
message_cb (SoupWebsocketConnection *connection, SoupWebsocketDataType type, GBytes *message,
            gpointer data)
{
  g_autoptr (AsbOpensandboxWebsocketLink) self = asb_opensandbox_websocket_link_ref (data);
  g_autoptr (GError) error = NULL;

  self->n_silent = 0;
  asb_opensandbox_bounded_reset (connection);
  if (self->kind->receive (self->data, self, type, message, &error))
    return;
  fail (self, g_steal_pointer (&error));
  close_connection (self, SOUP_WEBSOCKET_CLOSE_UNSUPPORTED_DATA);
}

/* What goes out. */

static gboolean
drained_cb (GObject *stream, gpointer data)
{
  AsbOpensandboxWebsocketLink *self = data;

  self->queued = 0;
  asb_opensandbox_thread_clear_timer (&self->drained);
  send_outgoing (self);
  return G_SOURCE_REMOVE;
}

/* libsoup does not tell what it has written. */
static void
watch_queue (AsbOpensandboxWebsocketLink *self)
{
  GIOStream *stream = soup_websocket_connection_get_io_stream (self->connection);
  GOutputStream *output = g_io_stream_get_output_stream (stream);

  if (self->drained)
    return;
  self->drained = g_pollable_output_stream_create_source (G_POLLABLE_OUTPUT_STREAM (output), NULL);
  g_source_set_priority (self->drained, PRIORITY_DRAINED);
  attach (self, self->drained, G_SOURCE_FUNC (drained_cb));
}

static void
send_some (AsbOpensandboxWebsocketLink *self)
{
  gsize prefix = self->kind->prefix_size;
  gsize waiting = MIN (asb_pipe_get_waiting (self->output), MAX_PAYLOAD);
  guint8 *bytes = g_malloc (prefix + waiting);
  g_autoptr (GBytes) message = NULL;

  memcpy (bytes, self->kind->prefix, prefix);
  waiting = asb_pipe_pull (self->output, bytes + prefix, waiting);
  message = g_bytes_new_take (bytes, prefix + waiting);
  soup_websocket_connection_send_message (self->connection, SOUP_WEBSOCKET_DATA_BINARY, message);
  self->queued += prefix + waiting;
}

static gboolean
outgoing_cb (gpointer data)
{
  send_outgoing (data);
  return G_SOURCE_CONTINUE;
}

/* Sends what there is room for, and then waits for more, or for room. */
static void
send_outgoing (AsbOpensandboxWebsocketLink *self)
{
  gboolean open
      = soup_websocket_connection_get_state (self->connection) == SOUP_WEBSOCKET_STATE_OPEN;

  while (open && self->queued < MAX_QUEUED && asb_pipe_get_waiting (self->output) > 0)
    send_some (self);
  if (open && self->queued > WATCH_QUEUED)
    watch_queue (self);
  if (self->queued >= MAX_QUEUED || !open)
    asb_opensandbox_thread_clear_timer (&self->outgoing);
  else if (asb_pipe_is_finished (self->output) && asb_pipe_get_waiting (self->output) == 0)
    {
      asb_opensandbox_thread_clear_timer (&self->outgoing);
      close_connection (self, SOUP_WEBSOCKET_CLOSE_NORMAL);
    }
  else if (!self->outgoing)
    self->outgoing = attach (
        self, asb_pipe_create_source (self->output, ASB_PIPE_CONDITION_READABLE), outgoing_cb);
}

/* Both. */

static void
pong_cb (SoupWebsocketConnection *connection, GBytes *message, gpointer data)
{
  AsbOpensandboxWebsocketLink *self = data;

  self->n_silent = 0;
  asb_opensandbox_bounded_reset (connection);
}

static gboolean
keep_alive_cb (gpointer data)
{
  AsbOpensandboxWebsocketLink *self = data;
  g_autoptr (GError) error = NULL;

  if (++self->n_silent <= MAX_SILENT_INTERVALS)
    return G_SOURCE_CONTINUE;
  error = g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                       "Nothing came by the WebSocket for %d seconds, nor an answer to a ping",
                       MAX_SILENT_INTERVALS * KEEP_ALIVE_SECONDS);
  asb_opensandbox_websocket_link_drop (self, error);
  return G_SOURCE_REMOVE;
}

AsbOpensandboxWebsocketLink *
asb_opensandbox_websocket_link_new (SoupWebsocketConnection *connection,
                                    const AsbOpensandboxWebsocketKind *kind, gpointer data)
{
  AsbOpensandboxWebsocketLink *self = g_new0 (AsbOpensandboxWebsocketLink, 1);

  g_atomic_ref_count_init (&self->references);
  self->kind = kind;
  self->data = data;
  self->connection = connection;
  self->input = asb_pipe_new (PIPE_CAPACITY);
  self->output = asb_pipe_new (PIPE_CAPACITY);
  g_queue_init (&self->backlog);
  soup_websocket_connection_set_max_incoming_payload_size (connection, MAX_INCOMING_PAYLOAD);
  soup_websocket_connection_set_keepalive_interval (connection, KEEP_ALIVE_SECONDS);
  g_signal_connect (connection, "message", G_CALLBACK (message_cb), self);
  g_signal_connect (connection, "closed", G_CALLBACK (closed_cb), self);
  g_signal_connect (connection, "error", G_CALLBACK (error_cb), self);
  g_signal_connect (connection, "pong", G_CALLBACK (pong_cb), self);
  self->keep_alive
      = asb_opensandbox_thread_add_timer (KEEP_ALIVE_SECONDS * 1000, keep_alive_cb, self);
  send_outgoing (self);
  /* The connection's own. */
  return asb_opensandbox_websocket_link_ref (self);
}
