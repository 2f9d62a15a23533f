/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include "asb-call-private.h"
#include "asb-error-private.h"
#include "asb-io-thread-private.h"
#include "asb-sync-private.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* The operation of these tests; its answers are of type AsbErrorInfo, for want of a simpler one. */
#define OPERATION "do the test"

typedef struct
{
  GObject *source;
  GTask *task; /* what the implementation got */
  TestAnswer answer;
} Fixture;

static guint n_discarded;

static void
count_discarded (gpointer source, const GValue *result)
{
  g_assert_true (G_IS_OBJECT (source));
  g_assert_true (ASB_IS_ERROR_INFO (g_value_get_object (result)));
  n_discarded++;
}

static const AsbCallKind kind = { OPERATION, 600, count_discarded };
static const AsbCallKind patient_kind = { OPERATION, 0, NULL };

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->source = g_object_new (ASB_TYPE_ERROR_INFO, NULL);
  n_discarded = 0;
}

/* Whatever a test did, in the end nothing holds the source. */
static void
tear_down (Fixture *fixture, gconstpointer data)
{
  TestCensus census;

  asb_call_set_limit (OPERATION, -1);
  asb_call_set_limit (NULL, -1);
  test_census_init (&census);
  test_census_add (&census, fixture->source);
  g_clear_object (&fixture->task);
  test_answer_clear (&fixture->answer);
  g_clear_object (&fixture->source);
  test_census_end (&census);
}

static void
begin (Fixture *fixture, const AsbCallKind *of_kind, GType type, GCancellable *cancellable)
{
  fixture->task = asb_call_begin (fixture->source, of_kind, type, cancellable, test_answer_cb,
                                  &fixture->answer, begin);
}

static gpointer
finish (Fixture *fixture, GError **error)
{
  return asb_call_finish_pointer (fixture->source, test_answer_wait (&fixture->answer), error);
}

static void
test_answered_at_once (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autoptr (AsbErrorInfo) result = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("The callback runs after the call has returned, once, with the answer");

  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, NULL);
  asb_task_return_object (fixture->task, g_object_ref (info));
  g_assert_cmpuint (fixture->answer.n_calls, ==, 0);
  result = finish (fixture, &error);
  g_assert_no_error (error);
  g_assert_true (result == info);
  test_drain ();
  g_assert_cmpuint (fixture->answer.n_calls, ==, 1);
}

static void
test_boolean (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  gboolean wanted = GPOINTER_TO_INT (data);

  g_test_summary ("A boolean is passed on as it is, FALSE included");

  begin (fixture, &kind, G_TYPE_BOOLEAN, NULL);
  g_task_return_boolean (fixture->task, wanted);
  g_assert_cmpint (
      asb_call_finish_boolean (fixture->source, test_answer_wait (&fixture->answer), &error), ==,
      wanted);
  g_assert_no_error (error);
}

/* Finishes a call that must fail. */
static void
check_failure (Fixture *fixture, int code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (
      asb_call_finish_boolean (fixture->source, test_answer_wait (&fixture->answer), &error));
  g_assert_error (error, ASB_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_deed (Fixture *fixture, gconstpointer data)
{
  static const AsbCallKind deed = { OPERATION, 600, .is_deed = TRUE };

  g_test_summary ("Who did not do what was to be done, and says not why, has failed");

  begin (fixture, &deed, G_TYPE_BOOLEAN, NULL);
  g_task_return_boolean (fixture->task, FALSE);
  check_failure (fixture, ASB_ERROR_PROTOCOL,
                 "Could not do the test: the answer is no, without a reason");
}

static void
test_not_as_a_boolean (Fixture *fixture, gconstpointer data)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_test_summary ("A boolean in a value is not taken for a yes, which it would look like");

  g_value_init (&value, G_TYPE_BOOLEAN);
  begin (fixture, &kind, G_TYPE_BOOLEAN, NULL);
  g_task_return_value (fixture->task, &value);
  check_failure (fixture, ASB_ERROR_PROTOCOL,
                 "Could not do the test: the answer was not given as a boolean");
}

static void
test_message_of_bytes (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A message that is no UTF-8 becomes one that scripts can read");

  begin (fixture, &kind, G_TYPE_BOOLEAN, NULL);
  g_task_return_new_error (fixture->task, ASB_ERROR, ASB_ERROR_PROVIDER, "No “a\377b”");
  check_failure (fixture, ASB_ERROR_PROVIDER, "No “a\357\277\275b”");
}

static const char *
refuse (const GValue *result)
{
  return ASB_IS_ERROR_INFO (g_value_get_object (result)) ? "is of no use" : NULL;
}

static void
test_of_no_use (Fixture *fixture, gconstpointer data)
{
  static const AsbCallKind checked = { OPERATION, 600, count_discarded, .check = refuse };
  g_autoptr (GError) error = NULL;

  g_test_summary ("An answer that is of no use is an error, and undone");

  begin (fixture, &checked, ASB_TYPE_ERROR_INFO, NULL);
  asb_task_return_object (fixture->task, asb_error_info_new ());
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_assert_cmpstr (error->message, ==, "Could not do the test: the answer is of no use");
  g_assert_cmpuint (n_discarded, ==, 1);
}

static void
test_boxed_and_variant (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("abc", 3);
  g_autoptr (GBytes) got_bytes = NULL;
  g_autoptr (GVariant) variant = NULL;

  g_test_summary ("Boxed values and variants come through as well");

  begin (fixture, &kind, G_TYPE_BYTES, NULL);
  asb_task_return_bytes (fixture->task, g_bytes_ref (bytes));
  got_bytes = finish (fixture, NULL);
  g_assert_true (got_bytes == bytes);
  g_clear_object (&fixture->task);
  test_answer_clear (&fixture->answer);

  begin (fixture, &kind, G_TYPE_VARIANT, NULL);
  asb_task_return_variant (fixture->task, g_variant_new_string ("abc"));
  variant = finish (fixture, NULL);
  g_assert_cmpstr (g_variant_get_string (variant, NULL), ==, "abc");
}

static void
test_error (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("An error is passed on with its details, which become the last ones");

  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, NULL);
  g_task_return_error (fixture->task,
                       asb_error_new_with_info (ASB_ERROR_PROVIDER, "It failed", info));
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_cmpstr (error->message, ==, "It failed");
  g_assert_true (asb_error_get_info (error) == info);
  g_assert_true (asb_error_info_get_last () == info);
  asb_error_info_set_last (NULL);
}

static void
test_unsupported (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("A function that is not there fails as unsupported, and is named");

  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, NULL);
  asb_call_unsupported (g_steal_pointer (&fixture->task), "fly");
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_assert_nonnull (g_strstr_len (error->message, -1, "“fly”"));
  g_assert_nonnull (g_strstr_len (error->message, -1, "AsbErrorInfo"));
}

/* Answers of the wrong kind. */

static void
return_empty (GTask *task, GType type)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, type);
  g_task_return_value (task, &value);
}

static void
test_empty (Fixture *fixture, gconstpointer data)
{
  const GType types[] = { ASB_TYPE_ERROR_INFO, G_TYPE_BYTES, G_TYPE_VARIANT, G_TYPE_LIST_MODEL };

  g_test_summary ("Nothing where something is due is an error, never a success with NULL");

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (GError) error = NULL;

      begin (fixture, &kind, types[i], NULL);
      return_empty (fixture->task, types[i]);
      g_assert_null (finish (fixture, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
      g_assert_cmpstr (error->message, ==, "Could not do the test: the answer is empty");
      g_clear_object (&fixture->task);
      test_answer_clear (&fixture->answer);
    }
}

static void
test_wrong_type (Fixture *fixture, gconstpointer data)
{
  const GType types[] = { G_TYPE_BYTES, G_TYPE_VARIANT, G_TYPE_LIST_MODEL, G_TYPE_CANCELLABLE };

  g_test_summary ("An answer of another type is an error that names both");

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (GError) error = NULL;

      begin (fixture, &kind, types[i], NULL);
      asb_task_return_object (fixture->task, asb_error_info_new ());
      g_assert_null (finish (fixture, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
      g_assert_nonnull (g_strstr_len (error->message, -1, g_type_name (types[i])));
      g_assert_nonnull (g_strstr_len (error->message, -1, "AsbErrorInfo"));
      g_clear_object (&fixture->task);
      test_answer_clear (&fixture->answer);
    }
}

static void
test_subtype (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("An object of a type below the wanted one, or that implements it, is right");

  begin (fixture, &kind, G_TYPE_LIST_MODEL, NULL);
  asb_task_return_object (fixture->task, g_list_store_new (ASB_TYPE_ERROR_INFO));
  list = finish (fixture, &error);
  g_assert_no_error (error);
  g_assert_true (G_IS_LIST_STORE (list));
}

static void
test_not_as_a_value (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("A pointer, which bindings cannot return, is no answer");

  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, NULL);
  g_task_return_pointer (fixture->task, asb_error_info_new (), g_object_unref);
  g_test_expect_message ("GLib-GIO", G_LOG_LEVEL_CRITICAL, "*g_task_propagate_value*");
  g_assert_null (finish (fixture, &error));
  g_test_assert_expected_messages ();
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

/* Tasks that are let go. */

static void
check_dropped (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (finish (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERNAL);
  g_assert_cmpstr (error->message, ==,
                   "Could not do the test: its task was dropped without an answer");
}

static void
test_dropped_at_once (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A task that is dropped is answered at once, whatever the limit is");

  begin (fixture, data ? &patient_kind : &kind, ASB_TYPE_ERROR_INFO, NULL);
  g_clear_object (&fixture->task);
  g_assert_cmpuint (fixture->answer.n_calls, ==, 0);
  check_dropped (fixture);
}

static gpointer
drop_in_thread (gpointer data)
{
  g_object_unref (data);
  return NULL;
}

static void
test_dropped_elsewhere (Fixture *fixture, gconstpointer data)
{
  GThread *thread;

  g_test_summary ("The same when another thread drops it, while the caller waits");

  begin (fixture, &patient_kind, ASB_TYPE_ERROR_INFO, NULL);
  thread = g_thread_new ("drop", drop_in_thread, g_steal_pointer (&fixture->task));
  check_dropped (fixture);
  g_assert_true (fixture->answer.thread == g_thread_self ());
  g_thread_join (thread);
}

static void
test_dropped_and_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("One that is cancelled and dropped ends at once, as cancelled");

  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, cancellable);
  g_cancellable_cancel (cancellable);
  g_clear_object (&fixture->task);
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Deadlines. */

static void
test_deadline (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("Without an answer the call ends at its limit, and its cancellable is cancelled");

  asb_call_set_limit (OPERATION, 1);
  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, NULL);
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_cmpstr (error->message, ==, "Could not do the test: no answer within 0.001 seconds");
  g_assert_true (g_cancellable_is_cancelled (g_task_get_cancellable (fixture->task)));
}

static void
test_late (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  AsbErrorInfo *info = asb_error_info_new ();

  g_test_summary ("What comes after that is undone and let go; the caller is not told again");

  asb_call_set_limit (OPERATION, 1);
  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, NULL);
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_cmpuint (n_discarded, ==, 0);

  g_object_add_weak_pointer (G_OBJECT (info), (gpointer *)&info);
  asb_task_return_object (fixture->task, info);
  test_drain ();
  g_clear_object (&fixture->task);
  g_assert_cmpuint (n_discarded, ==, 1);
  g_assert_null (info);
  g_assert_cmpuint (fixture->answer.n_calls, ==, 1);
}

static void
test_late_otherwise (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("A late error, or a late answer of another type, is let go");

  asb_call_set_limit (OPERATION, 1);
  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, NULL);
  g_assert_null (finish (fixture, &error));
  g_task_return_new_error (fixture->task, ASB_ERROR, ASB_ERROR_PROVIDER, "It failed");
  test_drain ();
  g_clear_object (&fixture->task);
  test_answer_clear (&fixture->answer);

  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, NULL);
  g_assert_null (finish (fixture, NULL));
  asb_task_return_object (fixture->task, g_cancellable_new ());
  test_drain ();
  g_clear_object (&fixture->task);
  test_answer_clear (&fixture->answer);

  begin (fixture, &kind, G_TYPE_BOOLEAN, NULL);
  g_assert_false (
      asb_call_finish_boolean (fixture->source, test_answer_wait (&fixture->answer), NULL));
  g_task_return_boolean (fixture->task, TRUE);
  test_drain ();
  g_assert_cmpuint (n_discarded, ==, 0);
}

static void
test_no_deadline (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbErrorInfo) info = NULL;

  g_test_summary ("An operation without a limit waits for its answer");

  begin (fixture, &patient_kind, ASB_TYPE_ERROR_INFO, NULL);
  test_drain ();
  g_assert_cmpuint (fixture->answer.n_calls, ==, 0);
  asb_task_return_object (fixture->task, asb_error_info_new ());
  info = finish (fixture, NULL);
  g_assert_nonnull (info);
}

/* Cancelling. */

static void
test_cancelled_before (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("A call that is cancelled before shows it to the implementation at once");

  g_cancellable_cancel (cancellable);
  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, cancellable);
  g_assert_true (g_cancellable_is_cancelled (g_task_get_cancellable (fixture->task)));
  g_assert_true (g_task_return_error_if_cancelled (fixture->task));
  g_assert_cmpuint (fixture->answer.n_calls, ==, 0);
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_cancelled_without_answer (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("An implementation that does not answer a cancellation is not waited for");

  asb_call_set_limit (NULL, 1);
  begin (fixture, &patient_kind, ASB_TYPE_ERROR_INFO, cancellable);
  g_cancellable_cancel (cancellable);
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_done_although_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AsbErrorInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What was done all the same is not called cancelled");

  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, cancellable);
  g_cancellable_cancel (cancellable);
  asb_task_return_object (fixture->task, asb_error_info_new ());
  info = finish (fixture, &error);
  g_assert_no_error (error);
  g_assert_nonnull (info);
  g_assert_cmpuint (n_discarded, ==, 0);
}

static void
answer_when_cancelled (GCancellable *cancellable, gpointer user_data)
{
  Fixture *fixture = user_data;

  g_task_return_new_error (fixture->task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Cancelled");
}

static gboolean
cancel_cb (gpointer user_data)
{
  g_cancellable_cancel (user_data);
  return G_SOURCE_REMOVE;
}

static void
test_answered_by_cancellation (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("An implementation may answer from the very signal of the cancellation");

  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, cancellable);
  g_cancellable_connect (g_task_get_cancellable (fixture->task), G_CALLBACK (answer_when_cancelled),
                         fixture, NULL);
  /* From the main loop, where a task may call its callback before it returns. */
  g_idle_add (cancel_cb, cancellable);
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static gpointer
cancel_and_look (gpointer data)
{
  Fixture *fixture = data;

  g_cancellable_cancel (g_object_get_data (fixture->source, "cancellable"));
  return GINT_TO_POINTER (g_cancellable_is_cancelled (g_task_get_cancellable (fixture->task)));
}

static void
test_cancelled_elsewhere (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GThread *thread;

  g_test_summary ("A blocking implementation sees a cancellation without any main loop");

  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, cancellable);
  g_object_set_data (fixture->source, "cancellable", cancellable);
  thread = g_thread_new ("cancel", cancel_and_look, fixture);
  g_assert_true (GPOINTER_TO_INT (g_thread_join (thread)));
  g_task_return_error_if_cancelled (fixture->task);
  g_assert_null (finish (fixture, NULL));
}

static gpointer
cancel_in_thread (gpointer data)
{
  g_cancellable_cancel (data);
  return NULL;
}

static void
heard_cb (GCancellable *cancellable, gpointer user_data)
{
  test_event_happen (user_data);
}

static void
stay_cb (GCancellable *cancellable, gpointer user_data)
{
  test_event_wait (user_data, 1);
}

/* One call that is over while the other thread is in the middle of cancelling it. */
static void
end_while_cancelling (Fixture *fixture)
{
  GCancellable *cancellable = g_cancellable_new ();
  TestEvent heard;
  TestEvent over;
  AsbSync sync;
  GThread *thread;

  test_event_init (&heard);
  test_event_init (&over);
  asb_sync_begin (&sync);
  fixture->task = asb_call_begin (fixture->source, &kind, ASB_TYPE_ERROR_INFO, cancellable,
                                  asb_sync_ready_cb, &sync, NULL);
  g_cancellable_connect (g_task_get_cancellable (fixture->task), G_CALLBACK (heard_cb), &heard,
                         NULL);
  g_cancellable_connect (cancellable, G_CALLBACK (stay_cb), &over, NULL);
  thread = g_thread_new ("cancel", cancel_in_thread, cancellable);
  test_event_wait (&heard, 1);
  g_assert_true (g_task_return_error_if_cancelled (fixture->task));
  g_assert_null (asb_call_finish_pointer (fixture->source, asb_sync_wait (&sync), NULL));
  g_clear_object (&fixture->task);
  asb_sync_end (&sync);
  test_event_happen (&over);
  g_thread_join (thread);
  g_assert_finalize_object (cancellable);
  test_event_clear (&heard);
  test_event_clear (&over);
}

static void
test_over_before_cancelled (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Calls that are over while another thread still cancels them leave nothing "
                  "behind, as the checkers of memory would tell");

  for (guint i = 0; i < 1000; i++)
    end_while_cancelling (fixture);
}

static void
test_cancelled_after (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AsbErrorInfo) info = NULL;

  g_test_summary ("Cancelling what is over does nothing, and leaves no trace at the cancellable");

  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, cancellable);
  asb_task_return_object (fixture->task, asb_error_info_new ());
  info = finish (fixture, NULL);
  g_assert_false (g_signal_has_handler_pending (
      cancellable, g_signal_lookup ("cancelled", G_TYPE_CANCELLABLE), 0, TRUE));
  g_cancellable_cancel (cancellable);
  g_assert_false (g_cancellable_is_cancelled (g_task_get_cancellable (fixture->task)));
}

/* Threads. */

static gpointer
answer_in_thread (gpointer data)
{
  g_autoptr (GTask) task = data;

  asb_task_return_object (task, asb_error_info_new ());
  return NULL;
}

static void
test_answered_elsewhere (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbErrorInfo) info = NULL;
  GThread *thread;

  g_test_summary ("An answer from another thread comes in the context of the call");

  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, NULL);
  thread = g_thread_new ("answer", answer_in_thread, g_steal_pointer (&fixture->task));
  info = finish (fixture, NULL);
  g_assert_nonnull (info);
  g_assert_true (fixture->answer.thread == g_thread_self ());
  g_thread_join (thread);
}

typedef struct
{
  GObject *source;
  GTask *task;
} Race;

static gpointer
answer_race (gpointer data)
{
  Race *race = data;

  asb_task_return_object (race->task, asb_error_info_new ());
  g_object_unref (race->task);
  return NULL;
}

static void
test_races (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Answers, deadlines and cancellations at the same time end each call once");

  asb_call_set_limit (OPERATION, 0);
  asb_call_set_limit (NULL, 0);
  for (guint i = 0; i < 500; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbErrorInfo) info = NULL;
      Race race = { fixture->source, NULL };
      GThread *thread;

      begin (fixture, &kind, ASB_TYPE_ERROR_INFO, cancellable);
      race.task = g_steal_pointer (&fixture->task);
      thread = g_thread_new ("race", answer_race, &race);
      if (i % 2)
        g_cancellable_cancel (cancellable);
      info = finish (fixture, &error);
      g_assert_true ((info != NULL) != (error != NULL));
      g_thread_join (thread);
      test_drain ();
      g_assert_cmpuint (fixture->answer.n_calls, ==, 1);
      g_assert_cmpuint (n_discarded, ==, info ? 0 : 1);
      n_discarded = 0;
      test_answer_clear (&fixture->answer);
    }
}

/* Whether the call fails at once. */
static gboolean
call_in_fork (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  begin (fixture, &patient_kind, ASB_TYPE_ERROR_INFO, NULL);
  return asb_call_is_cancelled (g_steal_pointer (&fixture->task)) && !finish (fixture, &error)
         && g_error_matches (error, ASB_ERROR, ASB_ERROR_CLOSED);
}

static void
test_forked (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  pid_t child;
  int ends[2];
  char answer = '?';

  g_test_summary ("A process that was forked, and has no such thread, is told so");

  g_assert_nonnull (asb_io_thread_get_context ());
  g_assert_cmpint (pipe (ends), ==, 0);
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      alarm (60);
      answer = call_in_fork (fixture) ? 'y' : 'n';
      g_assert_cmpint (write (ends[1], &answer, 1), ==, 1);
      /* Valgrind misses what only the thread held on to, and has its say in an exit status. */
      raise (SIGKILL);
    }
  close (ends[1]);
  g_assert_cmpint (read (ends[0], &answer, 1), ==, 1);
  g_assert_cmpint (answer, ==, 'y');
  close (ends[0]);
  g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
  /* Here everything is as before. */
  begin (fixture, &kind, ASB_TYPE_ERROR_INFO, NULL);
  asb_task_return_object (fixture->task, asb_error_info_new ());
  g_object_unref (finish (fixture, &error));
  g_assert_no_error (error);
}

#define ADD(path, data, function)                                                                  \
  g_test_add ("/call/" path, Fixture, data, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("answer/at-once", NULL, test_answered_at_once);
  ADD ("answer/true", GINT_TO_POINTER (TRUE), test_boolean);
  ADD ("answer/false", GINT_TO_POINTER (FALSE), test_boolean);
  ADD ("answer/deed", NULL, test_deed);
  ADD ("answer/not-as-a-boolean", NULL, test_not_as_a_boolean);
  ADD ("answer/message-of-bytes", NULL, test_message_of_bytes);
  ADD ("answer/of-no-use", NULL, test_of_no_use);
  ADD ("answer/boxed-and-variant", NULL, test_boxed_and_variant);
  ADD ("answer/error", NULL, test_error);
  ADD ("answer/unsupported", NULL, test_unsupported);
  ADD ("answer/empty", NULL, test_empty);
  ADD ("answer/wrong-type", NULL, test_wrong_type);
  ADD ("answer/subtype", NULL, test_subtype);
  ADD ("answer/not-as-a-value", NULL, test_not_as_a_value);
  ADD ("dropped/at-once", NULL, test_dropped_at_once);
  ADD ("dropped/without-limit", GINT_TO_POINTER (TRUE), test_dropped_at_once);
  ADD ("dropped/elsewhere", NULL, test_dropped_elsewhere);
  ADD ("dropped/and-cancelled", NULL, test_dropped_and_cancelled);
  ADD ("deadline/passes", NULL, test_deadline);
  ADD ("deadline/late", NULL, test_late);
  ADD ("deadline/late-otherwise", NULL, test_late_otherwise);
  ADD ("deadline/none", NULL, test_no_deadline);
  ADD ("cancelled/before", NULL, test_cancelled_before);
  ADD ("cancelled/without-answer", NULL, test_cancelled_without_answer);
  ADD ("cancelled/done", NULL, test_done_although_cancelled);
  ADD ("cancelled/answers", NULL, test_answered_by_cancellation);
  ADD ("cancelled/elsewhere", NULL, test_cancelled_elsewhere);
  ADD ("cancelled/over-before", NULL, test_over_before_cancelled);
  ADD ("cancelled/after", NULL, test_cancelled_after);
  ADD ("threads/answer", NULL, test_answered_elsewhere);
  ADD ("threads/forked", NULL, test_forked);
  ADD ("threads/races", NULL, test_races);
  return g_test_run ();
}
