/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The history stores sandbox and none, and the settings of the history. */

#include "peer.h"

#include <string.h>

typedef struct
{
  Peer *peer;
  AsbTransport *transport;
  AsbHistoryStore *store;
  Pending pending;
  guint32 call; /* the last */
} Fixture;

static AsbHistoryStore *
store_new (const char *name)
{
  g_autoptr (GError) error = NULL;
  AsbHistoryStore *store
      = asb_registry_create_history_store (asb_registry_get_default (), name, NULL, &error);

  g_assert_no_error (error);
  return store;
}

static AsbSandboxRef *
ref_new (void)
{
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);

  g_hash_table_insert (metadata, (char *)"agent_sandbox.name", (char *)"Anna");
  return g_object_new (ASB_TYPE_SANDBOX_REF, "provider-name", "test", "provider-key", "k",
                       "sandbox-id", "s", "sandbox-instance-id", "i", "metadata", metadata, NULL);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->peer = peer_new ();
  fixture->transport = peer_open (fixture->peer);
  fixture->store = store_new ("sandbox");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->store);
  g_clear_object (&fixture->transport);
  g_clear_pointer (&fixture->peer, peer_free);
}

static PeerFrame *
expect_call (Fixture *fixture, const char *name)
{
  PeerFrame *frame = peer_expect_call (fixture->peer, name);

  fixture->call = frame->header.call;
  return frame;
}

static void
reply (Fixture *fixture, const char *json)
{
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, fixture->call, json);
}

static void
begin_open (Fixture *fixture, AsbHistoryConfig *config)
{
  g_autoptr (AsbSandboxRef) ref = ref_new ();

  asb_history_store_open_async (fixture->store, fixture->transport, ref, config, NULL, pending_cb,
                                &fixture->pending);
}

static gboolean
finish_open (Fixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_history_store_open_finish (fixture->store, result, error);
}

static void
open_store (Fixture *fixture)
{
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autoptr (GError) error = NULL;

  begin_open (fixture, config);
  peer_frame_free (expect_call (fixture, "history.open"));
  reply (fixture, "{\"result\": {\"identity\": {}, \"config\": {}, \"revision\": 0,"
                  " \"journal_mode\": \"wal\"}}");
  g_assert_true (finish_open (fixture, &error));
  g_assert_no_error (error);
}

/* The 24 settings by their names, with null for a limit that there is not. */
static void
test_open (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (json_t) identity
      = json_loads ("{\"provider_key\": \"k\", \"sandbox_id\": \"s\","
                    " \"sandbox_instance_id\": \"i\", \"sandbox_name\": \"Anna\"}",
                    0, NULL);
  g_autoptr (json_t) settings = json_loads (
      "{\"capture_stderr\": true, \"capture_stdout\": true, \"cleanup_interval_operations\": 100,"
      " \"cleanup_min_interval_seconds\": 3600, \"cleanup_on_connect\": true,"
      " \"compression\": \"identity\", \"compression_level\": 1, \"compression_min_bytes\": 4096,"
      " \"consumer_active_ttl_days\": 30, \"helper_envelope_max_bytes\": 1048576,"
      " \"helper_query_max_bytes\": 4194304, \"max_database_bytes\": 134217728,"
      " \"max_operation_output_bytes\": 16777216, \"output_chunk_bytes\": 16384,"
      " \"output_flush_bytes\": 32768, \"output_flush_interval_ms\": 500,"
      " \"output_queue_max_bytes\": 4194304, \"output_queue_max_chunks\": 256,"
      " \"output_write_timeout_seconds\": 10.0, \"overflow_policy\": \"delete_oldest\","
      " \"sqlite_busy_timeout_ms\": 5000, \"sqlite_cache_bytes\": 4194304,"
      " \"stale_started_after_seconds\": 300, \"ttl_days\": null}",
      0, NULL);
  const json_t *arguments;

  asb_history_config_set_ttl_days (config, 0);
  begin_open (fixture, config);
  frame = expect_call (fixture, "history.open");
  arguments = json_object_get (frame->json, "args");
  g_assert_true (json_equal (json_object_get (arguments, "identity"), identity));
  g_assert_true (json_equal (json_object_get (arguments, "config"), settings));
  g_assert_cmpstr (json_string_value (json_object_get (arguments, "sdk_version")), ==,
                   asb_get_version ());
  reply (fixture, "{\"result\": {\"renamed\": \"/x\"}}");
  g_assert_true (finish_open (fixture, NULL));
}

static void
test_open_fails (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autoptr (GError) error = NULL;

  begin_open (fixture, config);
  peer_frame_free (expect_call (fixture, "history.open"));
  reply (fixture, "{\"error\": {\"code\": \"history_identity\", \"message\": \"Another\"}}");
  g_assert_false (finish_open (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_HISTORY_IDENTITY);
  g_clear_error (&error);
  g_assert_null (asb_history_store_get_status (fixture->store, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
}

static void
test_open_without_identity (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxRef) ref
      = g_object_new (ASB_TYPE_SANDBOX_REF, "provider-name", "p", "sandbox-id", "s", NULL);
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (asb_history_store_open (fixture->store, ASB_TRANSPORT (fixture->transport), ref,
                                          config, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_open_invalid (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autoptr (GError) error = NULL;

  asb_history_config_set_compression_level (config, 10);
  begin_open (fixture, config);
  g_assert_false (finish_open (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_HISTORY_CONFIG_VALIDATION);
}

#define CHANGE                                                                                     \
  "{\"source_seq\": 4, \"change_id\": \"e:created\", \"event_id\": \"e\","                         \
  " \"change_type\": \"created\", \"changed_at\": \"2026-01-01T00:00:00Z\","                       \
  " \"schema_version\": 1, \"operation_type\": \"file.read\", \"status\": \"started\"}\n"

#define PAGE                                                                                       \
  "{\"result\": {\"next_change_seq\": 4, \"min_available_change_seq\": 1,"                         \
  " \"max_change_seq\": 9, \"reset_required\": true}}"

static AsbHistoryPage *
query (Fixture *fixture, const char *lines, const char *answer, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (json_t) expected
      = json_loads ("{\"after_change_seq\": 3, \"limit\": 2, \"max_bytes\": 1000}", 0, NULL);

  asb_history_store_query_async (fixture->store, 3, 2, 1000, NULL, pending_cb, &fixture->pending);
  frame = expect_call (fixture, "history.query");
  g_assert_true (json_equal (json_object_get (frame->json, "args"), expected));
  for (gsize i = 0; lines[i]; i++)
    peer_send (fixture->peer, ASB_FRAME_DATA, fixture->call, 1, 0, lines + i, 1);
  peer_send_end (fixture->peer, fixture->call, 1);
  reply (fixture, answer);
  result = pending_wait (&fixture->pending);
  return asb_history_store_query_finish (fixture->store, result, error);
}

static void
test_query (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbHistoryPage) page = NULL;
  g_autoptr (AsbHistoryChange) change = NULL;
  g_autoptr (GError) error = NULL;

  open_store (fixture);
  page = query (fixture, CHANGE CHANGE, PAGE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (asb_history_page_get_changes (page)), ==, 2);
  change = g_list_model_get_item (asb_history_page_get_changes (page), 1);
  g_assert_cmpint (asb_history_change_get_seq (change), ==, 4);
  g_assert_cmpstr (asb_history_change_get_change_type (change), ==, "created");
  g_assert_cmpstr (asb_history_change_get_operation_type (change), ==, "file.read");
  g_assert_cmpint (asb_history_page_get_next_seq (page), ==, 4);
  g_assert_cmpint (asb_history_page_get_min_available_seq (page), ==, 1);
  g_assert_cmpint (asb_history_page_get_max_seq (page), ==, 9);
  g_assert_true (asb_history_page_get_reset_required (page));
}

typedef struct
{
  const char *name;
  const char *lines;
  const char *answer;
} WrongPage;

static const WrongPage WRONG_PAGES[] = {
  { "no-json", "x\n", PAGE },
  { "array", "[]\n", PAGE },
  { "empty-object", "{}\n", PAGE },
  { "no-end", "{\"source_seq\": 4", PAGE },
  { "number", "{\"source_seq\": 4, \"change_id\": 1, \"event_id\": \"e\"}\n", PAGE },
  { "more-than-asked-for", CHANGE CHANGE CHANGE, PAGE },
  { "no-next", CHANGE, "{\"result\": {}}" },
  { "next-text", CHANGE,
    "{\"result\": {\"next_change_seq\": \"4\", \"min_available_change_seq\": 1,"
    " \"max_change_seq\": 9, \"reset_required\": true}}" },
  { "next-negative", CHANGE,
    "{\"result\": {\"next_change_seq\": -4, \"min_available_change_seq\": 1,"
    " \"max_change_seq\": 9, \"reset_required\": true}}" },
};

static void
test_wrong_page (gconstpointer data)
{
  const WrongPage *wrong = data;
  Fixture fixture = { 0 };
  g_autoptr (GError) error = NULL;

  set_up (&fixture, NULL);
  open_store (&fixture);
  g_assert_null (query (&fixture, wrong->lines, wrong->answer, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  tear_down (&fixture, NULL);
}

/* Sends without end, as far as credit goes, until it is stopped. */
static gpointer
send_endlessly (gpointer data)
{
  Fixture *fixture = data;
  g_autofree char *bytes = g_strnfill (ASB_FRAME_MAX_DATA, 'x');
  guint64 credit = 0;
  gsize total = 0;
  gboolean stopped = FALSE;

  while (!stopped)
    {
      if (total + ASB_FRAME_MAX_DATA > credit + ASB_FRAME_WINDOW)
        {
          g_autoptr (PeerFrame) frame = peer_receive (fixture->peer);

          g_assert_nonnull (frame);
          if (frame->header.type == ASB_FRAME_CREDIT)
            credit = asb_frame_count_read (g_bytes_get_data (frame->payload, NULL));
          stopped = frame->header.type == ASB_FRAME_STOP;
          continue;
        }
      peer_send (fixture->peer, ASB_FRAME_DATA, fixture->call, 1, 0, bytes, ASB_FRAME_MAX_DATA);
      total += ASB_FRAME_MAX_DATA;
    }
  return GSIZE_TO_POINTER (total);
}

/* A record without end is not gathered: the stream is let go. */
static void
test_endless (Fixture *fixture, gconstpointer data)
{
  static const char *const ids[] = { "e", NULL };
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  GThread *thread;

  open_store (fixture);
  asb_history_store_get_operations_async (fixture->store, ids, NULL, pending_cb, &fixture->pending);
  peer_frame_free (expect_call (fixture, "history.get_operations"));
  thread = g_thread_new ("peer", send_endlessly, fixture);
  result = pending_wait (&fixture->pending);
  g_assert_null (asb_history_store_get_operations_finish (fixture->store, result, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_clear_object (&result);
  g_assert_cmpuint (GPOINTER_TO_SIZE (g_thread_join (thread)), <, 16 * 1024 * 1024);
}

static void
test_operations (Fixture *fixture, gconstpointer data)
{
  static const char *const ids[] = { "e", "f", NULL };
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GListModel) operations = NULL;
  g_autoptr (AsbHistoryOperation) operation = NULL;
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (json_t) expected = json_loads ("{\"event_ids\": [\"e\", \"f\"]}", 0, NULL);
  g_autoptr (GError) error = NULL;
  gint64 code;

  open_store (fixture);
  asb_history_store_get_operations_async (fixture->store, ids, NULL, pending_cb, &fixture->pending);
  frame = expect_call (fixture, "history.get_operations");
  g_assert_true (json_equal (json_object_get (frame->json, "args"), expected));
  peer_send_data (fixture->peer, fixture->call, 1,
                  "{\"seq\": 7, \"event_id\": \"e\", \"operation_type\": \"command.execute\","
                  " \"status\": \"timeout\", \"occurred_at\": \"t1\", \"completed_at\": null,"
                  " \"actor_type\": \"agent\", \"duration_ms\": 12, \"request\": {\"a\": 1},"
                  " \"result\": null, \"command\": {\"exit_code\": 3}}\n");
  peer_send_end (fixture->peer, fixture->call, 1);
  reply (fixture, "{\"result\": {\"count\": 1}}");
  result = pending_wait (&fixture->pending);
  operations = asb_history_store_get_operations_finish (fixture->store, result, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (operations), ==, 1);
  operation = g_list_model_get_item (operations, 0);
  g_assert_cmpint (asb_history_operation_get_seq (operation), ==, 7);
  g_assert_cmpint (asb_history_operation_get_status (operation), ==, ASB_OPERATION_STATUS_TIMEOUT);
  g_assert_null (asb_history_operation_get_completed_at (operation));
  g_assert_cmpint (asb_history_operation_get_duration_ms (operation), ==, 12);
  g_assert_null (asb_history_operation_get_result (operation));
  g_assert_true (
      g_variant_lookup (asb_history_operation_get_command (operation), "exit_code", "x", &code));
  g_assert_cmpint (code, ==, 3);
}

static void
test_status (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  open_store (fixture);
  for (int wrong = 0; wrong < 2; wrong++)
    {
      g_autoptr (GAsyncResult) result = NULL;
      g_autoptr (AsbHistoryStatus) status = NULL;

      asb_history_store_get_status_async (fixture->store, NULL, pending_cb, &fixture->pending);
      peer_frame_free (expect_call (fixture, "history.status"));
      reply (fixture, wrong ? "{\"result\": {\"state\": 1}}"
                            : "{\"result\": {\"state\": \"failed\", \"message\": \"Full\","
                              " \"operations\": 3}}");
      result = pending_wait (&fixture->pending);
      status = asb_history_store_get_status_finish (fixture->store, result, &error);
      if (wrong)
        g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
      else
        g_assert_cmpstr (asb_history_status_get_message (status), ==, "Full");
    }
}

/* The store that forgets. */
static void
test_none (Fixture *fixture, gconstpointer data)
{
  static const char *const ids[] = { "e", NULL };
  g_autoptr (AsbHistoryStore) store = store_new ("none");
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autoptr (AsbSandboxRef) ref = ref_new ();
  g_autoptr (GVariant) batch = g_variant_ref_sink (g_variant_new_parsed ("{'batch_id': <'b'>}"));
  g_autoptr (AsbHistoryPage) page = NULL;
  g_autoptr (GListModel) operations = NULL;
  g_autoptr (GInputStream) output = NULL;
  g_autoptr (AsbHistoryStatus) status = NULL;
  char byte;

  g_assert_false (asb_history_store_get_records_in_place (store));
  g_assert_true (asb_history_store_open (store, fixture->transport, ref, config, NULL, NULL));
  g_assert_true (asb_history_store_record (store, batch, NULL, NULL));
  page = asb_history_store_query (store, 5, 10, 1000, NULL, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (asb_history_page_get_changes (page)), ==, 0);
  g_assert_cmpint (asb_history_page_get_next_seq (page), ==, 5);
  operations = asb_history_store_get_operations (store, ids, NULL, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (operations), ==, 0);
  output = asb_history_store_get_output (store, "e", ASB_OUTPUT_STREAM_STDOUT, NULL, NULL);
  g_assert_cmpint (g_input_stream_read (output, &byte, 1, NULL, NULL), ==, 0);
  g_assert_true (asb_history_store_acknowledge (store, "c", 1, NULL, NULL));
  g_assert_true (asb_history_store_cleanup (store, NULL, NULL));
  status = asb_history_store_get_status (store, NULL, NULL);
  g_assert_nonnull (asb_history_status_get_state (status));
  g_assert_true (asb_history_store_close (store, NULL, NULL));
}

/* The settings. */

typedef struct
{
  const char *name;
  gint64 minimum;
  gint64 maximum; /* G_MAXINT64: none */
} Range;

static const Range RANGES[] = {
  { "cleanup-interval-operations", 1, 10000 },
  { "cleanup-min-interval-seconds", 0, 86400 },
  { "compression-level", 1, 9 },
  { "compression-min-bytes", 0, G_MAXINT64 },
  { "consumer-active-ttl-days", 1, 3650 },
  { "helper-envelope-max-bytes", 65536, 16777216 },
  { "helper-query-max-bytes", 65536, 33554432 },
  { "max-database-bytes", 16777217, G_MAXINT64 }, /* more than an operation may print */
  { "max-operation-output-bytes", 1, 134217727 }, /* less than the database may hold */
  { "output-chunk-bytes", 4096, 262144 },
  { "output-flush-bytes", 1, 1048576 },
  { "output-flush-interval-ms", 0, 5000 },
  { "output-queue-max-bytes", 32768, 67108864 }, /* at least as much as is flushed */
  { "output-queue-max-chunks", 1, 4096 },
  { "sqlite-busy-timeout-ms", 100, 60000 },
  { "sqlite-cache-bytes", 1048576, 67108864 },
  { "stale-started-after-seconds", 30, 86400 },
  { "ttl-days", 0, G_MAXINT64 },
};

static void
check_setting (const char *name, gint64 value, gboolean valid)
{
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autofree char *stored = g_strdelimit (g_strdup (name), "-", '_');
  g_autoptr (GError) error = NULL;

  g_object_set (config, name, value, NULL);
  g_assert_cmpint (asb_history_config_validate (config, &error), ==, valid);
  if (valid)
    {
      g_assert_no_error (error);
      return;
    }
  g_assert_error (error, ASB_ERROR, ASB_ERROR_HISTORY_CONFIG_VALIDATION);
  g_assert_nonnull (strstr (error->message, stored));
}

static void
test_range (gconstpointer data)
{
  const Range *range = data;

  check_setting (range->name, range->minimum, TRUE);
  check_setting (range->name, range->minimum - 1, FALSE);
  check_setting (range->name, range->maximum, TRUE);
  if (range->maximum < G_MAXINT64)
    check_setting (range->name, range->maximum + 1, FALSE);
}

static void
test_other_settings (void)
{
  static const double wrong[] = { 0.0, -1.0, 300.5 };
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_history_config_validate (config, &error));
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      asb_history_config_set_output_write_timeout_seconds (config, wrong[i]);
      g_assert_false (asb_history_config_validate (config, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_HISTORY_CONFIG_VALIDATION);
      g_clear_error (&error);
    }
  asb_history_config_set_output_write_timeout_seconds (config, 300.0);
  asb_history_config_set_compression (config, "brotli");
  g_assert_false (asb_history_config_validate (config, &error));
  g_assert_nonnull (strstr (error->message, "compression"));
  g_clear_error (&error);
  asb_history_config_set_compression (config, "gzip");
  asb_history_config_set_overflow_policy (config, NULL);
  g_assert_false (asb_history_config_validate (config, &error));
  g_assert_nonnull (strstr (error->message, "overflow_policy"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, function)                                                                        \
  g_test_add ("/history-store/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("sandbox/open", test_open);
  ADD ("sandbox/open-fails", test_open_fails);
  ADD ("sandbox/open-invalid", test_open_invalid);
  ADD ("sandbox/open-without-identity", test_open_without_identity);
  ADD ("sandbox/query", test_query);
  ADD ("sandbox/endless", test_endless);
  ADD ("sandbox/operations", test_operations);
  ADD ("sandbox/status", test_status);
  ADD ("none", test_none);
#undef ADD
  for (gsize i = 0; i < G_N_ELEMENTS (WRONG_PAGES); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/history-store/sandbox/wrong-page/%s", WRONG_PAGES[i].name);

      g_test_add_data_func (path, &WRONG_PAGES[i], test_wrong_page);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (RANGES); i++)
    {
      g_autofree char *path = g_strdup_printf ("/history-store/settings/%s", RANGES[i].name);

      g_test_add_data_func (path, &RANGES[i], test_range);
    }
  g_test_add_func ("/history-store/settings/others", test_other_settings);

  return g_test_run ();
}
