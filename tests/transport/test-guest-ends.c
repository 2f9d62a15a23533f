/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is left when a call, a stream or the connection is over: nothing is sent any more that
 * nobody wants, and nobody is kept. */

#include "peer.h"

#include <string.h>

#include "asb-guest-connection-internal.h"
#include "asb-guest-transport-private.h"

#define RESULT "{\"result\": {}}"
#define N_LARGE 4

typedef struct
{
  Peer *peer;
  AsbTransport *transport;
  Pending pending;
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
  g_clear_object (&fixture->transport);
  g_clear_pointer (&fixture->peer, peer_free);
}

/* Whatever was sent by now has come. */
static void
expect_nothing (Peer *peer)
{
  g_autoptr (PeerFrame) frame = NULL;

  peer_send (peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  frame = peer_expect (peer, ASB_FRAME_PONG);
}

/* What waits to be written. */

static void
send_nonsense (Fixture *fixture)
{
  peer_send_text (fixture->peer, ASB_FRAME_HELLO, 0, PEER_HELLO);
}

/* It is in the queue of the library only. */
static void
acknowledge_what_is_unsent (Fixture *fixture)
{
  peer_send_count (fixture->peer, ASB_FRAME_ACK, 0, 0, N_LARGE);
}

static void
close_transport (Fixture *fixture)
{
  asb_transport_close_async (fixture->transport, NULL, NULL, NULL);
}

/* How many calls come before the farewell, which is the last of all. */
static guint
count_calls (Peer *peer)
{
  guint n = 0;

  for (;;)
    {
      g_autoptr (PeerFrame) frame = peer_receive (peer);

      g_assert_nonnull (frame);
      if (frame->header.type == ASB_FRAME_GOODBYE)
        break;
      n += frame->header.type == ASB_FRAME_CALL;
    }
  peer_expect_end (peer);
  return n;
}

static void
expect_failure (Fixture *fixture, Pending *pending, int code, gboolean retryable)
{
  g_autoptr (GAsyncResult) result = pending_wait (pending);
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_transport_call_finish (fixture->transport, result, &error));
  g_assert_error (error, ASB_ERROR, code);
  g_assert_cmpint (asb_error_info_get_retryable (asb_error_get_info (error)), ==, retryable);
}

typedef struct
{
  void (*end) (Fixture *fixture);
  int code; /* of what was sent */
} Ending;

static const Ending nonsense = { send_nonsense, ASB_ERROR_PROTOCOL };
static const Ending acknowledgement = { acknowledge_what_is_unsent, ASB_ERROR_PROTOCOL };
static const Ending closing = { close_transport, ASB_ERROR_CLOSED };

/* What may be tried again, as it was not sent, is not sent afterwards. */
static void
test_unsent (Fixture *fixture, gconstpointer data)
{
  const Ending *ending = data;
  g_autofree char *text = g_strnfill (900000, 'x');
  g_autoptr (GVariant) arguments
      = g_variant_ref_sink (g_variant_new_parsed ("{'text': <%s>}", text));
  Pending pending[N_LARGE] = { { 0 } };
  guint n_sent;

  for (guint i = 0; i < N_LARGE; i++)
    asb_transport_call_async (fixture->transport, "x", arguments, NULL, pending_cb, &pending[i]);
  /* With it some of the next has been written. */
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  ending->end (fixture);
  expect_failure (fixture, &pending[0], ending->code, FALSE);
  n_sent = 1 + count_calls (fixture->peer);
  g_assert_cmpuint (n_sent, <, N_LARGE);
  for (guint i = 1; i < N_LARGE; i++)
    expect_failure (fixture, &pending[i], i < n_sent ? ending->code : ASB_ERROR_CLOSED,
                    i >= n_sent);
}

/* Calls. */

static AsbProcess *
start_command (Fixture *fixture, AsbCommandFlags flags)
{
  return peer_start_command (fixture->peer, fixture->transport, flags);
}

/* A call whose output nobody wants is over with its REPLY: what comes then is stopped again. */
static void
expect_over (Fixture *fixture)
{
  g_autoptr (PeerFrame) stop = NULL;

  peer_send_data (fixture->peer, 1, 1, "late");
  stop = peer_expect (fixture->peer, ASB_FRAME_STOP);
  g_assert_cmpuint (stop->header.call, ==, 1);
  g_assert_cmpuint (stop->header.channel, ==, 1);
}

static void
test_closed_before_reply (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = start_command (fixture, ASB_COMMAND_FLAGS_STDERR_SILENCE);
  g_autoptr (AsbCommandResult) result = NULL;

  g_assert_true (g_input_stream_close (asb_process_get_stdout (process), NULL, NULL));
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, PEER_RESULT);
  result = asb_process_wait (process, NULL, NULL);
  g_assert_nonnull (result);
  expect_over (fixture);
}

static void
test_closed_after_reply (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = start_command (fixture, ASB_COMMAND_FLAGS_STDERR_SILENCE);
  g_autoptr (AsbCommandResult) result = NULL;

  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, PEER_RESULT);
  result = asb_process_wait (process, NULL, NULL);
  g_assert_nonnull (result);
  g_assert_true (g_input_stream_close (asb_process_get_stdout (process), NULL, NULL));
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  expect_over (fixture);
}

/* What is written to a file that is no longer wanted goes nowhere, and whoever writes is told. */
static void
test_cancelled_input (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = start_command (fixture, ASB_COMMAND_FLAGS_STDIN_PIPE);
  g_autoptr (GError) error = NULL;
  gssize n;

  asb_process_force_exit (process);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  n = g_output_stream_write (asb_process_get_stdin (process), "x", 1, NULL, &error);
  g_assert_cmpint (n, ==, -1);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE);
  expect_nothing (fixture->peer);
}

static void
nothing_comes (AsbGuestCall *call, gpointer data, const GError *error)
{
  g_async_queue_push (data, g_error_copy (error));
}

static const AsbGuestCallKind kind = { .failed = nothing_comes };

/* Hands a call to the connection of the transport, and returns what it fails with. */
static GError *
fail_call (Fixture *fixture, GCancellable *cancellable)
{
  g_autoptr (GAsyncQueue) failures = g_async_queue_new ();
  g_autoptr (AsbGuestCall) call
      = asb_guest_call_new ("never", json_object (), NULL, &kind, failures, NULL);

  asb_guest_call_set_cancellable (call, cancellable);
  asb_guest_connection_submit (
      asb_guest_transport_get_connection (ASB_GUEST_TRANSPORT (fixture->transport)), call);
  return g_async_queue_pop (failures);
}

/* The guest never hears of a call that was cancelled before. */
static void
test_cancelled_before (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  error = fail_call (fixture, cancellable);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  expect_nothing (fixture->peer);
}

/* No call gets the number of another. */
static void
test_no_numbers (Fixture *fixture, gconstpointer data)
{
  AsbGuestConnection *connection
      = asb_guest_transport_get_connection (ASB_GUEST_TRANSPORT (fixture->transport));
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (GError) error = NULL;

  connection->last_number = G_MAXUINT32 - 1;
  asb_transport_call_async (fixture->transport, "last", NULL, NULL, pending_cb, &fixture->pending);
  frame = peer_expect_call (fixture->peer, "last");
  g_assert_cmpuint (frame->header.call, ==, G_MAXUINT32);
  error = fail_call (fixture, NULL);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
  g_assert_nonnull (strstr (error->message, "no numbers left"));
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, G_MAXUINT32, RESULT);
  g_object_unref (pending_wait (&fixture->pending));
}

/* Streams. */

static gpointer
open_stream (Fixture *fixture, gboolean writes, GCancellable *cancellable)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/d/f");
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  gpointer stream;

  if (writes)
    asb_transport_open_write_async (fixture->transport, request, cancellable, pending_cb,
                                    &fixture->pending);
  else
    asb_transport_open_read_async (fixture->transport, request, cancellable, pending_cb,
                                   &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  if (!writes)
    peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1,
                    "{\"event\": \"opened\", \"entry\": " PEER_ENTRY "}");
  result = pending_wait (&fixture->pending);
  stream = writes ? (gpointer)asb_transport_open_write_finish (fixture->transport, result, &error)
                  : (gpointer)asb_transport_open_read_finish (fixture->transport, result, &error);
  g_assert_no_error (error);
  return stream;
}

/* The cancellable was for the opening. */
static void
test_cancelled_late (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GObject) stream = open_stream (fixture, GPOINTER_TO_INT (data), cancellable);

  g_cancellable_cancel (cancellable);
  expect_nothing (fixture->peer);
}

/* Who drops the stream has let go of the transport, too, whether or not the guest has answered;
 * what the answer brings finds nobody. */
static void
test_dropped (Fixture *fixture, gconstpointer data)
{
  gpointer stream = open_stream (fixture, FALSE, NULL);

  g_object_unref (stream);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  if (GPOINTER_TO_INT (data))
    peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {\"bytes\": 3, \"size\": 3}}");
  expect_nothing (fixture->peer);
  g_clear_object (&fixture->transport);
  peer_expect_goodbye (fixture->peer, "closed");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, function, data)                                                                  \
  g_test_add ("/guest-ends/" path, Fixture, data, set_up, function, tear_down)
  ADD ("unsent/violation", test_unsent, &nonsense);
  ADD ("unsent/acknowledged", test_unsent, &acknowledgement);
  ADD ("unsent/closed", test_unsent, &closing);
  ADD ("call/closed-before-reply", test_closed_before_reply, NULL);
  ADD ("call/closed-after-reply", test_closed_after_reply, NULL);
  ADD ("call/cancelled-input", test_cancelled_input, NULL);
  ADD ("call/cancelled-before", test_cancelled_before, NULL);
  ADD ("call/no-numbers", test_no_numbers, NULL);
  ADD ("stream/read/cancelled-late", test_cancelled_late, GINT_TO_POINTER (FALSE));
  ADD ("stream/write/cancelled-late", test_cancelled_late, GINT_TO_POINTER (TRUE));
  ADD ("stream/dropped", test_dropped, GINT_TO_POINTER (FALSE));
  ADD ("stream/dropped-and-answered", test_dropped, GINT_TO_POINTER (TRUE));
#undef ADD

  return g_test_run ();
}
