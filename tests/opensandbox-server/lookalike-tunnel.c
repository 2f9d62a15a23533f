/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A WebSocket passed on. The server first makes its own to the sandbox and tells of a failure
 * with a close code; execd and the gateway pass the bytes, the refusal too. */

#include <string.h>

#include "lookalike-frames.h"
#include "lookalike-proxy.h"
#include "lookalike-websocket.h"

#define PIECE 65536
#define HANDSHAKE_SECONDS 10
#define MAX_HEAD 65536

typedef struct _Tunnel Tunnel;

typedef struct
{
  Tunnel *tunnel;
  GInputStream *input;
  GOutputStream *output;
  gboolean down;
  gsize size;
  guint8 bytes[PIECE];
} Pump;

struct _Tunnel
{
  LookalikeRequest *request;
  LookalikeProxyRoute route;
  GCancellable *cancellable;
  GIOStream *client;
  GIOStream *upstream;
  GByteArray *head; /* what was sent, then what came */
  LookalikeFrames frames;
  guint timer;
  gboolean ended;
  GBytes *last_words;
  Pump up;
  Pump down;
};

static void
clear (gpointer data)
{
  Tunnel *self = data;

  g_clear_handle_id (&self->timer, g_source_remove);
  g_clear_object (&self->client);
  g_clear_object (&self->upstream);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->head, g_byte_array_unref);
  g_clear_pointer (&self->last_words, g_bytes_unref);
  g_free (self->route.target);
  g_free (self->route.name);
  lookalike_request_unref (self->request);
}

static void
tunnel_unref (Tunnel *self)
{
  g_rc_box_release_full (self, clear);
}

static Tunnel *
tunnel_ref (Tunnel *self)
{
  return g_rc_box_acquire (self);
}

static void
end (Tunnel *self)
{
  if (self->ended)
    return;
  self->ended = TRUE;
  g_clear_handle_id (&self->timer, g_source_remove);
  g_cancellable_cancel (self->cancellable);
  if (self->upstream != NULL)
    g_io_stream_close (self->upstream, NULL, NULL);
  if (self->client != NULL)
    g_io_stream_close (self->client, NULL, NULL);
}

static void
last_words_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Tunnel *self = user_data;

  g_output_stream_write_all_finish (G_OUTPUT_STREAM (object), result, NULL, NULL);
  end (self);
  tunnel_unref (self);
}

/* A close frame to the client, then the end. */
static void
end_with (Tunnel *self, int code)
{
  if (self->ended || self->last_words != NULL)
    return;
  self->last_words = lookalike_websocket_make_close (code, "");
  g_output_stream_write_all_async (self->down.output, g_bytes_get_data (self->last_words, NULL),
                                   g_bytes_get_size (self->last_words), G_PRIORITY_DEFAULT,
                                   self->cancellable, last_words_cb, tunnel_ref (self));
}

static void pump_read (Pump *pump);

static gboolean
is_time_to_close (Tunnel *self)
{
  return self->request->close_code != 0 && lookalike_frames_is_between (&self->frames)
         && self->frames.frames >= self->request->close_after;
}

static void
pump_written_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Pump *pump = user_data;
  Tunnel *self = pump->tunnel;

  if (!g_output_stream_write_all_finish (G_OUTPUT_STREAM (object), result, NULL, NULL))
    end (self);
  else if (pump->down && is_time_to_close (self))
    end_with (self, self->request->close_code);
  else if (!self->ended)
    pump_read (pump);
  tunnel_unref (self);
}

static void
pump_write (Pump *pump)
{
  Tunnel *self = pump->tunnel;
  guint stop_after = self->request->close_code != 0 ? self->request->close_after : 0;

  if (pump->down)
    pump->size = lookalike_frames_walk (&self->frames, pump->bytes, pump->size, stop_after);
  tunnel_ref (self);
  g_output_stream_write_all_async (pump->output, pump->bytes, pump->size, G_PRIORITY_DEFAULT,
                                   self->cancellable, pump_written_cb, pump);
}

static void
pump_read_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Pump *pump = user_data;
  Tunnel *self = pump->tunnel;
  gssize got = g_input_stream_read_finish (G_INPUT_STREAM (object), result, NULL);

  if (got > 0 && !self->ended)
    {
      pump->size = (gsize)got;
      pump_write (pump);
    }
  else if (pump->down && self->route.style == LOOKALIKE_PROXY_SERVER && !self->frames.close_seen
           && lookalike_frames_is_between (&self->frames))
    end_with (self, SOUP_WEBSOCKET_CLOSE_SERVER_ERROR);
  else
    end (self);
  tunnel_unref (self);
}

static void
pump_read (Pump *pump)
{
  tunnel_ref (pump->tunnel);
  g_input_stream_read_async (pump->input, pump->bytes, sizeof pump->bytes, G_PRIORITY_DEFAULT,
                             pump->tunnel->cancellable, pump_read_cb, pump);
}

static void
start_pumps (Tunnel *self)
{
  self->up.tunnel = self->down.tunnel = self;
  self->down.down = TRUE;
  self->up.input = g_io_stream_get_input_stream (self->client);
  self->up.output = g_io_stream_get_output_stream (self->upstream);
  self->down.input = g_io_stream_get_input_stream (self->upstream);
  self->down.output = g_io_stream_get_output_stream (self->client);
  pump_read (&self->up);
  if (is_time_to_close (self))
    end_with (self, self->request->close_code);
  else if (self->head->len > 0 && self->head->len <= PIECE)
    {
      memcpy (self->down.bytes, self->head->data, self->head->len);
      self->down.size = self->head->len;
      pump_write (&self->down);
    }
  else
    pump_read (&self->down);
}

static void
accepted_cb (GIOStream *stream, gpointer user_data)
{
  Tunnel *self = user_data;

  if (stream != NULL && !self->ended)
    {
      self->client = g_object_ref (stream);
      start_pumps (self);
    }
  else
    end (self);
  tunnel_unref (self);
}

static void
refuse (Tunnel *self, int code)
{
  if (self->ended)
    return;
  lookalike_websocket_refuse (self->request, code, "");
  end (self);
}

static char *
find_protocol (const char *head)
{
  g_auto (GStrv) lines = g_strsplit (head, "\r\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    if (g_ascii_strncasecmp (lines[i], "Sec-WebSocket-Protocol:", 23) == 0)
      return g_strdup (g_strstrip (lines[i] + 23));
  return NULL;
}

static void read_head (Tunnel *self);

static void
head_read_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Tunnel *self = user_data;
  gssize got = g_input_stream_read_finish (G_INPUT_STREAM (object), result, NULL);
  const char *head_end;

  if (got > 0)
    g_byte_array_append (self->head, self->down.bytes, (guint)got);
  head_end = memmem (self->head->data, self->head->len, "\r\n\r\n", 4);
  if (self->ended)
    ;
  else if (head_end != NULL)
    {
      gsize length = (gsize)(head_end - (const char *)self->head->data) + 4;
      g_autofree char *head = g_strndup ((const char *)self->head->data, length);
      g_autofree char *protocol = find_protocol (head);

      g_clear_handle_id (&self->timer, g_source_remove);
      g_byte_array_remove_range (self->head, 0, (guint)length);
      if (strncmp (head, "HTTP/1.1 101", 12) == 0)
        lookalike_websocket_accept (self->request, protocol, accepted_cb, tunnel_ref (self));
      else
        refuse (self, SOUP_WEBSOCKET_CLOSE_POLICY_VIOLATION);
    }
  else if (got <= 0 || self->head->len > MAX_HEAD)
    refuse (self, SOUP_WEBSOCKET_CLOSE_SERVER_ERROR);
  else
    read_head (self);
  tunnel_unref (self);
}

static void
read_head (Tunnel *self)
{
  g_input_stream_read_async (g_io_stream_get_input_stream (self->upstream), self->down.bytes,
                             sizeof self->down.bytes, G_PRIORITY_DEFAULT, self->cancellable,
                             head_read_cb, tunnel_ref (self));
}

static void
request_written_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Tunnel *self = user_data;

  if (!g_output_stream_write_all_finish (G_OUTPUT_STREAM (object), result, NULL, NULL))
    {
      if (self->route.style == LOOKALIKE_PROXY_SERVER)
        refuse (self, SOUP_WEBSOCKET_CLOSE_SERVER_ERROR);
      else
        end (self);
    }
  else if (!self->ended)
    {
      g_byte_array_set_size (self->head, 0);
      if (self->route.style == LOOKALIKE_PROXY_SERVER)
        read_head (self);
      else
        {
          self->frames.in_head = TRUE;
          self->client = lookalike_request_steal (self->request);
          if (self->client != NULL)
            start_pumps (self);
          else
            end (self);
        }
    }
  tunnel_unref (self);
}

static void
add_line (gpointer data, const char *name, const char *value)
{
  g_autofree char *line = g_strdup_printf ("%s: %s\r\n", name, value);

  g_byte_array_append (data, (const guint8 *)line, (guint)strlen (line));
}

static gboolean
is_handshake_header (const char *name)
{
  return g_ascii_strcasecmp (name, "Sec-WebSocket-Key") == 0
         || g_ascii_strcasecmp (name, "Sec-WebSocket-Version") == 0
         || g_ascii_strcasecmp (name, "Sec-WebSocket-Extensions") == 0;
}

static void
write_request (Tunnel *self)
{
  g_autofree char *first = g_strdup_printf ("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
                                            "Upgrade: websocket\r\nConnection: Upgrade\r\n",
                                            self->route.target, self->route.port);
  g_autofree char *key = lookalike_websocket_make_key ();
  gboolean own = self->route.style == LOOKALIKE_PROXY_SERVER;
  const char *connection = lookalike_request_get_header (self->request, "Connection");
  SoupMessageHeadersIter iter;
  const char *name, *value;

  g_byte_array_append (self->head, (const guint8 *)first, (guint)strlen (first));
  soup_message_headers_iter_init (&iter,
                                  soup_server_message_get_request_headers (self->request->message));
  while (soup_message_headers_iter_next (&iter, &name, &value))
    if (lookalike_proxy_keeps_header (self->route.style, name, connection)
        && !(own && is_handshake_header (name)))
      add_line (self->head, name, value);
  if (own)
    {
      add_line (self->head, "Sec-WebSocket-Key", key);
      add_line (self->head, "Sec-WebSocket-Version", "13");
    }
  lookalike_proxy_get_forwarded (self->request, self->route.style, add_line, self->head);
  g_byte_array_append (self->head, (const guint8 *)"\r\n", 2);
  g_output_stream_write_all_async (g_io_stream_get_output_stream (self->upstream), self->head->data,
                                   self->head->len, G_PRIORITY_DEFAULT, self->cancellable,
                                   request_written_cb, tunnel_ref (self));
}

static void
connected_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Tunnel *self = user_data;
  GSocketConnection *connection
      = g_socket_client_connect_to_host_finish (G_SOCKET_CLIENT (object), result, NULL);

  self->upstream = connection != NULL ? G_IO_STREAM (connection) : NULL;
  if (self->ended)
    ;
  else if (self->upstream != NULL)
    write_request (self);
  else if (self->route.style == LOOKALIKE_PROXY_SERVER)
    refuse (self, SOUP_WEBSOCKET_CLOSE_SERVER_ERROR);
  else
    lookalike_proxy_fail (self->request, &self->route);
  tunnel_unref (self);
}

static gboolean
timeout_cb (gpointer data)
{
  Tunnel *self = data;

  self->timer = 0;
  refuse (self, SOUP_WEBSOCKET_CLOSE_SERVER_ERROR);
  return G_SOURCE_REMOVE;
}

void
lookalike_tunnel_start (LookalikeRequest *request, const LookalikeProxyRoute *route)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  Tunnel *self = g_rc_box_new0 (Tunnel);

  self->request = lookalike_request_ref (request);
  self->route = *route;
  self->route.prefix = NULL;
  self->route.target = g_strdup (route->target);
  self->route.name = g_strdup (route->name);
  self->cancellable = g_cancellable_new ();
  self->head = g_byte_array_new ();
  if (route->style == LOOKALIKE_PROXY_SERVER)
    self->timer = g_timeout_add_seconds (HANDSHAKE_SECONDS, timeout_cb, self);
  g_socket_client_set_enable_proxy (client, FALSE);
  g_socket_client_connect_to_host_async (client, "127.0.0.1", route->port, self->cancellable,
                                         connected_cb, self);
}
