/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How frames flow: numbers, windows, acknowledgements, the end. */

#include "peer.h"

#include <string.h>

#include "asb-guest-connection-private.h"

#define UNACKNOWLEDGED ((gsize)ASB_FRAME_MAX_UNACKNOWLEDGED)
#define WINDOW ((gsize)ASB_FRAME_WINDOW)

typedef struct
{
  Peer *peer;
  AsbTransport *transport;
  Pending pending;
  AsbProcess *process;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->peer = peer_new ();
  fixture->transport = peer_open (fixture->peer);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->process);
  g_clear_object (&fixture->transport);
  g_clear_pointer (&fixture->peer, peer_free);
}

static void
start_call (Fixture *fixture, Pending *pending)
{
  asb_transport_call_async (fixture->transport, "x", NULL, NULL, pending_cb, pending);
}

static GVariant *
finish_call (Fixture *fixture, Pending *pending, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (pending);

  return asb_transport_call_finish (fixture->transport, result, error);
}

static void
answer_call (Fixture *fixture)
{
  g_autoptr (GVariant) result = NULL;

  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {}}");
  result = finish_call (fixture, &fixture->pending, NULL);
  g_assert_nonnull (result);
}

/* A command with all its streams, as call 1. */
static void
start_command (Fixture *fixture)
{
  fixture->process
      = peer_start_command (fixture->peer, fixture->transport, ASB_COMMAND_FLAGS_STDIN_PIPE);
}

static GString *
script (Peer *peer)
{
  GString *bytes = g_string_new (NULL);
  const struct
  {
    AsbFrameType type;
    guint16 channel;
    guint8 flags;
    const char *payload;
  } frames[] = {
    { ASB_FRAME_EVENT, 0, 0, PEER_STARTED }, { ASB_FRAME_DATA, 1, 0, "one" },
    { ASB_FRAME_DATA, 2, 0, "two" },         { ASB_FRAME_DATA, 1, ASB_FRAME_FLAG_FIN, "three" },
    { ASB_FRAME_REPLY, 0, 0, PEER_RESULT },  { ASB_FRAME_DATA, 2, ASB_FRAME_FLAG_FIN, "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (frames); i++)
    {
      g_autoptr (GBytes) frame
          = peer_frame_new (peer, frames[i].type, 1, frames[i].channel, frames[i].flags,
                            frames[i].payload, strlen (frames[i].payload));
      gsize size;
      const char *data = g_bytes_get_data (frame, &size);

      g_string_append_len (bytes, data, (gssize)size);
    }
  return bytes;
}

static AsbProcess *
run_command (Fixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_transport_start_command_finish (fixture->transport, result, error);
}

static void
begin_command (Fixture *fixture)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("x");

  asb_transport_start_command_async (fixture->transport, spec, NULL, pending_cb, &fixture->pending);
  peer_frame_free (peer_expect_call (fixture->peer, "command.start"));
}

static void
check_output (GInputStream *stream, const char *expected)
{
  g_autoptr (GError) error = NULL;
  char bytes[100];
  gsize size;

  g_assert_true (g_input_stream_read_all (stream, bytes, sizeof bytes, &size, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (bytes, size, expected, strlen (expected));
}

static void
check_whole (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProcess) process = run_command (fixture, &error);
  g_autoptr (AsbCommandResult) result = NULL;

  g_assert_no_error (error);
  check_output (asb_process_get_stdout (process), "onethree");
  check_output (asb_process_get_stderr (process), "two");
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 3);
}

/* Frames may come in any pieces. */
static void
test_split (void)
{
  gsize size = 1;

  for (gsize at = 0; at < size; at++)
    {
      Fixture fixture = { 0 };
      g_autoptr (GString) bytes = NULL;

      set_up (&fixture, NULL);
      begin_command (&fixture);
      bytes = script (fixture.peer);
      size = bytes->len;
      peer_send_bytes (fixture.peer, bytes->str, at);
      peer_send_bytes (fixture.peer, bytes->str + at, size - at);
      check_whole (&fixture);
      tear_down (&fixture, NULL);
    }
}

static void
test_byte_by_byte (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GString) bytes = NULL;

  begin_command (fixture);
  bytes = script (fixture->peer);
  for (gsize i = 0; i < bytes->len; i++)
    peer_send_bytes (fixture->peer, bytes->str + i, 1);
  check_whole (fixture);
}

/* The line is cut after each byte: what came is given, and nothing is made up. */
static void
check_cut (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProcess) process = run_command (fixture, &error);
  g_autoptr (AsbCommandResult) result = NULL;
  gboolean failed = FALSE;

  if (!process)
    {
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
      return;
    }
  result = asb_process_wait (process, NULL, &error);
  if (!result)
    g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  else
    g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 3);

  for (int i = 0; i < 2; i++)
    {
      GInputStream *stream
          = i == 0 ? asb_process_get_stdout (process) : asb_process_get_stderr (process);
      const char *whole = i == 0 ? "onethree" : "two";
      char bytes[100];
      gsize size;

      g_clear_error (&error);
      if (!g_input_stream_read_all (stream, bytes, sizeof bytes, &size, NULL, &error))
        {
          failed = TRUE;
          g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
        }
      else
        g_assert_cmpuint (size, ==, strlen (whole));
      g_assert_cmpmem (bytes, size, whole, size);
    }
  g_assert_true (failed);
}

static void
test_cut (void)
{
  gsize size = 1;

  for (gsize at = 0; at < size; at++)
    {
      Fixture fixture = { 0 };
      g_autoptr (GString) bytes = NULL;

      set_up (&fixture, NULL);
      begin_command (&fixture);
      bytes = script (fixture.peer);
      size = bytes->len;
      peer_send_bytes (fixture.peer, bytes->str, at);
      peer_close (fixture.peer);
      check_cut (&fixture);
      tear_down (&fixture, NULL);
    }
}

/* A frame that was seen is dropped, whatever it holds now. */
static void
test_repeated (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GVariant) first = NULL;
  g_autoptr (GVariant) second = NULL;
  Pending other = { 0 };
  int n;

  start_call (fixture, &fixture->pending);
  start_call (fixture, &other);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {\"n\": 1}}");
  fixture->peer->sent = 0;
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, "{\"result\": {\"n\": 9}}");
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, "{\"result\": {\"n\": 2}}");
  first = finish_call (fixture, &fixture->pending, NULL);
  second = finish_call (fixture, &other, NULL);
  g_assert_true (g_variant_lookup (first, "n", "x", &n));
  g_assert_cmpint (n, ==, 1);
  g_assert_true (g_variant_lookup (second, "n", "x", &n));
  g_assert_cmpint (n, ==, 2);
}

/* ACK comes at least after each 64 frames, and says how far. */
static void
test_ack (Fixture *fixture, gconstpointer data)
{
  guint64 last = 0;

  start_call (fixture, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  for (int i = 0; i < 64; i++)
    peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1, "{\"event\": \"news\"}");
  while (last < 64)
    {
      g_autoptr (PeerFrame) frame = peer_expect (fixture->peer, ASB_FRAME_ACK);
      guint64 count = asb_frame_count_read (g_bytes_get_data (frame->payload, NULL));

      g_assert_cmpuint (count, >, last);
      g_assert_cmpuint (count, <=, 64);
      last = count;
    }
  answer_call (fixture);
}

/* A few frames are acknowledged as well, with the next that is sent or a little later. */
static void
test_ack_of_one (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PeerFrame) frame = NULL;

  start_call (fixture, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1, "{\"event\": \"news\"}");
  frame = peer_expect (fixture->peer, ASB_FRAME_ACK);
  g_assert_cmpuint (asb_frame_count_read (g_bytes_get_data (frame->payload, NULL)), ==, 1);
  answer_call (fixture);
}

static void
test_ping (Fixture *fixture, gconstpointer data)
{
  static const char *const payloads[]
      = { "", "x", "0123456789012345678901234567890123456789012345678901234567890123" };

  for (gsize i = 0; i < G_N_ELEMENTS (payloads); i++)
    {
      g_autoptr (PeerFrame) pong = NULL;
      gsize size;
      const char *bytes;

      peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, payloads[i], strlen (payloads[i]));
      pong = peer_expect (fixture->peer, ASB_FRAME_PONG);
      bytes = g_bytes_get_data (pong->payload, &size);
      g_assert_cmpmem (bytes, size, payloads[i], strlen (payloads[i]));
    }
  peer_send (fixture->peer, ASB_FRAME_PONG, 0, 0, 0, "unasked", 7);
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
  /* As often as it likes, if it only takes the answers. */
  for (int i = 0; i < 200; i++)
    {
      peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
      peer_skip (fixture->peer, ASB_FRAME_PONG);
    }
}

static void
send_zeros (Peer *peer, guint16 channel, gsize size)
{
  g_autofree guint8 *bytes = g_malloc0 (ASB_FRAME_MAX_DATA);

  while (size > 0)
    {
      gsize piece = MIN (size, ASB_FRAME_MAX_DATA);

      peer_send (peer, ASB_FRAME_DATA, 1, channel, 0, bytes, piece);
      size -= piece;
    }
}

/* Reads it all, and gives the credit that comes for it. */
static guint64
read_output (Fixture *fixture, gsize size, guint64 credited)
{
  g_autofree guint8 *bytes = g_malloc (size);
  GInputStream *output = asb_process_get_stdout (fixture->process);

  g_assert_true (g_input_stream_read_all (output, bytes, size, NULL, NULL, NULL));
  for (guint64 last = credited; last + ASB_FRAME_CREDIT_STEP <= credited + size;)
    {
      g_autoptr (PeerFrame) frame = peer_expect (fixture->peer, ASB_FRAME_CREDIT);
      guint64 count = asb_frame_count_read (g_bytes_get_data (frame->payload, NULL));

      g_assert_cmpuint (frame->header.call, ==, 1);
      g_assert_cmpuint (frame->header.channel, ==, 1);
      g_assert_cmpuint (count, >=, last + ASB_FRAME_CREDIT_STEP);
      g_assert_cmpuint (count, <=, credited + size);
      last = count;
      if (last + ASB_FRAME_CREDIT_STEP > credited + size)
        return last;
    }
  return credited;
}

/* A whole window may come at once, more only as it is read. */
static void
test_output_window (Fixture *fixture, gconstpointer data)
{
  start_command (fixture);
  send_zeros (fixture->peer, 1, WINDOW);
  g_assert_cmpuint (read_output (fixture, WINDOW, 0), ==, WINDOW);
  for (guint64 total = WINDOW; total < 20 * WINDOW; total += WINDOW)
    {
      send_zeros (fixture->peer, 1, WINDOW);
      g_assert_cmpuint (read_output (fixture, WINDOW, total), ==, total + WINDOW);
    }
}

/* Both streams have a window of their own. */
static void
test_two_outputs (Fixture *fixture, gconstpointer data)
{
  start_command (fixture);
  send_zeros (fixture->peer, 2, WINDOW);
  send_zeros (fixture->peer, 1, WINDOW);
  g_assert_cmpuint (read_output (fixture, WINDOW, 0), ==, WINDOW);
  send_zeros (fixture->peer, 1, WINDOW);
  g_assert_cmpuint (read_output (fixture, WINDOW, WINDOW), ==, 2 * WINDOW);
}

static void
test_stop (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PeerFrame) stop = NULL;
  g_autoptr (AsbCommandResult) result = NULL;

  start_command (fixture);
  send_zeros (fixture->peer, 1, WINDOW);
  g_assert_true (g_input_stream_close (asb_process_get_stdout (fixture->process), NULL, NULL));
  stop = peer_expect (fixture->peer, ASB_FRAME_STOP);
  g_assert_cmpuint (stop->header.call, ==, 1);
  g_assert_cmpuint (stop->header.channel, ==, 1);
  /* What was on its way is dropped. */
  peer_send_end (fixture->peer, 1, 1);
  peer_send_end (fixture->peer, 1, 2);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, PEER_RESULT);
  result = asb_process_wait (fixture->process, NULL, NULL);
  g_assert_nonnull (result);
}

static gpointer
write_much (gpointer data)
{
  Fixture *fixture = data;
  g_autofree guint8 *bytes = g_malloc0 (WINDOW);
  GOutputStream *input = asb_process_get_stdin (fixture->process);

  for (int i = 0; i < 4; i++)
    g_assert_true (g_output_stream_write_all (input, bytes, WINDOW, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (input, NULL, NULL));
  return NULL;
}

/* Not a byte more than the window comes before credit is given. */
static void
test_input_window (Fixture *fixture, gconstpointer data)
{
  GThread *thread;
  guint64 total = 0;
  guint64 credit = 0;
  gboolean finished = FALSE;

  start_command (fixture);
  thread = g_thread_new ("writer", write_much, fixture);
  while (!finished)
    {
      g_autoptr (PeerFrame) frame = peer_expect (fixture->peer, ASB_FRAME_DATA);

      g_assert_cmpuint (frame->header.channel, ==, 0);
      total += frame->header.length;
      finished = frame->header.flags & ASB_FRAME_FLAG_FIN;
      g_assert_cmpuint (total, <=, credit + WINDOW);
      peer_send_count (fixture->peer, ASB_FRAME_ACK, 0, 0, fixture->peer->received);
      if (total == credit + WINDOW)
        {
          g_autoptr (PeerFrame) pong = NULL;

          /* Whatever had been sent by now would come before the answer. */
          peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
          pong = peer_expect (fixture->peer, ASB_FRAME_PONG);
          credit += 100000;
          peer_send_count (fixture->peer, ASB_FRAME_CREDIT, 1, 0, credit);
          peer_send_count (fixture->peer, ASB_FRAME_CREDIT, 1, 0, credit / 2);
        }
    }
  g_assert_cmpuint (total, ==, 4 * WINDOW);
  g_thread_join (thread);
}

static void
test_input_stopped (Fixture *fixture, gconstpointer data)
{
  GOutputStream *input;
  g_autoptr (GError) error = NULL;
  gssize n;

  start_command (fixture);
  input = asb_process_get_stdin (fixture->process);
  peer_send (fixture->peer, ASB_FRAME_STOP, 1, 0, 0, NULL, 0);
  do
    n = g_output_stream_write (input, "x", 1, NULL, &error);
  while (n > 0);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE);
  /* It can be closed without a frame. */
  g_assert_true (g_output_stream_close (input, NULL, NULL));
  peer_close (fixture->peer);
}

/* Data to send is taken up to 4 MiB that nobody has acknowledged; calls wait too, PONG does not. */
static void
test_unacknowledged (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GVariant) arguments = NULL;
  g_autofree char *text = g_strnfill (1000000, 'x');
  g_autoptr (GVariant) result = NULL;
  Pending pending[6] = { { 0 } };

  arguments = g_variant_ref_sink (g_variant_new_parsed ("{'a': <%s>}", text));
  for (int i = 0; i < 6; i++)
    asb_transport_call_async (fixture->transport, "x", arguments, NULL, pending_cb, &pending[i]);
  for (int i = 0; i < 4; i++)
    peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);

  peer_send_count (fixture->peer, ASB_FRAME_ACK, 0, 0, 1);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
  /* Going back changes nothing. */
  peer_send_count (fixture->peer, ASB_FRAME_ACK, 0, 0, 0);
  peer_send_count (fixture->peer, ASB_FRAME_ACK, 0, 0, 5);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  for (guint i = 1; i <= 6; i++)
    peer_send_text (fixture->peer, ASB_FRAME_REPLY, i, "{\"result\": {}}");
  for (int i = 0; i < 6; i++)
    {
      g_autoptr (GVariant) answer = finish_call (fixture, &pending[i], NULL);

      g_assert_nonnull (answer);
    }
}

/* What was never sent was not done: that is not an interruption. */
static void
test_unsent (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GVariant) arguments = NULL;
  g_autofree char *text = g_strnfill (1000000, 'x');
  Pending pending[6] = { { 0 } };

  arguments = g_variant_ref_sink (g_variant_new_parsed ("{'a': <%s>}", text));
  for (int i = 0; i < 6; i++)
    asb_transport_call_async (fixture->transport, "x", arguments, NULL, pending_cb, &pending[i]);
  for (int i = 0; i < 4; i++)
    peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_close (fixture->peer);
  for (int i = 0; i < 6; i++)
    {
      g_autoptr (GError) error = NULL;
      int expected = i < 4 ? ASB_ERROR_INTERRUPTED : ASB_ERROR_CLOSED;

      g_assert_null (finish_call (fixture, &pending[i], &error));
      g_assert_error (error, ASB_ERROR, expected);
    }
}

static void
state_cb (GObject *object, GParamSpec *pspec, gpointer user_data)
{
  guint *n = user_data;
  AsbTransportState state;

  g_object_get (object, "state", &state, NULL);
  g_assert_cmpint (state, ==, ASB_TRANSPORT_STATE_CLOSED);
  g_assert_true (g_main_context_is_owner (NULL));
  ++*n;
}

static void
test_lost (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  AsbErrorInfo *info;
  guint n = 0;

  g_signal_connect (fixture->transport, "notify::state", G_CALLBACK (state_cb), &n);
  start_call (fixture, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_close (fixture->peer);
  g_assert_null (finish_call (fixture, &fixture->pending, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  info = asb_error_get_info (error);
  g_assert_cmpstr (asb_error_info_get_operation (info), ==, "x");
  while (n == 0)
    g_main_context_iteration (NULL, TRUE);
  g_clear_error (&error);
  g_assert_null (asb_transport_call (fixture->transport, "y", NULL, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
  g_assert_cmpuint (n, ==, 1);
}

static void
test_goodbye (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  start_call (fixture, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_GOODBYE, 0,
                  "{\"code\": \"shutdown\", \"message\": \"The guest ends\"}");
  g_assert_null (finish_call (fixture, &fixture->pending, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (error->message, "The guest ends"));
  peer_expect_end (fixture->peer);
}

static void
test_close (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending closing = { 0 };
  Pending again = { 0 };
  guint n = 0;

  g_signal_connect (fixture->transport, "notify::state", G_CALLBACK (state_cb), &n);
  start_call (fixture, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  asb_transport_close_async (fixture->transport, NULL, pending_cb, &closing);
  asb_transport_close_async (fixture->transport, NULL, pending_cb, &again);
  peer_expect_goodbye (fixture->peer, "closed");
  g_assert_null (finish_call (fixture, &fixture->pending, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GAsyncResult) closed = pending_wait (i == 0 ? &closing : &again);

      g_assert_true (asb_transport_close_finish (fixture->transport, closed, NULL));
    }
  g_assert_cmpint (asb_transport_get_state (fixture->transport), ==, ASB_TRANSPORT_STATE_CLOSED);
  g_assert_true (asb_transport_close (fixture->transport, NULL, NULL));
  while (n == 0)
    g_main_context_iteration (NULL, TRUE);
  g_clear_error (&error);
  g_assert_null (asb_transport_call (fixture->transport, "y", NULL, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
}

/* A stream keeps the transport, whoever else lets go of it. */
static void
test_kept_by_stream (Fixture *fixture, gconstpointer data)
{
  GInputStream *output;
  char byte;

  start_command (fixture);
  output = g_object_ref (asb_process_get_stdout (fixture->process));
  g_clear_object (&fixture->process);
  g_clear_object (&fixture->transport);
  peer_skip (fixture->peer, ASB_FRAME_DATA); /* the end of standard input */
  peer_skip (fixture->peer, ASB_FRAME_STOP); /* of standard error */
  peer_send_data (fixture->peer, 1, 1, "x");
  g_assert_cmpint (g_input_stream_read (output, &byte, 1, NULL, NULL), ==, 1);
  g_object_unref (output);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  peer_expect_goodbye (fixture->peer, "closed");
}

/* Keep-alive, with no time to lose. */

static void
opened_cb (AsbGuestConnection *connection, const GError *error, gpointer data)
{
  g_assert_no_error (error);
  g_async_queue_push (data, connection);
}

static void
news_cb (gpointer data, AsbTransportState state, const GError *error)
{
  g_assert_cmpint (state, ==, ASB_TRANSPORT_STATE_CLOSED);
  g_async_queue_push (data, g_error_copy (error));
}

static AsbGuestConnection *
open_with_timeouts (Peer *peer, const AsbGuestTimeouts *timeouts, GAsyncQueue *ends)
{
  AsbGuestConnection *connection = asb_guest_connection_new (peer->stream, timeouts);
  g_autoptr (GAsyncQueue) opened = g_async_queue_new ();

  g_clear_object (&peer->stream);
  asb_guest_connection_set_news_func (connection, news_cb, ends, NULL);
  asb_guest_connection_open (connection, NULL, opened_cb, opened);
  peer_hello (peer);
  g_async_queue_pop (opened);
  return connection;
}

static AsbGuestConnection *
open_restless (Peer *peer, gint64 answer, GAsyncQueue *ends)
{
  AsbGuestTimeouts timeouts = asb_guest_default_timeouts;

  timeouts.quiet = 1;
  timeouts.answer = answer;
  return open_with_timeouts (peer, &timeouts, ends);
}

static void
test_keep_alive (void)
{
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (GAsyncQueue) ends = g_async_queue_new ();
  g_autoptr (AsbGuestConnection) connection = open_restless (peer, 3600 * G_TIME_SPAN_SECOND, ends);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 20; i++)
    {
      peer_skip (peer, ASB_FRAME_PING);
      peer_send (peer, ASB_FRAME_PONG, 0, 0, 0, NULL, 0);
    }
  g_assert_null (g_async_queue_try_pop (ends));
  peer_close (peer);
  error = g_async_queue_pop (ends);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

static void
test_silent (void)
{
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (GAsyncQueue) ends = g_async_queue_new ();
  g_autoptr (AsbGuestConnection) connection = open_restless (peer, 1, ends);
  g_autoptr (GError) error = g_async_queue_pop (ends);

  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (error->message, "No sign of life"));
}

static void
fails_with_connection (AsbGuestCall *call, gpointer data, const GError *error)
{
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

static void
fails_as_it_may (AsbGuestCall *call, gpointer data, const GError *error)
{
  g_assert_nonnull (error);
}

/* While something waits for the guest it is asked sooner: it may need a push to go on. */
static void
test_keep_awake (void)
{
  static const AsbGuestCallKind kind = { .failed = fails_with_connection };
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (GAsyncQueue) ends = g_async_queue_new ();
  AsbGuestTimeouts timeouts = asb_guest_default_timeouts;
  g_autoptr (AsbGuestConnection) connection = NULL;
  g_autoptr (AsbGuestCall) call = NULL;
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (GError) error = NULL;
  const gint64 start = g_get_monotonic_time ();

  timeouts.quiet = 3600 * G_TIME_SPAN_SECOND;
  timeouts.busy = 50 * G_TIME_SPAN_MILLISECOND;
  connection = open_with_timeouts (peer, &timeouts, ends);
  call = asb_guest_call_new ("wait", json_object (), NULL, &kind, NULL, &error);
  g_assert_no_error (error);
  asb_guest_connection_submit (connection, call);
  frame = peer_expect_call (peer, "wait");
  peer_send_count (peer, ASB_FRAME_ACK, 0, 0, peer->received);
  /* Whoever stopped it may do so again before it has answered. */
  for (int i = 0; i < 3; i++)
    peer_skip (peer, ASB_FRAME_PING);
  /* But it is not asked all the time. */
  g_assert_cmpint (g_get_monotonic_time () - start, >=, 3 * timeouts.busy);
  peer_close (peer);
  g_error_free (g_async_queue_pop (ends));
}

/* From the call on, and however often it is asked meanwhile. */
static void
test_silent_while_busy (void)
{
  static const AsbGuestCallKind kind = { .failed = fails_with_connection };
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (GAsyncQueue) ends = g_async_queue_new ();
  AsbGuestTimeouts timeouts = asb_guest_default_timeouts;
  g_autoptr (AsbGuestConnection) connection = NULL;
  g_autoptr (AsbGuestCall) call = NULL;
  g_autoptr (GError) error = NULL;

  timeouts.quiet = 3600 * G_TIME_SPAN_SECOND;
  timeouts.busy = G_TIME_SPAN_MILLISECOND;
  timeouts.answer = 300 * G_TIME_SPAN_MILLISECOND;
  connection = open_with_timeouts (peer, &timeouts, ends);
  call = asb_guest_call_new ("wait", json_object (), NULL, &kind, NULL, &error);
  g_assert_no_error (error);
  asb_guest_connection_submit (connection, call);
  error = g_async_queue_pop (ends);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (error->message, "No sign of life"));
}

/* Whoever closes does not wait for ever for a guest that takes nothing. */
static void
test_close_unread (void)
{
  static const AsbGuestCallKind kind = { .failed = fails_as_it_may };
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (GAsyncQueue) ends = g_async_queue_new ();
  AsbGuestTimeouts timeouts = asb_guest_default_timeouts;
  g_autoptr (AsbGuestConnection) connection = NULL;
  g_autofree char *text = g_strnfill (900000, 'x');
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GTask) task = NULL;
  Pending pending = { 0 };
  g_autoptr (GError) error = NULL;

  timeouts.linger = 50 * G_TIME_SPAN_MILLISECOND;
  connection = open_with_timeouts (peer, &timeouts, ends);
  for (int i = 0; i < 4; i++)
    {
      g_autoptr (AsbGuestCall) call
          = asb_guest_call_new ("x", json_pack ("{s:s}", "text", text), NULL, &kind, NULL, &error);

      g_assert_no_error (error);
      asb_guest_connection_submit (connection, call);
    }
  task = g_task_new (NULL, NULL, pending_cb, &pending);
  asb_guest_connection_close (connection, task);
  result = pending_wait (&pending);
  g_assert_true (g_task_propagate_boolean (G_TASK (result), NULL));
  g_error_free (g_async_queue_pop (ends));
}

/* It could not answer, whatever else there is to be done meanwhile. */
static void
test_paused_is_not_asked (void)
{
  static const AsbGuestCallKind kind = { .failed = fails_with_connection };
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (GAsyncQueue) ends = g_async_queue_new ();
  AsbGuestTimeouts timeouts = asb_guest_default_timeouts;
  g_autoptr (AsbGuestConnection) connection = NULL;
  g_autoptr (AsbGuestCall) call = NULL;
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (GError) error = NULL;

  timeouts.busy = 10 * G_TIME_SPAN_MILLISECOND;
  timeouts.acknowledge = 30 * G_TIME_SPAN_MILLISECOND;
  connection = open_with_timeouts (peer, &timeouts, ends);
  call = asb_guest_call_new ("wait", json_object (), NULL, &kind, NULL, &error);
  g_assert_no_error (error);
  asb_guest_connection_submit (connection, call);
  frame = peer_expect_call (peer, "wait");
  asb_guest_connection_set_paused (connection, TRUE);
  /* What was asked before has come by then. */
  peer_send (peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (peer, ASB_FRAME_PONG);
  for (int i = 0; i < 5; i++)
    {
      g_autoptr (PeerFrame) next = NULL;

      peer_send_text (peer, ASB_FRAME_EVENT, frame->header.call, "{\"event\": \"x\"}");
      next = peer_receive (peer);
      g_assert_cmpint (next->header.type, ==, ASB_FRAME_ACK);
    }
  asb_guest_connection_set_paused (connection, FALSE);
  peer_skip (peer, ASB_FRAME_PING);
  peer_close (peer);
  g_error_free (g_async_queue_pop (ends));
}

/* Many threads at once. */

enum
{
  N_THREADS = 8,
  N_CALLS = 100
};

static gpointer
call_often (gpointer data)
{
  AsbTransport *transport = data;

  for (gint64 i = 0; i < N_CALLS; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GVariant) arguments = g_variant_ref_sink (g_variant_new_parsed ("{'n': <%x>}", i));
      g_autoptr (GVariant) result = asb_transport_call (transport, "echo", arguments, NULL, &error);
      gint64 n = -1;

      g_assert_no_error (error);
      g_assert_true (g_variant_lookup (result, "n", "x", &n));
      g_assert_cmpint (n, ==, i);
    }
  return NULL;
}

static void
test_threads (Fixture *fixture, gconstpointer data)
{
  GThread *threads[N_THREADS];

  for (int i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("caller", call_often, fixture->transport);
  for (int i = 0; i < N_THREADS * N_CALLS; i++)
    {
      g_autoptr (PeerFrame) frame = peer_expect_call (fixture->peer, "echo");
      g_autofree char *reply = g_strdup_printf (
          "{\"result\": {\"n\": %lld}}",
          json_integer_value (json_object_get (json_object_get (frame->json, "args"), "n")));

      if (i % 50 == 0)
        peer_send_count (fixture->peer, ASB_FRAME_ACK, 0, 0, fixture->peer->received);
      peer_send_text (fixture->peer, ASB_FRAME_REPLY, frame->header.call, reply);
    }
  for (int i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, function)                                                                        \
  g_test_add ("/guest-flow/" path, Fixture, NULL, set_up, function, tear_down)
  g_test_add_func ("/guest-flow/split", test_split);
  ADD ("byte-by-byte", test_byte_by_byte);
  g_test_add_func ("/guest-flow/cut", test_cut);
  ADD ("repeated", test_repeated);
  ADD ("ack/many", test_ack);
  ADD ("ack/one", test_ack_of_one);
  ADD ("ping", test_ping);
  ADD ("window/output", test_output_window);
  ADD ("window/two-outputs", test_two_outputs);
  ADD ("window/input", test_input_window);
  ADD ("stop/output", test_stop);
  ADD ("stop/input", test_input_stopped);
  ADD ("unacknowledged", test_unacknowledged);
  ADD ("end/unsent", test_unsent);
  ADD ("end/lost", test_lost);
  ADD ("end/goodbye", test_goodbye);
  ADD ("end/close", test_close);
  ADD ("end/kept-by-stream", test_kept_by_stream);
#undef ADD
  g_test_add_func ("/guest-flow/keep-alive/answered", test_keep_alive);
  g_test_add_func ("/guest-flow/keep-alive/silent", test_silent);
  g_test_add_func ("/guest-flow/keep-alive/awake", test_keep_awake);
  g_test_add_func ("/guest-flow/keep-alive/silent-while-busy", test_silent_while_busy);
  g_test_add_func ("/guest-flow/end/close-unread", test_close_unread);
  g_test_add_func ("/guest-flow/keep-alive/paused", test_paused_is_not_asked);
  g_test_add ("/guest-flow/threads", Fixture, NULL, set_up, test_threads, tear_down);

  return g_test_run ();
}
