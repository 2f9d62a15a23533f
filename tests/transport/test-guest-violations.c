/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a guest may not say. Each time the connection ends, the guest is told why, and what is in
 * flight fails. */

#include "peer.h"

#include <string.h>

#define BIG ((guint)ASB_FRAME_WINDOW)

typedef struct
{
  Peer *peer;
  AsbTransport *transport;
  Pending service; /* call 1: a service */
  Pending command; /* call 2: a command that streams in and out, started if wanted */
  AsbProcess *process;
} Fixture;

typedef void (*Violate) (Fixture *fixture);

typedef struct
{
  const char *name;
  gboolean started;
  Violate violate;
} Violation;

static void
start_command (Fixture *fixture)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("cat");

  asb_command_spec_set_flags (spec,
                              ASB_COMMAND_FLAGS_STDIN_PIPE | ASB_COMMAND_FLAGS_STDERR_SILENCE);
  asb_transport_start_command_async (fixture->transport, spec, NULL, pending_cb, &fixture->command);
  peer_frame_free (peer_expect_call (fixture->peer, "command.start"));
}

static void
finish_start (Fixture *fixture)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 2, PEER_STARTED);
  result = pending_wait (&fixture->command);
  fixture->process = asb_transport_start_command_finish (fixture->transport, result, &error);
  g_assert_no_error (error);
}

/* What a frame cannot say, with something in one place of its header. */
static void
send_patched (Fixture *fixture, AsbFrameType type, guint32 call, guint offset, guint8 value)
{
  g_autoptr (GBytes) frame = peer_frame_new (fixture->peer, type, call, 0, 0, NULL, 0);
  g_autofree guint8 *bytes = g_memdup2 (g_bytes_get_data (frame, NULL), ASB_FRAME_HEADER_SIZE);

  bytes[offset] = value;
  peer_send_bytes (fixture->peer, bytes, ASB_FRAME_HEADER_SIZE);
}

static void
send_many (Fixture *fixture, guint32 call, guint16 channel, gsize size)
{
  g_autofree guint8 *bytes = g_malloc0 (ASB_FRAME_MAX_DATA);

  while (size > 0)
    {
      gsize piece = MIN (size, ASB_FRAME_MAX_DATA);

      peer_send (fixture->peer, ASB_FRAME_DATA, call, channel, 0, bytes, piece);
      size -= piece;
    }
}

static void
unknown_type (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_PING, 0, 4, 99);
}

static void
type_zero (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_PING, 0, 4, 0);
}

static void
unknown_flag (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_PING, 0, 5, 2);
}

static void
huge_control (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_REPLY, 1, 1, 0x20);
}

static void
huge_everything (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_EVENT, 1, 0, 0xFF);
}

static void
huge_data (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_DATA, 2, 1, 0x02);
}

static void
long_ping (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_PING, 0, 3, 65);
}

static void
short_ack (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_ACK, 0, 3, 7);
}

static void
full_stop (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_STOP, 2, 3, 1);
}

static void
unknown_channel (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_DATA, 2, 7, 3);
}

static void
reply_without_call (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_REPLY, 0, 4, ASB_FRAME_REPLY);
}

static void
ping_with_call (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_PING, 0, 11, 1);
}

static void
unnumbered_reply (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_REPLY, 1, 19, 0);
}

static void
numbered_ping (Fixture *fixture)
{
  send_patched (fixture, ASB_FRAME_PING, 0, 19, 1);
}

static void
gap (Fixture *fixture)
{
  fixture->peer->sent++;
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {}}");
}

static void
second_hello (Fixture *fixture)
{
  peer_send_text (fixture->peer, ASB_FRAME_HELLO, 0, PEER_HELLO);
}

static void
call_from_guest (Fixture *fixture)
{
  peer_send_text (fixture->peer, ASB_FRAME_CALL, 1, "{\"call\": \"x\", \"args\": {}}");
}

static void
cancel_from_guest (Fixture *fixture)
{
  peer_send (fixture->peer, ASB_FRAME_CANCEL, 1, 0, 0, NULL, 0);
}

static void
ack_of_nothing (Fixture *fixture)
{
  peer_send_count (fixture->peer, ASB_FRAME_ACK, 0, 0, 3);
}

static void
unknown_call (Fixture *fixture)
{
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 3, "{\"result\": {}}");
}

static void
data_of_unknown_call (Fixture *fixture)
{
  peer_send_data (fixture->peer, 77, 1, "x");
}

static void
second_reply (Fixture *fixture)
{
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, PEER_RESULT);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, PEER_RESULT);
}

static void
reply_after_the_end (Fixture *fixture)
{
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, PEER_RESULT);
  peer_send_end (fixture->peer, 2, 1);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, PEER_RESULT);
}

static void
event_after_reply (Fixture *fixture)
{
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, PEER_RESULT);
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 2, "{\"event\": \"x\"}");
}

static void
started_twice (Fixture *fixture)
{
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 2, PEER_STARTED);
}

static void
data_before_start (Fixture *fixture)
{
  peer_send_data (fixture->peer, 2, 1, "x");
}

static void
result_before_start (Fixture *fixture)
{
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, PEER_RESULT);
}

static void
data_on_input (Fixture *fixture)
{
  peer_send_data (fixture->peer, 2, 0, "x");
}

static void
data_on_silenced (Fixture *fixture)
{
  peer_send_data (fixture->peer, 2, 2, "x");
}

static void
data_after_end (Fixture *fixture)
{
  peer_send_end (fixture->peer, 2, 1);
  peer_send_data (fixture->peer, 2, 1, "x");
}

static void
second_end (Fixture *fixture)
{
  peer_send_end (fixture->peer, 2, 1);
  peer_send_end (fixture->peer, 2, 1);
}

static void
beyond_window (Fixture *fixture)
{
  send_many (fixture, 2, 1, BIG + 1);
}

static void
stop_of_output (Fixture *fixture)
{
  peer_send (fixture->peer, ASB_FRAME_STOP, 2, 1, 0, NULL, 0);
}

static void
stop_without_input (Fixture *fixture)
{
  peer_send (fixture->peer, ASB_FRAME_STOP, 1, 0, 0, NULL, 0);
}

static void
credit_of_nothing (Fixture *fixture)
{
  peer_send_count (fixture->peer, ASB_FRAME_CREDIT, 2, 0, 1);
}

static void
credit_of_output (Fixture *fixture)
{
  peer_send_count (fixture->peer, ASB_FRAME_CREDIT, 2, 1, 1);
}

#define TEXT(function, type, call, text)                                                           \
  static void function (Fixture *fixture)                                                          \
  {                                                                                                \
    peer_send_text (fixture->peer, type, call, text);                                              \
  }

TEXT (no_json, ASB_FRAME_REPLY, 1, "result")
TEXT (empty_reply, ASB_FRAME_REPLY, 1, "")
TEXT (array_reply, ASB_FRAME_REPLY, 1, "[]")
TEXT (neither, ASB_FRAME_REPLY, 1, "{}")
TEXT (both, ASB_FRAME_REPLY, 1,
      "{\"result\": {}, \"error\": {\"code\": \"io_error\", \"message\": \"x\"}}")
TEXT (result_no_object, ASB_FRAME_REPLY, 1, "{\"result\": 1}")
TEXT (result_null, ASB_FRAME_REPLY, 1, "{\"result\": null}")
TEXT (error_no_object, ASB_FRAME_REPLY, 1, "{\"error\": \"x\"}")
TEXT (error_without_code, ASB_FRAME_REPLY, 1, "{\"error\": {\"message\": \"x\"}}")
TEXT (error_without_message, ASB_FRAME_REPLY, 1, "{\"error\": {\"code\": \"io_error\"}}")
TEXT (error_number, ASB_FRAME_REPLY, 1, "{\"error\": {\"code\": 1, \"message\": \"x\"}}")
TEXT (details_no_object, ASB_FRAME_REPLY, 1,
      "{\"error\": {\"code\": \"io_error\", \"message\": \"x\", \"details\": []}}")
TEXT (two_keys, ASB_FRAME_REPLY, 1, "{\"result\": {}, \"result\": {}}")
TEXT (escaped_nul, ASB_FRAME_REPLY, 1, "{\"result\": {\"a\": \"\\u0000\"}}")
TEXT (bad_utf8, ASB_FRAME_REPLY, 1, "{\"result\": {\"a\": \"\xff\"}}")
TEXT (large_integer, ASB_FRAME_REPLY, 1, "{\"result\": {\"a\": 9007199254740992}}")
TEXT (rest, ASB_FRAME_REPLY, 1, "{\"result\": {}} x")
TEXT (event_without_name, ASB_FRAME_EVENT, 1, "{}")
TEXT (start_without_id, ASB_FRAME_EVENT, 2, "{\"event\": \"started\", \"pid\": 1}")
TEXT (start_without_pid, ASB_FRAME_EVENT, 2, "{\"event\": \"started\", \"command_id\": \"c\"}")
TEXT (start_pid_zero, ASB_FRAME_EVENT, 2,
      "{\"event\": \"started\", \"command_id\": \"c\", \"pid\": 0}")

static void
deep_json (Fixture *fixture)
{
  g_autoptr (GString) text = g_string_new ("{\"result\": {\"a\": ");

  for (int i = 0; i < 100000; i++)
    g_string_append_c (text, '[');
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, text->str);
}

/* As deep as the protocol allows, and deeper than a variant can be. */
static void
deep_result (Fixture *fixture)
{
  g_autoptr (GString) text = g_string_new ("{\"result\": {\"a\": ");

  for (int i = 0; i < 30; i++)
    g_string_append_c (text, '[');
  for (int i = 0; i < 30; i++)
    g_string_append_c (text, ']');
  g_string_append (text, "}}");
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, text->str);
}

/* More PINGs than answers can be written, since nobody reads these. The answers of the last are
 * still in the socket when the client says goodbye. */
static void
ping_flood (Fixture *fixture)
{
  g_autoptr (GByteArray) pings = g_byte_array_new ();

  for (int i = 0; i < 66; i++)
    {
      g_autoptr (GBytes) frame
          = peer_frame_new (fixture->peer, ASB_FRAME_PING, 0, 0, 0, "12345678", 8);
      gsize size;
      const guint8 *bytes = g_bytes_get_data (frame, &size);

      g_byte_array_append (pings, bytes, (guint)size);
    }
  peer_send_bytes (fixture->peer, pings->data, pings->len);
  for (int i = 0; i < 64; i++)
    peer_skip (fixture->peer, ASB_FRAME_PONG);
}

#define VIOLATION(function, started)                                                               \
  {                                                                                                \
#function, started, function                                                                   \
  }

static const Violation VIOLATIONS[] = {
  VIOLATION (unknown_type, FALSE),
  VIOLATION (type_zero, FALSE),
  VIOLATION (unknown_flag, FALSE),
  VIOLATION (huge_control, FALSE),
  VIOLATION (huge_everything, FALSE),
  VIOLATION (huge_data, TRUE),
  VIOLATION (long_ping, FALSE),
  VIOLATION (short_ack, FALSE),
  VIOLATION (full_stop, FALSE),
  VIOLATION (unknown_channel, TRUE),
  VIOLATION (reply_without_call, FALSE),
  VIOLATION (ping_with_call, FALSE),
  VIOLATION (unnumbered_reply, FALSE),
  VIOLATION (numbered_ping, FALSE),
  VIOLATION (gap, FALSE),
  VIOLATION (second_hello, FALSE),
  VIOLATION (call_from_guest, FALSE),
  VIOLATION (cancel_from_guest, FALSE),
  VIOLATION (ack_of_nothing, FALSE),
  VIOLATION (unknown_call, FALSE),
  VIOLATION (data_of_unknown_call, FALSE),
  VIOLATION (second_reply, TRUE),
  VIOLATION (reply_after_the_end, TRUE),
  VIOLATION (event_after_reply, TRUE),
  VIOLATION (started_twice, TRUE),
  VIOLATION (data_before_start, FALSE),
  VIOLATION (result_before_start, FALSE),
  VIOLATION (data_on_input, TRUE),
  VIOLATION (data_on_silenced, TRUE),
  VIOLATION (data_after_end, TRUE),
  VIOLATION (second_end, TRUE),
  VIOLATION (beyond_window, TRUE),
  VIOLATION (stop_of_output, TRUE),
  VIOLATION (stop_without_input, FALSE),
  VIOLATION (credit_of_nothing, TRUE),
  VIOLATION (credit_of_output, TRUE),
  VIOLATION (no_json, FALSE),
  VIOLATION (empty_reply, FALSE),
  VIOLATION (array_reply, FALSE),
  VIOLATION (neither, FALSE),
  VIOLATION (both, FALSE),
  VIOLATION (result_no_object, FALSE),
  VIOLATION (result_null, FALSE),
  VIOLATION (error_no_object, FALSE),
  VIOLATION (error_without_code, FALSE),
  VIOLATION (error_without_message, FALSE),
  VIOLATION (error_number, FALSE),
  VIOLATION (details_no_object, FALSE),
  VIOLATION (two_keys, FALSE),
  VIOLATION (escaped_nul, FALSE),
  VIOLATION (bad_utf8, FALSE),
  VIOLATION (large_integer, FALSE),
  VIOLATION (rest, FALSE),
  VIOLATION (event_without_name, FALSE),
  VIOLATION (start_without_id, FALSE),
  VIOLATION (start_without_pid, FALSE),
  VIOLATION (start_pid_zero, FALSE),
  VIOLATION (deep_json, FALSE),
  VIOLATION (deep_result, FALSE),
  VIOLATION (ping_flood, FALSE),
};

static void
check_service (Fixture *fixture)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->service);
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_transport_call_finish (fixture->transport, result, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_assert_true (g_str_has_prefix (error->message, "The guest broke the protocol: "));
}

static void
check_start (Fixture *fixture)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->command);
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_transport_start_command_finish (fixture->transport, result, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

/* The result may have come before; the streams do not end as if all were well. */
static void
check_process (Fixture *fixture)
{
  GInputStream *output = asb_process_get_stdout (fixture->process);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = g_malloc (BIG);
  gssize n;

  result = asb_process_wait (fixture->process, NULL, &error);
  if (!result)
    g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_clear_error (&error);
  do
    n = g_input_stream_read (output, bytes, BIG, NULL, &error);
  while (n > 0);
  if (n < 0)
    g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_clear_error (&error);
  n = g_output_stream_write (asb_process_get_stdin (fixture->process), "x", 1, NULL, &error);
  g_assert_cmpint (n, ==, -1);
  g_assert_nonnull (error);
}

static void
test_violation (gconstpointer data)
{
  const Violation *violation = data;
  Fixture fixture = { peer_new () };
  g_autoptr (GError) error = NULL;

  fixture.transport = peer_open (fixture.peer);
  asb_transport_call_async (fixture.transport, "x", NULL, NULL, pending_cb, &fixture.service);
  peer_frame_free (peer_expect_call (fixture.peer, "x"));
  start_command (&fixture);
  if (violation->started)
    finish_start (&fixture);

  violation->violate (&fixture);
  peer_expect_goodbye (fixture.peer, "protocol_error");
  check_service (&fixture);
  if (violation->started)
    check_process (&fixture);
  else
    check_start (&fixture);
  g_assert_cmpint (asb_transport_get_state (fixture.transport), ==, ASB_TRANSPORT_STATE_CLOSED);
  g_assert_null (asb_transport_call (fixture.transport, "y", NULL, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);

  g_clear_object (&fixture.process);
  g_object_unref (fixture.transport);
  peer_free (fixture.peer);
}

/* The results of operations with one member wrong. */
typedef struct
{
  const char *name;
  const char *call;
  const char *reply;
} WrongResult;

#define ENTRY(member)                                                                              \
  "{\"result\": {\"entry\": {\"name\": \"f\", \"path\": \"/d/f\", \"kind\": \"file\","             \
  " \"size\": 5, \"mode\": 420, \"uid\": 1, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": "        \
  "4}, " member "}}}"

static const WrongResult WRONG_RESULTS[] = {
  { "no-entry", "file.stat", "{\"result\": {}}" },
  { "entry-null", "file.stat", "{\"result\": {\"entry\": null}}" },
  { "entry-empty", "file.stat", "{\"result\": {\"entry\": {}}}" },
  { "target-number", "file.stat", ENTRY ("\"target\": 1") },
  { "target-nul", "file.stat", ENTRY ("\"target\": {\"b64\": \"AA==\"}") },
  { "target-no-base64", "file.stat", ENTRY ("\"target\": {\"b64\": \"A\"}") },
  { "kind", "file.stat",
    "{\"result\": {\"entry\": {\"name\": \"f\", \"path\": \"/f\", \"kind\": \"door\", \"size\": 5,"
    " \"mode\": 1, \"uid\": 1, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": 4}}}}" },
  { "relative", "file.stat",
    "{\"result\": {\"entry\": {\"name\": \"f\", \"path\": \"f\", \"kind\": \"file\", \"size\": 5,"
    " \"mode\": 1, \"uid\": 1, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": 4}}}}" },
  { "negative-size", "file.stat",
    "{\"result\": {\"entry\": {\"name\": \"f\", \"path\": \"/f\", \"kind\": \"file\", \"size\": -1,"
    " \"mode\": 1, \"uid\": 1, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": 4}}}}" },
  { "mode", "file.stat",
    "{\"result\": {\"entry\": {\"name\": \"f\", \"path\": \"/f\", \"kind\": \"file\", \"size\": 5,"
    " \"mode\": 33188, \"uid\": 1, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": 4}}}}" },
  { "uid", "file.stat",
    "{\"result\": {\"entry\": {\"name\": \"f\", \"path\": \"/f\", \"kind\": \"file\", \"size\": 5,"
    " \"mode\": 1, \"uid\": 4294967296, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": 4}}}}" },
  { "nsec", "file.stat",
    "{\"result\": {\"entry\": {\"name\": \"f\", \"path\": \"/f\", \"kind\": \"file\", \"size\": 5,"
    " \"mode\": 1, \"uid\": 4, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": 1000000000}}}}" },
  { "no-hash", "file.write", ENTRY ("\"x\": 1") },
  { "created", "file.mkdir", "{\"result\": {\"created\": 1}}" },
  { "no-count", "file.list", "{\"result\": {}}" },
  { "count", "file.list", "{\"result\": {\"count\": 1, \"errors\": [], \"error_count\": 0}}" },
  { "errors", "file.list", "{\"result\": {\"count\": 0, \"errors\": {}, \"error_count\": 0}}" },
};

static void
begin_operation (AsbTransport *transport, const char *call, Pending *pending)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/d/f");

  if (g_str_equal (call, "file.stat"))
    asb_transport_query_file_async (transport, request, NULL, pending_cb, pending);
  else if (g_str_equal (call, "file.write"))
    asb_transport_write_file_async (transport, request, NULL, pending_cb, pending);
  else if (g_str_equal (call, "file.mkdir"))
    asb_transport_make_directory_async (transport, request, NULL, pending_cb, pending);
  else
    asb_transport_list_files_async (transport, request, NULL, pending_cb, pending);
}

static void
finish_operation (AsbTransport *transport, const char *call, GAsyncResult *result, GError **error)
{
  if (g_str_equal (call, "file.stat"))
    g_assert_null (asb_transport_query_file_finish (transport, result, error));
  else if (g_str_equal (call, "file.write"))
    g_assert_null (asb_transport_write_file_finish (transport, result, error));
  else if (g_str_equal (call, "file.mkdir"))
    g_assert_false (asb_transport_make_directory_finish (transport, result, error));
  else
    g_assert_null (asb_transport_list_files_finish (transport, result, error));
}

static void
test_wrong_result (gconstpointer data)
{
  const WrongResult *wrong = data;
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (AsbTransport) transport = peer_open (peer);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };

  begin_operation (transport, wrong->call, &pending);
  peer_frame_free (peer_expect_call (peer, wrong->call));
  if (g_str_equal (wrong->call, "file.write"))
    peer_skip (peer, ASB_FRAME_DATA);
  if (g_str_equal (wrong->call, "file.list"))
    peer_send_end (peer, 1, 1);
  peer_send_text (peer, ASB_FRAME_REPLY, 1, wrong->reply);
  peer_expect_goodbye (peer, "protocol_error");
  result = pending_wait (&pending);
  finish_operation (transport, wrong->call, result, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

static const char *const WRONG_LINES[] = {
  "x\n",
  "[]\n",
  "{}\n",
  "\n",
  PEER_ENTRY, /* without its end */
  "{\"name\": \"..\", \"path\": \"/d/..\", \"kind\": \"directory\", \"size\": 5, \"mode\": 1,"
  " \"uid\": 1, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": 4}}\n",
  "{\"name\": \"a/b\", \"path\": \"/d/a/b\", \"kind\": \"file\", \"size\": 5, \"mode\": 1,"
  " \"uid\": 1, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": 4}}\n",
  "{\"name\": \"a\", \"path\": \"/d/b\", \"kind\": \"file\", \"size\": 5, \"mode\": 1,"
  " \"uid\": 1, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": 4}}\n",
};

static void
test_wrong_line (gconstpointer data)
{
  const char *line = data;
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (AsbTransport) transport = peer_open (peer);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };

  begin_operation (transport, "file.list", &pending);
  peer_frame_free (peer_expect_call (peer, "file.list"));
  peer_send_data (peer, 1, 1, line);
  peer_send_end (peer, 1, 1);
  peer_send_text (peer, ASB_FRAME_REPLY, 1,
                  "{\"result\": {\"count\": 1, \"errors\": [], \"error_count\": 0}}");
  peer_expect_goodbye (peer, "protocol_error");
  result = pending_wait (&pending);
  finish_operation (transport, "file.list", result, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

/* An entry that never ends is not gathered for ever. */
static void
test_endless_line (void)
{
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (AsbTransport) transport = peer_open (peer);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = g_strnfill (40000, 'x');
  Pending pending = { 0 };

  begin_operation (transport, "file.list", &pending);
  peer_frame_free (peer_expect_call (peer, "file.list"));
  for (int i = 0; i < 2; i++)
    peer_send (peer, ASB_FRAME_DATA, 1, 1, 0, bytes, 40000);
  peer_expect_goodbye (peer, "protocol_error");
  result = pending_wait (&pending);
  finish_operation (transport, "file.list", result, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

/* Whatever is said, nothing breaks here. */
static void
test_random (void)
{
  for (int round = 0; round < 300; round++)
    {
      g_autoptr (Peer) peer = peer_new ();
      g_autoptr (AsbTransport) transport = peer_open (peer);
      g_autoptr (GAsyncResult) result = NULL;
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      Pending pending = { 0 };

      begin_operation (transport, "file.list", &pending);
      peer_frame_free (peer_expect_call (peer, "file.list"));
      for (int i = 0; i < 20; i++)
        {
          static const AsbFrameType types[]
              = { ASB_FRAME_REPLY, ASB_FRAME_EVENT,  ASB_FRAME_DATA, ASB_FRAME_STOP,
                  ASB_FRAME_ACK,   ASB_FRAME_CREDIT, ASB_FRAME_PING, ASB_FRAME_PONG };
          static const char *const payloads[]
              = { "", "{}", "{\"result\": {}}", "{\"event\": \"x\"}", "12345678", PEER_ENTRY "\n" };
          AsbFrameType type = types[g_test_rand_int_range (0, G_N_ELEMENTS (types))];
          const char *payload = payloads[g_test_rand_int_range (0, G_N_ELEMENTS (payloads))];
          g_autoptr (GBytes) frame = peer_frame_new (
              peer, type, (guint32)g_test_rand_int_range (0, 3),
              (guint16)g_test_rand_int_range (0, 3), 0, payload, strlen (payload));
          gsize size;
          const guint8 *data = g_bytes_get_data (frame, &size);
          guint start = bytes->len;

          g_byte_array_append (bytes, data, (guint)size);
          if (g_test_rand_int_range (0, 10) == 0)
            bytes->data[start + (guint)g_test_rand_int_range (0, (gint32)size)]
                = (guint8)g_test_rand_int ();
        }
      peer_send_bytes (peer, bytes->data, bytes->len);
      peer_close (peer);
      result = pending_wait (&pending);
      finish_operation (transport, "file.list", result, NULL);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (VIOLATIONS); i++)
    {
      g_autofree char *path = g_strdelimit (
          g_strdup_printf ("/guest-violations/frame/%s", VIOLATIONS[i].name), "_", '-');

      g_test_add_data_func (path, &VIOLATIONS[i], test_violation);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (WRONG_RESULTS); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/guest-violations/result/%s", WRONG_RESULTS[i].name);

      g_test_add_data_func (path, &WRONG_RESULTS[i], test_wrong_result);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (WRONG_LINES); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-violations/line/%" G_GSIZE_FORMAT, i);

      g_test_add_data_func (path, WRONG_LINES[i], test_wrong_line);
    }
  g_test_add_func ("/guest-violations/endless-line", test_endless_line);
  g_test_add_func ("/guest-violations/random", test_random);

  return g_test_run ();
}
