/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include <string.h>

/* The record in memory as the core sees it. */

typedef struct
{
  AsbHistoryStore *store;
  AsbHistoryConfig *config;
  GError *error;
} Fixture;

static void
open_store (Fixture *fixture)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autoptr (AsbBackend) backend = test_backend_new (mock, NULL);

  g_assert_true (asb_history_store_open (fixture->store, asb_backend_get_transport (backend),
                                         asb_backend_get_ref (backend), fixture->config, NULL,
                                         &fixture->error));
  g_assert_no_error (fixture->error);
}

/* @data: options, as text. */
static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->store = test_memory_store_new (data);
  fixture->config = asb_history_config_new ();
  open_store (fixture);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  TestCensus census;

  test_census_init (&census);
  test_census_add (&census, fixture->store);
  g_clear_error (&fixture->error);
  g_clear_object (&fixture->store);
  g_clear_object (&fixture->config);
  test_census_end (&census);
}

/* @records: the text of an aa{sv}. */
static gboolean
record (Fixture *fixture, const char *records)
{
  g_autofree char *text = g_strdup_printf (
      "{'batch_id': <'b'>, 'schema_version': <int64 1>, 'records': <%s>}", records);
  g_autoptr (GVariant) batch = g_variant_parse (NULL, text, NULL, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  return asb_history_store_record (fixture->store, batch, NULL, &fixture->error);
}

static void
check_recorded (Fixture *fixture, const char *records)
{
  g_assert_true (record (fixture, records));
  g_assert_no_error (fixture->error);
}

static void
check_refused (Fixture *fixture, const char *records)
{
  g_test_message ("%s", records);
  g_assert_false (record (fixture, records));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&fixture->error);
}

static char *
started (const char *id)
{
  return g_strdup_printf ("[{'type': <'operation_started'>, 'change_id': <'%s:created'>,"
                          " 'event': <{'event_id': <'%s'>, 'operation_type': <'file.read'>,"
                          " 'occurred_at': <'2024-01-02T03:04:05.000006Z'>,"
                          " 'actor': <{'actor_type': <'agent'>, 'actor_id': <'me'>}>,"
                          " 'request': <{'path': <'/a'>}>,"
                          " 'file_operation': <{'path': <'/a'>, 'change_type': <'read'>}>}>}]",
                          id, id);
}

static char *
completed (const char *id, const char *status, const char *completed_at)
{
  return g_strdup_printf ("[{'type': <'operation_completed'>, 'change_id': <'%s:completed:%s'>,"
                          " 'event': <{'event_id': <'%s'>, 'status': <'%s'>,"
                          " 'completed_at': <'%s'>, 'duration_ms': <int64 42>,"
                          " 'result': <{'size': <int64 5>}>,"
                          " 'file_operation': <{'after_size': <int64 5>}>}>}]",
                          id, status, id, status, completed_at);
}

static char *
output (const char *id, const char *stream, int index, const char *text)
{
  g_autofree char *encoded = g_base64_encode ((const guint8 *)text, strlen (text));

  return g_strdup_printf ("[{'type': <'command_output'>, 'change_id': <'%s:output:%s:%d'>,"
                          " 'event_id': <'%s'>, 'chunks': <[{'stream': <'%s'>,"
                          " 'chunk_index': <int64 %d>, 'data_base64': <'%s'>}]>}]",
                          id, stream, index, id, stream, index, encoded);
}

static void
start (Fixture *fixture, const char *id)
{
  g_autofree char *text = started (id);

  check_recorded (fixture, text);
}

static void
complete (Fixture *fixture, const char *id)
{
  g_autofree char *text = completed (id, "succeeded", "2024-01-02T03:04:06Z");

  check_recorded (fixture, text);
}

static void
add_output (Fixture *fixture, const char *id, const char *stream, int index, const char *bytes)
{
  g_autofree char *text = output (id, stream, index, bytes);

  check_recorded (fixture, text);
}

static AsbHistoryPage *
query (Fixture *fixture, gint64 after_seq, guint limit, guint64 max_bytes)
{
  AsbHistoryPage *page = asb_history_store_query (fixture->store, after_seq, limit, max_bytes, NULL,
                                                  &fixture->error);

  g_assert_no_error (fixture->error);
  return page;
}

static guint
count_changes (Fixture *fixture)
{
  g_autoptr (AsbHistoryPage) page = query (fixture, 0, 10000, G_MAXUINT64);

  return g_list_model_get_n_items (asb_history_page_get_changes (page));
}

static AsbHistoryOperation *
find (Fixture *fixture, const char *id)
{
  const char *ids[] = { id, NULL };
  g_autoptr (GListModel) list
      = asb_history_store_get_operations (fixture->store, ids, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  return g_list_model_get_item (list, 0);
}

static gboolean
has (Fixture *fixture, const char *id)
{
  g_autoptr (AsbHistoryOperation) operation = find (fixture, id);

  return operation != NULL;
}

static char *
get_output (Fixture *fixture, const char *id, AsbOutputStream stream)
{
  g_autoptr (GInputStream) input
      = asb_history_store_get_output (fixture->store, id, stream, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  return test_read_text (input);
}

static void
check_output (Fixture *fixture, const char *id, AsbOutputStream stream, const char *expected)
{
  g_autofree char *text = get_output (fixture, id, stream);

  g_assert_cmpstr (text, ==, expected);
}

static AsbHistoryStatus *
get_status (Fixture *fixture)
{
  return asb_history_store_get_status (fixture->store, NULL, &fixture->error);
}

static void
test_record (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbHistoryOperation) running = NULL;
  g_autoptr (AsbHistoryOperation) ended = NULL;
  gint64 size = 0;

  g_test_summary ("An operation is there when it starts, and completed when it ends");

  start (fixture, "e1");
  running = find (fixture, "e1");
  g_assert_cmpint (asb_history_operation_get_status (running), ==, ASB_OPERATION_STATUS_STARTED);
  g_assert_cmpint (asb_history_operation_get_seq (running), ==, 1);
  g_assert_cmpstr (asb_history_operation_get_operation_type (running), ==, "file.read");
  g_assert_cmpstr (asb_history_operation_get_source (running), ==, "sdk");
  g_assert_cmpstr (asb_history_operation_get_actor_type (running), ==, "agent");
  g_assert_cmpstr (asb_history_operation_get_actor_id (running), ==, "me");
  g_assert_cmpstr (asb_history_operation_get_occurred_at (running), ==,
                   "2024-01-02T03:04:05.000006Z");
  g_assert_null (asb_history_operation_get_completed_at (running));
  g_assert_cmpint (asb_history_operation_get_duration_ms (running), ==, -1);
  g_assert_null (asb_history_operation_get_result (running));
  g_assert_null (asb_history_operation_get_command (running));

  complete (fixture, "e1");
  ended = find (fixture, "e1");
  g_assert_cmpint (asb_history_operation_get_status (ended), ==, ASB_OPERATION_STATUS_SUCCEEDED);
  g_assert_cmpint (asb_history_operation_get_duration_ms (ended), ==, 42);
  g_assert_true (g_variant_lookup (asb_history_operation_get_result (ended), "size", "x", &size));
  g_assert_cmpint (size, ==, 5);
  size = 0;
  g_assert_true (g_variant_lookup (asb_history_operation_get_file_operation (ended), "after_size",
                                   "x", &size));
  g_assert_cmpint (size, ==, 5);
  g_assert_true (g_variant_lookup (asb_history_operation_get_file_operation (ended), "change_type",
                                   "&s", NULL));
}

static void
test_once (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("What was stored before is accepted and changes nothing");

  start (fixture, "e1");
  add_output (fixture, "e1", "stdout", 0, "abc");
  complete (fixture, "e1");
  g_assert_cmpuint (count_changes (fixture), ==, 3);
  start (fixture, "e1");
  add_output (fixture, "e1", "stdout", 0, "xyz");
  complete (fixture, "e1");
  g_assert_cmpuint (count_changes (fixture), ==, 3);
  check_output (fixture, "e1", ASB_OUTPUT_STREAM_STDOUT, "abc");
}

static void
test_all_or_none (Fixture *fixture, gconstpointer data)
{
  g_autofree char *good = started ("e1");
  g_autofree char *bad = completed ("nobody", "succeeded", "2024-01-02T03:04:06Z");
  g_autofree char *both = g_strdup_printf ("%.*s, %s", (int)strlen (good) - 1, good, bad + 1);

  g_test_summary ("Of a batch with a bad record nothing is stored");

  check_refused (fixture, both);
  g_assert_false (has (fixture, "e1"));
  g_assert_cmpuint (count_changes (fixture), ==, 0);
}

static void
test_start_and_end_in_one (Fixture *fixture, gconstpointer data)
{
  g_autofree char *first = started ("e1");
  g_autofree char *last = completed ("e1", "failed", "2024-01-02T03:04:06Z");
  g_autofree char *both = g_strdup_printf ("%.*s, %s", (int)strlen (first) - 1, first, last + 1);
  g_autoptr (AsbHistoryOperation) operation = NULL;

  g_test_summary ("A batch may hold the start and the end of an operation");

  check_recorded (fixture, both);
  operation = find (fixture, "e1");
  g_assert_cmpint (asb_history_operation_get_status (operation), ==, ASB_OPERATION_STATUS_FAILED);
}

static const char *const bad_records[] = {
  "5",
  "'x'",
  "@aa{sv} []",
  "[1, 2]",
  "[{'type': <'operation_started'>}]",
  "[{'type': <'unheard_of'>, 'change_id': <'c'>}]",
  "[{'type': <5>, 'change_id': <'c'>}]",
  "[{'type': <'operation_started'>, 'change_id': <''>}]",
  "[{'type': <'operation_started'>, 'change_id': <'c'>}]",
  "[{'type': <'operation_started'>, 'change_id': <'c'>, 'event': <5>}]",
  "[{'type': <'operation_started'>, 'change_id': <'c'>, 'event': <{'event_id': <'e'>}>}]",
  "[{'type': <'operation_started'>, 'change_id': <'c'>, 'event': <{'event_id': <'e'>,"
  " 'operation_type': <'t'>}>}]",
  "[{'type': <'operation_completed'>, 'change_id': <'c'>, 'event': <{'event_id': <'nobody'>,"
  " 'status': <'succeeded'>, 'completed_at': <'t'>}>}]",
  "[{'type': <'operation_completed'>, 'change_id': <'c'>, 'event': <{'event_id': <'known'>,"
  " 'status': <'started'>, 'completed_at': <'t'>}>}]",
  "[{'type': <'command_output'>, 'change_id': <'c'>, 'event_id': <'known'>}]",
  "[{'type': <'command_output'>, 'change_id': <'c'>, 'event_id': <'known'>,"
  " 'chunks': <@aa{sv} []>}]",
  "[{'type': <'command_output'>, 'change_id': <'c'>, 'event_id': <'nobody'>, 'chunks': "
  "<[{'stream': <'stdout'>, 'chunk_index': <int64 0>, 'data_base64': <'YQ=='>}]>}]",
  "[{'type': <'command_output'>, 'change_id': <'c'>, 'event_id': <'known'>, 'chunks': "
  "<[{'stream': <'stdin'>, 'chunk_index': <int64 0>, 'data_base64': <'YQ=='>}]>}]",
  "[{'type': <'command_output'>, 'change_id': <'c'>, 'event_id': <'known'>, 'chunks': "
  "<[{'stream': <'stdout'>, 'chunk_index': <int64 -1>, 'data_base64': <'YQ=='>}]>}]",
  "[{'type': <'command_output'>, 'change_id': <'c'>, 'event_id': <'known'>, 'chunks': "
  "<[{'stream': <'stdout'>, 'chunk_index': <'0'>, 'data_base64': <'YQ=='>}]>}]",
  "[{'type': <'storage_state_changed'>, 'change_id': <'c'>, 'event_id': <'known'>}]",
};

static void
test_bad_records (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Records that make no sense are refused");

  start (fixture, "known");
  for (gsize i = 0; i < G_N_ELEMENTS (bad_records); i++)
    check_refused (fixture, bad_records[i]);
  g_assert_cmpuint (count_changes (fixture), ==, 1);
}

static void
test_conflicts (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("An operation has one type and one end");

  start (fixture, "e1");
  check_refused (fixture, "[{'type': <'operation_started'>, 'change_id': <'other'>, 'event': <{"
                          "'event_id': <'e1'>, 'operation_type': <'file.write'>,"
                          " 'occurred_at': <'t'>}>}]");
  complete (fixture, "e1");
  check_refused (fixture, "[{'type': <'operation_completed'>, 'change_id': <'other'>, 'event': <{"
                          "'event_id': <'e1'>, 'status': <'failed'>, 'completed_at': <'t'>}>}]");
}

static void
test_query (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbHistoryPage) first = NULL;
  g_autoptr (AsbHistoryPage) rest = NULL;
  g_autoptr (AsbHistoryPage) none = NULL;
  g_autoptr (AsbHistoryPage) small = NULL;
  g_autoptr (AsbHistoryChange) change = NULL;

  g_test_summary ("Changes come in order, by number, within the limits of count and size");

  start (fixture, "e1");
  start (fixture, "e2");
  complete (fixture, "e1");
  first = query (fixture, 0, 2, G_MAXUINT64);
  g_assert_cmpuint (g_list_model_get_n_items (asb_history_page_get_changes (first)), ==, 2);
  g_assert_cmpint (asb_history_page_get_next_seq (first), ==, 2);
  g_assert_cmpint (asb_history_page_get_min_available_seq (first), ==, 1);
  g_assert_cmpint (asb_history_page_get_max_seq (first), ==, 3);
  g_assert_false (asb_history_page_get_reset_required (first));

  /* A change tells how the operation stands now. */
  change = g_list_model_get_item (asb_history_page_get_changes (first), 0);
  g_assert_cmpstr (asb_history_change_get_change_id (change), ==, "e1:created");
  g_assert_cmpstr (asb_history_change_get_change_type (change), ==, "created");
  g_assert_cmpstr (asb_history_change_get_event_id (change), ==, "e1");
  g_assert_cmpstr (asb_history_change_get_status (change), ==, "succeeded");

  rest = query (fixture, 2, 100, G_MAXUINT64);
  g_assert_cmpuint (g_list_model_get_n_items (asb_history_page_get_changes (rest)), ==, 1);
  none = query (fixture, 3, 100, G_MAXUINT64);
  g_assert_cmpuint (g_list_model_get_n_items (asb_history_page_get_changes (none)), ==, 0);
  g_assert_cmpint (asb_history_page_get_next_seq (none), ==, 3);
  small = query (fixture, 0, 100, 1);
  g_assert_cmpuint (g_list_model_get_n_items (asb_history_page_get_changes (small)), ==, 1);
}

static void
test_get_operations (Fixture *fixture, gconstpointer data)
{
  const char *ids[] = { "e2", "nobody", "e1", NULL };
  const char *no_ids[] = { NULL };
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GListModel) empty = NULL;

  g_test_summary ("Operations are given in the order asked for; what is not there is left out");

  start (fixture, "e1");
  start (fixture, "e2");
  list = asb_history_store_get_operations (fixture->store, ids, NULL, &fixture->error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 2);
  empty = asb_history_store_get_operations (fixture->store, no_ids, NULL, &fixture->error);
  g_assert_cmpuint (g_list_model_get_n_items (empty), ==, 0);
}

static void
test_output (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Output is put together in the order of its pieces, each stream for itself");

  start (fixture, "e1");
  add_output (fixture, "e1", "stdout", 1, "two");
  add_output (fixture, "e1", "stderr", 0, "err");
  add_output (fixture, "e1", "stdout", 0, "one");
  add_output (fixture, "e1", "stdout", 2, "three");
  check_output (fixture, "e1", ASB_OUTPUT_STREAM_STDOUT, "onetwothree");
  check_output (fixture, "e1", ASB_OUTPUT_STREAM_STDERR, "err");
  g_assert_null (asb_history_store_get_output (fixture->store, "nobody", ASB_OUTPUT_STREAM_STDOUT,
                                               NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static char *
storage_state (Fixture *fixture, const char *id)
{
  g_autoptr (AsbHistoryOperation) operation = find (fixture, id);
  char *state = NULL;

  g_variant_lookup (asb_history_operation_get_command (operation), "history_storage_state", "s",
                    &state);
  return state;
}

static void
start_command (Fixture *fixture, const char *id)
{
  g_autofree char *text
      = g_strdup_printf ("[{'type': <'operation_started'>, 'change_id': <'%s:created'>,"
                         " 'event': <{'event_id': <'%s'>, 'operation_type': <'command.execute'>,"
                         " 'occurred_at': <'t'>, 'command': <{'command': <'make'>}>}>}]",
                         id, id);

  check_recorded (fixture, text);
}

static void
test_output_limits (Fixture *fixture, gconstpointer data)
{
  g_autofree char *state = NULL;
  g_autofree char *changed = NULL;

  g_test_summary ("Output beyond its limit, or of a stream nobody wants, is not kept");

  asb_history_config_set_max_operation_output_bytes (fixture->config, 5);
  asb_history_config_set_capture_stderr (fixture->config, FALSE);
  start_command (fixture, "e1");
  add_output (fixture, "e1", "stderr", 0, "err");
  add_output (fixture, "e1", "stdout", 0, "one");
  add_output (fixture, "e1", "stdout", 1, "two");
  add_output (fixture, "e1", "stdout", 2, "three");
  check_output (fixture, "e1", ASB_OUTPUT_STREAM_STDOUT, "onetw");
  check_output (fixture, "e1", ASB_OUTPUT_STREAM_STDERR, "");
  state = storage_state (fixture, "e1");
  g_assert_cmpstr (state, ==, "truncated_by_policy");
  check_recorded (fixture, "[{'type': <'storage_state_changed'>, 'change_id': <'c'>,"
                           " 'event_id': <'e1'>, 'history_storage_state': <'partial'>}]");
  changed = storage_state (fixture, "e1");
  g_assert_cmpstr (changed, ==, "partial");
}

/* Bounds. */

static void
test_max_operations (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbHistoryPage) behind = NULL;
  g_autoptr (AsbHistoryPage) fresh = NULL;
  g_autoptr (AsbHistoryStatus) status = NULL;

  g_test_summary ("The oldest operations that have ended make room, and readers are told");

  start (fixture, "e1");
  start (fixture, "e2");
  complete (fixture, "e2");
  start (fixture, "e3");
  complete (fixture, "e3");
  start (fixture, "e4");
  g_assert_true (has (fixture, "e1"));
  g_assert_false (has (fixture, "e2"));
  g_assert_true (has (fixture, "e3"));
  g_assert_true (has (fixture, "e4"));
  behind = query (fixture, 1, 100, G_MAXUINT64);
  g_assert_true (asb_history_page_get_reset_required (behind));
  fresh = query (fixture, 0, 100, G_MAXUINT64);
  g_assert_false (asb_history_page_get_reset_required (fresh));
  g_assert_cmpuint (g_list_model_get_n_items (asb_history_page_get_changes (fresh)), ==, 4);
  status = get_status (fixture);
  g_assert_cmpuint (asb_history_status_get_operations (status), ==, 3);
}

static void
test_exhausted (Fixture *fixture, gconstpointer data)
{
  g_autofree char *fourth = started ("e4");

  g_test_summary ("When all of them still run a new one is refused, and those go on");

  start (fixture, "e1");
  start (fixture, "e2");
  start (fixture, "e3");
  g_assert_false (record (fixture, fourth));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_HISTORY_STORAGE_EXHAUSTED);
  g_clear_error (&fixture->error);
  complete (fixture, "e1");
  check_recorded (fixture, fourth);
}

static void
test_fail_policy (Fixture *fixture, gconstpointer data)
{
  g_autofree char *fourth = started ("e4");

  g_test_summary ("With the policy to fail nothing is deleted for it");

  asb_history_config_set_overflow_policy (fixture->config, "fail_operation");
  start (fixture, "e1");
  complete (fixture, "e1");
  start (fixture, "e2");
  start (fixture, "e3");
  g_assert_false (record (fixture, fourth));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_HISTORY_STORAGE_EXHAUSTED);
  g_clear_error (&fixture->error);
  g_assert_true (has (fixture, "e1"));
}

static void
test_stop_policy (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("With the policy to stop new ones are left out, and nothing fails");

  asb_history_config_set_overflow_policy (fixture->config, "stop_recording");
  start (fixture, "e1");
  start (fixture, "e2");
  start (fixture, "e3");
  start (fixture, "e4");
  add_output (fixture, "e4", "stdout", 0, "abc");
  complete (fixture, "e4");
  complete (fixture, "e1");
  g_assert_false (has (fixture, "e4"));
  g_assert_true (has (fixture, "e1"));
}

static void
test_max_bytes (Fixture *fixture, gconstpointer data)
{
  g_autofree char *much = g_strnfill (3000, 'x');
  g_autoptr (AsbHistoryStatus) status = NULL;

  g_test_summary ("The bound of size is kept: by the oldest, and by output that is left out");

  start_command (fixture, "e1");
  add_output (fixture, "e1", "stdout", 0, much);
  complete (fixture, "e1");
  start_command (fixture, "e2");
  add_output (fixture, "e2", "stdout", 0, much);
  g_assert_false (has (fixture, "e1"));
  add_output (fixture, "e2", "stdout", 1, much);
  check_output (fixture, "e2", ASB_OUTPUT_STREAM_STDOUT, much);
  complete (fixture, "e2");
  status = get_status (fixture);
  g_assert_cmpuint (asb_history_status_get_database_bytes (status), <, 6000);
  g_assert_cmpuint (asb_history_status_get_database_bytes (status), >, 3000);
}

static void
test_endless_output (Fixture *fixture, gconstpointer data)
{
  g_autofree char *much = g_strnfill (4000, 'x');
  g_autofree char *some = g_strnfill (2000, 'y');
  g_autoptr (AsbHistoryStatus) status = NULL;

  g_test_summary (
      "A command that prints without end is kept within the bound, up to where it was full");

  start_command (fixture, "e1");
  add_output (fixture, "e1", "stdout", 0, much);
  add_output (fixture, "e1", "stdout", 1, some);
  for (int i = 2; i < 500; i++)
    add_output (fixture, "e1", "stdout", i, "z");
  check_output (fixture, "e1", ASB_OUTPUT_STREAM_STDOUT, much);
  complete (fixture, "e1");
  status = get_status (fixture);
  g_assert_cmpuint (asb_history_status_get_database_bytes (status), <, 6000);
}

static void
test_many (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbHistoryStatus) status = NULL;

  g_test_summary ("Ten times what fits leaves just what fits");

  for (guint i = 0; i < 1000; i++)
    {
      g_autofree char *id = g_strdup_printf ("e%u", i);

      start (fixture, id);
      complete (fixture, id);
    }
  status = get_status (fixture);
  g_assert_cmpuint (asb_history_status_get_operations (status), ==, 100);
  g_assert_cmpint (asb_history_status_get_max_seq (status), ==, 2000);
  g_assert_cmpint (asb_history_status_get_min_available_seq (status), ==, 1801);
}

/* Consumers and cleaning up. */

static gboolean
acknowledge (Fixture *fixture, const char *consumer, gint64 seq)
{
  return asb_history_store_acknowledge (fixture->store, consumer, seq, NULL, &fixture->error);
}

static void
clean_up (Fixture *fixture)
{
  g_assert_true (asb_history_store_cleanup (fixture->store, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
}

static void
test_cleanup (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *time = g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");
  g_autofree char *recent = completed ("e2", "succeeded", time);

  g_test_summary ("Cleaning up deletes what ended long ago, not what is recent or still runs");

  start (fixture, "e1");
  complete (fixture, "e1");
  start (fixture, "e2");
  check_recorded (fixture, recent);
  start (fixture, "e3");
  clean_up (fixture);
  g_assert_false (has (fixture, "e1"));
  g_assert_true (has (fixture, "e2"));
  g_assert_true (has (fixture, "e3"));
}

static void
test_consumers (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("What a consumer has still to read is not cleaned up");

  start (fixture, "e1");
  complete (fixture, "e1");
  start (fixture, "e2");
  complete (fixture, "e2");
  g_assert_true (acknowledge (fixture, "slow", 1));
  g_assert_true (acknowledge (fixture, "fast", 4));
  clean_up (fixture);
  g_assert_true (has (fixture, "e1"));
  g_assert_true (acknowledge (fixture, "slow", 2));
  g_assert_true (acknowledge (fixture, "slow", 1));
  clean_up (fixture);
  g_assert_false (has (fixture, "e1"));
  g_assert_true (has (fixture, "e2"));
}

static void
test_consumer_bounds (Fixture *fixture, gconstpointer data)
{
  g_autofree char *long_id = g_strnfill (256, 'x');

  g_test_summary ("Consumers are bounded in number and in the length of their ids");

  g_assert_false (acknowledge (fixture, "", 1));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&fixture->error);
  g_assert_false (acknowledge (fixture, long_id, 1));
  g_clear_error (&fixture->error);
  for (guint i = 0; i < 1000; i++)
    {
      g_autofree char *id = g_strdup_printf ("consumer-%u", i);

      g_assert_true (acknowledge (fixture, id, 1));
    }
  g_assert_false (acknowledge (fixture, "one more", 1));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_TOO_MANY_REQUESTS);
  g_clear_error (&fixture->error);
  g_assert_true (acknowledge (fixture, "consumer-7", 2));
}

static void
test_closed (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = started ("e2");
  g_autoptr (AsbHistoryStatus) opened = get_status (fixture);
  g_autoptr (AsbHistoryStatus) closed = NULL;

  g_test_summary ("A closed store takes nothing, but can be read, and opened again");

  start (fixture, "e1");
  g_assert_cmpstr (asb_history_status_get_state (opened), ==, "open");
  g_assert_true (asb_history_store_close (fixture->store, NULL, &fixture->error));
  g_assert_true (asb_history_store_close (fixture->store, NULL, &fixture->error));
  closed = get_status (fixture);
  g_assert_cmpstr (asb_history_status_get_state (closed), ==, "closed");
  g_assert_cmpstr (asb_history_status_get_journal_mode (closed), ==, "memory");
  g_assert_false (record (fixture, text));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_HISTORY_UNAVAILABLE);
  g_clear_error (&fixture->error);
  g_assert_true (has (fixture, "e1"));
  open_store (fixture);
  check_recorded (fixture, text);
}

static gpointer
record_many (gpointer data)
{
  Fixture *fixture = data;

  for (guint i = 0; i < 50; i++)
    {
      g_autofree char *id = asb_uuid_v7_new ();
      g_autofree char *first = started (id);
      g_autofree char *last = completed (id, "succeeded", "2024-01-02T03:04:06Z");
      g_autofree char *both
          = g_strdup_printf ("%.*s, %s", (int)strlen (first) - 1, first, last + 1);
      g_autofree char *text = g_strdup_printf ("{'batch_id': <'b'>, 'records': <%s>}", both);
      g_autoptr (GVariant) batch = g_variant_parse (NULL, text, NULL, NULL, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_true (asb_history_store_record (fixture->store, batch, NULL, &error));
      g_assert_no_error (error);
    }
  return NULL;
}

static void
test_threads (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Several threads may record at once");

  test_run_threads (4, record_many, fixture, FALSE);
  g_assert_cmpuint (count_changes (fixture), ==, 4 * 50 * 2);
}

#define ADD(path, options, function)                                                               \
  g_test_add ("/memory-store/" path, Fixture, options, set_up, function, tear_down)

/* Waiting. */

static void
begin_to_wait (Fixture *fixture, gint64 after, GCancellable *cancellable, TestAnswer *answer)
{
  asb_history_store_wait_async (fixture->store, after, 10, G_MAXUINT64, 60000, cancellable,
                                test_answer_cb, answer);
}

static AsbHistoryPage *
end_waiting (Fixture *fixture, TestAnswer *answer)
{
  return asb_history_store_wait_finish (fixture->store, test_answer_wait (answer), &fixture->error);
}

static void
test_waiting (Fixture *fixture, gconstpointer data)
{
  g_autofree char *first = started ("a");
  g_autofree char *second = started ("b");
  g_auto (TestAnswer) both = { 0 };
  g_auto (TestAnswer) later = { 0 };
  g_autoptr (AsbHistoryPage) page = NULL;
  g_autoptr (AsbHistoryPage) later_page = NULL;

  g_test_summary ("Each of those that wait is told of what comes after what it has seen");

  check_recorded (fixture, first);
  begin_to_wait (fixture, 1, NULL, &both);
  begin_to_wait (fixture, 1, NULL, &later);
  check_recorded (fixture, second);
  page = end_waiting (fixture, &both);
  g_assert_no_error (fixture->error);
  g_assert_cmpint (asb_history_page_get_next_seq (page), ==, 2);
  later_page = end_waiting (fixture, &later);
  g_assert_no_error (fixture->error);
  g_assert_cmpint (asb_history_page_get_next_seq (later_page), ==, 2);
}

static void
test_waiting_beyond (Fixture *fixture, gconstpointer data)
{
  g_autofree char *first = started ("a");
  g_autoptr (AsbHistoryPage) page = NULL;

  g_test_summary ("Whoever has seen what is not there has to begin again, and is told at once");

  check_recorded (fixture, first);
  page = asb_history_store_wait (fixture->store, 7, 10, G_MAXUINT64, 60000, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_true (asb_history_page_get_reset_required (page));
}

static void
test_waiting_closed (Fixture *fixture, gconstpointer data)
{
  g_auto (TestAnswer) answer = { 0 };

  begin_to_wait (fixture, 0, NULL, &answer);
  g_assert_true (asb_history_store_close (fixture->store, NULL, NULL));
  g_assert_null (end_waiting (fixture, &answer));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_CLOSED);
  g_clear_error (&fixture->error);
  g_assert_null (
      asb_history_store_wait (fixture->store, 0, 10, G_MAXUINT64, 60000, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_CLOSED);
}

#define N_WAITERS 8
#define N_ROUNDS 50

/* Follows the record until all are there. */
static gpointer
wait_thread (gpointer data)
{
  AsbHistoryStore *store = data;
  gint64 seen = 0;

  while (seen < N_ROUNDS)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbHistoryPage) page
          = asb_history_store_wait (store, seen, 10, G_MAXUINT64, 60000, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (asb_history_page_get_next_seq (page), >, seen);
      seen = asb_history_page_get_next_seq (page);
    }
  return NULL;
}

static void
test_waiting_in_threads (Fixture *fixture, gconstpointer data)
{
  GThread *threads[N_WAITERS];

  for (guint i = 0; i < N_WAITERS; i++)
    threads[i] = g_thread_new ("waiter", wait_thread, fixture->store);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      g_autofree char *id = g_strdup_printf ("id-%u", i);
      g_autofree char *records = started (id);

      check_recorded (fixture, records);
    }
  for (guint i = 0; i < N_WAITERS; i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  static const char few[] = "{'max-operations': <3>}";
  static const char hundred[] = "{'max-operations': <100>}";
  static const char small[] = "{'max-bytes': <5000>}";

  g_test_init (&argc, &argv, NULL);
  ADD ("record/starts-and-ends", NULL, test_record);
  ADD ("record/once", NULL, test_once);
  ADD ("record/all-or-none", NULL, test_all_or_none);
  ADD ("record/start-and-end-in-one", NULL, test_start_and_end_in_one);
  ADD ("record/bad", NULL, test_bad_records);
  ADD ("record/conflicts", NULL, test_conflicts);
  ADD ("read/query", NULL, test_query);
  ADD ("read/operations", NULL, test_get_operations);
  ADD ("read/output", NULL, test_output);
  ADD ("bounds/output", NULL, test_output_limits);
  ADD ("bounds/operations", few, test_max_operations);
  ADD ("bounds/exhausted", few, test_exhausted);
  ADD ("bounds/fail-policy", few, test_fail_policy);
  ADD ("bounds/stop-policy", few, test_stop_policy);
  ADD ("bounds/bytes", small, test_max_bytes);
  ADD ("bounds/endless-output", small, test_endless_output);
  ADD ("bounds/many", hundred, test_many);
  ADD ("cleanup/old", NULL, test_cleanup);
  ADD ("cleanup/consumers", NULL, test_consumers);
  ADD ("cleanup/consumer-bounds", NULL, test_consumer_bounds);
  ADD ("wait/told", NULL, test_waiting);
  ADD ("wait/beyond", NULL, test_waiting_beyond);
  ADD ("wait/closed", NULL, test_waiting_closed);
  ADD ("wait/threads", NULL, test_waiting_in_threads);
  ADD ("closed", NULL, test_closed);
  ADD ("threads", NULL, test_threads);
  return g_test_run ();
}
