/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-client.h"
#include "asb-opensandbox-thread.h"
#include "asb-opensandbox-websocket-stream.h"
#include "hostile-websocket.h"

#include <string.h>

/* The stream over a WebSocket, and other sides that keep to nothing. */

typedef struct
{
  void (*talk) (HostileConnection *connection);
  HostileServer *server;
} Peer;

static gboolean
answer_cb (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  Peer *peer = data;

  hostile_websocket_accept (connection, head);
  if (peer->talk)
    peer->talk (connection);
  return FALSE;
}

/* A link that was opened in the thread of the module. */
typedef struct
{
  AsbOpensandboxClient *client;
  guint patience_ms; /* 0: the beginning is not waited for */
  AsbOpensandboxWebsocketLink *link;
  GIOStream *stream;
  GError *error;
  gboolean done;
  GMutex mutex;
  GCond cond;
} Opening;

static void
finish (Opening *self)
{
  if (self->link)
    self->stream = asb_opensandbox_websocket_stream_new (self->link);
  g_clear_pointer (&self->link, asb_opensandbox_websocket_link_unref);
  g_mutex_lock (&self->mutex);
  self->done = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->mutex);
}

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Opening *self = data;

  if (!asb_opensandbox_websocket_link_wait_finish (result, &self->error))
    {
      asb_opensandbox_websocket_link_drop (self->link, self->error);
      g_clear_pointer (&self->link, asb_opensandbox_websocket_link_unref);
    }
  finish (self);
}

static void
connected_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Opening *self = data;
  SoupWebsocketConnection *connection = asb_opensandbox_client_connect_finish (
      ASB_OPENSANDBOX_CLIENT (source), result, &self->error);

  if (connection)
    self->link
        = asb_opensandbox_websocket_link_new (connection, &asb_opensandbox_websocket_plain, NULL);
  if (self->link && self->patience_ms > 0)
    asb_opensandbox_websocket_link_wait_async (self->link, self->patience_ms, NULL, waited_cb,
                                               self);
  else
    finish (self);
}

static void
connect_in_thread (gpointer data)
{
  Opening *self = data;
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_request_new (
      "GET", asb_opensandbox_client_get_lifecycle (self->client), "/socket");

  asb_opensandbox_client_connect_async (self->client, request, NULL, connected_cb, self);
}

static GIOStream *
open_to (Peer *peer, guint patience_ms, GError **error)
{
  Opening opening = { .patience_ms = patience_ms };
  g_autoptr (AsbOpensandboxSettings) settings = NULL;

  peer->server = hostile_server_new (answer_cb, peer);
  settings = asb_opensandbox_settings_new (hostile_server_get_domain (peer->server), error);
  opening.client = asb_opensandbox_client_new (settings);
  g_mutex_init (&opening.mutex);
  g_cond_init (&opening.cond);
  asb_opensandbox_thread_post (connect_in_thread, &opening);
  g_mutex_lock (&opening.mutex);
  while (!opening.done)
    g_cond_wait (&opening.cond, &opening.mutex);
  g_mutex_unlock (&opening.mutex);
  g_mutex_clear (&opening.mutex);
  g_cond_clear (&opening.cond);
  g_object_unref (opening.client);
  if (opening.error)
    g_propagate_error (error, opening.error);
  return opening.stream;
}

/* All that comes, and how it ends. */
static GString *
read_all (GIOStream *stream, GError **error)
{
  GInputStream *input = g_io_stream_get_input_stream (stream);
  GString *all = g_string_new (NULL);
  char bytes[70000];
  gssize n;

  while ((n = g_input_stream_read (input, bytes, sizeof bytes, NULL, error)) > 0)
    g_string_append_len (all, bytes, n);
  return all;
}

static void
close_stream (GIOStream *stream)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (g_io_stream_close (stream, NULL, &error));
  g_assert_no_error (error);
}

/* What they say. */

static void
say_in_pieces (HostileConnection *connection)
{
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_BINARY, "", 0);
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_BINARY, "one", 3);
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_PING, "?", 1);
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_CONTINUATION, " two", 4);
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_CONTINUATION,
                          " three", 6);
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_BINARY, " four", 5);
  hostile_websocket_close (connection, 1000, "");
}

static void
say_much (HostileConnection *connection)
{
  g_autofree char *bytes = g_malloc (3 * 1024 * 1024);

  memset (bytes, 'x', 3 * 1024 * 1024);
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_BINARY, bytes,
                          3 * 1024 * 1024);
  hostile_websocket_close (connection, 1000, "done");
}

static void
say_text (HostileConnection *connection)
{
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_TEXT, "text", 4);
  hostile_connection_wait (connection);
}

static void
say_error (HostileConnection *connection)
{
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_BINARY, "before",
                          6);
  hostile_websocket_close (connection, 1011, "\x01no <b>way</b> in");
}

static void
say_too_much (HostileConnection *connection)
{
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_BINARY, NULL,
                          G_GUINT64_CONSTANT (1) << 40);
  hostile_connection_wait (connection);
}

static void
say_half (HostileConnection *connection)
{
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_BINARY, "whole", 5);
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_BINARY, NULL, 100);
  hostile_connection_write_bytes (connection, "half", 4);
}

static void
say_nonsense (HostileConnection *connection)
{
  hostile_websocket_send (connection, 0x70 | HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_BINARY,
                          "reserved", 8);
  hostile_connection_wait (connection);
}

static void
say_nothing (HostileConnection *connection)
{
  hostile_connection_wait (connection);
}

static void
flood (HostileConnection *connection)
{
  g_autofree char *bytes = g_malloc0 (1024 * 1024);

  for (guint i = 0; i < 64; i++)
    hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_BINARY, bytes,
                            1024 * 1024);
  hostile_connection_wait (connection);
}

/* As far as it is listened to. */
static void
say_without_end (HostileConnection *connection)
{
  g_autofree char *bytes = g_malloc0 (1024 * 1024);

  for (guint i = 0; i < 64; i++)
    hostile_websocket_send (connection,
                            i == 0 ? HOSTILE_WEBSOCKET_BINARY : HOSTILE_WEBSOCKET_CONTINUATION,
                            bytes, 1024 * 1024);
  hostile_connection_wait (connection);
}

static const struct
{
  const char *path;
  void (*talk) (HostileConnection *connection);
  const char *output; /* NULL: not looked at */
  AsbError code;      /* 0: it ends well */
  const char *words;
} ENDINGS[] = {
  { "pieces", say_in_pieces, "one two three four", 0, NULL },
  { "much", say_much, NULL, 0, NULL },
  { "text", say_text, "", ASB_ERROR_PROTOCOL, "only binary data" },
  { "error", say_error, "before", ASB_ERROR_INTERRUPTED, "1011" },
  { "too-much", say_too_much, "", ASB_ERROR_INTERRUPTED, "WebSocket" },
  { "without-end", say_without_end, "", ASB_ERROR_INTERRUPTED, "20 MiB" },
  { "half", say_half, "whole", ASB_ERROR_INTERRUPTED, "lost" },
  { "nonsense", say_nonsense, "", ASB_ERROR_INTERRUPTED, "WebSocket" },
  { "nothing", NULL, "", ASB_ERROR_INTERRUPTED, "lost" },
};

static void
test_ending (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  Peer peer = { .talk = ENDINGS[i].talk };
  g_autoptr (GError) error = NULL;
  g_autoptr (GIOStream) stream = open_to (&peer, 0, &error);
  g_autoptr (GString) output = NULL;

  g_assert_no_error (error);
  output = read_all (stream, &error);
  if (ENDINGS[i].output)
    g_assert_cmpstr (output->str, ==, ENDINGS[i].output);
  else
    g_assert_cmpuint (output->len, ==, 3 * 1024 * 1024);
  if (ENDINGS[i].code)
    {
      g_assert_error (error, ASB_ERROR, (int)ENDINGS[i].code);
      g_assert_nonnull (strstr (error->message, ENDINGS[i].words));
      g_assert_null (strchr (error->message, '\x01'));
    }
  else
    g_assert_no_error (error);
  close_stream (stream);
  hostile_server_free (peer.server);
}

static void
test_ready (void)
{
  static const struct
  {
    void (*talk) (HostileConnection *connection);
    AsbError code;
    const char *words;
  } cases[] = {
    { say_in_pieces, 0, NULL },
    { say_nothing, ASB_ERROR_TIMED_OUT, "Nobody answered" },
    { NULL, ASB_ERROR_INTERRUPTED, "lost" },
    { say_too_much, ASB_ERROR_INTERRUPTED, "WebSocket" },
  };

  g_test_summary ("Whoever waits for the first message hears of it, or why there is none");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Peer peer = { .talk = cases[i].talk };
      g_autoptr (GError) error = NULL;
      g_autoptr (GIOStream) stream = open_to (&peer, 300, &error);

      g_assert_true ((stream != NULL) == (cases[i].code == 0));
      if (cases[i].code)
        {
          g_assert_error (error, ASB_ERROR, (int)cases[i].code);
          g_assert_nonnull (strstr (error->message, cases[i].words));
        }
      g_clear_object (&stream);
      hostile_server_free (peer.server);
    }
}

static void
test_flood (void)
{
  Peer peer = { .talk = flood };
  g_autoptr (GError) error = NULL;
  g_autoptr (GIOStream) stream = open_to (&peer, 0, &error);
  GOutputStream *output = g_io_stream_get_output_stream (stream);
  g_autoptr (GString) got = NULL;

  g_test_summary ("What nobody reads is bounded: then the connection is dropped");
  /* Writing fails when the connection has ended; nothing has been read until then. */
  while (g_output_stream_write (output, "x", 1, NULL, &error) > 0)
    ;
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_clear_error (&error);
  got = read_all (stream, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_assert_cmpuint (got->len, <=, 20 * 1024 * 1024);
  close_stream (stream);
  hostile_server_free (peer.server);
}

#define N_SMALL (90 * 4096)

static void
say_small (HostileConnection *connection)
{
  guint8 frames[3 * 4096];

  for (guint i = 0; i < sizeof frames; i += 3)
    memcpy (frames + i, "\202\001x", 3);
  for (guint i = 0; i < N_SMALL / 4096; i++)
    hostile_connection_write_bytes (connection, frames, sizeof frames);
  hostile_websocket_close (connection, 1000, "");
}

static void
test_small_messages (void)
{
  Peer peer = { .talk = say_small };
  g_autoptr (GError) error = NULL;
  g_autoptr (GIOStream) stream = open_to (&peer, 0, &error);
  AsbOpensandboxWebsocketLink *link
      = asb_opensandbox_websocket_stream_get_link (ASB_OPENSANDBOX_WEBSOCKET_STREAM (stream));
  GOutputStream *output = g_io_stream_get_output_stream (stream);
  g_autoptr (GString) got = NULL;

  g_test_summary ("Messages of one byte that nobody reads take hardly more room than their bytes");
  /* 256 KiB of them are in the stream, the others wait with the link. */
  while (g_output_stream_write (output, "x", 1, NULL, &error) > 0)
    ;
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_clear_error (&error);
  g_assert_cmpuint (asb_opensandbox_websocket_link_count_pieces (link), <=, 4);
  got = read_all (stream, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (got->len, ==, N_SMALL);
  close_stream (stream);
  hostile_server_free (peer.server);
}

static GMutex letting_go;

/* Held by the test as long as nothing is to be read. */
static void
say_nothing_and_read_nothing (HostileConnection *connection)
{
  g_mutex_lock (&letting_go);
  g_mutex_unlock (&letting_go);
}

/* Waits until the stream takes more, or a while has passed. */
static gboolean
becomes_writable (GPollableOutputStream *output)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GSource) writable = g_pollable_output_stream_create_source (output, NULL);
  g_autoptr (GSource) timeout = g_timeout_source_new (300);

  g_source_set_dummy_callback (writable);
  g_source_set_dummy_callback (timeout);
  g_source_attach (writable, context);
  g_source_attach (timeout, context);
  g_main_context_iteration (context, TRUE);
  return g_pollable_output_stream_is_writable (output);
}

static void
test_peer_that_does_not_read (void)
{
  Peer peer = { .talk = say_nothing_and_read_nothing };
  g_autofree char *bytes = g_malloc0 (65536);
  g_autoptr (GError) error = NULL;
  g_autoptr (GIOStream) stream = NULL;
  GPollableOutputStream *output;
  gsize total = 0;

  g_test_summary ("What nobody takes on the other side is bounded, too");
  g_mutex_lock (&letting_go);
  stream = open_to (&peer, 0, &error);
  g_assert_no_error (error);
  output = G_POLLABLE_OUTPUT_STREAM (g_io_stream_get_output_stream (stream));
  do
    {
      gssize n;

      while ((n = g_pollable_output_stream_write_nonblocking (output, bytes, 65536, NULL, &error))
             > 0)
        total += (gsize)n;
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
      g_clear_error (&error);
      g_assert_cmpuint (total, <, 64 * 1024 * 1024);
    }
  while (becomes_writable (output));
  g_test_message ("%" G_GSIZE_FORMAT " bytes, those in the kernel among them", total);
  close_stream (stream);
  g_mutex_unlock (&letting_go);
  hostile_server_free (peer.server);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (ENDINGS); i++)
    {
      g_autofree char *path = g_strdup_printf ("/opensandbox/websocket/%s", ENDINGS[i].path);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_ending);
    }
  g_test_add_func ("/opensandbox/websocket/ready", test_ready);
  g_test_add_func ("/opensandbox/websocket/flood", test_flood);
  g_test_add_func ("/opensandbox/websocket/small-messages", test_small_messages);
  g_test_add_func ("/opensandbox/websocket/peer-that-does-not-read", test_peer_that_does_not_read);
  return g_test_run ();
}
