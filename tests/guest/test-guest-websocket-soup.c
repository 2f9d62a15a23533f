/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The guest and the WebSockets of libsoup, which is what a provider has. */

#include <gio/gio.h>
#include <jansson.h>
#include <libsoup/soup.h>
#include <string.h>

#include "asb-frame.h"

#define OUTPUT_SIZE 3000000

typedef struct
{
  char *folder;
  json_t *door;
  SoupSession *session;
  SoupWebsocketConnection *connection;
  GByteArray *received;
  gboolean is_closed;
  guint64 sequence;
} Fixture;

static void
start_guest (Fixture *fixture)
{
  g_autofree char *socket = g_build_filename (fixture->folder, "run", "guest-1.sock", NULL);
  g_autofree char *history = g_build_filename (fixture->folder, "history", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, g_getenv ("ASB_GUEST_PATH"), "serve", "--listen",
      "--daemon", "--socket", socket, "--history-dir", history, NULL);
  g_autofree char *said = NULL;

  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &said, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_successful (process));
  fixture->door = json_loads (said, 0, NULL);
  g_assert_nonnull (fixture->door);
}

static void
message_cb (SoupWebsocketConnection *connection, int type, GBytes *message, gpointer user_data)
{
  Fixture *fixture = user_data;

  g_assert_cmpint (type, ==, SOUP_WEBSOCKET_DATA_BINARY);
  g_byte_array_append (fixture->received, g_bytes_get_data (message, NULL),
                       g_bytes_get_size (message));
}

static void
closed_cb (SoupWebsocketConnection *connection, gpointer user_data)
{
  Fixture *fixture = user_data;

  fixture->is_closed = TRUE;
}

static void
error_cb (SoupWebsocketConnection *connection, GError *error, gpointer user_data)
{
  /* The guest, which is gone then, does not take our answer to its Close. */
  if (soup_websocket_connection_get_close_code (connection) == 0)
    g_assert_no_error (error);
}

static void
connected_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Fixture *fixture = user_data;
  g_autoptr (GError) error = NULL;

  fixture->connection
      = soup_session_websocket_connect_finish (SOUP_SESSION (source), result, &error);
  g_assert_no_error (error);
}

static void
come_in (Fixture *fixture)
{
  g_autofree char *uri = g_strdup_printf (
      "ws://127.0.0.1:%d/", (int)json_integer_value (json_object_get (fixture->door, "port")));
  g_autoptr (SoupMessage) message = soup_message_new (SOUP_METHOD_GET, uri);

  fixture->received = g_byte_array_new ();
  fixture->session = soup_session_new ();
  soup_session_websocket_connect_async (fixture->session, message, NULL, NULL, G_PRIORITY_DEFAULT,
                                        NULL, connected_cb, fixture);
  while (!fixture->connection)
    g_main_context_iteration (NULL, TRUE);
  g_signal_connect (fixture->connection, "message", G_CALLBACK (message_cb), fixture);
  g_signal_connect (fixture->connection, "closed", G_CALLBACK (closed_cb), fixture);
  g_signal_connect (fixture->connection, "error", G_CALLBACK (error_cb), fixture);
}

static void
go (Fixture *fixture)
{
  g_clear_object (&fixture->connection);
  g_clear_object (&fixture->session);
  g_clear_pointer (&fixture->received, g_byte_array_unref);
  fixture->is_closed = FALSE;
  fixture->sequence = 0;
}

static void
send_frame (Fixture *fixture, AsbFrameType type, guint32 call, guint16 channel, const void *payload,
            gsize size)
{
  g_autofree guint8 *bytes = g_malloc (ASB_FRAME_HEADER_SIZE + size);
  AsbFrameHeader header
      = { .type = type, .call = call, .channel = channel, .length = (guint32)size };

  if (asb_frame_type_is_numbered (type))
    header.sequence = ++fixture->sequence;
  asb_frame_header_write (&header, bytes);
  memcpy (bytes + ASB_FRAME_HEADER_SIZE, payload, size);
  soup_websocket_connection_send_binary (fixture->connection, bytes, ASB_FRAME_HEADER_SIZE + size);
}

static void
send_count (Fixture *fixture, AsbFrameType type, guint32 call, guint64 count)
{
  guint8 payload[8];

  asb_frame_count_write (count, payload);
  send_frame (fixture, type, call, call > 0 ? ASB_CHANNEL_OUTPUT : 0, payload, sizeof payload);
}

static void
say_hello (Fixture *fixture, const char *token)
{
  g_autofree char *hello = g_strdup_printf ("{\"major\":1,\"minor\":0,\"token\":\"%s\"}", token);

  send_frame (fixture, ASB_FRAME_HELLO, 0, 0, hello, strlen (hello));
}

/* The next frame, which is left where it is until drop_frame (). */
static const guint8 *
wait_frame (Fixture *fixture, AsbFrameHeader *header)
{
  const char *reason = NULL;
  AsbFrameStatus status;

  while (
      (status = asb_frame_parse (fixture->received->data, fixture->received->len, header, &reason))
      == ASB_FRAME_NEED_MORE)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (status, ==, ASB_FRAME_OK);
  return fixture->received->data + ASB_FRAME_HEADER_SIZE;
}

static void
drop_frame (Fixture *fixture, const AsbFrameHeader *header)
{
  g_byte_array_remove_range (fixture->received, 0, ASB_FRAME_HEADER_SIZE + header->length);
}

static json_t *
wait_json (Fixture *fixture, AsbFrameType type)
{
  AsbFrameHeader header = { 0 };
  const guint8 *payload = wait_frame (fixture, &header);
  json_t *json = json_loadb ((const char *)payload, header.length, 0, NULL);

  g_assert_cmpint (header.type, ==, type);
  g_assert_nonnull (json);
  drop_frame (fixture, &header);
  return json;
}

static void
wait_closed (Fixture *fixture, gushort code)
{
  while (!fixture->is_closed)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (soup_websocket_connection_get_close_code (fixture->connection), ==, code);
}

static const char *
get_token (const Fixture *fixture)
{
  return json_string_value (json_object_get (fixture->door, "token"));
}

static void
shut_down (Fixture *fixture)
{
  static const char call[] = "{\"call\":\"guest.shutdown\"}";

  come_in (fixture);
  say_hello (fixture, get_token (fixture));
  json_decref (wait_json (fixture, ASB_FRAME_HELLO));
  send_frame (fixture, ASB_FRAME_CALL, 1, 0, call, sizeof call - 1);
  wait_closed (fixture, 1001);
  go (fixture);
}

static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("asb-websocket-XXXXXX", &error);
  g_assert_no_error (error);
  start_guest (fixture);
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;

  shut_down (fixture);
  json_decref (fixture->door);
  process = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, "rm", "-rf", fixture->folder, NULL);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_wait_check (process, NULL, &error));
  g_free (fixture->folder);
}

static void
test_hello (Fixture *fixture, gconstpointer data)
{
  json_t *hello;

  g_test_summary ("The guest answers HELLO, and libsoup's Close");
  come_in (fixture);
  say_hello (fixture, get_token (fixture));
  hello = wait_json (fixture, ASB_FRAME_HELLO);
  g_assert_cmpint (json_integer_value (json_object_get (hello, "major")), ==, 1);
  json_decref (hello);
  soup_websocket_connection_close (fixture->connection, SOUP_WEBSOCKET_CLOSE_NORMAL, NULL);
  wait_closed (fixture, SOUP_WEBSOCKET_CLOSE_NORMAL);
  go (fixture);
}

static void
test_wrong_token (Fixture *fixture, gconstpointer data)
{
  json_t *goodbye;

  g_test_summary ("Without the token the guest says GOODBYE and closes");
  come_in (fixture);
  say_hello (fixture, "wrong");
  goodbye = wait_json (fixture, ASB_FRAME_GOODBYE);
  g_assert_cmpstr (json_string_value (json_object_get (goodbye, "code")), ==, "access_denied");
  json_decref (goodbye);
  wait_closed (fixture, SOUP_WEBSOCKET_CLOSE_NORMAL);
  go (fixture);
}

/* Until the REPLY; how much came before it and after it. */
static gsize
count_output (Fixture *fixture)
{
  AsbFrameHeader header = { 0 };
  guint64 received = 0;
  gsize n_bytes = 0;
  gboolean is_replied = FALSE;
  gboolean is_ended = FALSE;

  while (!is_replied || !is_ended)
    {
      wait_frame (fixture, &header);
      if (header.type == ASB_FRAME_DATA && header.channel == ASB_CHANNEL_OUTPUT)
        {
          n_bytes += header.length;
          is_ended = (header.flags & ASB_FRAME_FLAG_FIN) != 0;
          send_count (fixture, ASB_FRAME_CREDIT, 1, n_bytes);
        }
      is_replied |= header.type == ASB_FRAME_REPLY;
      if (header.sequence > 0)
        send_count (fixture, ASB_FRAME_ACK, 0, ++received);
      drop_frame (fixture, &header);
    }
  return n_bytes;
}

static void
test_output (Fixture *fixture, gconstpointer data)
{
  static const char call[] = "{\"call\":\"command.start\",\"args\":"
                             "{\"shell\":\"head -c 3000000 /dev/zero\"}}";

  g_test_summary ("Megabytes of output fit into the messages libsoup takes by default");
  come_in (fixture);
  say_hello (fixture, get_token (fixture));
  json_decref (wait_json (fixture, ASB_FRAME_HELLO));
  send_frame (fixture, ASB_FRAME_CALL, 1, 0, call, sizeof call - 1);
  g_assert_cmpuint (count_output (fixture), ==, OUTPUT_SIZE);
  go (fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add ("/guest/websocket/soup/hello", Fixture, NULL, fixture_set_up, test_hello,
              fixture_tear_down);
  g_test_add ("/guest/websocket/soup/wrong-token", Fixture, NULL, fixture_set_up, test_wrong_token,
              fixture_tear_down);
  g_test_add ("/guest/websocket/soup/output", Fixture, NULL, fixture_set_up, test_output,
              fixture_tear_down);

  return g_test_run ();
}
