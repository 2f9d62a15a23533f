/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The WebSocket of a PTY session. */

#include "lookalike-pty.h"

#include <string.h>

#include "lookalike-json.h"
#include "lookalike-sandbox.h"
#include "lookalike-websocket.h"

#define CLOSE_TAKEN_OVER 4001
#define PING_SECONDS 30
#define SILENCE_SECONDS 60
#define FULL (1 << 20)
#define OPCODE_STDIN 0x00

struct _LookalikePtyClient
{
  LookalikePty *pty;
  LookalikeRequest *request;
  SoupWebsocketConnection *connection; /* NULL until the handshake is out */
  gboolean terminal;
  gint64 since;
  guint silence;
  guint frames;
  guint64 queued;
  gboolean detached;
};

static void
detach (LookalikePtyClient *self)
{
  if (self->detached)
    return;
  self->detached = TRUE;
  g_clear_handle_id (&self->silence, g_source_remove);
  if (self->request->tap != NULL)
    lookalike_tap_set_written_func (self->request->tap, NULL, NULL);
  if (lookalike_pty_get_client (self->pty) != self)
    return;
  lookalike_pty_set_client (self->pty, NULL);
  lookalike_pty_set_events (self->pty, NULL, NULL);
  lookalike_pty_hold_output (self->pty, FALSE);
}

static void
client_free (LookalikePtyClient *self)
{
  detach (self);
  g_clear_object (&self->connection);
  lookalike_request_unref (self->request);
  lookalike_pty_unref (self->pty);
  g_free (self);
}

static gboolean
is_open (LookalikePtyClient *self)
{
  return self->connection != NULL
         && soup_websocket_connection_get_state (self->connection) == SOUP_WEBSOCKET_STATE_OPEN;
}

static void
lookalike_pty_client_close (LookalikePtyClient *self, int code, const char *reason)
{
  detach (self);
  if (is_open (self))
    soup_websocket_connection_close (self->connection, (gushort)code, reason);
}

/* The switchboard may want it to end here. */
static void
count_frame (LookalikePtyClient *self, gsize size)
{
  self->frames++;
  self->queued += size + 10;
  if (self->request->close_code != 0 && self->frames >= self->request->close_after)
    lookalike_pty_client_close (self, self->request->close_code, "");
}

static void
send_binary (LookalikePtyClient *self, GBytes *frame)
{
  if (!is_open (self))
    return;
  soup_websocket_connection_send_message (self->connection, SOUP_WEBSOCKET_DATA_BINARY, frame);
  count_frame (self, g_bytes_get_size (frame));
}

static void
send_json (LookalikePtyClient *self, const char *json)
{
  g_autofree char *line = g_strconcat (json, "\n", NULL);

  if (!is_open (self))
    return;
  soup_websocket_connection_send_text (self->connection, line);
  count_frame (self, strlen (line));
}

static void
send_error (LookalikePtyClient *self, const char *code, const char *message)
{
  g_autoptr (GString) json = g_string_new ("{\"type\":\"error\",\"error\":");

  lookalike_json_append_string (json, message, -1);
  g_string_append_printf (json, ",\"code\":\"%s\"}", code);
  send_json (self, json->str);
}

static void
written_cb (gpointer tap, gpointer user_data)
{
  LookalikePtyClient *self = user_data;

  if (lookalike_tap_get_written (tap) + FULL / 2 > self->queued)
    lookalike_pty_hold_output (self->pty, FALSE);
}

static void
output_cb (LookalikePty *pty, guint8 opcode, const guint8 *bytes, gsize size, gpointer data)
{
  LookalikePtyClient *self = data;
  g_autoptr (GByteArray) frame = g_byte_array_sized_new ((guint)size + 1);
  g_autoptr (GBytes) message = NULL;

  g_byte_array_append (frame, &opcode, 1);
  g_byte_array_append (frame, bytes, (guint)size);
  message = g_byte_array_free_to_bytes (g_steal_pointer (&frame));
  send_binary (self, message);
  if (!self->detached && self->request->tap != NULL
      && self->queued > lookalike_tap_get_written (self->request->tap) + FULL)
    lookalike_pty_hold_output (pty, TRUE);
}

static void
ended_cb (LookalikePty *pty, int exit_code, gpointer data)
{
  LookalikePtyClient *self = data;
  g_autofree char *json = g_strdup_printf ("{\"type\":\"exit\",\"exit_code\":%d}", exit_code);

  send_json (self, json);
  lookalike_pty_client_close (self, SOUP_WEBSOCKET_CLOSE_NORMAL, "process exited");
}

static const LookalikePtyEvents events = { output_cb, ended_cb };

static void
handle_text (LookalikePtyClient *self, const char *data, gsize size)
{
  g_autoptr (JsonNode) node = lookalike_json_parse (data, size, NULL);
  JsonObject *frame
      = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *type = lookalike_json_get_string (frame, "type");
  const char *text = lookalike_json_get_string (frame, "data");

  if (frame == NULL)
    return;
  if (g_strcmp0 (type, "stdin") == 0)
    lookalike_pty_write (self->pty, (const guint8 *)text, text != NULL ? strlen (text) : 0);
  else if (g_strcmp0 (type, "signal") == 0)
    lookalike_pty_signal (self->pty, lookalike_json_get_string (frame, "signal"));
  else if (g_strcmp0 (type, "resize") == 0)
    lookalike_pty_resize (self->pty, (int)lookalike_json_get_int (frame, "cols", 0),
                          (int)lookalike_json_get_int (frame, "rows", 0));
  else if (g_strcmp0 (type, "ping") == 0)
    send_json (self, "{\"type\":\"pong\"}");
  else
    {
      g_autofree char *message
          = g_strdup_printf ("unknown frame type \"%s\"", type != NULL ? type : "");

      send_error (self, "INVALID_FRAME", message);
    }
}

static gboolean
silence_cb (gpointer data)
{
  LookalikePtyClient *self = data;

  self->silence = 0;
  if (self->request->tap != NULL)
    lookalike_tap_cut (self->request->tap, FALSE);
  return G_SOURCE_REMOVE;
}

static void
restart_silence (LookalikePtyClient *self)
{
  g_clear_handle_id (&self->silence, g_source_remove);
  if (!self->detached)
    self->silence = g_timeout_add_seconds (SILENCE_SECONDS, silence_cb, self);
}

static void
message_cb (SoupWebsocketConnection *connection, SoupWebsocketDataType type, GBytes *message,
            LookalikePtyClient *self)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (message, &size);

  restart_silence (self);
  if (self->detached)
    return;
  if (type == SOUP_WEBSOCKET_DATA_TEXT)
    handle_text (self, (const char *)data, size);
  else if (size > 0 && data[0] == OPCODE_STDIN)
    lookalike_pty_write (self->pty, data + 1, size - 1);
}

static void
pong_cb (SoupWebsocketConnection *connection, GBytes *message, LookalikePtyClient *self)
{
  restart_silence (self);
}

static void
closed_cb (SoupWebsocketConnection *connection, LookalikePtyClient *self)
{
  g_signal_handlers_disconnect_by_data (connection, self);
  client_free (self);
}

static void
open_connection (LookalikePtyClient *self, GIOStream *stream)
{
  GUri *uri = soup_server_message_get_uri (self->request->message);

  self->connection = soup_websocket_connection_new (stream, uri, SOUP_WEBSOCKET_CONNECTION_SERVER,
                                                    NULL, NULL, NULL);
  soup_websocket_connection_set_max_incoming_payload_size (self->connection, 0);
  soup_websocket_connection_set_keepalive_interval (self->connection, PING_SECONDS);
  g_signal_connect (self->connection, "message", G_CALLBACK (message_cb), self);
  g_signal_connect (self->connection, "pong", G_CALLBACK (pong_cb), self);
  g_signal_connect (self->connection, "closed", G_CALLBACK (closed_cb), self);
  restart_silence (self);
}

static void
greet (LookalikePtyClient *self)
{
  g_autoptr (GBytes) replay
      = lookalike_replay_make_frame (lookalike_pty_get_replay (self->pty), self->since);
  g_autofree char *connected = g_strdup_printf (
      "{\"type\":\"connected\",\"session_id\":\"%s\",\"mode\":\"%s\"}",
      lookalike_pty_get_id (self->pty), lookalike_pty_is_terminal (self->pty) ? "pty" : "pipe");

  if (replay != NULL)
    send_binary (self, replay);
  send_json (self, connected);
}

static void
accepted_cb (GIOStream *stream, gpointer user_data)
{
  LookalikePtyClient *self = user_data;
  g_autoptr (GError) error = NULL;

  if (stream == NULL || self->detached)
    {
      client_free (self);
      return;
    }
  open_connection (self, stream);
  if (self->request->close_code != 0 && self->request->close_after == 0)
    {
      lookalike_pty_client_close (self, self->request->close_code, "");
      return;
    }
  if (!lookalike_pty_is_running (self->pty)
      && !lookalike_pty_start (self->pty, self->terminal, &error))
    {
      send_error (self, "START_FAILED", error->message);
      lookalike_pty_client_close (self, SOUP_WEBSOCKET_CLOSE_NO_STATUS, NULL);
      return;
    }
  if (self->request->tap != NULL)
    {
      self->queued = lookalike_tap_get_written (self->request->tap);
      lookalike_tap_set_written_func (self->request->tap, written_cb, self);
    }
  greet (self);
  if (!self->detached)
    lookalike_pty_set_events (self->pty, &events, self);
}

void
lookalike_pty_client_connect (LookalikePty *pty, LookalikeRequest *request)
{
  LookalikePtyClient *before = lookalike_pty_get_client (pty);
  LookalikePtyClient *self = g_new0 (LookalikePtyClient, 1);
  g_autofree char *mode = lookalike_request_get_query (request, "pty");
  g_autofree char *since = lookalike_request_get_query (request, "since");

  if (before != NULL)
    lookalike_pty_client_close (before, CLOSE_TAKEN_OVER, "TAKEN_OVER");
  self->pty = lookalike_pty_ref (pty);
  self->request = lookalike_request_ref (request);
  self->terminal = g_strcmp0 (mode, "0") != 0;
  self->since = since != NULL ? g_ascii_strtoll (since, NULL, 10) : 0;
  lookalike_pty_set_client (pty, self);
  lookalike_websocket_accept (request, NULL, accepted_cb, self);
}
