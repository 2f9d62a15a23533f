/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-store.h"

#include <string.h>

#include "asb-recorder-private.h"
#include "asb-sync-private.h"

typedef struct
{
  TestStore *store;
  AsbRecorder *recorder;
  GError *error;
} Fixture;

static void
make_recorder (Fixture *fixture, AsbHistoryConsistency consistency, const char *agent_name)
{
  g_clear_object (&fixture->recorder);
  fixture->recorder
      = asb_recorder_new (ASB_HISTORY_STORE (fixture->store), consistency, agent_name);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->store = test_store_new ();
  make_recorder (fixture, ASB_HISTORY_CONSISTENCY_STRICT_START, NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  TestCensus census;

  test_census_init (&census);
  test_census_add (&census, fixture->store);
  test_census_add (&census, fixture->recorder);
  g_clear_error (&fixture->error);
  g_clear_object (&fixture->recorder);
  g_clear_object (&fixture->store);
  test_census_wait (&census);
}

static AsbOperation *
new_operation (Fixture *fixture)
{
  return asb_recorder_new_operation (fixture->recorder, "file.read",
                                     g_variant_new_parsed ("{'path': <'/a'>}"), NULL,
                                     g_variant_new_parsed ("{'path': <'/a'>}"));
}

static gboolean
start (Fixture *fixture, AsbOperation *operation)
{
  g_auto (TestAnswer) answer = { 0 };

  asb_recorder_start_async (fixture->recorder, operation, test_answer_cb, &answer);
  return asb_recorder_start_finish (fixture->recorder, test_answer_wait (&answer), &fixture->error);
}

static gboolean
complete (Fixture *fixture, AsbOperation *operation, const AsbOutcome *outcome)
{
  g_auto (TestAnswer) answer = { 0 };

  asb_recorder_complete_async (fixture->recorder, operation, outcome, test_answer_cb, &answer);
  return asb_recorder_complete_finish (fixture->recorder, test_answer_wait (&answer),
                                       &fixture->error);
}

static void
test_envelope (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) operation = new_operation (fixture);
  const char *id = asb_operation_get_event_id (operation);
  g_autofree char *created = g_strconcat (id, ":created", NULL);
  g_autofree char *completed = g_strconcat (id, ":completed:failed", NULL);
  g_autofree char *summary = NULL;
  g_autoptr (GVariant) first = NULL;
  g_autoptr (GVariant) last = NULL;
  AsbOutcome outcome = { .status = "failed" };

  g_test_summary ("Batches, records and changes have the ids the reference gives them");

  outcome.result = g_variant_new_parsed ("{'error': <'It failed'>}");
  g_assert_true (start (fixture, operation));
  g_assert_true (complete (fixture, operation, &outcome));
  summary = test_store_summary (fixture->store);
  g_assert_cmpstr (summary, ==, ":started :failed");

  first = test_store_get_record (fixture->store, 0, 0);
  test_variant_check_string (first, "type", "operation_started");
  test_variant_check_string (first, "change_id", created);
  test_variant_check_string (first, "event/event_id", id);
  test_variant_check_string (first, "event/operation_type", "file.read");
  test_variant_check_string (first, "event/source", "sdk");
  test_variant_check_string (first, "event/request/path", "/a");
  test_variant_check_string (first, "event/file_operation/path", "/a");
  test_variant_check_absent (first, "event/command");

  last = test_store_get_record (fixture->store, 1, 0);
  test_variant_check_string (last, "type", "operation_completed");
  test_variant_check_string (last, "change_id", completed);
  test_variant_check_string (last, "event/event_id", id);
  test_variant_check_string (last, "event/status", "failed");
  test_variant_check_string (last, "event/result/error", "It failed");
}

static void
check_time (GVariant *record, const char *path)
{
  g_autoptr (GVariant) found = test_variant_find (record, path);
  const char *text = g_variant_get_string (found, NULL);
  g_autoptr (GDateTime) time = g_date_time_new_from_iso8601 (text, NULL);

  g_assert_nonnull (time);
  g_assert_true (g_str_has_suffix (text, "Z"));
  g_assert_cmpint (text[10], ==, 'T');
}

static void
test_times (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) operation = new_operation (fixture);
  g_autoptr (GVariant) first = NULL;
  g_autoptr (GVariant) last = NULL;
  g_autoptr (GVariant) duration = NULL;
  AsbOutcome outcome = { .status = "succeeded" };

  g_test_summary ("Times are UTC with microseconds, durations in milliseconds");

  g_assert_true (start (fixture, operation));
  g_assert_true (complete (fixture, operation, &outcome));
  first = test_store_get_record (fixture->store, 0, 0);
  last = test_store_get_record (fixture->store, 1, 0);
  check_time (first, "event/occurred_at");
  check_time (last, "event/completed_at");
  duration = test_variant_find (last, "event/duration_ms");
  g_assert_cmpint (g_variant_get_int64 (duration), >=, 0);
}

static void
import_at (Fixture *fixture, gint64 occurred_at)
{
  g_autoptr (AsbOperation) operation = new_operation (fixture);
  g_auto (TestAnswer) answer = { 0 };
  AsbOutcome outcome = { .status = "succeeded" };

  asb_recorder_import_async (fixture->recorder, operation, occurred_at, &outcome, NULL,
                             test_answer_cb, &answer);
  g_assert_true (
      asb_recorder_import_finish (fixture->recorder, test_answer_wait (&answer), &fixture->error));
}

static void
test_import (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GVariant) whole = NULL;
  g_autoptr (GVariant) fraction = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("What began before there was a store comes in one batch, with its time");

  import_at (fixture, G_GINT64_CONSTANT (1704164645000000));
  import_at (fixture, G_GINT64_CONSTANT (1704164645000042));
  whole = test_store_get_record (fixture->store, 0, 0);
  test_variant_check_string (whole, "event/occurred_at", "2024-01-02T03:04:05Z");
  end = test_store_get_record (fixture->store, 0, 1);
  test_variant_check_string (end, "event/status", "succeeded");
  fraction = test_store_get_record (fixture->store, 1, 0);
  test_variant_check_string (fraction, "event/occurred_at", "2024-01-02T03:04:05.000042Z");
}

static void
test_output (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) operation = new_operation (fixture);
  g_autofree char *change_id
      = g_strconcat (asb_operation_get_event_id (operation), ":output:0-1", NULL);
  g_autoptr (GVariant) output = NULL;
  g_autoptr (GVariant) empty = NULL;
  g_autoptr (GVariant) chunks = g_variant_ref_sink (
      g_variant_new_parsed ("[{'stream': <'stdout'>}, {'stream': <'stderr'>}]"));
  g_autoptr (GVariant) no_chunks = g_variant_ref_sink (g_variant_new_parsed ("@aa{sv} []"));
  AsbOutcome outcome = { .status = "succeeded", .output = chunks };

  g_test_summary ("Output comes before the end, and not at all when there is none");

  g_assert_true (complete (fixture, operation, &outcome));
  output = test_store_get_record (fixture->store, 0, 0);
  test_variant_check_string (output, "type", "command_output");
  test_variant_check_string (output, "change_id", change_id);
  outcome.output = no_chunks;
  g_assert_true (complete (fixture, operation, &outcome));
  empty = test_store_get_record (fixture->store, 1, 0);
  test_variant_check_string (empty, "type", "operation_completed");
}

static void
test_actor (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) one = new_operation (fixture);
  g_autoptr (AsbOperation) two = new_operation (fixture);
  g_autoptr (AsbOperation) of_agent = NULL;
  g_autoptr (AsbOperation) of_agent_too = NULL;

  g_test_summary ("A named agent is the actor, and ties its operations together");

  g_assert_cmpstr (asb_operation_get_actor_type (one), ==, "system");
  g_assert_null (asb_operation_get_actor_id (one));
  g_assert_cmpstr (asb_operation_get_correlation_id (one), !=,
                   asb_operation_get_correlation_id (two));
  g_assert_cmpstr (asb_operation_get_event_id (one), <, asb_operation_get_event_id (two));
  make_recorder (fixture, ASB_HISTORY_CONSISTENCY_STRICT_START, "me");
  of_agent = new_operation (fixture);
  of_agent_too = new_operation (fixture);
  g_assert_cmpstr (asb_operation_get_actor_type (of_agent), ==, "agent");
  g_assert_cmpstr (asb_operation_get_actor_id (of_agent), ==, "me");
  g_assert_cmpstr (asb_operation_get_correlation_id (of_agent), ==,
                   asb_operation_get_correlation_id (of_agent_too));
  g_assert_true (asb_operation_get_required (of_agent));
}

static void
test_strict (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) operation = new_operation (fixture);
  AsbOutcome outcome = { .status = "succeeded" };

  g_test_summary ("Under strict start an operation whose start is not recorded is refused");

  fixture->store->record_manner = TEST_STORE_FAILS;
  g_assert_false (start (fixture, operation));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_HISTORY_DATABASE);
  g_assert_cmpstr (fixture->error->message, ==,
                   "The operation was not done, since its start could not be recorded: "
                   "The disk is on fire");
  g_clear_error (&fixture->error);
  g_assert_false (complete (fixture, operation, &outcome));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_HISTORY_DATABASE);
}

static void
test_best_effort (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) operation = NULL;

  g_test_summary ("With best effort it is not, whatever the store does");

  make_recorder (fixture, ASB_HISTORY_CONSISTENCY_BEST_EFFORT, NULL);
  operation = new_operation (fixture);
  g_assert_false (asb_operation_get_required (operation));
  fixture->store->record_manner = TEST_STORE_FAILS;
  g_assert_true (start (fixture, operation));
  g_assert_no_error (fixture->error);
  fixture->store->record_manner = TEST_STORE_DROPS;
  g_assert_true (start (fixture, operation));
  g_assert_no_error (fixture->error);
}

/* The queue. */

static void
test_one_at_a_time (Fixture *fixture, gconstpointer data)
{
  AsbOperation *operations[5];
  TestAnswer answers[5] = { 0 };

  g_test_summary ("One batch at a time, in the order in which they were handed over");

  fixture->store->record_manner = TEST_STORE_HOLDS;
  for (guint i = 0; i < 5; i++)
    {
      operations[i] = new_operation (fixture);
      asb_recorder_start_async (fixture->recorder, operations[i], test_answer_cb, &answers[i]);
    }
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GVariant) record = NULL;

      test_drain ();
      g_assert_cmpuint (test_store_count (fixture->store), ==, i + 1);
      record = test_store_get_record (fixture->store, i, 0);
      test_variant_check_string (record, "event/event_id",
                                 asb_operation_get_event_id (operations[i]));
      g_assert_cmpuint (answers[i].n_calls, ==, 0);
      g_assert_cmpuint (test_store_release (fixture->store), ==, 1);
      test_answer_wait (&answers[i]);
      test_answer_clear (&answers[i]);
      g_object_unref (operations[i]);
    }
  g_assert_cmpuint (fixture->store->max_recording, ==, 1);
}

static void
test_failure_in_between (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) one = new_operation (fixture);
  g_autoptr (AsbOperation) two = new_operation (fixture);
  g_auto (TestAnswer) first = { 0 };
  g_auto (TestAnswer) second = { 0 };

  g_test_summary ("A batch that fails or gets no answer does not hold up the next");

  fixture->store->record_manner = TEST_STORE_HOLDS;
  asb_recorder_start_async (fixture->recorder, one, test_answer_cb, &first);
  asb_recorder_start_async (fixture->recorder, two, test_answer_cb, &second);
  g_assert_cmpuint (test_store_forget (fixture->store), ==, 1);
  g_assert_false (asb_recorder_start_finish (fixture->recorder, test_answer_wait (&first), NULL));
  test_drain ();
  g_assert_cmpuint (test_store_release (fixture->store), ==, 1);
  g_assert_true (asb_recorder_start_finish (fixture->recorder, test_answer_wait (&second), NULL));
}

static void
assert_event (Fixture *fixture, guint batch, AsbOperation *operation)
{
  g_autoptr (GVariant) record = test_store_get_record (fixture->store, batch, 0);

  test_variant_check_string (record, "event/event_id", asb_operation_get_event_id (operation));
}

static void
test_kept_in_order (Fixture *fixture, gconstpointer data)
{
  AsbOperation *operations[4];
  TestAnswer answers[4] = { 0 };

  g_test_summary ("What could not be written before a pause became known keeps its order");

  fixture->store->record_manner = TEST_STORE_FAILS;
  fixture->store->fail_code = ASB_ERROR_SANDBOX_STATE;
  for (guint i = 0; i < 4; i++)
    {
      if (i == 3)
        asb_recorder_set_suspended (fixture->recorder, TRUE);
      operations[i] = new_operation (fixture);
      asb_recorder_start_async (fixture->recorder, operations[i], test_answer_cb, &answers[i]);
    }
  for (guint i = 0; i < 4; i++)
    g_assert_true (
        asb_recorder_start_finish (fixture->recorder, test_answer_wait (&answers[i]), NULL));
  fixture->store->record_manner = TEST_STORE_ANSWERS;
  asb_recorder_set_suspended (fixture->recorder, FALSE);
  test_drain ();
  g_assert_cmpuint (test_store_count (fixture->store), ==, 7);
  for (guint i = 0; i < 4; i++)
    {
      assert_event (fixture, 3 + i, operations[i]);
      g_object_unref (operations[i]);
      test_answer_clear (&answers[i]);
    }
}

static void
record_blocking (AsbRecorder *recorder)
{
  g_autoptr (AsbOperation) operation
      = asb_recorder_new_operation (recorder, "file.read", NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;
  AsbOutcome outcome = { .status = "succeeded" };

  {
    g_auto (AsbSync) sync = { 0 };

    asb_sync_begin (&sync);
    asb_recorder_start_async (recorder, operation, asb_sync_ready_cb, &sync);
    g_assert_true (asb_recorder_start_finish (recorder, asb_sync_wait (&sync), &error));
  }
  {
    g_auto (AsbSync) sync = { 0 };

    asb_sync_begin (&sync);
    asb_recorder_complete_async (recorder, operation, &outcome, asb_sync_ready_cb, &sync);
    g_assert_true (asb_recorder_complete_finish (recorder, asb_sync_wait (&sync), &error));
  }
  g_assert_no_error (error);
}

static gpointer
record_many (gpointer data)
{
  for (guint i = 0; i < 25; i++)
    record_blocking (data);
  return NULL;
}

static void
test_threads (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GHashTable) started = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  g_test_summary ("From several threads still one at a time, each start before its end");

  fixture->store->record_manner = data ? TEST_STORE_ANSWERS_FROM_THREAD : TEST_STORE_ANSWERS;
  test_run_threads (4, record_many, fixture->recorder, data != NULL);
  g_assert_cmpuint (test_store_count (fixture->store), ==, 4 * 25 * 2);
  g_assert_cmpuint (fixture->store->max_recording, ==, 1);
  for (guint i = 0; i < test_store_count (fixture->store); i++)
    {
      g_autoptr (GVariant) record = test_store_get_record (fixture->store, i, 0);
      g_autoptr (GVariant) id = test_variant_find (record, "event/event_id");
      g_autoptr (GVariant) status = test_variant_find (record, "event/status");

      if (status)
        g_assert_true (g_hash_table_remove (started, g_variant_get_string (id, NULL)));
      else
        g_assert_true (g_hash_table_add (started, g_variant_dup_string (id, NULL)));
    }
  g_assert_cmpuint (g_hash_table_size (started), ==, 0);
}

static void
test_contexts (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) operation = new_operation (fixture);
  g_auto (TestAnswer) answer = { 0 };
  g_auto (TestAnswer) second = { 0 };
  GThread *thread;

  g_test_summary ("A batch that waited is written in the thread of the call it belongs to");

  fixture->store->record_manner = TEST_STORE_HOLDS;
  asb_recorder_start_async (fixture->recorder, operation, test_answer_cb, &answer);
  fixture->store->record_manner = TEST_STORE_ANSWERS;
  thread = g_thread_new ("record", record_many, fixture->recorder);
  /* That thread waits for us here, whether it is there already or not. */
  test_drain ();
  g_assert_cmpuint (test_store_count (fixture->store), ==, 1);
  test_store_release (fixture->store);
  test_answer_wait (&answer);
  g_thread_join (thread);
  g_assert_true (fixture->store->threads->pdata[0] == g_thread_self ());
  for (guint i = 1; i < fixture->store->threads->len; i++)
    g_assert_true (fixture->store->threads->pdata[i] != g_thread_self ());
}

static void
test_blocking_over_pending (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) operation = new_operation (fixture);
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("A blocking call does not wait for what it itself holds up");

  asb_recorder_start_async (fixture->recorder, operation, test_answer_cb, &answer);
  g_assert_cmpuint (answer.n_calls, ==, 0);
  record_blocking (fixture->recorder);
  g_assert_cmpuint (answer.n_calls, ==, 0);
  g_assert_cmpuint (test_store_count (fixture->store), ==, 3);
  g_assert_true (asb_recorder_start_finish (fixture->recorder, test_answer_wait (&answer), NULL));
}

static gboolean
block_in_callback_cb (gpointer data)
{
  record_blocking (data);
  return G_SOURCE_REMOVE;
}

static void
test_blocking_in_callback (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) operation = new_operation (fixture);
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("The same from a callback of the main loop that the other call needs");

  fixture->store->record_manner = TEST_STORE_ANSWERS_FROM_THREAD;
  asb_recorder_start_async (fixture->recorder, operation, test_answer_cb, &answer);
  g_idle_add_full (G_PRIORITY_HIGH, block_in_callback_cb, fixture->recorder, NULL);
  test_answer_wait (&answer);
  test_drain ();
  g_assert_cmpuint (test_store_count (fixture->store), ==, 3);
}

static void
test_left_behind (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) operation = new_operation (fixture);
  g_autoptr (AsbOperation) other = new_operation (fixture);
  g_auto (TestAnswer) answer = { 0 };
  AsbOutcome outcome = { .status = "succeeded" };
  g_auto (AsbSync) sync = { 0 };

  g_test_summary ("What a blocking call leaves behind is written all the same, and holds up none");

  fixture->store->record_manner = TEST_STORE_HOLDS;
  asb_sync_begin (&sync);
  asb_recorder_complete_async (fixture->recorder, operation, &outcome, NULL, NULL);
  asb_recorder_complete_async (fixture->recorder, operation, &outcome, NULL, NULL);
  asb_sync_end (&sync);
  asb_recorder_start_async (fixture->recorder, other, test_answer_cb, &answer);
  fixture->store->record_manner = TEST_STORE_ANSWERS;
  g_assert_cmpuint (test_store_release (fixture->store), ==, 1);
  g_assert_true (asb_recorder_start_finish (fixture->recorder, test_answer_wait (&answer), NULL));
  g_assert_cmpuint (test_store_count (fixture->store), ==, 3);
}

/* Errors. */

static void
test_status (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    int code;
    const char *status;
  } cases[] = {
    { ASB_ERROR_TIMED_OUT, "timeout" },
    { ASB_ERROR_INTERRUPTED, "unknown" },
    { ASB_ERROR_PROVIDER, "failed" },
    { ASB_ERROR_FILE_NOT_FOUND, "failed" },
  };
  g_autoptr (GError) cancelled
      = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "Cancelled");
  g_autoptr (GError) foreign = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "Slow");

  g_test_summary ("How an operation ended, in a word");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = g_error_new_literal (ASB_ERROR, cases[i].code, "It failed");

      g_assert_cmpstr (asb_recorder_status_of_error (error), ==, cases[i].status);
    }
  g_assert_cmpstr (asb_recorder_status_of_error (cancelled), ==, "cancelled");
  g_assert_cmpstr (asb_recorder_status_of_error (foreign), ==, "failed");
  g_assert_null (asb_recorder_describe_error (cancelled));
}

static void
test_describe_error (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbErrorInfo) info = g_object_new (
      ASB_TYPE_ERROR_INFO, "provider-name", "mock", "provider-key", "key", "sandbox-id", "sb",
      "sandbox-instance-id", "instance", "provider-error-code", "E7", "provider-request-id", "R8",
      "retryable", TRUE, "details", g_variant_new_parsed ("{'status_code': <503>}"), NULL);
  g_autoptr (GError) error = asb_error_new_with_info (ASB_ERROR_PROVIDER, "It failed", info);
  g_autoptr (GError) plain = g_error_new_literal (ASB_ERROR, ASB_ERROR_IO, "It failed");
  g_autoptr (GVariant) described = g_variant_ref_sink (asb_recorder_describe_error (error));
  g_autoptr (GVariant) bare = g_variant_ref_sink (asb_recorder_describe_error (plain));
  g_autoptr (GVariant) status_code = NULL;

  g_test_summary ("An error is recorded with all that is known of it");

  test_variant_check_string (described, "error", "It failed");
  test_variant_check_string (described, "error_type", "provider_error");
  test_variant_check_string (described, "provider_name", "mock");
  test_variant_check_string (described, "provider_key", "key");
  test_variant_check_string (described, "sandbox_id", "sb");
  test_variant_check_string (described, "sandbox_instance_id", "instance");
  test_variant_check_string (described, "provider_error_code", "E7");
  test_variant_check_string (described, "provider_request_id", "R8");
  test_variant_check_boolean (described, "retryable", TRUE);
  status_code = test_variant_find (described, "details/status_code");
  g_assert_cmpint (g_variant_get_int32 (status_code), ==, 503);
  test_variant_check_string (bare, "error_type", "io_error");
  test_variant_check_absent (bare, "retryable");
}

static void
test_empty_request (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) operation
      = asb_recorder_new_operation (fixture->recorder, "sandbox.get", NULL, NULL, NULL);
  g_autoptr (GVariant) record = NULL;
  g_autoptr (GVariant) request = NULL;

  g_test_summary ("An operation without arguments has an empty request");

  g_assert_true (start (fixture, operation));
  record = test_store_get_record (fixture->store, 0, 0);
  request = test_variant_find (record, "event/request");
  g_assert_nonnull (request);
  g_assert_cmpuint (g_variant_n_children (request), ==, 0);
}

#define ADD(path, data, function)                                                                  \
  g_test_add ("/recorder/" path, Fixture, data, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("batch/envelope", NULL, test_envelope);
  ADD ("batch/times", NULL, test_times);
  ADD ("batch/import", NULL, test_import);
  ADD ("batch/output", NULL, test_output);
  ADD ("batch/actor", NULL, test_actor);
  ADD ("batch/empty-request", NULL, test_empty_request);
  ADD ("strict", NULL, test_strict);
  ADD ("best-effort", NULL, test_best_effort);
  ADD ("queue/one-at-a-time", NULL, test_one_at_a_time);
  ADD ("queue/failure", NULL, test_failure_in_between);
  ADD ("queue/kept-in-order", NULL, test_kept_in_order);
  ADD ("queue/threads", NULL, test_threads);
  ADD ("queue/answers-from-threads", GINT_TO_POINTER (TRUE), test_threads);
  ADD ("queue/contexts", NULL, test_contexts);
  ADD ("queue/blocking", NULL, test_blocking_over_pending);
  ADD ("queue/blocking-in-callback", NULL, test_blocking_in_callback);
  ADD ("queue/left-behind", NULL, test_left_behind);
  ADD ("error/status", NULL, test_status);
  ADD ("error/describe", NULL, test_describe_error);
  return g_test_run ();
}
