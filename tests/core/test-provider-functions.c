/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include "asb-error-private.h"

/* What providers may do beyond the least: a provider that does all of it, and one that does none.
 */

#define TEST_TYPE_FULL (test_full_get_type ())
G_DECLARE_FINAL_TYPE (TestFull, test_full, TEST, FULL, GObject)

struct _TestFull
{
  GObject parent_instance;

  char *said; /* the last call, with its arguments */
  GVariant *answer;
  AsbSandboxSpec *spec;
  AsbMetricsWatch *watch; /* weak */
};

static void test_full_iface_init (AsbProviderInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TestFull, test_full, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER, test_full_iface_init))

static void
test_full_finalize (GObject *object)
{
  TestFull *self = TEST_FULL (object);

  g_clear_pointer (&self->said, g_free);
  g_clear_pointer (&self->answer, g_variant_unref);
  g_clear_object (&self->spec);
  g_clear_weak_pointer (&self->watch);
  G_OBJECT_CLASS (test_full_parent_class)->finalize (object);
}

static void
test_full_class_init (TestFullClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_full_finalize;
}

static void
test_full_init (TestFull *self)
{
}

static void G_GNUC_PRINTF (2, 3) say (AsbProvider *provider, const char *format, ...)
{
  TestFull *self = TEST_FULL (provider);
  va_list arguments;

  g_clear_pointer (&self->said, g_free);
  va_start (arguments, format);
  self->said = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

/* Takes @object. */
static void
answer (GTask *task, gpointer object)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_OBJECT_TYPE (object));
  g_value_take_object (&value, object);
  g_task_return_value (task, &value);
}

static char *
full_dup_name (AsbProvider *provider)
{
  return g_strdup ("full");
}

static AsbCapabilities *
full_get_capabilities (AsbProvider *provider)
{
  AsbCapabilities *capabilities = asb_capabilities_new ();

  asb_capabilities_add (capabilities, ASB_CAPABILITY_NETWORK_POLICY, ASB_CAPABILITY_SUPPORT_NATIVE,
                        "full", NULL);
  return capabilities;
}

static AsbSandboxInfo *
new_info (void)
{
  g_autoptr (AsbSandboxRef) ref
      = asb_sandbox_ref_new ("full", "full-default", "sb-1", "sb-1", NULL, NULL);

  return g_object_new (ASB_TYPE_SANDBOX_INFO, "ref", ref, "state", ASB_SANDBOX_STATE_FAILED,
                       "reason", "why", "message", "because", NULL);
}

static void
full_create_sandbox (AsbProvider *provider, AsbSandboxSpec *spec, GTask *task)
{
  g_set_object (&TEST_FULL (provider)->spec, spec);
  answer (task, new_info ());
}

static void
full_get_endpoint (AsbProvider *provider, const char *id, guint port, gint64 expires, GTask *task)
{
  g_autoptr (GHashTable) headers = g_hash_table_new (g_str_hash, g_str_equal);

  say (provider, "%s %u %" G_GINT64_FORMAT, id, port, expires);
  g_hash_table_insert (headers, (gpointer) "X-Token", (gpointer) "t");
  answer (task, asb_endpoint_new (port, "http://host:1/p", headers));
}

static void
full_get_network_policy (AsbProvider *provider, const char *id, GTask *task)
{
  say (provider, "%s", id);
  answer (task,
          g_object_new (ASB_TYPE_NETWORK_POLICY, "mode", "dns", "enforcement", "sidecar", NULL));
}

static void
answer_policy (AsbProvider *provider, const char *id, AsbNetworkPolicy *policy, GTask *task)
{
  GListModel *rules = asb_network_policy_get_rules (policy);
  g_autoptr (AsbNetworkRule) rule = g_list_model_get_item (rules, 0);

  say (provider, "%s %u %u %s", id, asb_network_policy_get_default_action (policy),
       g_list_model_get_n_items (rules), asb_network_rule_get_target (rule));
  answer (task, g_object_ref (policy));
}

static void
full_set_network_policy (AsbProvider *provider, const char *id, AsbNetworkPolicy *policy,
                         GTask *task)
{
  answer_policy (provider, id, policy, task);
}

static void
full_remove_network_rules (AsbProvider *provider, const char *id, const char *const *targets,
                           GTask *task)
{
  g_autofree char *joined = g_strjoinv (",", (char **)targets);

  say (provider, "%s %s", id, joined);
  answer (task, asb_network_policy_new ());
}

static void
full_patch_metadata (AsbProvider *provider, const char *id, GVariant *changes, GTask *task)
{
  g_autofree char *text = g_variant_print (changes, FALSE);

  say (provider, "%s %s", id, text);
  answer (task, new_info ());
}

static AsbSnapshot *
new_snapshot (const char *id)
{
  return g_object_new (ASB_TYPE_SNAPSHOT, "id", id, "state", ASB_SNAPSHOT_STATE_READY, NULL);
}

static void
full_create_snapshot (AsbProvider *provider, const char *id, const char *name, GTask *task)
{
  say (provider, "%s %s", id, name ? name : "-");
  answer (task, new_snapshot ("new"));
}

static void
full_get_snapshot (AsbProvider *provider, const char *snapshot_id, GTask *task)
{
  say (provider, "%s", snapshot_id);
  answer (task, new_snapshot (snapshot_id));
}

static void
full_list_snapshots (AsbProvider *provider, AsbSnapshotFilter *filter, GTask *task)
{
  g_autoptr (GListStore) all = g_list_store_new (ASB_TYPE_SNAPSHOT);

  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *id = g_strdup_printf ("s%u", i);
      g_autoptr (AsbSnapshot) snapshot = new_snapshot (id);

      g_list_store_append (all, snapshot);
    }
  answer (task, asb_snapshot_filter_select (filter, G_LIST_MODEL (all)));
}

static void
full_delete_snapshot (AsbProvider *provider, const char *snapshot_id, GTask *task)
{
  say (provider, "%s", snapshot_id);
  g_task_return_boolean (task, TRUE);
}

static AsbSandboxMetrics *
new_metrics (guint64 memory_used)
{
  return g_object_new (ASB_TYPE_SANDBOX_METRICS, "cpu-count", 0.5, "cpu-percent", 12.5,
                       "memory-total", G_MAXUINT64, "memory-used", memory_used, NULL);
}

static void
full_get_metrics (AsbProvider *provider, const char *id, GTask *task)
{
  say (provider, "%s", id);
  answer (task, new_metrics (7));
}

static void
full_watch_metrics (AsbProvider *provider, const char *id, GTask *task)
{
  TestFull *self = TEST_FULL (provider);
  AsbMetricsWatch *watch = asb_metrics_watch_new ();
  g_autoptr (AsbSandboxMetrics) metrics = new_metrics (1);

  say (provider, "%s", id);
  g_set_weak_pointer (&self->watch, watch);
  asb_metrics_watch_push (watch, metrics);
  answer (task, watch);
}

static void
full_get_diagnostics (AsbProvider *provider, const char *id, const char *kind, const char *scope,
                      GTask *task)
{
  const char *const warnings[] = { "old", NULL };

  say (provider, "%s %s %s", id, kind, scope ? scope : "-");
  answer (task, g_object_new (ASB_TYPE_DIAGNOSTICS, "kind", kind, "scope", scope, "content", "text",
                              "content-type", "text/plain", "truncated", TRUE, "warnings", warnings,
                              NULL));
}

static void
full_call_service (AsbProvider *provider, const char *id, const char *name, GVariant *arguments,
                   GTask *task)
{
  TestFull *self = TEST_FULL (provider);
  g_autofree char *text = g_variant_print (arguments, FALSE);
  g_auto (GValue) value = G_VALUE_INIT;

  say (provider, "%s %s %s", id ? id : "-", name, text);
  g_value_init (&value, G_TYPE_VARIANT);
  g_value_set_variant (&value, self->answer);
  g_task_return_value (task, &value);
}

static void
test_full_iface_init (AsbProviderInterface *iface)
{
  iface->dup_name = full_dup_name;
  iface->get_capabilities = full_get_capabilities;
  iface->create_sandbox = full_create_sandbox;
  iface->get_endpoint = full_get_endpoint;
  iface->get_network_policy = full_get_network_policy;
  iface->set_network_policy = full_set_network_policy;
  iface->patch_network_policy = full_set_network_policy;
  iface->remove_network_rules = full_remove_network_rules;
  iface->patch_metadata = full_patch_metadata;
  iface->create_snapshot = full_create_snapshot;
  iface->get_snapshot = full_get_snapshot;
  iface->list_snapshots = full_list_snapshots;
  iface->delete_snapshot = full_delete_snapshot;
  iface->get_metrics = full_get_metrics;
  iface->watch_metrics = full_watch_metrics;
  iface->get_diagnostics = full_get_diagnostics;
  iface->call_service = full_call_service;
}

typedef struct
{
  TestFull *full;
  AsbProvider *provider; /* the same */
  GError *error;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->full = g_object_new (TEST_TYPE_FULL, NULL);
  fixture->provider = ASB_PROVIDER (fixture->full);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_assert_no_error (fixture->error);
  g_assert_finalize_object (fixture->full);
}

static void
check_error (Fixture *fixture, int code)
{
  g_assert_error (fixture->error, ASB_ERROR, code);
  g_assert_nonnull (fixture->error->message);
  g_clear_error (&fixture->error);
}

static void
test_endpoint (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbEndpoint) endpoint
      = asb_provider_get_endpoint (fixture->provider, "id", 8080, 99, NULL, &fixture->error);

  g_test_summary ("The address of a port comes with its headers, and there is no port 0");

  g_assert_no_error (fixture->error);
  g_assert_cmpstr (fixture->full->said, ==, "id 8080 99");
  g_assert_cmpuint (asb_endpoint_get_port (endpoint), ==, 8080);
  g_assert_cmpstr (asb_endpoint_get_uri (endpoint), ==, "http://host:1/p");
  g_assert_cmpstr (g_hash_table_lookup (asb_endpoint_get_headers (endpoint), "X-Token"), ==, "t");
  g_assert_null (asb_provider_get_endpoint (fixture->provider, "id", 0, 0, NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_null (
      asb_provider_get_endpoint (fixture->provider, "id", 65536, 0, NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_null (asb_provider_get_endpoint (fixture->provider, "id", 1, -1, NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_null (
      asb_provider_get_endpoint (fixture->provider, "\xff", 1, 0, NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_SANDBOX_NOT_FOUND);
}

static void
test_network (Fixture *fixture, gconstpointer data)
{
  const char *const targets[] = { "a.example", "10.0.0.0/8", NULL };
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbNetworkPolicy) read
      = asb_provider_get_network_policy (fixture->provider, "id", NULL, &fixture->error);
  g_autoptr (AsbNetworkPolicy) set = NULL, patched = NULL, removed = NULL;

  g_test_summary ("A policy is read, replaced, added to, and taken from");

  g_assert_no_error (fixture->error);
  g_assert_cmpstr (asb_network_policy_get_mode (read), ==, "dns");
  g_assert_cmpstr (asb_network_policy_get_enforcement (read), ==, "sidecar");
  g_assert_cmpint (asb_network_policy_get_default_action (read), ==, ASB_NETWORK_ACTION_DENY);
  g_assert_cmpuint (g_list_model_get_n_items (asb_network_policy_get_rules (read)), ==, 0);

  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "a.example");
  asb_network_policy_set_default_action (policy, ASB_NETWORK_ACTION_ALLOW);
  set = asb_provider_set_network_policy (fixture->provider, "id", policy, NULL, &fixture->error);
  g_assert_cmpstr (fixture->full->said, ==, "id 0 1 a.example");
  g_assert_true (set == policy);
  patched
      = asb_provider_patch_network_policy (fixture->provider, "i2", policy, NULL, &fixture->error);
  g_assert_cmpstr (fixture->full->said, ==, "i2 0 1 a.example");
  removed
      = asb_provider_remove_network_rules (fixture->provider, "id", targets, NULL, &fixture->error);
  g_assert_cmpstr (fixture->full->said, ==, "id a.example,10.0.0.0/8");
  g_assert_no_error (fixture->error);
}

static void
test_rules (void)
{
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbNetworkRule) rule = asb_network_rule_new (ASB_NETWORK_ACTION_DENY, "b");
  g_autoptr (GListStore) rules = g_list_store_new (ASB_TYPE_NETWORK_RULE);
  g_autoptr (AsbNetworkRule) second = NULL;

  g_test_summary ("A policy copies the rules it is given, its own among them, and grows");

  g_list_store_append (rules, rule);
  asb_network_policy_set_rules (policy, G_LIST_MODEL (rules));
  g_list_store_remove_all (rules);
  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "c");
  asb_network_policy_set_rules (policy, asb_network_policy_get_rules (policy));
  g_assert_cmpuint (g_list_model_get_n_items (asb_network_policy_get_rules (policy)), ==, 2);
  second = g_list_model_get_item (asb_network_policy_get_rules (policy), 1);
  g_assert_cmpint (asb_network_rule_get_action (second), ==, ASB_NETWORK_ACTION_ALLOW);
  asb_network_policy_set_rules (policy, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (asb_network_policy_get_rules (policy)), ==, 0);
}

static void
test_metadata (Fixture *fixture, gconstpointer data)
{
  GVariant *changes = g_variant_new_parsed ("{'a': just 'b', 'c': nothing}");
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_patch_metadata (fixture->provider, "id", changes, NULL, &fixture->error);

  g_test_summary ("Metadata is changed by name, and nothing but names with strings is taken");

  g_assert_no_error (fixture->error);
  g_assert_cmpstr (fixture->full->said, ==, "id {'a': 'b', 'c': nothing}");
  g_assert_cmpstr (asb_sandbox_info_get_reason (info), ==, "why");
  g_assert_cmpstr (asb_sandbox_info_get_message (info), ==, "because");
  g_assert_null (asb_provider_patch_metadata (
      fixture->provider, "id", g_variant_new_parsed ("{'a': 'b'}"), NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_snapshots (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSnapshotFilter) filter = asb_snapshot_filter_new ();
  g_autoptr (AsbSnapshot) made
      = asb_provider_create_snapshot (fixture->provider, "id", NULL, NULL, &fixture->error);
  g_autoptr (AsbSnapshot) found = NULL, listed = NULL;
  g_autoptr (GListModel) page = NULL;

  g_test_summary ("Snapshots are made of a sandbox, and found, listed and deleted by themselves");

  g_assert_no_error (fixture->error);
  g_assert_cmpstr (fixture->full->said, ==, "id -");
  g_assert_cmpstr (asb_snapshot_get_id (made), ==, "new");
  found = asb_provider_get_snapshot (fixture->provider, "s1", NULL, &fixture->error);
  g_assert_cmpint (asb_snapshot_get_state (found), ==, ASB_SNAPSHOT_STATE_READY);
  g_assert_null (asb_provider_get_snapshot (fixture->provider, "\xff", NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_SNAPSHOT_NOT_FOUND);
  asb_snapshot_filter_set_page_size (filter, 2);
  asb_snapshot_filter_set_page (filter, 2);
  page = asb_provider_list_snapshots (fixture->provider, filter, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (g_list_model_get_n_items (page), ==, 1);
  listed = g_list_model_get_item (page, 0);
  g_assert_cmpstr (asb_snapshot_get_id (listed), ==, "s2");
  g_assert_true (asb_provider_delete_snapshot (fixture->provider, "s1", NULL, &fixture->error));
  g_assert_cmpstr (fixture->full->said, ==, "s1");
}

static void
test_snapshot_filter (void)
{
  g_autoptr (AsbSnapshotFilter) filter = asb_snapshot_filter_new ();
  g_autoptr (AsbSnapshot) snapshot
      = g_object_new (ASB_TYPE_SNAPSHOT, "id", "s", "sandbox-id", "id", "name", "n", "state",
                      ASB_SNAPSHOT_STATE_FAILED, "message", "full", NULL);

  g_test_summary ("A filter looks at the sandbox, the name and the state");

  g_assert_true (asb_snapshot_filter_matches (filter, snapshot));
  asb_snapshot_filter_set_sandbox_id (filter, "id");
  asb_snapshot_filter_set_name (filter, "n");
  asb_snapshot_filter_set_states (filter, g_variant_new_parsed ("['ready', 'failed']"));
  g_assert_true (asb_snapshot_filter_matches (filter, snapshot));
  asb_snapshot_filter_set_states (filter, g_variant_new_parsed ("['ready']"));
  g_assert_false (asb_snapshot_filter_matches (filter, snapshot));
  asb_snapshot_filter_set_states (filter, NULL);
  asb_snapshot_filter_set_name (filter, "other");
  g_assert_false (asb_snapshot_filter_matches (filter, snapshot));
  asb_snapshot_filter_set_name (filter, NULL);
  asb_snapshot_filter_set_sandbox_id (filter, "other");
  g_assert_false (asb_snapshot_filter_matches (filter, snapshot));
}

static void
test_metrics (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxMetrics) metrics
      = asb_provider_get_metrics (fixture->provider, "id", NULL, &fixture->error);

  g_test_summary ("Metrics keep parts of processors and large memories");

  g_assert_no_error (fixture->error);
  g_assert_cmpfloat (asb_sandbox_metrics_get_cpu_count (metrics), ==, 0.5);
  g_assert_cmpfloat (asb_sandbox_metrics_get_cpu_percent (metrics), ==, 12.5);
  g_assert_cmpuint (asb_sandbox_metrics_get_memory_total (metrics), ==, G_MAXUINT64);
  g_assert_cmpuint (asb_sandbox_metrics_get_memory_used (metrics), ==, 7);
  g_assert_null (asb_sandbox_metrics_get_sampled_at (metrics));
}

typedef struct
{
  GString *seen;
  GMainLoop *loop;
  gboolean close; /* at the next sample */
} Watching;

static void
sample_cb (AsbMetricsWatch *watch, AsbSandboxMetrics *metrics, gpointer user_data)
{
  Watching *watching = user_data;

  g_string_append_printf (watching->seen, "%" G_GUINT64_FORMAT " ",
                          asb_sandbox_metrics_get_memory_used (metrics));
  if (watching->close)
    asb_metrics_watch_close (watch);
}

static void
ended_cb (AsbMetricsWatch *watch, gpointer user_data)
{
  Watching *watching = user_data;

  g_string_append (watching->seen, "end");
  g_main_loop_quit (watching->loop);
}

/* Pushes 2 to @last, ends it, and gives back what was seen. */
static char *
follow (AsbMetricsWatch *watch, guint64 last, gboolean close, const GError *error)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Watching watching = { g_string_new (NULL), loop, close };

  g_signal_connect (watch, "sample", G_CALLBACK (sample_cb), &watching);
  g_signal_connect (watch, "ended", G_CALLBACK (ended_cb), &watching);
  for (guint64 i = 2; i <= last; i++)
    {
      g_autoptr (AsbSandboxMetrics) metrics = new_metrics (i);

      asb_metrics_watch_push (watch, metrics);
    }
  if (error)
    asb_metrics_watch_fail (watch, error);
  else if (!close)
    asb_metrics_watch_end (watch);
  g_main_loop_run (loop);
  g_signal_handlers_disconnect_by_data (watch, &watching);
  return g_string_free (watching.seen, FALSE);
}

static void
test_watch (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbMetricsWatch) watch
      = asb_provider_watch_metrics (fixture->provider, "id", NULL, &fixture->error);
  g_autoptr (GError) failure = g_error_new_literal (ASB_ERROR, ASB_ERROR_INTERRUPTED, "Lost");
  g_autoptr (GError) error = NULL;
  g_autofree char *seen = NULL;

  g_test_summary ("A watch tells all samples in their order, what came before anybody could listen "
                  "among them, then its end, and why");

  g_assert_no_error (fixture->error);
  g_assert_cmpint (asb_metrics_watch_get_state (watch), ==, ASB_METRICS_WATCH_STATE_ACTIVE);
  seen = follow (watch, 3, FALSE, failure);
  g_assert_cmpstr (seen, ==, "1 2 3 end");
  g_assert_cmpint (asb_metrics_watch_get_state (watch), ==, ASB_METRICS_WATCH_STATE_FAILED);
  error = asb_metrics_watch_dup_error (watch);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

static void
test_watch_close (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbMetricsWatch) watch
      = asb_provider_watch_metrics (fixture->provider, "id", NULL, &fixture->error);
  g_autofree char *seen = NULL;

  g_test_summary ("A watch that is closed at a sample tells no other, and the provider knows");

  seen = follow (watch, 9, TRUE, NULL);
  g_assert_cmpstr (seen, ==, "1 end");
  g_assert_cmpint (asb_metrics_watch_get_state (watch), ==, ASB_METRICS_WATCH_STATE_CLOSED);
  g_assert_true (g_cancellable_is_cancelled (asb_metrics_watch_get_cancellable (watch)));
}

static void
test_watch_bound (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbMetricsWatch) watch
      = asb_provider_watch_metrics (fixture->provider, "id", NULL, &fixture->error);
  g_autofree char *seen = NULL;

  g_test_summary ("Of samples nobody takes the newest are kept");

  seen = follow (watch, 1000, FALSE, NULL);
  g_assert_true (g_str_has_prefix (seen, "937 938 "));
  g_assert_true (g_str_has_suffix (seen, " 999 1000 end"));
  g_assert_cmpint (asb_metrics_watch_get_state (watch), ==, ASB_METRICS_WATCH_STATE_GONE);
}

static void
test_watch_drop (Fixture *fixture, gconstpointer data)
{
  AsbMetricsWatch *watch
      = asb_provider_watch_metrics (fixture->provider, "id", NULL, &fixture->error);
  g_autoptr (GCancellable) cancellable = g_object_ref (asb_metrics_watch_get_cancellable (watch));

  g_test_summary ("Dropping a watch ends it");

  g_object_unref (watch);
  while (fixture->full->watch)
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (g_cancellable_is_cancelled (cancellable));
}

static void
test_diagnostics (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbDiagnostics) diagnostics
      = asb_provider_get_diagnostics (fixture->provider, "id", "logs", NULL, NULL, &fixture->error);

  g_test_summary ("Diagnostics say what they are");

  g_assert_no_error (fixture->error);
  g_assert_cmpstr (fixture->full->said, ==, "id logs -");
  g_assert_cmpstr (asb_diagnostics_get_kind (diagnostics), ==, "logs");
  g_assert_null (asb_diagnostics_get_scope (diagnostics));
  g_assert_cmpstr (asb_diagnostics_get_content (diagnostics), ==, "text");
  g_assert_cmpstr (asb_diagnostics_get_content_type (diagnostics), ==, "text/plain");
  g_assert_true (asb_diagnostics_get_truncated (diagnostics));
  g_assert_cmpstr (asb_diagnostics_get_warnings (diagnostics)[0], ==, "old");
}

static void
test_service (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GVariant) answered = NULL;

  g_test_summary ("A service is given a dictionary, answers with one, and may be about no sandbox");

  fixture->full->answer = g_variant_ref_sink (g_variant_new_parsed ("{'x': <1>}"));
  answered = asb_provider_call_service (fixture->provider, NULL, "pools.list", NULL, NULL,
                                        &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpstr (fixture->full->said, ==, "- pools.list {}");
  g_assert_true (g_variant_equal (answered, fixture->full->answer));
  g_assert_null (asb_provider_call_service (fixture->provider, "id", "x",
                                            g_variant_new_parsed ("['x']"), NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_pointer (&fixture->full->answer, g_variant_unref);
  fixture->full->answer = g_variant_ref_sink (g_variant_new_int32 (1));
  g_assert_null (
      asb_provider_call_service (fixture->provider, "id", "x", NULL, NULL, &fixture->error));
  g_assert_nonnull (strstr (fixture->error->message, "“i”, not “a{sv}”"));
  check_error (fixture, ASB_ERROR_PROVIDER);
}

static void
test_no_text (Fixture *fixture, gconstpointer data)
{
  AsbProvider *provider = fixture->provider;
  GError **error = &fixture->error;
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GBytes) contents = g_bytes_new_static ("x", 1);

  g_test_summary ("Bytes that are no text are refused before a provider takes them for it");

  g_assert_null (asb_provider_create_snapshot (provider, "id", "a\377", NULL, error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_null (asb_provider_get_diagnostics (provider, "id", "a\377", NULL, NULL, error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_null (asb_provider_get_diagnostics (provider, "id", "logs", "a\377", NULL, error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_null (asb_provider_call_service (provider, "id", "a\377", NULL, NULL, error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_false (asb_provider_put_file (provider, "id", "/a\377", contents, 0644, NULL, error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_hash_table_insert (metadata, (gpointer) "a", (gpointer) "a\377");
  asb_sandbox_spec_set_metadata (spec, metadata);
  g_assert_null (asb_provider_create_sandbox (provider, spec, NULL, error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_null (fixture->full->said);
  g_assert_null (fixture->full->spec);
}

static void
test_last_error (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autoptr (GError) before = asb_error_new_with_info (ASB_ERROR_IO, "before", info);

  g_test_summary ("An answer of the wrong type is the last error there was");

  fixture->full->answer = g_variant_ref_sink (g_variant_new_int32 (1));
  asb_error_info_set_last (before);
  g_assert_true (asb_error_info_get_last () == info);
  g_assert_null (
      asb_provider_call_service (fixture->provider, "id", "x", NULL, NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_PROVIDER);
  g_assert_null (asb_error_info_get_last ());
}

static void
test_spec (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;

  g_test_summary ("What a provider has never heard of is refused, and what it knows arrives");

  asb_sandbox_spec_set_network_policy (spec, policy);
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_true (asb_sandbox_spec_get_network_policy (fixture->full->spec) == policy);
  asb_sandbox_spec_set_platform (spec, "linux/arm64");
  g_assert_null (asb_provider_create_sandbox (fixture->provider, spec, NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  asb_sandbox_spec_set_platform (spec, NULL);
  asb_sandbox_spec_set_create_options (spec, g_variant_new_string ("x"));
  g_assert_null (asb_provider_create_sandbox (fixture->provider, spec, NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_unsupported (void)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("What a provider cannot do at creation is said by name");

  asb_sandbox_spec_set_image_username (spec, "me");
  g_assert_null (asb_provider_create_sandbox (mock, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_assert_nonnull (g_strstr_len (error->message, -1, ASB_CAPABILITY_IMAGE_CREDENTIALS));
}

static void
add (const char *path, void (*function) (Fixture *fixture, gconstpointer data))
{
  g_test_add (path, Fixture, NULL, set_up, function, tear_down);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  add ("/provider/endpoint", test_endpoint);
  add ("/provider/network", test_network);
  g_test_add_func ("/provider/rules", test_rules);
  add ("/provider/metadata", test_metadata);
  add ("/provider/snapshots", test_snapshots);
  g_test_add_func ("/provider/snapshot-filter", test_snapshot_filter);
  add ("/provider/metrics", test_metrics);
  add ("/provider/watch", test_watch);
  add ("/provider/watch/close", test_watch_close);
  add ("/provider/watch/bound", test_watch_bound);
  add ("/provider/watch/drop", test_watch_drop);
  add ("/provider/diagnostics", test_diagnostics);
  add ("/provider/service", test_service);
  add ("/provider/no-text", test_no_text);
  add ("/provider/last-error", test_last_error);
  add ("/provider/spec", test_spec);
  g_test_add_func ("/provider/unsupported", test_unsupported);

  return g_test_run ();
}
