/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What happens when, with times so long that what comes does not come by them, and so short that
 * they are over by themselves. */

#include "peer.h"

#include "asb-guest-connection-internal.h"

#define LONG (3600 * G_TIME_SPAN_SECOND)
#define SHORT (20 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  Peer *peer;
  AsbGuestConnection *connection;
  AsbGuestTimeouts timeouts;
  gboolean is_silent; /* whoever is asked for a stream */
  GAsyncQueue *questions;
} Fixture;

/* A stream that was asked for. */
typedef struct
{
  GCancellable *cancellable;
  AsbGuestStreamFunc answer;
  gpointer answer_data;
} Question;

static void
opened_cb (AsbGuestConnection *connection, const GError *error, gpointer data)
{
  g_assert_no_error (error);
  g_async_queue_push (data, connection);
}

static void
open_again (gpointer data, GCancellable *cancellable, AsbGuestStreamFunc answer,
            gpointer answer_data)
{
  Fixture *fixture = data;
  Question *question;

  if (!fixture->is_silent)
    {
      answer (answer_data, peer_new_stream (fixture->peer), NULL);
      return;
    }
  question = g_new (Question, 1);
  *question = (Question){ g_object_ref (cancellable), answer, answer_data };
  g_async_queue_push (fixture->questions, question);
}

static void
question_free (gpointer data)
{
  Question *question = data;

  question->answer (question->answer_data, NULL,
                    g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "Cancelled"));
  g_object_unref (question->cancellable);
  g_free (question);
}

static void
open_connection (Fixture *fixture)
{
  AsbGuestReopening reopening = { .open = open_again, .data = fixture, .limit = LONG };
  g_autoptr (GAsyncQueue) opened = g_async_queue_new ();

  fixture->connection = asb_guest_connection_new (fixture->peer->stream, &fixture->timeouts);
  g_clear_object (&fixture->peer->stream);
  asb_guest_connection_set_reopening (fixture->connection, &reopening);
  asb_guest_connection_open (fixture->connection, NULL, opened_cb, opened);
  peer_hello (fixture->peer);
  g_async_queue_pop (opened);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->peer = peer_new ();
  fixture->questions = g_async_queue_new_full (question_free);
  fixture->timeouts = asb_guest_default_timeouts;
  fixture->timeouts.quiet = LONG;
  fixture->timeouts.busy = LONG;
}

static void
close_connection (Fixture *fixture)
{
  Pending pending = { 0 };
  g_autoptr (GTask) task = g_task_new (NULL, NULL, pending_cb, &pending);

  asb_guest_connection_close (fixture->connection, task);
  g_object_unref (pending_wait (&pending));
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  close_connection (fixture);
  asb_guest_connection_unref (fixture->connection);
  peer_free (fixture->peer);
  g_async_queue_unref (fixture->questions);
}

static void
ends_somehow (AsbGuestCall *call, gpointer data, const GError *error)
{
}

static const AsbGuestCallKind kind = { .failed = ends_somehow };

static void
start_call (Fixture *fixture)
{
  g_autoptr (AsbGuestCall) call = asb_guest_call_new ("x", json_object (), NULL, &kind, NULL, NULL);

  asb_guest_connection_submit (fixture->connection, call);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
}

static guint64
expect_ack (Fixture *fixture)
{
  g_autoptr (PeerFrame) frame = peer_expect (fixture->peer, ASB_FRAME_ACK);

  return asb_frame_count_read (g_bytes_get_data (frame->payload, NULL));
}

/* Half of the frames that the protocol lets go unacknowledged are too many to wait with. */
static void
test_many_frames (Fixture *fixture, gconstpointer data)
{
  fixture->timeouts.acknowledge = LONG;
  open_connection (fixture);
  start_call (fixture);
  for (int i = 0; i < 32; i++)
    peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1, "{\"event\": \"news\"}");
  g_assert_cmpuint (expect_ack (fixture), ==, 32);
}

/* So are as many bytes, in however few frames. */
static void
test_many_bytes (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = g_strnfill (128 * 1024, 'x');
  g_autofree char *event = g_strdup_printf ("{\"event\": \"news\", \"text\": \"%s\"}", text);

  fixture->timeouts.acknowledge = LONG;
  open_connection (fixture);
  start_call (fixture);
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1, event);
  g_assert_cmpuint (expect_ack (fixture), ==, 1);
}

/* After a pause the guest is asked at once, however lately it was asked before. */
static void
test_two_pauses (Fixture *fixture, gconstpointer data)
{
  open_connection (fixture);
  for (int i = 0; i < 3; i++)
    {
      asb_guest_connection_set_paused (fixture->connection, TRUE);
      asb_guest_connection_set_paused (fixture->connection, FALSE);
      peer_skip (fixture->peer, ASB_FRAME_PING);
      peer_send (fixture->peer, ASB_FRAME_PONG, 0, 0, 0, NULL, 0);
      /* It is heard before the next pause. */
      peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
      peer_skip (fixture->peer, ASB_FRAME_PONG);
    }
}

/* The time for hello was long for the first one. */
static void
lose_connection (Fixture *fixture)
{
  fixture->connection->timeouts.hello = SHORT;
  fixture->connection->timeouts.retry = G_TIME_SPAN_MILLISECOND;
  peer_break (fixture->peer);
}

/* A stream on which nobody says hello is given up for another. */
static void
test_silent_attempt (Fixture *fixture, gconstpointer data)
{
  open_connection (fixture);
  lose_connection (fixture);
  for (int i = 0; i < 2; i++)
    {
      peer_take_stream (fixture->peer);
      peer_expect_resume (fixture->peer);
      peer_expect_end (fixture->peer);
      peer_break (fixture->peer);
    }
}

/* So is whoever does not even give one. */
static void
test_silent_provider (Fixture *fixture, gconstpointer data)
{
  fixture->is_silent = TRUE;
  open_connection (fixture);
  lose_connection (fixture);
  for (int i = 0; i < 2; i++)
    {
      Question *question = g_async_queue_pop (fixture->questions);

      while (!g_cancellable_is_cancelled (question->cancellable))
        g_thread_yield ();
      question_free (question);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, function)                                                                        \
  g_test_add ("/guest-times/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("ack/many-frames", test_many_frames);
  ADD ("ack/many-bytes", test_many_bytes);
  ADD ("two-pauses", test_two_pauses);
  ADD ("silent-attempt", test_silent_attempt);
  ADD ("silent-provider", test_silent_provider);
#undef ADD

  return g_test_run ();
}
