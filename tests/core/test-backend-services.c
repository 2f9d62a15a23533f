/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-store.h"

#include <string.h>

/* What a backend has its provider do with its sandbox, and what is recorded of it. */

static void
set_up (TestRecorded *fixture, gconstpointer data)
{
  test_recorded_set_up (fixture, data);
  g_ptr_array_set_size (fixture->store->batches, 0);
}

static void
tear_down (TestRecorded *fixture, gconstpointer data)
{
  g_assert_no_error (fixture->error);
  test_recorded_tear_down (fixture, data);
}

static const char *
sandbox_id (TestRecorded *fixture)
{
  return asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (fixture->backend));
}

/* The record of the last operation and nothing else: its start, whose type is @type, and its end.
 */
static void
check_record (TestRecorded *fixture, const char *type, const char *status, GVariant **start,
              GVariant **end)
{
  g_autofree char *expected = g_strdup_printf (":started :%s", status);
  g_autofree char *summary = test_store_summary (fixture->store);

  g_assert_cmpstr (summary, ==, expected);
  *start = test_store_get_record (fixture->store, 0, 0);
  *end = test_store_get_record (fixture->store, 1, 0);
  test_variant_check_string (*start, "event/operation_type", type);
  g_ptr_array_set_size (fixture->store->batches, 0);
}

static int
compare_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

/* The members of a dictionary, whose order does not count, or “-”. */
static char *
describe (GVariant *dict)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func (g_free);

  if (!dict)
    return g_strdup ("-");
  for (gsize i = 0; i < g_variant_n_children (dict); i++)
    {
      g_autoptr (GVariant) member = g_variant_get_child_value (dict, i);

      g_ptr_array_add (members, g_variant_print (member, FALSE));
    }
  g_ptr_array_sort (members, compare_text);
  g_ptr_array_add (members, NULL);
  return g_strjoinv (" ", (char **)members->pdata);
}

static void
check_text_of_record (TestRecorded *fixture, const char *type, const char *request,
                      const char *result)
{
  g_autoptr (GVariant) start = NULL, end = NULL, said = NULL, answered = NULL;
  g_autofree char *said_text = NULL, *answered_text = NULL;

  check_record (fixture, type, "succeeded", &start, &end);
  said = test_variant_find (start, "event/request");
  answered = test_variant_find (end, "event/result");
  said_text = describe (said);
  answered_text = describe (answered);
  g_assert_cmpstr (said_text, ==, request);
  g_assert_cmpstr (answered_text, ==, result);
}

static void
test_endpoint (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbEndpoint) endpoint
      = asb_backend_get_endpoint (fixture->backend, 8080, 0, NULL, &fixture->error);

  g_test_summary ("An address is told, and not recorded");

  g_assert_no_error (fixture->error);
  g_assert_cmpuint (asb_endpoint_get_port (endpoint), ==, 8080);
  g_assert_nonnull (strstr (asb_endpoint_get_uri (endpoint), sandbox_id (fixture)));
  check_text_of_record (fixture, "sandbox.get_endpoint", "{'port', <int64 8080>}", "-");
}

static void
test_port (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GVariant) start = NULL, end = NULL;

  g_test_summary ("What is refused is recorded as failed");

  g_assert_null (asb_backend_get_endpoint (fixture->backend, 0, 0, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_cmpstr (asb_error_info_get_operation (asb_error_get_info (fixture->error)), ==,
                   "sandbox.get_endpoint");
  g_clear_error (&fixture->error);
  check_record (fixture, "sandbox.get_endpoint", "failed", &start, &end);
}

static guint
count_rules (AsbNetworkPolicy *policy)
{
  return g_list_model_get_n_items (asb_network_policy_get_rules (policy));
}

static void
test_network (TestRecorded *fixture, gconstpointer data)
{
  const char *const targets[] = { "a.example", NULL };
  g_autoptr (AsbNetworkPolicy) wanted = asb_network_policy_new ();
  g_autoptr (AsbNetworkPolicy) more = asb_network_policy_new ();
  g_autoptr (AsbNetworkPolicy) read = NULL, set = NULL, patched = NULL, removed = NULL;

  g_test_summary ("A policy is read, replaced, added to and taken from, with its record");

  read = asb_backend_get_network_policy (fixture->backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpint (asb_network_policy_get_default_action (read), ==, ASB_NETWORK_ACTION_ALLOW);
  check_text_of_record (fixture, "sandbox.get_network_policy", "",
                        "{'default_action', <'allow'>} {'rules', <@aa{sv} []>}");

  asb_network_policy_add_rule (wanted, ASB_NETWORK_ACTION_ALLOW, "a.example");
  set = asb_backend_set_network_policy (fixture->backend, wanted, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (count_rules (set), ==, 1);
  g_ptr_array_set_size (fixture->store->batches, 0);

  asb_network_policy_add_rule (more, ASB_NETWORK_ACTION_DENY, "b.example");
  patched = asb_backend_patch_network_policy (fixture->backend, more, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (count_rules (patched), ==, 2);
  g_assert_cmpint (asb_network_policy_get_default_action (patched), ==, ASB_NETWORK_ACTION_DENY);
  g_ptr_array_set_size (fixture->store->batches, 0);

  removed = asb_backend_remove_network_rules (fixture->backend, targets, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (count_rules (removed), ==, 1);
  check_text_of_record (fixture, "sandbox.remove_network_rules", "{'targets', <['a.example']>}",
                        "{'default_action', <'deny'>} {'rules', <[{'action': <'deny'>, 'target': "
                        "<'b.example'>}]>}");
}

static void
test_network_changed (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbNetworkPolicy) set = NULL;
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("What the caller does with his policy afterwards does not count");

  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "a.example");
  asb_backend_set_network_policy_async (fixture->backend, policy, NULL, test_answer_cb, &answer);
  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "b.example");
  asb_network_policy_set_default_action (policy, ASB_NETWORK_ACTION_ALLOW);
  set = asb_backend_set_network_policy_finish (fixture->backend, test_answer_wait (&answer),
                                               &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (count_rules (set), ==, 1);
  g_assert_cmpint (asb_network_policy_get_default_action (set), ==, ASB_NETWORK_ACTION_DENY);
}

static void
test_metadata (TestRecorded *fixture, gconstpointer data)
{
  GVariant *changes = g_variant_new_parsed ("{'a': just '1'}");
  g_autoptr (AsbSandboxInfo) info
      = asb_backend_patch_metadata (fixture->backend, changes, NULL, &fixture->error);
  GHashTable *metadata;

  g_test_summary ("Metadata is changed, and the changes are recorded");

  g_assert_no_error (fixture->error);
  metadata = asb_sandbox_ref_get_metadata (asb_sandbox_info_get_ref (info));
  g_assert_cmpstr (g_hash_table_lookup (metadata, "a"), ==, "1");
  check_text_of_record (fixture, "sandbox.patch_metadata", "{'changes', <{'a': <'1'>}>}", "-");
  g_assert_null (asb_backend_patch_metadata (fixture->backend, g_variant_new_string ("x"), NULL,
                                             &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&fixture->error);
}

static void
test_snapshot (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbBackendOptions) options = test_options_new (fixture->mock);
  g_autoptr (AsbSnapshot) snapshot
      = asb_backend_create_snapshot (fixture->backend, "nightly", NULL, &fixture->error);
  g_autoptr (GVariant) start = NULL, end = NULL;
  g_autoptr (AsbBackend) copy = NULL;

  g_test_summary ("A snapshot is made and recorded, and sandboxes are made from it and no other");

  g_assert_no_error (fixture->error);
  check_record (fixture, "sandbox.create_snapshot", "succeeded", &start, &end);
  test_variant_check_string (start, "event/request/name", "nightly");
  test_variant_check_string (end, "event/result/snapshot_id", asb_snapshot_get_id (snapshot));
  test_variant_check_string (end, "event/result/state", "ready");

  asb_backend_options_set_snapshot_id (options, asb_snapshot_get_id (snapshot));
  copy = asb_create_backend (options, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  test_backend_close (copy);
  asb_backend_options_set_snapshot_id (options, "nothing");
  g_assert_null (asb_create_backend (options, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_SNAPSHOT_NOT_FOUND);
  g_clear_error (&fixture->error);
}

static void
set_metrics (TestRecorded *fixture, const char *text)
{
  gboolean set = FALSE;
  g_autoptr (GVariant) source = g_variant_parse (NULL, text, NULL, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  g_signal_emit_by_name (fixture->mock, "set-metrics", sandbox_id (fixture), source, &set);
  g_assert_true (set);
}

static void
test_metrics (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxMetrics) metrics = NULL;

  g_test_summary ("Metrics are told and recorded");

  set_metrics (fixture, "{'cpu-percent': <50>, 'memory-used': <7>}");
  metrics = asb_backend_get_metrics (fixture->backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpfloat (asb_sandbox_metrics_get_cpu_percent (metrics), ==, 50);
  check_text_of_record (fixture, "sandbox.get_metrics", "",
                        "{'cpu_percent', <50.0>} {'memory_used', <int64 7>}");
}

static void
sample_cb (AsbMetricsWatch *watch, AsbSandboxMetrics *metrics, gpointer user_data)
{
  g_string_append_printf (user_data, "%" G_GUINT64_FORMAT " ",
                          asb_sandbox_metrics_get_memory_used (metrics));
}

static void
ended_cb (AsbMetricsWatch *watch, gpointer user_data)
{
  g_string_append (user_data, "end");
}

static void
test_watch (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbMetricsWatch) watch = NULL;
  g_autoptr (GString) seen = g_string_new (NULL);

  g_test_summary ("A watch tells what changes until the sandbox is gone, and is not recorded");

  set_metrics (fixture, "{'memory-used': <1>}");
  watch = asb_backend_watch_metrics (fixture->backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (test_store_count (fixture->store), ==, 0);
  g_signal_connect (watch, "sample", G_CALLBACK (sample_cb), seen);
  g_signal_connect (watch, "ended", G_CALLBACK (ended_cb), seen);
  set_metrics (fixture, "{'memory-used': <2>}");
  asb_backend_delete_sandbox (fixture->backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  while (!g_str_has_suffix (seen->str, "end"))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (seen->str, ==, "1 2 end");
  g_assert_cmpint (asb_metrics_watch_get_state (watch), ==, ASB_METRICS_WATCH_STATE_GONE);
}

static void
test_diagnostics (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbDiagnostics) diagnostics = NULL;

  g_test_summary ("Diagnostics are told, and which was asked for is recorded");

  g_signal_emit_by_name (fixture->mock, "set-diagnostics", "logs", "it broke");
  diagnostics
      = asb_backend_get_diagnostics (fixture->backend, "logs", "container", NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpstr (asb_diagnostics_get_content (diagnostics), ==, "it broke");
  check_text_of_record (fixture, "sandbox.get_diagnostics",
                        "{'kind', <'logs'>} {'scope', <'container'>}", "-");
}

static void
test_no_text (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbFileSearch) search = asb_file_search_new ();
  g_autoptr (AsbSearchResult) found = NULL;
  g_autoptr (AsbJob) job = NULL;

  g_test_summary ("What is no text is asked for all the same, and recorded");

  asb_file_search_set_text (search, "\xff");
  found = asb_backend_search_text (fixture->backend, search, NULL, &fixture->error);
  g_clear_error (&fixture->error);
  job = asb_backend_query_job (fixture->backend, "\xff", NULL, &fixture->error);
  g_assert_null (job);
  g_clear_error (&fixture->error);
}

static void
test_service (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GVariant) answer = NULL;
  const char *secret;

  g_test_summary ("A service is called, and nothing but its name is recorded");

  g_signal_emit_by_name (fixture->mock, "set-service-result", "vault.get",
                         g_variant_new_parsed ("{'secret': <'s3'>}"));
  answer
      = asb_backend_call_service (fixture->backend, "vault.get",
                                  g_variant_new_parsed ("{'key': <'s1'>}"), NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_true (g_variant_lookup (answer, "secret", "&s", &secret));
  g_assert_cmpstr (secret, ==, "s3");
  check_text_of_record (fixture, "sandbox.call_service", "{'name', <'vault.get'>}", "-");
  g_assert_null (
      asb_backend_call_service (fixture->backend, "vault.put", NULL, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_clear_error (&fixture->error);
}

static void
test_renew (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_backend_renew (fixture->backend, 90, NULL, &fixture->error);
  g_autoptr (GVariant) start = NULL, end = NULL, expires_at = NULL;

  g_test_summary ("A renewal is recorded with the time it gave");

  g_assert_no_error (fixture->error);
  check_record (fixture, "sandbox.renew", "succeeded", &start, &end);
  test_variant_check_integer (start, "event/request/seconds", 90);
  expires_at = test_variant_find (end, "event/result/expires_at");
  g_assert_true (g_variant_is_of_type (expires_at, G_VARIANT_TYPE_STRING));
  g_assert_nonnull (asb_sandbox_info_get_expires_at (info));
}

static void
test_closed (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("A closed backend asks nobody");

  test_backend_close (fixture->backend);
  g_assert_null (asb_backend_get_metrics (fixture->backend, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_CLOSED);
  g_clear_error (&fixture->error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "get_metrics"), ==, 0);
}

static void
test_faults (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("What a provider answers wrongly is an error");

  test_mock_add_fault (fixture->mock, "{'operation': <'*'>, 'fault': <'wrong-type'>}");
  g_assert_null (asb_backend_get_metrics (fixture->backend, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_clear_error (&fixture->error);
  g_assert_null (asb_backend_watch_metrics (fixture->backend, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_clear_error (&fixture->error);
  test_mock_clear_faults (fixture->mock);
  test_mock_add_fault (fixture->mock, "{'operation': <'*'>, 'fault': <'empty'>}");
  g_assert_null (asb_backend_get_network_policy (fixture->backend, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_clear_error (&fixture->error);
  test_mock_clear_faults (fixture->mock);
}

static void
add (const char *path, void (*function) (TestRecorded *fixture, gconstpointer data))
{
  g_test_add (path, TestRecorded, NULL, set_up, function, tear_down);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  add ("/backend-services/endpoint", test_endpoint);
  add ("/backend-services/port", test_port);
  add ("/backend-services/network", test_network);
  add ("/backend-services/network-changed", test_network_changed);
  add ("/backend-services/metadata", test_metadata);
  add ("/backend-services/snapshot", test_snapshot);
  add ("/backend-services/metrics", test_metrics);
  add ("/backend-services/watch", test_watch);
  add ("/backend-services/diagnostics", test_diagnostics);
  add ("/backend-services/no-text", test_no_text);
  add ("/backend-services/service", test_service);
  add ("/backend-services/renew", test_renew);
  add ("/backend-services/closed", test_closed);
  add ("/backend-services/faults", test_faults);

  return g_test_run ();
}
