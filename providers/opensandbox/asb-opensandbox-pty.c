/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-pty.h"

#include <asb.h>
#include <string.h>

#include "asb-opensandbox-bounded.h"
#include "asb-opensandbox-litter.h"
#include "asb-opensandbox-pty-frame.h"
#include "asb-opensandbox-pty-tail.h"
#include "asb-opensandbox-shell.h"
#include "asb-opensandbox-thread.h"
#include "asb-opensandbox-upload-stream.h"

#define OPCODE_STDIN 0x00

/* libsoup writes its queue by a source of the default priority: one below it that waits for the
 * same stream gets its turn when nothing is left in the queue. */
#define PRIORITY_DRAINED (G_PRIORITY_DEFAULT + 1)

/* execd keeps 1 MiB to be sent again. */
#define MAX_MESSAGE (2 * 1024 * 1024)
#define CREATE_TIMEOUT_MS 30000

/* execd tells that a shell has ended, and closes, without regard to what it still has of its
 * output. So the shell stays: when the command has ended it says so behind the output of either
 * stream, with a word that nobody can guess, and sleeps until the session is removed. Of a command
 * that was killed it says so: what bash remarks on that is kept from the output. execd was started
 * with SIGINT ignored, which a shell cannot undo: what is ignored when it begins it cannot trap. */
#define COMMAND                                                                                    \
  "exec 4>&2 2>%1$s.s\n"                                                                           \
  "trap : HUP INT QUIT TERM USR1 USR2 ALRM\n"                                                      \
  "e='env --default-signal'\n"                                                                     \
  "$e true 2>/dev/null || e=\n"                                                                    \
  "$e bash --norc --noprofile -c '. %1$s' 2>&4 4>&-\n"                                             \
  "s=$?\n"                                                                                         \
  "[ ! -s %1$s.s ] || [ $s -lt 129 ] || s=-$s\n"                                                   \
  "rm -f %1$s.s\n"                                                                                 \
  "printf '%%s\\n' \"%2$s $s\"\n"                                                                  \
  "printf '%%s\\n' \"%2$s $s\" >&4\n"                                                              \
  "exec 4>&-\n"                                                                                    \
  "exec sleep 60"

#define N_STREAMS 2

struct _AsbOpensandboxPty
{
  AsbOpensandboxExecd *execd;
  const AsbOpensandboxPtyHandlers *handlers; /* NULL when it has ended */
  gpointer data;
  gboolean with_terminal;
  char *path; /* of the script */
  char *id;
  gboolean is_removed; /* the session, or it is asked for */
  AsbOpensandboxUploadStream *body;
  SoupWebsocketConnection *connection;
  guint64 total; /* bytes of output */
  char *end_token;
  AsbOpensandboxPtyTail tails[N_STREAMS];
  GSource *drained; /* waits until libsoup has nothing left to write */
  gulong closed_id;
};

static AsbOpensandboxPty *
pty_ref (AsbOpensandboxPty *self)
{
  return g_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  AsbOpensandboxPty *self = data;

  asb_opensandbox_thread_clear_timer (&self->drained);
  g_clear_object (&self->execd);
  g_clear_object (&self->body);
  g_clear_object (&self->connection);
  for (gsize i = 0; i < N_STREAMS; i++)
    asb_opensandbox_pty_tail_clear (&self->tails[i]);
  g_free (self->end_token);
  g_free (self->path);
  g_free (self->id);
}

void
asb_opensandbox_pty_unref (AsbOpensandboxPty *self)
{
  g_rc_box_release_full (self, clear);
}

const char *
asb_opensandbox_pty_get_id (AsbOpensandboxPty *self)
{
  return self->id;
}

/* Sessions outlive their shells. */

static void
removed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (!reply)
    g_debug ("A terminal was not taken down: %s", error->message);
}

void
asb_opensandbox_pty_remove (AsbOpensandboxPty *self)
{
  g_autofree char *path = self->id ? g_strdup_printf ("/pty/%s", self->id) : NULL;
  g_autoptr (AsbOpensandboxRequest) request = NULL;

  if (!path || self->is_removed)
    return;
  self->is_removed = TRUE;
  request = asb_opensandbox_execd_new_request (self->execd, "DELETE", path, "end the terminal");
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (self->execd), request, NULL,
                                     removed_cb, NULL);
}

static void
print (const guint8 *bytes, gsize size, gpointer data)
{
  AsbOpensandboxPty *self = data;

  if (self->handlers)
    self->handlers->output (self, FALSE, bytes, size, self->data);
}

static void
print_error (const guint8 *bytes, gsize size, gpointer data)
{
  AsbOpensandboxPty *self = data;

  if (self->handlers)
    self->handlers->output (self, TRUE, bytes, size, self->data);
}

/* The script, with the environment in it, deletes itself when it begins; what is beside it the
 * shell deletes at its end. Neither may have come so far. */
static void
clear_away (AsbOpensandboxPty *self)
{
  g_autofree char *errors = g_strconcat (self->path, ".s", NULL);

  if (asb_opensandbox_execd_is_closed (self->execd))
    return;
  asb_opensandbox_litter_add (self->execd, self->path);
  asb_opensandbox_litter_add (self->execd, errors);
}

static void
finish (AsbOpensandboxPty *self, int exit_code, const GError *error)
{
  g_autoptr (AsbOpensandboxPty) held = pty_ref (self);
  const AsbOpensandboxPtyHandlers *handlers;
  gboolean is_clear = self->tails[0].ended;

  asb_opensandbox_pty_tail_flush (&self->tails[0], print, self);
  asb_opensandbox_pty_tail_flush (&self->tails[1], print_error, self);
  handlers = g_steal_pointer (&self->handlers);
  if (!handlers)
    return;
  asb_opensandbox_thread_clear_timer (&self->drained);
  /* Not g_cancellable_disconnect (): this may be the handler, which that would wait for. */
  g_clear_signal_handler (&self->closed_id, asb_opensandbox_execd_get_cancellable (self->execd));
  if (self->connection)
    {
      g_signal_handlers_disconnect_by_data (self->connection, self);
      if (soup_websocket_connection_get_state (self->connection) == SOUP_WEBSOCKET_STATE_OPEN)
        soup_websocket_connection_close (self->connection, SOUP_WEBSOCKET_CLOSE_NORMAL, NULL);
    }
  asb_opensandbox_pty_remove (self);
  if (!is_clear)
    clear_away (self);
  handlers->ended (self, exit_code, error, self->data);
  asb_opensandbox_pty_unref (self);
}

static void
lose (AsbOpensandboxPty *self, const char *why)
{
  g_autoptr (GError) error = NULL;

  if (asb_opensandbox_execd_is_closed (self->execd))
    error = g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
  else
    error = g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                         "How the command ended, and whether it has, is unknown: %s", why);
  finish (self, -1, error);
}

/* What comes. */

/* A terminal has one stream. */
static gboolean
have_both_ended (AsbOpensandboxPty *self)
{
  return self->tails[0].ended && (self->with_terminal || self->tails[1].ended);
}

static void
take_output (AsbOpensandboxPty *self, gboolean is_stderr, const guint8 *bytes, gsize size)
{
  AsbOpensandboxPtyTail *tail = &self->tails[is_stderr ? 1 : 0];

  self->total += size;
  asb_opensandbox_pty_tail_take (tail, bytes, size, is_stderr ? print_error : print, self);
  if (have_both_ended (self) && self->handlers)
    finish (self, tail->status, NULL);
}

/* Bytes from an offset on, of which some may have come before. */
static void
take_replay (AsbOpensandboxPty *self, const AsbOpensandboxPtyFrame *frame)
{
  guint64 known = self->total > frame->offset ? self->total - frame->offset : 0;

  if (frame->offset > self->total)
    {
      lose (self, "execd has dropped a part of the output");
      return;
    }
  if (known < frame->size)
    take_output (self, FALSE, frame->bytes + known, frame->size - known);
}

static gboolean
drained_cb (GObject *stream, gpointer user_data)
{
  AsbOpensandboxPty *self = user_data;

  asb_opensandbox_thread_clear_timer (&self->drained);
  self->handlers->taken (self, self->data);
  return G_SOURCE_REMOVE;
}

/* Whoever answers without having read must not have more written to him: libsoup's queue has no
 * bound of its own. */
static void
take_pong (AsbOpensandboxPty *self)
{
  GIOStream *stream = soup_websocket_connection_get_io_stream (self->connection);
  GOutputStream *output = stream ? g_io_stream_get_output_stream (stream) : NULL;

  if (self->drained || !output)
    return;
  self->drained = g_pollable_output_stream_create_source (G_POLLABLE_OUTPUT_STREAM (output), NULL);
  g_source_set_priority (self->drained, PRIORITY_DRAINED);
  g_source_set_callback (self->drained, G_SOURCE_FUNC (drained_cb), self, NULL);
  g_source_attach (self->drained, asb_opensandbox_thread_get_context ());
}

static void
take_frame (AsbOpensandboxPty *self, const AsbOpensandboxPtyFrame *frame)
{
  switch (frame->type)
    {
    case ASB_OPENSANDBOX_PTY_FRAME_STDOUT:
    case ASB_OPENSANDBOX_PTY_FRAME_STDERR:
      take_output (self, frame->type == ASB_OPENSANDBOX_PTY_FRAME_STDERR, frame->bytes,
                   frame->size);
      break;
    case ASB_OPENSANDBOX_PTY_FRAME_REPLAY:
      take_replay (self, frame);
      break;
    case ASB_OPENSANDBOX_PTY_FRAME_PONG:
      take_pong (self);
      break;
    case ASB_OPENSANDBOX_PTY_FRAME_ERROR:
      lose (self, *frame->words ? frame->words : "execd reports an error");
      break;
    case ASB_OPENSANDBOX_PTY_FRAME_EXIT:
      finish (self, frame->exit_code, NULL);
      break;
    case ASB_OPENSANDBOX_PTY_FRAME_OTHER:
    default:
      break;
    }
}

/* What makes no sense is not heard: the command goes on. */
static void
message_cb (SoupWebsocketConnection *connection, SoupWebsocketDataType type, GBytes *message,
            gpointer user_data)
{
  g_autoptr (AsbOpensandboxPty) self = pty_ref (user_data);
  g_auto (AsbOpensandboxPtyFrame) frame = { 0 };

  asb_opensandbox_bounded_reset (connection);
  if (self->handlers
      && asb_opensandbox_pty_frame_parse (&frame, type == SOUP_WEBSOCKET_DATA_TEXT, message, NULL))
    take_frame (self, &frame);
}

static void
closed_cb (SoupWebsocketConnection *connection, gpointer user_data)
{
  lose (user_data, "the connection to the terminal was lost");
}

static void
failed_cb (SoupWebsocketConnection *connection, GError *error, gpointer user_data)
{
  lose (user_data, error->message);
}

/* Sent. */

static gboolean
is_open (AsbOpensandboxPty *self)
{
  return self->handlers && self->connection
         && soup_websocket_connection_get_state (self->connection) == SOUP_WEBSOCKET_STATE_OPEN;
}

/* execd answers the ping behind what it has written to the shell. */
gboolean
asb_opensandbox_pty_type (AsbOpensandboxPty *self, gconstpointer bytes, gsize size)
{
  g_autofree guint8 *frame = g_malloc (size + 1);

  if (!is_open (self))
    return FALSE;
  frame[0] = OPCODE_STDIN;
  memcpy (frame + 1, bytes, size);
  soup_websocket_connection_send_binary (self->connection, frame, size + 1);
  soup_websocket_connection_send_text (self->connection, "{\"type\":\"ping\"}");
  return TRUE;
}

gboolean
asb_opensandbox_pty_resize (AsbOpensandboxPty *self, guint columns, guint rows)
{
  g_autofree char *text
      = g_strdup_printf ("{\"type\":\"resize\",\"cols\":%u,\"rows\":%u}", columns, rows);

  if (!is_open (self))
    return FALSE;
  soup_websocket_connection_send_text (self->connection, text);
  return TRUE;
}

/* Opening: the script, the session, the connection. */

static void
fail (AsbOpensandboxPty *self, const GError *error)
{
  g_autoptr (GError) closed = NULL;

  if (asb_opensandbox_execd_is_closed (self->execd))
    closed = g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
  finish (self, -1, closed ? closed : error);
}

static void
connected_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxPty) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SoupWebsocketConnection) connection
      = asb_opensandbox_client_connect_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (!connection)
    {
      fail (self, error);
      return;
    }
  if (!self->handlers)
    {
      soup_websocket_connection_close (connection, SOUP_WEBSOCKET_CLOSE_GOING_AWAY, NULL);
      return;
    }
  self->connection = g_object_ref (connection);
  soup_websocket_connection_set_max_incoming_payload_size (connection, MAX_MESSAGE);
  g_signal_connect (connection, "message", G_CALLBACK (message_cb), self);
  g_signal_connect (connection, "error", G_CALLBACK (failed_cb), self);
  g_signal_connect (connection, "closed", G_CALLBACK (closed_cb), self);
}

static void
connect (AsbOpensandboxPty *self)
{
  g_autofree char *path = g_strdup_printf ("/pty/%s/ws", self->id);
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_execd_new_request (self->execd, "GET", path, "connect to the terminal");

  asb_opensandbox_request_add_query (request, "pty", self->with_terminal ? "1" : "0");
  asb_opensandbox_client_connect_async (asb_opensandbox_execd_get_client (self->execd), request,
                                        asb_opensandbox_execd_get_cancellable (self->execd),
                                        connected_cb, pty_ref (self));
}

static void
created_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxPty) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (reply)
    self->id
        = asb_opensandbox_pty_frame_parse_session (asb_opensandbox_reply_get_body (reply), &error);
  if (self->id)
    connect (self);
  else
    fail (self, error);
}

static void
create (AsbOpensandboxPty *self)
{
  g_autofree char *command = g_strdup_printf (COMMAND, self->path, self->end_token);
  g_autoptr (JsonObject) object = json_object_new ();
  g_autoptr (JsonNode) node = json_node_alloc ();
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_execd_new_request (self->execd, "POST", "/pty", "make a terminal");

  json_object_set_string_member (object, "command", command);
  json_object_set_string_member (object, "cwd", "/");
  json_node_init_object (node, object);
  asb_opensandbox_request_set_json (request, node);
  asb_opensandbox_request_set_timeout (request, CREATE_TIMEOUT_MS);
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (self->execd), request,
                                     asb_opensandbox_execd_get_cancellable (self->execd),
                                     created_cb, pty_ref (self));
}

static void
uploaded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxPty) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (reply)
    create (self);
  else
    fail (self, error);
}

static void
execd_closed_cb (GCancellable *cancellable, gpointer user_data)
{
  AsbOpensandboxPty *self = user_data;

  if (self->connection
      && soup_websocket_connection_get_state (self->connection) == SOUP_WEBSOCKET_STATE_OPEN)
    soup_websocket_connection_close (self->connection, SOUP_WEBSOCKET_CLOSE_GOING_AWAY, NULL);
}

static GBytes *
with_its_end (AsbOpensandboxPty *self, GBytes *script)
{
  g_autofree char *head = g_strdup_printf ("rm -f %s\n", self->path);
  GByteArray *bytes = g_byte_array_new ();

  g_byte_array_append (bytes, (const guint8 *)head, (guint)strlen (head));
  g_byte_array_append (bytes, g_bytes_get_data (script, NULL), (guint)g_bytes_get_size (script));
  return g_byte_array_free_to_bytes (bytes);
}

AsbOpensandboxPty *
asb_opensandbox_pty_open (AsbOpensandboxExecd *execd, GBytes *script, gboolean with_terminal,
                          const AsbOpensandboxPtyHandlers *handlers, gpointer data)
{
  AsbOpensandboxPty *self = g_rc_box_new0 (AsbOpensandboxPty);
  g_autofree char *token = asb_opensandbox_shell_new_token ();
  g_autoptr (GBytes) text = NULL;
  g_autoptr (GInputStream) content = NULL;
  g_autofree char *type = NULL;
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_execd_new_request (execd, "POST", "/files/upload", "start the command");

  self->execd = g_object_ref (execd);
  self->handlers = handlers;
  self->data = data;
  self->with_terminal = with_terminal;
  self->path = g_strdup_printf ("/tmp/.asb-%s", token);
  self->end_token = asb_opensandbox_shell_new_token ();
  for (gsize i = 0; i < N_STREAMS; i++)
    asb_opensandbox_pty_tail_init (&self->tails[i], self->end_token);
  text = with_its_end (self, script);
  content = g_memory_input_stream_new_from_bytes (text);
  self->body = asb_opensandbox_upload_stream_new (self->path, 0600, content,
                                                  (gint64)g_bytes_get_size (text));
  self->closed_id = g_cancellable_connect (asb_opensandbox_execd_get_cancellable (execd),
                                           G_CALLBACK (execd_closed_cb), self, NULL);
  type = asb_opensandbox_upload_stream_dup_type (self->body);
  asb_opensandbox_request_set_once (request);
  asb_opensandbox_request_set_stream (request, type, G_INPUT_STREAM (self->body),
                                      asb_opensandbox_upload_stream_get_size (self->body));
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (execd), request,
                                     asb_opensandbox_execd_get_cancellable (execd), uploaded_cb,
                                     pty_ref (self));
  return pty_ref (self);
}
