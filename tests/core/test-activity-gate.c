/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include "asb-activity-gate-private.h"

#define N_THREADS 8
#define N_CLOSINGS 20000
#define LONG_TIME 3600000 /* ms: never, in a test */

typedef struct
{
  AsbActivityGate *gate;
  TestAnswer answers[3];
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->gate = asb_activity_gate_new ();
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  TestCensus census;

  test_census_init (&census);
  test_census_add (&census, fixture->gate);
  for (gsize i = 0; i < G_N_ELEMENTS (fixture->answers); i++)
    test_answer_clear (&fixture->answers[i]);
  g_clear_object (&fixture->gate);
  test_census_end (&census);
}

static void
enter (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_activity_gate_enter (fixture->gate, &error));
  g_assert_no_error (error);
}

static void
check_refused (Fixture *fixture, int code)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (asb_activity_gate_enter (fixture->gate, &error));
  g_assert_error (error, ASB_ERROR, code);
}

static void
start_closing (Fixture *fixture, guint index, guint timeout_ms, GCancellable *cancellable)
{
  asb_activity_gate_close_async (fixture->gate, timeout_ms, cancellable, test_answer_cb,
                                 &fixture->answers[index]);
}

static gboolean
finish_closing (Fixture *fixture, guint index, GError **error)
{
  return asb_activity_gate_close_finish (fixture->gate, test_answer_wait (&fixture->answers[index]),
                                         error);
}

static void
test_enter_and_leave (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("Nothing inside: closing is done at once, though not before it returns");

  enter (fixture);
  enter (fixture);
  asb_activity_gate_leave (fixture->gate);
  asb_activity_gate_leave (fixture->gate);
  start_closing (fixture, 0, LONG_TIME, NULL);
  g_assert_cmpuint (fixture->answers[0].n_calls, ==, 0);
  g_assert_true (finish_closing (fixture, 0, &error));
  g_assert_no_error (error);
  check_refused (fixture, ASB_ERROR_SANDBOX_DELETING);
}

static void
test_waits (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Closing lets nobody in and waits for the last to leave");

  enter (fixture);
  enter (fixture);
  start_closing (fixture, 0, LONG_TIME, NULL);
  check_refused (fixture, ASB_ERROR_SANDBOX_DELETING);
  asb_activity_gate_leave (fixture->gate);
  test_drain ();
  g_assert_cmpuint (fixture->answers[0].n_calls, ==, 0);
  asb_activity_gate_leave (fixture->gate);
  g_assert_true (finish_closing (fixture, 0, NULL));
}

static void
test_reopen (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A gate that was closed can be opened again");

  start_closing (fixture, 0, LONG_TIME, NULL);
  g_assert_true (finish_closing (fixture, 0, NULL));
  asb_activity_gate_reopen (fixture->gate);
  enter (fixture);
  asb_activity_gate_leave (fixture->gate);
}

static void
test_timeout (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("When its time is up closing fails, and the gate is open again");

  enter (fixture);
  start_closing (fixture, 0, 1, NULL);
  g_assert_false (finish_closing (fixture, 0, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_LOCK_ACQUISITION_TIMEOUT);
  enter (fixture);
  asb_activity_gate_leave (fixture->gate);
  asb_activity_gate_leave (fixture->gate);
}

static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("The same when it is cancelled");

  enter (fixture);
  start_closing (fixture, 0, LONG_TIME, cancellable);
  g_cancellable_cancel (cancellable);
  g_assert_false (finish_closing (fixture, 0, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  enter (fixture);
  asb_activity_gate_leave (fixture->gate);
  asb_activity_gate_leave (fixture->gate);
}

static void
test_cancelled_before (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("One that was cancelled before fails and leaves the gate open");

  enter (fixture);
  g_cancellable_cancel (cancellable);
  start_closing (fixture, 0, LONG_TIME, cancellable);
  g_assert_false (finish_closing (fixture, 0, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  enter (fixture);
  asb_activity_gate_leave (fixture->gate);
  asb_activity_gate_leave (fixture->gate);
}

typedef struct
{
  AsbActivityGate *gate;
  GCancellable *cancellable;
  int n_pending; /* atomic */
} Closer;

static void
closer_cancelled_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Closer *closer = user_data;
  g_autoptr (GError) error = NULL;

  g_assert_false (asb_activity_gate_close_finish (ASB_ACTIVITY_GATE (source), result, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_atomic_int_dec_and_test (&closer->n_pending);
}

static gpointer
close_often (gpointer data)
{
  Closer *closer = data;

  for (int i = 0; i < N_CLOSINGS; i++)
    asb_activity_gate_close_async (closer->gate, LONG_TIME, closer->cancellable,
                                   closer_cancelled_cb, closer);
  return NULL;
}

/* In a thread whose callbacks come elsewhere, while it is still at it. */
static void
test_cancelled_elsewhere (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Closer closer = { fixture->gate, cancellable, N_CLOSINGS };
  GThread *thread;

  enter (fixture);
  g_cancellable_cancel (cancellable);
  thread = g_thread_new ("closer", close_often, &closer);
  while (g_atomic_int_get (&closer.n_pending) > 0)
    g_main_context_iteration (NULL, TRUE);
  g_thread_join (thread);
  asb_activity_gate_leave (fixture->gate);
}

static void
test_seal (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A sealed gate is closed for good");

  g_assert_false (asb_activity_gate_is_sealed (fixture->gate));
  start_closing (fixture, 0, LONG_TIME, NULL);
  g_assert_true (finish_closing (fixture, 0, NULL));
  asb_activity_gate_seal (fixture->gate);
  g_assert_true (asb_activity_gate_is_sealed (fixture->gate));
  check_refused (fixture, ASB_ERROR_CLOSED);
  asb_activity_gate_reopen (fixture->gate);
  check_refused (fixture, ASB_ERROR_CLOSED);
  start_closing (fixture, 1, LONG_TIME, NULL);
  g_assert_true (finish_closing (fixture, 1, NULL));
}

static void
test_two_closers (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Two who want to close get the gate one after the other");

  enter (fixture);
  start_closing (fixture, 0, LONG_TIME, NULL);
  start_closing (fixture, 1, LONG_TIME, NULL);
  asb_activity_gate_leave (fixture->gate);
  g_assert_true (finish_closing (fixture, 0, NULL));
  test_drain ();
  g_assert_cmpuint (fixture->answers[1].n_calls, ==, 0);

  /* The first one could not do it: now the other has its turn, and nobody comes in between. */
  asb_activity_gate_reopen (fixture->gate);
  check_refused (fixture, ASB_ERROR_SANDBOX_DELETING);
  g_assert_true (finish_closing (fixture, 1, NULL));
  asb_activity_gate_reopen (fixture->gate);
  enter (fixture);
  asb_activity_gate_leave (fixture->gate);
}

static void
test_closer_while_closed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("One who comes while another has the gate waits for it, as long as he may");

  start_closing (fixture, 0, LONG_TIME, NULL);
  g_assert_true (finish_closing (fixture, 0, NULL));
  start_closing (fixture, 1, LONG_TIME, NULL);
  start_closing (fixture, 2, 1, NULL);
  g_assert_false (finish_closing (fixture, 2, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_LOCK_ACQUISITION_TIMEOUT);
  check_refused (fixture, ASB_ERROR_SANDBOX_DELETING);
  g_assert_cmpuint (fixture->answers[1].n_calls, ==, 0);
  asb_activity_gate_seal (fixture->gate);
  g_assert_true (finish_closing (fixture, 1, NULL));
  g_assert_true (asb_activity_gate_is_sealed (fixture->gate));
}

static void
test_one_gives_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_test_summary ("When one of two gives up the other still waits, and nobody is let in");

  enter (fixture);
  start_closing (fixture, 0, LONG_TIME, cancellable);
  start_closing (fixture, 1, LONG_TIME, NULL);
  g_cancellable_cancel (cancellable);
  g_assert_false (finish_closing (fixture, 0, NULL));
  check_refused (fixture, ASB_ERROR_SANDBOX_DELETING);
  asb_activity_gate_leave (fixture->gate);
  g_assert_true (finish_closing (fixture, 1, NULL));
}

/* Threads. */

static gpointer
come_and_go (gpointer data)
{
  Fixture *fixture = data;

  for (guint i = 0; i < 2000; i++)
    if (asb_activity_gate_enter (fixture->gate, NULL))
      asb_activity_gate_leave (fixture->gate);
  return NULL;
}

static gpointer
close_and_reopen (gpointer data)
{
  Fixture *fixture = data;
  g_autoptr (GMainContext) context = g_main_context_new ();

  g_main_context_push_thread_default (context);
  for (guint i = 0; i < 200; i++)
    {
      g_auto (TestAnswer) answer = { 0 };
      g_autoptr (GError) error = NULL;

      asb_activity_gate_close_async (fixture->gate, LONG_TIME, NULL, test_answer_cb, &answer);
      while (!answer.result)
        g_main_context_iteration (context, TRUE);
      g_assert_true (asb_activity_gate_close_finish (fixture->gate, answer.result, &error));
      g_assert_true (answer.thread == g_thread_self ());
      asb_activity_gate_reopen (fixture->gate);
    }
  g_main_context_pop_thread_default (context);
  return NULL;
}

static gpointer
do_either (gpointer data)
{
  static int n_started;

  return g_atomic_int_add (&n_started, 1) % 2 ? close_and_reopen (data) : come_and_go (data);
}

static void
test_threads (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Those who enter and those who close from many threads all get through");

  test_run_threads (N_THREADS, do_either, fixture, FALSE);
  enter (fixture);
  asb_activity_gate_leave (fixture->gate);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/activity-gate/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("enter-and-leave", test_enter_and_leave);
  ADD ("close/waits", test_waits);
  ADD ("close/reopen", test_reopen);
  ADD ("close/timeout", test_timeout);
  ADD ("close/cancelled", test_cancelled);
  ADD ("close/cancelled-before", test_cancelled_before);
  ADD ("close/cancelled-elsewhere", test_cancelled_elsewhere);
  ADD ("close/seal", test_seal);
  ADD ("closers/two", test_two_closers);
  ADD ("closers/while-closed", test_closer_while_closed);
  ADD ("closers/one-gives-up", test_one_gives_up);
  ADD ("threads", test_threads);
  return g_test_run ();
}
