/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A guest that is silent, and what is made of what the provider says of its sandbox. */

#include "peer.h"

#include <string.h>

#include "asb-guest-transport-private.h"

#define LONG (3600 * G_TIME_SPAN_SECOND)
#define RESULT "{\"result\": {}}"

typedef struct
{
  Peer *peer;
  AsbTransport *transport;
  Pending pending;
  gboolean comes_back;
  int state;   /* atomic: what the provider says of the sandbox */
  int code;    /* atomic: or with what it fails; 0: it does not */
  int is_late; /* atomic: it is answered by the test */
  int is_shut; /* atomic: no stream is to be had */
  AsbGuestStateFunc answer;
  gpointer answer_data;
  GAsyncQueue *asked; /* one item a question */
  GAsyncQueue *news;  /* what the backend hears of pauses */
} Fixture;

static void
inquire (gpointer data, AsbGuestStateFunc answer, gpointer answer_data)
{
  Fixture *fixture = data;
  int code = g_atomic_int_get (&fixture->code);
  GError *error = code ? g_error_new_literal (ASB_ERROR, code, "It is not there") : NULL;

  fixture->answer = answer;
  fixture->answer_data = answer_data;
  if (!g_atomic_int_get (&fixture->is_late))
    answer (answer_data, (AsbSandboxState)g_atomic_int_get (&fixture->state), error);
  g_async_queue_push (fixture->asked, fixture);
}

static void
open_again (gpointer data, GCancellable *cancellable, AsbGuestStreamFunc answer,
            gpointer answer_data)
{
  Fixture *fixture = data;

  if (g_atomic_int_get (&fixture->is_shut))
    answer (answer_data, NULL, g_error_new_literal (ASB_ERROR, ASB_ERROR_SANDBOX_STATE, "Shut"));
  else
    answer (answer_data, peer_new_stream (fixture->peer), NULL);
}

static void
pause_news (gpointer data, gboolean paused)
{
  g_async_queue_push (data, GINT_TO_POINTER (paused ? 1 : 2));
}

static void
open_transport (Fixture *fixture)
{
  AsbGuestReopening reopening = { .open = open_again,
                                  .inquire = inquire,
                                  .patience = G_TIME_SPAN_MILLISECOND,
                                  .data = fixture,
                                  .limit = fixture->comes_back ? LONG : 0 };
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };

  asb_guest_transport_open_async (fixture->peer->stream, NULL, &reopening,
                                  g_main_context_default (), NULL, pending_cb, &pending);
  g_clear_object (&fixture->peer->stream);
  peer_hello (fixture->peer);
  result = pending_wait (&pending);
  fixture->transport = ASB_TRANSPORT (asb_guest_transport_new_finish (result, &error));
  g_assert_no_error (error);
  asb_guest_connection_set_pause_func (
      asb_guest_transport_get_connection (ASB_GUEST_TRANSPORT (fixture->transport)), pause_news,
      g_async_queue_ref (fixture->news), (GDestroyNotify)g_async_queue_unref);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->comes_back = GPOINTER_TO_INT (data);
  fixture->state = ASB_SANDBOX_STATE_RUNNING;
  fixture->code = 0;
  fixture->asked = g_async_queue_new ();
  fixture->news = g_async_queue_new ();
  fixture->peer = peer_new ();
  open_transport (fixture);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_assert_true (asb_transport_close (fixture->transport, NULL, NULL));
  g_clear_object (&fixture->transport);
  peer_free (fixture->peer);
  g_async_queue_unref (fixture->asked);
  g_async_queue_unref (fixture->news);
}

static void
call (Fixture *fixture, Pending *pending)
{
  asb_transport_call_async (fixture->transport, "x", NULL, NULL, pending_cb, pending);
}

static void
expect_answer (Fixture *fixture, Pending *pending, int code, const char *message)
{
  g_autoptr (GAsyncResult) result = pending_wait (pending);
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) value = asb_transport_call_finish (fixture->transport, result, &error);

  if (!message)
    {
      g_assert_no_error (error);
      g_assert_nonnull (value);
      return;
    }
  g_assert_error (error, ASB_ERROR, code);
  g_assert_nonnull (strstr (error->message, message));
}

static void
expect_news (Fixture *fixture, gboolean paused)
{
  g_assert_cmpint (GPOINTER_TO_INT (g_async_queue_pop (fixture->news)), ==, paused ? 1 : 2);
}

/* The call has arrived, and it is known on the other side that it has. */
static void
acknowledge (Fixture *fixture)
{
  peer_send_count (fixture->peer, ASB_FRAME_ACK, 0, 0, 1);
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
}

/* A call, and that nobody wants it any more. */
static void
expect_called_off (Fixture *fixture)
{
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
}

static void
test_running (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A guest that is slow is waited for, and asked after again and again");

  call (fixture, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  for (int i = 0; i < 4; i++)
    g_async_queue_pop (fixture->asked);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_answer (fixture, &fixture->pending, 0, NULL);
  g_assert_null (g_async_queue_try_pop (fixture->news));
}

static void
test_unknown (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A provider that cannot say anything changes nothing");

  g_atomic_int_set (&fixture->code, ASB_ERROR_PROVIDER);
  call (fixture, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  for (int i = 0; i < 3; i++)
    g_async_queue_pop (fixture->asked);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_answer (fixture, &fixture->pending, 0, NULL);
}

static void
test_paused (Fixture *fixture, gconstpointer data)
{
  Pending arrived = { 0 };
  Pending next = { 0 };

  g_test_summary ("What has not arrived in a sandbox that sleeps is refused and called off; what "
                  "has goes on when it wakes up");

  call (fixture, &arrived);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  acknowledge (fixture);
  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_PAUSED);
  call (fixture, &fixture->pending);
  expect_answer (fixture, &fixture->pending, ASB_ERROR_SANDBOX_STATE, "is paused; resume it first");
  expect_news (fixture, TRUE);

  expect_called_off (fixture);
  g_assert_null (arrived.result);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_answer (fixture, &arrived, 0, NULL);
  expect_news (fixture, FALSE);
  /* On a machine where that takes long the provider is asked about the next one, too. */
  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_RUNNING);
  peer_skip (fixture->peer, ASB_FRAME_PING);
  call (fixture, &next);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 3, RESULT);
  expect_answer (fixture, &next, 0, NULL);
}

static void
test_asleep (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Who calls a sandbox that sleeps is told so at once, however long that is known");

  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_PAUSED);
  for (int i = 0; i < 20; i++)
    {
      Pending pending = { 0 };

      call (fixture, &pending);
      expect_answer (fixture, &pending, ASB_ERROR_SANDBOX_STATE, "is paused; resume it first");
    }
  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_RUNNING);
  call (fixture, &fixture->pending);
  expect_news (fixture, TRUE);
  expect_news (fixture, FALSE);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 21, RESULT);
  expect_answer (fixture, &fixture->pending, 0, NULL);
}

static void
test_put_to_sleep (Fixture *fixture, gconstpointer data)
{
  AsbGuestConnection *connection
      = asb_guest_transport_get_connection (ASB_GUEST_TRANSPORT (fixture->transport));

  g_test_summary ("The same where the backend has paused it; if somebody else has resumed it, the "
                  "backend hears of that");

  asb_guest_connection_set_paused (connection, TRUE);
  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_RUNNING);
  call (fixture, &fixture->pending);
  g_assert_cmpint (GPOINTER_TO_INT (g_async_queue_pop (fixture->news)), ==, 2);
  g_assert_null (fixture->pending.result);
  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_PAUSED);
  expect_answer (fixture, &fixture->pending, ASB_ERROR_SANDBOX_STATE, "is paused; resume it first");
  asb_guest_connection_set_paused (connection, FALSE);
}

static void
test_resumed_by_others (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("It is looked after a sandbox that sleeps until it is awake");

  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_PAUSED);
  call (fixture, &fixture->pending);
  expect_answer (fixture, &fixture->pending, ASB_ERROR_SANDBOX_STATE, "is paused");
  expect_news (fixture, TRUE);
  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_RUNNING);
  expect_news (fixture, FALSE);
}

static void
test_lost_asleep (Fixture *fixture, gconstpointer data)
{
  Pending arrived = { 0 };

  g_test_summary ("A connection that is lost while the sandbox sleeps comes back when it is awake");

  call (fixture, &arrived);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  acknowledge (fixture);
  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_PAUSED);
  call (fixture, &fixture->pending);
  expect_answer (fixture, &fixture->pending, ASB_ERROR_SANDBOX_STATE, "is paused");
  expect_news (fixture, TRUE);
  expect_called_off (fixture);
  peer_break (fixture->peer);
  while (asb_transport_get_state (fixture->transport) != ASB_TRANSPORT_STATE_INTERRUPTED)
    g_main_context_iteration (NULL, TRUE);
  g_async_queue_pop (fixture->asked);
  g_assert_cmpint (g_async_queue_length (fixture->peer->streams), ==, 0);

  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_RUNNING);
  expect_news (fixture, FALSE);
  peer_take_stream (fixture->peer);
  peer_resume (fixture->peer, peer_expect_resume (fixture->peer));
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_answer (fixture, &arrived, 0, NULL);
}

static void
test_lost_by_pause (Fixture *fixture, gconstpointer data)
{
  Pending arrived = { 0 };

  g_test_summary ("Whoever cannot come back as the sandbox is paused learns of that");

  call (fixture, &arrived);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  acknowledge (fixture);
  g_atomic_int_set (&fixture->is_shut, TRUE);
  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_PAUSED);
  peer_break (fixture->peer);
  expect_news (fixture, TRUE);
  call (fixture, &fixture->pending);
  expect_answer (fixture, &fixture->pending, ASB_ERROR_SANDBOX_STATE, "is paused");

  g_atomic_int_set (&fixture->is_shut, FALSE);
  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_RUNNING);
  expect_news (fixture, FALSE);
  peer_take_stream (fixture->peer);
  peer_resume (fixture->peer, peer_expect_resume (fixture->peer));
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_answer (fixture, &arrived, 0, NULL);
}

static void
test_outdated (Fixture *fixture, gconstpointer data)
{
  AsbGuestConnection *connection
      = asb_guest_transport_get_connection (ASB_GUEST_TRANSPORT (fixture->transport));

  g_test_summary ("What was said before a sandbox was resumed does not count");

  g_atomic_int_set (&fixture->is_late, TRUE);
  call (fixture, &fixture->pending);
  g_async_queue_pop (fixture->asked);
  asb_guest_connection_set_paused (connection, TRUE);
  asb_guest_connection_set_paused (connection, FALSE);
  g_atomic_int_set (&fixture->is_late, FALSE);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_skip (fixture->peer, ASB_FRAME_PING);
  fixture->answer (fixture->answer_data, ASB_SANDBOX_STATE_PAUSED, NULL);
  g_async_queue_pop (fixture->asked);
  g_assert_null (fixture->pending.result);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_answer (fixture, &fixture->pending, 0, NULL);
  g_assert_null (g_async_queue_try_pop (fixture->news));
}

static void
test_heard_meanwhile (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Nor does what was said before the guest was heard");

  g_atomic_int_set (&fixture->is_late, TRUE);
  call (fixture, &fixture->pending);
  g_async_queue_pop (fixture->asked);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  acknowledge (fixture);
  fixture->answer (fixture->answer_data, ASB_SANDBOX_STATE_PAUSED, NULL);
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT);
  expect_answer (fixture, &fixture->pending, 0, NULL);
  g_assert_null (g_async_queue_try_pop (fixture->news));
}

static void
test_closed_meanwhile (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Nobody hears of a pause of what has been closed");

  g_atomic_int_set (&fixture->is_late, TRUE);
  call (fixture, &fixture->pending);
  g_async_queue_pop (fixture->asked);
  g_assert_true (asb_transport_close (fixture->transport, NULL, NULL));
  fixture->answer (fixture->answer_data, ASB_SANDBOX_STATE_PAUSED, NULL);
  /* The second close comes after that, in the same thread. */
  g_assert_true (asb_transport_close (fixture->transport, NULL, NULL));
  expect_answer (fixture, &fixture->pending, ASB_ERROR_CLOSED, "");
  g_assert_null (g_async_queue_try_pop (fixture->news));
}

static void
test_idle (Fixture *fixture, gconstpointer data)
{
  AsbGuestConnection *connection
      = asb_guest_transport_get_connection (ASB_GUEST_TRANSPORT (fixture->transport));

  g_test_summary (
      "A guest that does not answer a PING is asked after though nobody wants anything");

  asb_guest_connection_set_paused (connection, TRUE);
  asb_guest_connection_set_paused (connection, FALSE);
  peer_skip (fixture->peer, ASB_FRAME_PING);
  g_async_queue_pop (fixture->asked);
  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_PAUSED);
  expect_news (fixture, TRUE);
  g_atomic_int_set (&fixture->state, ASB_SANDBOX_STATE_RUNNING);
  peer_send (fixture->peer, ASB_FRAME_PONG, 0, 0, 0, NULL, 0);
  expect_news (fixture, FALSE);
}

static void
test_over (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    AsbSandboxState state;
    int code;
    int expected;
  } ends[] = {
    { ASB_SANDBOX_STATE_UNKNOWN, ASB_ERROR_SANDBOX_NOT_FOUND, ASB_ERROR_SANDBOX_NOT_FOUND },
    { ASB_SANDBOX_STATE_UNKNOWN, ASB_ERROR_SANDBOX_EXPIRED, ASB_ERROR_SANDBOX_EXPIRED },
    { ASB_SANDBOX_STATE_FAILED, 0, ASB_ERROR_SANDBOX_STATE },
    { ASB_SANDBOX_STATE_STOPPING, 0, ASB_ERROR_SANDBOX_STATE },
    { ASB_SANDBOX_STATE_STOPPED, 0, ASB_ERROR_SANDBOX_STATE },
    { ASB_SANDBOX_STATE_DELETED, 0, ASB_ERROR_SANDBOX_STATE },
  };

  g_test_summary ("In a sandbox that is gone nothing was done that has not arrived; of what has "
                  "nobody knows");

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      Pending arrived = { 0 };
      Pending lost = { 0 };

      call (fixture, &arrived);
      peer_skip (fixture->peer, ASB_FRAME_CALL);
      acknowledge (fixture);
      g_atomic_int_set (&fixture->state, ends[i].state);
      g_atomic_int_set (&fixture->code, ends[i].code);
      call (fixture, &lost);
      expect_answer (fixture, &lost, ends[i].expected, "");
      expect_answer (fixture, &arrived, ASB_ERROR_INTERRUPTED,
                     "The connection to the guest was lost: ");
      tear_down (fixture, data);
      set_up (fixture, data);
    }
}

static void
add (const char *name, gboolean comes_back, void (*function) (Fixture *, gconstpointer))
{
  g_autofree char *path = g_strconcat ("/guest-doubt/", name, NULL);

  g_test_add (path, Fixture, GINT_TO_POINTER (comes_back), set_up, function, tear_down);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  add ("running", FALSE, test_running);
  add ("unknown", FALSE, test_unknown);
  add ("paused", FALSE, test_paused);
  add ("asleep", FALSE, test_asleep);
  add ("put-to-sleep", FALSE, test_put_to_sleep);
  add ("resumed-by-others", FALSE, test_resumed_by_others);
  add ("lost-asleep", TRUE, test_lost_asleep);
  add ("lost-by-pause", TRUE, test_lost_by_pause);
  add ("outdated", FALSE, test_outdated);
  add ("heard-meanwhile", FALSE, test_heard_meanwhile);
  add ("closed-meanwhile", FALSE, test_closed_meanwhile);
  add ("idle", FALSE, test_idle);
  add ("over", FALSE, test_over);

  return g_test_run ();
}
