/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A connection that is lost and comes back, or does not. */

#include "peer.h"

#include <string.h>

#include "asb-guest-transport-private.h"

#define LONG (3600 * G_TIME_SPAN_SECOND)
/* What is to run out. When the machine stands still it may do so before the other side was asked at
 * all: then it is tried again with more. */
#define SHORT (30 * G_TIME_SPAN_MILLISECOND)
#define LONGEST (60 * G_TIME_SPAN_SECOND)
#define RESULT "{\"result\": {}}"

typedef struct
{
  Peer *peer;
  AsbTransport *transport;
  Pending pending;
  GString *news;
} Fixture;

static void
interrupted_cb (AsbTransport *transport, const char *message, Fixture *fixture)
{
  g_assert_true (g_str_has_prefix (message, "The connection to the guest was lost: "));
  g_string_append (fixture->news, "interrupted ");
}

static void
resumed_cb (AsbTransport *transport, Fixture *fixture)
{
  g_string_append (fixture->news, "resumed ");
}

static void
state_cb (AsbTransport *transport, GParamSpec *pspec, Fixture *fixture)
{
  g_string_append (fixture->news, "state ");
}

static void
open_transport (Fixture *fixture, gint64 limit)
{
  fixture->peer = peer_new ();
  fixture->transport = peer_open_resumable (fixture->peer, limit);
  g_signal_connect (fixture->transport, "interrupted", G_CALLBACK (interrupted_cb), fixture);
  g_signal_connect (fixture->transport, "resumed", G_CALLBACK (resumed_cb), fixture);
  g_signal_connect (fixture->transport, "notify::state", G_CALLBACK (state_cb), fixture);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->news = g_string_new (NULL);
  open_transport (fixture, LONG);
}

static void
close_transport (Fixture *fixture)
{
  if (fixture->transport)
    g_signal_handlers_disconnect_by_data (fixture->transport, fixture);
  g_clear_object (&fixture->transport);
  g_clear_pointer (&fixture->peer, peer_free);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  /* An attempt that goes on speaks to the peer. */
  g_assert_true (asb_transport_close (fixture->transport, NULL, NULL));
  close_transport (fixture);
  g_string_free (fixture->news, TRUE);
}

static void
call_async (Fixture *fixture, const char *name, GCancellable *cancellable, Pending *pending)
{
  asb_transport_call_async (fixture->transport, name, NULL, cancellable, pending_cb, pending);
}

/* An error is to be this one; %ASB_ERROR_INTERNAL: none. */
static void
expect_answer (Fixture *fixture, Pending *pending, GQuark domain, int code, const char *message)
{
  g_autoptr (GAsyncResult) result = pending_wait (pending);
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) value = asb_transport_call_finish (fixture->transport, result, &error);

  if (domain == 0)
    {
      g_assert_no_error (error);
      g_assert_nonnull (value);
      return;
    }
  g_assert_error (error, domain, code);
  g_test_message ("%s", error->message);
  if (message)
    g_assert_nonnull (strstr (error->message, message));
}

static void
expect_result (Fixture *fixture, Pending *pending)
{
  expect_answer (fixture, pending, 0, 0, NULL);
}

static void
expect_unknown (Fixture *fixture, Pending *pending, const char *message)
{
  expect_answer (fixture, pending, ASB_ERROR, ASB_ERROR_INTERRUPTED, message);
}

/* The call ends when the time is over. Returns whether @reason is told, why it was to no avail. */
static gboolean
expect_end_of_time (Fixture *fixture, gint64 limit, const char *reason)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);
  g_autofree char *within
      = g_strdup_printf ("did not come back within %g seconds", (double)limit / G_TIME_SPAN_SECOND);
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_transport_call_finish (fixture->transport, result, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, within));
  return strstr (error->message, reason) != NULL;
}

/* @try returns whether it worked out as it should, with the time that it is given. */
static void
try_with_more_time (gboolean (*try) (gint64 limit))
{
  gint64 limit = SHORT;

  while (!try (limit))
    {
      limit *= 5;
      g_assert_cmpint (limit, <, LONGEST);
    }
}

static void
wait_for_state (Fixture *fixture, AsbTransportState state)
{
  while (asb_transport_get_state (fixture->transport) != state)
    g_main_context_iteration (NULL, TRUE);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

/* Call 1 has been sent, and its connection is gone. */
static void
interrupt_call (Fixture *fixture)
{
  call_async (fixture, "x", NULL, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_break (fixture->peer);
}

static void
come_back (Fixture *fixture)
{
  peer_take_stream (fixture->peer);
  peer_resume (fixture->peer, peer_expect_resume (fixture->peer));
}

/* A whole exchange, cut at each byte. */

static AsbProcess *
start_command (Fixture *fixture)
{
  return peer_start_command (fixture->peer, fixture->transport, ASB_COMMAND_FLAGS_STDIN_PIPE);
}

static void
exchange_input (Fixture *fixture, AsbProcess *process)
{
  GOutputStream *stream = asb_process_get_stdin (process);
  g_autoptr (GString) input = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  gboolean ended = FALSE;

  g_output_stream_write_all (stream, "some input", 10, NULL, NULL, &error);
  g_assert_no_error (error);
  g_output_stream_close (stream, NULL, &error);
  g_assert_no_error (error);
  while (!ended)
    {
      g_autoptr (PeerFrame) frame = peer_expect (fixture->peer, ASB_FRAME_DATA);

      g_string_append_len (input, g_bytes_get_data (frame->payload, NULL), frame->header.length);
      ended = frame->header.flags & ASB_FRAME_FLAG_FIN;
    }
  g_assert_cmpstr (input->str, ==, "some input");
}

static void
check_stream (GInputStream *stream, const char *expected)
{
  g_autoptr (GError) error = NULL;
  char bytes[100];
  gsize size;

  g_assert_true (g_input_stream_read_all (stream, bytes, sizeof bytes, &size, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (bytes, size, expected, strlen (expected));
}

static void
exchange_output (Fixture *fixture, AsbProcess *process)
{
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  peer_send_data (fixture->peer, 1, 1, "one");
  peer_send_data (fixture->peer, 1, 2, "two");
  peer_send_data (fixture->peer, 1, 1, "three");
  peer_send_end (fixture->peer, 1, 1);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, PEER_RESULT);
  peer_send_end (fixture->peer, 1, 2);
  check_stream (asb_process_get_stdout (process), "onethree");
  check_stream (asb_process_get_stderr (process), "two");
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 3);
}

static void
exchange_call (Fixture *fixture)
{
  call_async (fixture, "x", NULL, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, RESULT);
  expect_result (fixture, &fixture->pending);
}

/* How often the connection broke. */
static guint
exchange (gssize sendable, gssize receivable)
{
  Fixture fixture = { .news = g_string_new (NULL) };
  AsbProcess *process;
  guint n_resumed;

  open_transport (&fixture, LONG);
  fixture.peer->sendable = sendable;
  fixture.peer->receivable = receivable;
  process = start_command (&fixture);
  exchange_input (&fixture, process);
  exchange_output (&fixture, process);
  exchange_call (&fixture);
  n_resumed = fixture.peer->n_resumed;
  g_object_unref (process);
  tear_down (&fixture, NULL);
  return n_resumed;
}

static void
test_sending_is_cut (void)
{
  gssize n = 0;

  while (exchange (n, -1) == 1)
    n++;
  g_assert_cmpint (n, >, 7 * ASB_FRAME_HEADER_SIZE);
}

static void
test_receiving_is_cut (void)
{
  gssize n = 0;

  while (exchange (-1, n) == 1)
    n++;
  g_assert_cmpint (n, >, 4 * ASB_FRAME_HEADER_SIZE);
}

/* What is seen of it. */

static void
test_signals (Fixture *fixture, gconstpointer data)
{
  interrupt_call (fixture);
  wait_for_state (fixture, ASB_TRANSPORT_STATE_INTERRUPTED);
  come_back (fixture);
  wait_for_state (fixture, ASB_TRANSPORT_STATE_CONNECTED);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_result (fixture, &fixture->pending);
  g_assert_cmpstr (fixture->news->str, ==, "state interrupted state resumed ");
}

/* What the guest got, it is not told again. */
static void
test_not_twice (Fixture *fixture, gconstpointer data)
{
  Pending other = { 0 };

  interrupt_call (fixture);
  come_back (fixture);
  call_async (fixture, "y", NULL, &other);
  peer_frame_free (peer_expect_call (fixture->peer, "y"));
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, RESULT);
  expect_result (fixture, &fixture->pending);
  expect_result (fixture, &other);
}

/* A frame of which a part was written comes whole. */
static void
test_half_written (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = g_strnfill (900000, 'x');
  g_autoptr (GVariant) arguments
      = g_variant_ref_sink (g_variant_new_parsed ("{'text': <%s>}", text));

  fixture->peer->receivable = 100000;
  asb_transport_call_async (fixture->transport, "x", arguments, NULL, pending_cb,
                            &fixture->pending);
  peer_frame_free (peer_expect_call (fixture->peer, "x"));
  g_assert_cmpuint (fixture->peer->n_resumed, ==, 1);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_result (fixture, &fixture->pending);
}

/* And what it says again has been heard. */
static void
test_duplicates (Fixture *fixture, gconstpointer data)
{
  Pending other = { 0 };

  call_async (fixture, "x", NULL, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_result (fixture, &fixture->pending);
  peer_break (fixture->peer);
  peer_take_stream (fixture->peer);
  g_assert_cmpuint (peer_expect_resume (fixture->peer), ==, 1);
  peer_resume (fixture->peer, 0);
  call_async (fixture, "y", NULL, &other);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, RESULT);
  expect_result (fixture, &other);
}

static void
test_credit_is_restated (Fixture *fixture, gconstpointer data)
{
  g_autofree char *bytes = g_malloc0 (ASB_FRAME_MAX_DATA);
  g_autoptr (AsbProcess) process = start_command (fixture);
  gsize size;

  for (guint16 channel = 1; channel <= 2; channel++)
    {
      peer_send (fixture->peer, ASB_FRAME_DATA, 1, channel, 0, bytes, ASB_FRAME_MAX_DATA);
      g_assert_true (g_input_stream_read_all (channel == 1 ? asb_process_get_stdout (process)
                                                           : asb_process_get_stderr (process),
                                              bytes, ASB_FRAME_MAX_DATA, &size, NULL, NULL));
      peer_skip (fixture->peer, ASB_FRAME_CREDIT);
    }
  peer_break (fixture->peer);
  come_back (fixture);
  for (guint16 channel = 1; channel <= 2; channel++)
    {
      g_autoptr (PeerFrame) credit = peer_expect (fixture->peer, ASB_FRAME_CREDIT);

      g_assert_cmpuint (credit->header.channel, ==, channel);
      g_assert_cmpuint (asb_frame_count_read (g_bytes_get_data (credit->payload, NULL)), ==,
                        ASB_FRAME_MAX_DATA);
    }
}

/* What is asked for meanwhile. */

static void
test_calls_wait (Fixture *fixture, gconstpointer data)
{
  Pending waiting = { 0 };

  interrupt_call (fixture);
  wait_for_state (fixture, ASB_TRANSPORT_STATE_INTERRUPTED);
  call_async (fixture, "later", NULL, &waiting);
  come_back (fixture);
  peer_frame_free (peer_expect_call (fixture->peer, "later"));
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, RESULT);
  expect_result (fixture, &waiting);
  g_assert_false (pending_is_done (&fixture->pending));
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_result (fixture, &fixture->pending);
}

static void
test_too_many_calls (Fixture *fixture, gconstpointer data)
{
  g_autofree Pending *waiting = g_new0 (Pending, 1024);

  interrupt_call (fixture);
  wait_for_state (fixture, ASB_TRANSPORT_STATE_INTERRUPTED);
  for (guint i = 0; i < 1024; i++)
    call_async (fixture, "later", NULL, &waiting[i]);
  expect_answer (fixture, &waiting[1023], ASB_ERROR, ASB_ERROR_TOO_MANY_REQUESTS, "Too many");
  g_assert_true (asb_transport_close (fixture->transport, NULL, NULL));
  expect_answer (fixture, &fixture->pending, ASB_ERROR, ASB_ERROR_CLOSED, NULL);
  for (guint i = 0; i < 1023; i++)
    expect_answer (fixture, &waiting[i], ASB_ERROR, ASB_ERROR_CLOSED, NULL);
}

static void
test_cancel_what_was_sent (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  call_async (fixture, "x", cancellable, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_break (fixture->peer);
  wait_for_state (fixture, ASB_TRANSPORT_STATE_INTERRUPTED);
  g_cancellable_cancel (cancellable);
  expect_answer (fixture, &fixture->pending, G_IO_ERROR, G_IO_ERROR_CANCELLED, NULL);
  come_back (fixture);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
}

static void
test_cancel_what_waits (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (PeerFrame) frame = NULL;
  Pending waiting = { 0 };
  Pending other = { 0 };

  interrupt_call (fixture);
  wait_for_state (fixture, ASB_TRANSPORT_STATE_INTERRUPTED);
  call_async (fixture, "never", cancellable, &waiting);
  g_cancellable_cancel (cancellable);
  expect_answer (fixture, &waiting, G_IO_ERROR, G_IO_ERROR_CANCELLED, NULL);
  call_async (fixture, "other", NULL, &other);
  come_back (fixture);
  frame = peer_expect_call (fixture->peer, "other");
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, frame->header.call, RESULT);
  expect_result (fixture, &fixture->pending);
  expect_result (fixture, &other);
}

static void
test_close (Fixture *fixture, gconstpointer data)
{
  interrupt_call (fixture);
  wait_for_state (fixture, ASB_TRANSPORT_STATE_INTERRUPTED);
  g_assert_true (asb_transport_close (fixture->transport, NULL, NULL));
  expect_answer (fixture, &fixture->pending, ASB_ERROR, ASB_ERROR_CLOSED, NULL);
  wait_for_state (fixture, ASB_TRANSPORT_STATE_CLOSED);
}

/* The guest says goodbye: that is meant. */
static void
test_goodbye (Fixture *fixture, gconstpointer data)
{
  call_async (fixture, "x", NULL, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_GOODBYE, 0,
                  "{\"code\": \"closed\", \"message\": \"The guest ends\"}");
  expect_unknown (fixture, &fixture->pending, "The guest ends");
  wait_for_state (fixture, ASB_TRANSPORT_STATE_CLOSED);
}

/* An attempt fails, another does not. */

static void
test_connection_breaks_again (Fixture *fixture, gconstpointer data)
{
  interrupt_call (fixture);
  for (guint i = 0; i < 3; i++)
    {
      peer_take_stream (fixture->peer);
      if (i > 0)
        peer_expect_resume (fixture->peer);
      if (i > 1)
        peer_send_bytes (fixture->peer, "\0\0", 2);
      peer_break (fixture->peer);
    }
  come_back (fixture);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_result (fixture, &fixture->pending);
  g_assert_cmpuint (fixture->peer->n_resumed, ==, 1);
}

/* Nothing but HELLO is said before the guest has answered, and what was heard before is not
 * acknowledged once more. */
static void
test_only_hello (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (PeerFrame) frame = NULL;
  Pending later = { 0 };
  Pending cancelled = { 0 };
  guint64 received;

  call_async (fixture, "x", NULL, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1, "{\"event\": \"news\"}");
  peer_break (fixture->peer);
  peer_take_stream (fixture->peer);
  received = peer_expect_resume (fixture->peer);
  g_assert_cmpuint (received, ==, 1);
  call_async (fixture, "later", NULL, &later);
  call_async (fixture, "never", cancellable, &cancelled);
  g_cancellable_cancel (cancellable);
  expect_answer (fixture, &cancelled, G_IO_ERROR, G_IO_ERROR_CANCELLED, NULL);
  peer_resume (fixture->peer, received);
  frame = peer_receive (fixture->peer);
  g_assert_cmpint (frame->header.type, ==, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, frame->header.call, RESULT);
  expect_result (fixture, &fixture->pending);
  expect_result (fixture, &later);
}

static void
attempt_with (Fixture *fixture, AsbFrameType type, const char *text)
{
  peer_take_stream (fixture->peer);
  peer_expect_resume (fixture->peer);
  peer_send_text (fixture->peer, type, 0, text);
}

static void
test_attempts_fail (Fixture *fixture, gconstpointer data)
{
  interrupt_call (fixture);
  attempt_with (fixture, ASB_FRAME_GOODBYE,
                "{\"code\": \"too_many_connections\", \"message\": \"m\"}");
  peer_expect_end (fixture->peer);
  peer_break (fixture->peer);
  attempt_with (fixture, ASB_FRAME_HELLO, "{\"major\": 1}");
  peer_expect_end (fixture->peer);
  peer_break (fixture->peer);
  peer_take_stream (fixture->peer);
  peer_send_bytes (fixture->peer, "HTTP/1.1 502 Bad Gateway\r\n\r\n", 28);
  peer_expect_resume (fixture->peer);
  peer_expect_end (fixture->peer);
  peer_break (fixture->peer);
  attempt_with (fixture, ASB_FRAME_PING, "");
  peer_expect_end (fixture->peer);
  peer_break (fixture->peer);
  come_back (fixture);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_result (fixture, &fixture->pending);
}

/* It does not come back. */

static void
test_not_resumed (Fixture *fixture, gconstpointer data)
{
  Pending waiting = { 0 };

  interrupt_call (fixture);
  wait_for_state (fixture, ASB_TRANSPORT_STATE_INTERRUPTED);
  call_async (fixture, "later", NULL, &waiting);
  attempt_with (fixture, ASB_FRAME_HELLO, data);
  expect_unknown (fixture, &fixture->pending, "does not know of it any more");
  expect_answer (fixture, &waiting, ASB_ERROR, ASB_ERROR_CLOSED, NULL);
  peer_expect_goodbye (fixture->peer, "closed");
  wait_for_state (fixture, ASB_TRANSPORT_STATE_CLOSED);
  g_assert_cmpstr (fixture->news->str, ==, "state interrupted state ");
}

#define HELLO_WITH(boot_id, session, resumed)                                                      \
  "{\"major\": 1, \"minor\": 0, \"features\": [], \"version\": \"1.0.0\", \"arch\": \"x86_64\","   \
  " \"boot_id\": \"" boot_id "\", \"uid\": 0, \"gid\": 0, \"home\": \"/root\","                    \
  " \"clock\": {\"sec\": 1, \"nsec\": 2}, \"session\": {\"id\": \"" session "\","                  \
  " \"secret\": \"s\"}" resumed "}"
#define RESUMED(n) ", \"resumed\": {\"received\": " #n "}"

static void
test_wrong_count (Fixture *fixture, gconstpointer data)
{
  interrupt_call (fixture);
  attempt_with (fixture, ASB_FRAME_HELLO, data);
  expect_answer (fixture, &fixture->pending, ASB_ERROR, ASB_ERROR_PROTOCOL, "what was not sent");
  peer_expect_goodbye (fixture->peer, "protocol_error");
}

/* What was acknowledged cannot be unheard. */
static void
test_less_than_before (Fixture *fixture, gconstpointer data)
{
  call_async (fixture, "x", NULL, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_count (fixture->peer, ASB_FRAME_ACK, 0, 0, 1);
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
  peer_break (fixture->peer);
  attempt_with (fixture, ASB_FRAME_HELLO, data);
  expect_answer (fixture, &fixture->pending, ASB_ERROR, ASB_ERROR_PROTOCOL, "less than before");
  peer_expect_goodbye (fixture->peer, "protocol_error");
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
  g_autofree char *goodbye
      = g_strdup_printf ("{\"code\": \"%s\", \"message\": \"no\"}", (const char *)data);

  interrupt_call (fixture);
  attempt_with (fixture, ASB_FRAME_GOODBYE, goodbye);
  expect_unknown (fixture, &fixture->pending, "no");
}

/* How streams are asked for without a peer that gives one. */

typedef struct
{
  GError *error; /* the answer; NULL: none */
  int n_asked;   /* atomic */
  GCancellable *cancellable;
  AsbGuestStreamFunc answer;
  gpointer answer_data;
} Opener;

static void
opener_open (gpointer data, GCancellable *cancellable, AsbGuestStreamFunc answer,
             gpointer answer_data)
{
  Opener *opener = data;

  g_atomic_int_inc (&opener->n_asked);
  if (opener->error)
    {
      answer (answer_data, NULL, g_error_copy (opener->error));
      return;
    }
  opener->cancellable = g_object_ref (cancellable);
  opener->answer = answer;
  opener->answer_data = answer_data;
}

static void
open_with (Fixture *fixture, Opener *opener, gint64 limit)
{
  AsbGuestReopening reopening = { .open = opener_open, .data = opener, .limit = limit };
  g_autoptr (GAsyncResult) result = NULL;
  Pending pending = { 0 };

  fixture->peer = peer_new ();
  asb_guest_transport_open_async (fixture->peer->stream, NULL, &reopening,
                                  g_main_context_default (), NULL, pending_cb, &pending);
  g_clear_object (&fixture->peer->stream);
  peer_hello (fixture->peer);
  result = pending_wait (&pending);
  fixture->transport = ASB_TRANSPORT (asb_guest_transport_new_finish (result, NULL));
}

static gboolean
never_comes_back (gint64 limit)
{
  Fixture fixture = { 0 };
  Opener opener = { g_error_new_literal (G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE, "No way") };
  gboolean was_asked;

  open_with (&fixture, &opener, limit);
  interrupt_call (&fixture);
  was_asked = expect_end_of_time (&fixture, limit, ": No way");
  wait_for_state (&fixture, ASB_TRANSPORT_STATE_CLOSED);
  g_assert_true (!was_asked || g_atomic_int_get (&opener.n_asked) > 0);
  close_transport (&fixture);
  g_error_free (opener.error);
  return was_asked;
}

static void
test_never_comes_back (void)
{
  try_with_more_time (never_comes_back);
}

static void
test_nothing_to_come_back_to (void)
{
  const struct
  {
    GQuark domain;
    int code;
    int later; /* what is said to calls that come too late */
  } errors[] = { { G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED, ASB_ERROR_CLOSED },
                 { ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND, ASB_ERROR_SANDBOX_NOT_FOUND },
                 { ASB_ERROR, ASB_ERROR_SANDBOX_EXPIRED, ASB_ERROR_SANDBOX_EXPIRED },
                 { ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE, ASB_ERROR_CLOSED } };

  for (gsize i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      Fixture fixture = { 0 };
      Opener opener = { g_error_new_literal (errors[i].domain, errors[i].code, "Gone") };
      Pending later = { 0 };

      open_with (&fixture, &opener, LONG);
      interrupt_call (&fixture);
      expect_unknown (&fixture, &fixture.pending, "cannot come back: Gone");
      wait_for_state (&fixture, ASB_TRANSPORT_STATE_CLOSED);
      call_async (&fixture, "later", NULL, &later);
      expect_answer (&fixture, &later, ASB_ERROR, errors[i].later, NULL);
      g_assert_cmpint (g_atomic_int_get (&opener.n_asked), ==, 1);
      close_transport (&fixture);
      g_error_free (opener.error);
    }
}

static gboolean
comes_late (gint64 limit)
{
  Fixture fixture = { 0 };
  Opener opener = { 0 };

  open_with (&fixture, &opener, limit);
  interrupt_call (&fixture);
  expect_end_of_time (&fixture, limit, "");
  wait_for_state (&fixture, ASB_TRANSPORT_STATE_CLOSED);
  if (opener.cancellable)
    {
      g_assert_true (g_cancellable_is_cancelled (opener.cancellable));
      opener.answer (opener.answer_data, peer_new_stream (fixture.peer), NULL);
      peer_take_stream (fixture.peer);
      g_assert_null (peer_receive (fixture.peer));
      g_object_unref (opener.cancellable);
    }
  close_transport (&fixture);
  return opener.cancellable != NULL;
}

/* A stream that comes when nobody waits for it any more is closed. */
static void
test_late_stream (void)
{
  try_with_more_time (comes_late);
}

static gboolean
says_nothing (gint64 limit)
{
  Fixture fixture = { .news = g_string_new (NULL) };
  g_autoptr (PeerFrame) hello = NULL;

  open_transport (&fixture, limit);
  interrupt_call (&fixture);
  expect_end_of_time (&fixture, limit, "");
  if (g_async_queue_length (fixture.peer->streams) > 0)
    {
      peer_take_stream (fixture.peer);
      hello = peer_receive (fixture.peer);
    }
  if (hello)
    {
      g_assert_cmpint (hello->header.type, ==, ASB_FRAME_HELLO);
      peer_expect_goodbye (fixture.peer, "closed");
    }
  tear_down (&fixture, NULL);
  return hello != NULL;
}

/* One that says nothing is given up with everything. */
static void
test_silent_stream (void)
{
  try_with_more_time (says_nothing);
}

static gboolean
over_cb (gpointer user_data)
{
  *(gboolean *)user_data = TRUE;
  return G_SOURCE_REMOVE;
}

static gboolean
is_paused (gint64 limit)
{
  Fixture fixture = { 0 };
  Opener opener = { g_error_new_literal (G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE, "No way") };
  AsbGuestConnection *connection;
  gboolean was_asked;

  open_with (&fixture, &opener, limit);
  connection = asb_guest_transport_get_connection (ASB_GUEST_TRANSPORT (fixture.transport));
  asb_guest_connection_set_paused (connection, TRUE);
  interrupt_call (&fixture);
  wait_for_state (&fixture, ASB_TRANSPORT_STATE_INTERRUPTED);
  /* Several times what would have ended it. */
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Pending waiting = { 0 };
      gboolean is_over = FALSE;

      call_async (&fixture, "later", cancellable, &waiting);
      g_timeout_add ((guint)(limit / G_TIME_SPAN_MILLISECOND), over_cb, &is_over);
      while (!is_over)
        g_main_context_iteration (NULL, TRUE);
      g_assert_false (pending_is_done (&waiting));
      g_cancellable_cancel (cancellable);
      expect_answer (&fixture, &waiting, G_IO_ERROR, G_IO_ERROR_CANCELLED, NULL);
    }
  g_assert_cmpint (g_atomic_int_get (&opener.n_asked), ==, 0);
  asb_guest_connection_set_paused (connection, FALSE);
  was_asked = expect_end_of_time (&fixture, limit, ": No way");
  close_transport (&fixture);
  g_error_free (opener.error);
  return was_asked;
}

/* While the sandbox is paused nobody is asked for anything. */
static void
test_pause (void)
{
  try_with_more_time (is_paused);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, function, data)                                                                  \
  g_test_add ("/guest-resume/" path, Fixture, data, set_up, function, tear_down)

  g_test_add_func ("/guest-resume/cut/sending", test_sending_is_cut);
  g_test_add_func ("/guest-resume/cut/receiving", test_receiving_is_cut);
  ADD ("signals", test_signals, NULL);
  ADD ("not-twice", test_not_twice, NULL);
  ADD ("half-written", test_half_written, NULL);
  ADD ("duplicates", test_duplicates, NULL);
  ADD ("credit-is-restated", test_credit_is_restated, NULL);
  ADD ("calls/wait", test_calls_wait, NULL);
  ADD ("calls/too-many", test_too_many_calls, NULL);
  ADD ("cancel/sent", test_cancel_what_was_sent, NULL);
  ADD ("cancel/waiting", test_cancel_what_waits, NULL);
  ADD ("close", test_close, NULL);
  ADD ("goodbye", test_goodbye, NULL);
  ADD ("breaks-again", test_connection_breaks_again, NULL);
  ADD ("attempts-fail", test_attempts_fail, NULL);
  ADD ("only-hello", test_only_hello, NULL);
  ADD ("not-resumed/new-session", test_not_resumed, HELLO_WITH ("b1", "j", ""));
  ADD ("not-resumed/another-session", test_not_resumed, HELLO_WITH ("b1", "j", RESUMED (1)));
  ADD ("not-resumed/another-boot", test_not_resumed, HELLO_WITH ("b2", "i", RESUMED (1)));
  ADD ("not-resumed/another-guest", test_not_resumed, HELLO_WITH ("b2", "j", ""));
  ADD ("wrong-count", test_wrong_count, HELLO_WITH ("b1", "i", RESUMED (2)));
  ADD ("less-than-before", test_less_than_before, HELLO_WITH ("b1", "i", RESUMED (0)));
  ADD ("refused/access-denied", test_refused, "access_denied");
  ADD ("refused/shutdown", test_refused, "shutdown");
  ADD ("refused/protocol-error", test_refused, "protocol_error");
  g_test_add_func ("/guest-resume/never-comes-back", test_never_comes_back);
  g_test_add_func ("/guest-resume/nothing-to-come-back-to", test_nothing_to_come_back_to);
  g_test_add_func ("/guest-resume/late-stream", test_late_stream);
  g_test_add_func ("/guest-resume/silent-stream", test_silent_stream);
  g_test_add_func ("/guest-resume/pause", test_pause);

  return g_test_run ();
}
