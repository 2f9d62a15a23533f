/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-server.h"

/* What else there is to a sandbox: its endpoints, network rules, vault, snapshots, metrics and
 * diagnostics; and what servers have beside sandboxes. */

/* One more than are remembered at a time, and the first of them again. */
#define MANY_ENDPOINTS 1026

typedef struct
{
  AsbTestServer *server;
  AsbProvider *provider;
  AsbSandboxInfo *info;
  const char *id;
} Fixture;

/* @data: options of the provider, or NULL */
static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (GError) error = NULL;

  fixture->server = asb_test_server_new (NULL);
  fixture->provider = asb_test_server_new_provider (fixture->server, data);
  asb_network_policy_set_default_action (policy, ASB_NETWORK_ACTION_DENY);
  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "example.org");
  asb_sandbox_spec_set_network_policy (spec, policy);
  fixture->info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  fixture->id = asb_test_server_get_id (fixture->info);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_object_unref (fixture->info);
  g_object_unref (fixture->provider);
  asb_test_server_free (fixture->server);
}

/* Network rules. */

static char *
describe (AsbNetworkPolicy *policy)
{
  GListModel *rules = asb_network_policy_get_rules (policy);
  GString *text = g_string_new (
      asb_network_policy_get_default_action (policy) == ASB_NETWORK_ACTION_ALLOW ? "+" : "-");

  for (guint i = 0; i < g_list_model_get_n_items (rules); i++)
    {
      g_autoptr (AsbNetworkRule) rule = g_list_model_get_item (rules, i);

      g_string_append_printf (
          text, " %c%s", asb_network_rule_get_action (rule) == ASB_NETWORK_ACTION_ALLOW ? '+' : '-',
          asb_network_rule_get_target (rule));
    }
  return g_string_free (text, FALSE);
}

/* Takes @policy. */
static void
assert_policy (AsbNetworkPolicy *policy, const GError *error, const char *wanted)
{
  g_autoptr (AsbNetworkPolicy) owned = policy;
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = describe (owned);
  g_assert_cmpstr (text, ==, wanted);
}

static void
check_policies (Fixture *fixture)
{
  static const char *const targets[] = { "EXAMPLE.org", "nothing.example", NULL };
  static const char *const none[] = { NULL };
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbNetworkPolicy) rules = asb_network_policy_new ();
  g_autoptr (AsbNetworkPolicy) empty = asb_network_policy_new ();
  g_autoptr (GError) error = NULL;

  assert_policy (asb_provider_get_network_policy (fixture->provider, fixture->id, NULL, &error),
                 error, "- +example.org");
  asb_network_policy_add_rule (rules, ASB_NETWORK_ACTION_DENY, "new.example");
  asb_network_policy_add_rule (rules, ASB_NETWORK_ACTION_DENY, "example.org");
  assert_policy (
      asb_provider_patch_network_policy (fixture->provider, fixture->id, rules, NULL, &error),
      error, "- -new.example -example.org");
  assert_policy (
      asb_provider_patch_network_policy (fixture->provider, fixture->id, empty, NULL, &error),
      error, "- -new.example -example.org");
  assert_policy (
      asb_provider_remove_network_rules (fixture->provider, fixture->id, targets, NULL, &error),
      error, "- -new.example");
  assert_policy (
      asb_provider_remove_network_rules (fixture->provider, fixture->id, none, NULL, &error), error,
      "- -new.example");
  asb_network_policy_set_default_action (policy, ASB_NETWORK_ACTION_ALLOW);
  assert_policy (
      asb_provider_set_network_policy (fixture->provider, fixture->id, policy, NULL, &error), error,
      "+");
}

static void
test_policies (Fixture *fixture, gconstpointer data)
{
  check_policies (fixture);
  g_assert_cmpuint (asb_test_server_count (fixture->server, NULL, "*/networkpolicy"), ==, 0);
}

static void
test_policy_null (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (GError) error = NULL;

  asb_test_server_set (fixture->server, "{'egress_null':true}");
  asb_network_policy_set_default_action (policy, ASB_NETWORK_ACTION_DENY);
  assert_policy (
      asb_provider_set_network_policy (fixture->provider, fixture->id, policy, NULL, &error), error,
      "-");
}

/* The sidecar cannot be reached, but by the server. */
static void
test_policies_by_server (Fixture *fixture, gconstpointer data)
{
  asb_test_server_fault (fixture->server,
                         "{'path':'*/endpoints/18080','action':'reply','status':200,"
                         "'json':{'endpoint':'127.0.0.1:1'}}");
  check_policies (fixture);
  g_assert_cmpuint (asb_test_server_count (fixture->server, NULL, "*/networkpolicy"), >, 0);
}

/* The sidecar has heard it, and perhaps done it. */
static void
test_policy_answer_lost (Fixture *fixture, gconstpointer data)
{
  static const char *const faults[] = {
    "{'method':'PATCH','hop':'egress','action':'cut','bytes':0}",
    "{'method':'PATCH','hop':'egress','action':'reply','status':504,'json':{'code':"
    "'BACKEND_TIMEOUT','message':'late'}}",
    "{'method':'PATCH','hop':'egress','action':'reply','status':502,'json':{'code':"
    "'BACKEND_RESPONSE_FAILED','message':'cut'}}",
  };
  g_autoptr (AsbNetworkPolicy) rules = asb_network_policy_new ();

  g_test_summary ("Rules that may have been added are not added once more by the server");
  asb_network_policy_add_rule (rules, ASB_NETWORK_ACTION_DENY, "new.example");
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbNetworkPolicy) none = NULL;

      asb_test_server_forget (fixture->server);
      asb_test_server_fault (fixture->server, faults[i]);
      none
          = asb_provider_patch_network_policy (fixture->provider, fixture->id, rules, NULL, &error);
      asb_test_server_heal (fixture->server);
      g_assert_null (none);
      g_assert_error (error, ASB_ERROR, (i == 0 ? ASB_ERROR_INTERRUPTED : ASB_ERROR_PROVIDER));
      g_assert_cmpuint (asb_test_server_count (fixture->server, "PATCH", "*/policy"), >, 0);
      g_assert_cmpuint (asb_test_server_count (fixture->server, NULL, "*/networkpolicy"), ==, 0);
    }
}

/* What the server says of the request counts more than that the sidecar was not to be reached. */
static void
test_policy_refused_by_server (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbNetworkPolicy) none = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (fixture->server,
                         "{'path':'*/endpoints/18080','action':'reply','status':200,"
                         "'json':{'endpoint':'127.0.0.1:1'}}");
  asb_test_server_fault (fixture->server,
                         "{'path':'*/networkpolicy','action':'reply','status':400,'json':"
                         "{'code':'SANDBOX::INVALID_PARAMETER','message':'no such target'}}");
  none = asb_provider_set_network_policy (fixture->provider, fixture->id, policy, NULL, &error);
  g_assert_null (none);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "no such target"));
  g_assert_null (strstr (error->message, "cannot be reached"));
}

static void
test_policy_refused (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbNetworkPolicy) none = NULL;
  g_autoptr (GError) error = NULL;

  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "a.example");
  asb_test_server_fault (fixture->server,
                         "{'method':'PUT','hop':'egress','action':'reply','status':400,"
                         "'body':'invalid policy: no target\\n'}");
  none = asb_provider_set_network_policy (fixture->provider, fixture->id, policy, NULL, &error);
  g_assert_null (none);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "invalid policy: no target"));
  g_assert_null (strchr (error->message, '\n'));
}

/* Something in between may answer in place of the sidecar, and with anything. */
static void
test_policy_answers (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *method;
    const char *answer;
    gboolean is_unknown; /* whether it was done */
  } cases[] = {
    { "PUT", "'body':'<html>hello</html>','type':'text/html'", TRUE },
    { "PUT", "'body':'[1]'", TRUE },
    { "PUT", "'body':'7'", TRUE },
    { "PUT", "'body':'{'", TRUE },
    { "GET", "'body':'<html>hello</html>','type':'text/html'", FALSE },
    { "GET", "'body':''", FALSE },
    { "GET", "'json':{'policy':null}", FALSE },
    { "GET", "'json':{'policy':[]}", FALSE },
    { "GET", "'json':{'policy':{'egress':{}}}", FALSE },
    { "GET", "'json':{'policy':{'defaultAction':'maybe'}}", FALSE },
    { "GET", "'json':{'policy':{'egress':[{'action':'allow'}]}}", FALSE },
    { "GET", "'json':{'mode':7,'policy':{}}", FALSE },
  };
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *fault
          = g_strdup_printf ("{'method':'%s','path':'*/policy','action':'reply','status':200,%s}",
                             cases[i].method, cases[i].answer);
      g_autoptr (AsbNetworkPolicy) set = NULL;
      g_autoptr (GError) error = NULL;
      gboolean is_unknown;

      asb_test_server_fault (fixture->server, fault);
      set = asb_provider_set_network_policy (fixture->provider, fixture->id, policy, NULL, &error);
      asb_test_server_heal (fixture->server);
      g_test_message ("%s: %s", fault, error ? error->message : "taken");
      g_assert_null (set);
      g_assert_error (error, ASB_ERROR,
                      (cases[i].is_unknown ? ASB_ERROR_INTERRUPTED : ASB_ERROR_PROTOCOL));
      is_unknown = strstr (error->message, "whether it was done is unknown") != NULL;
      g_assert_cmpint (is_unknown, ==, cases[i].is_unknown);
      if (!is_unknown)
        g_assert_true (g_str_has_prefix (error->message, "That was done, but "));
      g_assert_null (strstr (error->message, "<html>"));
    }
}

static void
assert_no_sidecar (const GError *error)
{
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_assert_nonnull (strstr (error->message, "has no egress sidecar"));
  g_assert_false (asb_error_info_get_retryable (asb_error_get_info (error)));
}

/* It has one, which does not answer. */
static void
test_policy_out_of_reach (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbNetworkPolicy) policy = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (fixture->server,
                         "{'path':'*/endpoints/18080','action':'reply','status':200,'json':"
                         "{'endpoint':'127.0.0.1:1','headers':{'opensandbox-egress-auth':'x'}}}");
  asb_test_server_fault (fixture->server,
                         "{'path':'*/networkpolicy','action':'reply','status':502,'json':"
                         "{'code':'BACKEND_CONNECTION_FAILED','message':'nobody there'}}");
  policy = asb_provider_get_network_policy (fixture->provider, fixture->id, NULL, &error);
  g_assert_null (policy);
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "cannot be reached"));
  g_assert_true (asb_error_info_get_retryable (asb_error_get_info (error)));
}

static void
test_no_policy (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) plain = asb_test_server_create (fixture->provider);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbNetworkPolicy) policy = asb_provider_get_network_policy (
      fixture->provider, asb_test_server_get_id (plain), NULL, &error);
  g_autoptr (AsbNetworkPolicy) none = NULL;

  g_assert_null (policy);
  assert_no_sidecar (error);
  g_clear_error (&error);
  g_assert_null (asb_provider_call_service (fixture->provider, asb_test_server_get_id (plain),
                                            "credential_vault.get", NULL, NULL, &error));
  assert_no_sidecar (error);
  g_clear_error (&error);
  none = asb_provider_get_network_policy (fixture->provider, "none", NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
}

/* Files that are put there. */

static void
test_put_again (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GBytes) contents = g_bytes_new_static ("settings", 8);
  g_autoptr (AsbTransport) transport = NULL;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/tmp/settings");
  g_autoptr (GBytes) read = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A file that was put and has gone since is put again");

  transport = asb_provider_open_transport (fixture->provider, fixture->id, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    {
      g_assert_true (asb_provider_put_file (fixture->provider, fixture->id, "/tmp/settings",
                                            contents, 0600, NULL, &error));
      g_assert_no_error (error);
      read = asb_transport_read_file (transport, request, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (g_bytes_equal (read, contents));
      g_clear_pointer (&read, g_bytes_unref);
      g_assert_true (asb_transport_delete_file (transport, request, NULL, &error));
      g_assert_no_error (error);
    }
  g_assert_true (asb_transport_close (transport, NULL, &error));
}

/* The vault, and what servers have beside sandboxes. */

static GVariant *
call (Fixture *fixture, const char *name, const char *arguments, GError **error)
{
  gboolean is_of_sandbox = g_str_has_prefix (name, "credential_vault.");

  return asb_provider_call_service (fixture->provider, is_of_sandbox ? fixture->id : NULL, name,
                                    arguments ? g_variant_new_parsed (arguments) : NULL, NULL,
                                    error);
}

static gint64
get_revision (GVariant *state)
{
  gint64 revision = -1;

  g_assert_true (g_variant_lookup (state, "revision", "x", &revision));
  return revision;
}

static void
test_vault (void)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbProvider) provider
      = asb_test_server_new_provider (server, "{'use-server-proxy': <false>}");
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GVariant) created = NULL;
  g_autoptr (GVariant) patched = NULL;
  g_autoptr (GVariant) listed = NULL;
  g_autoptr (GVariant) gone = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  Fixture fixture = { server, provider, NULL, NULL };

  asb_network_policy_set_default_action (policy, ASB_NETWORK_ACTION_DENY);
  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "example.org");
  asb_sandbox_spec_set_network_policy (spec, policy);
  asb_sandbox_spec_set_create_options (spec, g_variant_new_parsed ("{'credential_proxy': <true>}"));
  info = asb_provider_create_sandbox (provider, spec, NULL, &error);
  g_assert_no_error (error);
  fixture.id = asb_test_server_get_id (info);
  created = call (&fixture, "credential_vault.create",
                  "{'credentials': <[{'name': <'c'>, 'source': <{'type': <'inline'>, 'value': "
                  "<'hidden'>}>}]>, 'bindings': <[{'name': <'b'>, 'match': <{'hosts': "
                  "<['example.org']>}>, 'auth': <{'type': <'bearer'>, 'credential': <'c'>}>}]>}",
                  &error);
  g_assert_no_error (error);
  text = g_variant_print (created, FALSE);
  g_assert_null (strstr (text, "hidden"));
  patched = call (&fixture, "credential_vault.patch",
                  "{'expected_revision': <int64 1>, 'credentials': <{'add': <[{'name': <'d'>, "
                  "'source': <{'type': <'inline'>, 'value': <'x'>}>}]>}>}",
                  &error);
  g_assert_no_error (error);
  g_assert_cmpint (get_revision (patched), >, get_revision (created));
  listed = call (&fixture, "credential_vault.get_credential", "{'name': <'c'>}", &error);
  g_assert_no_error (error);
  asb_test_server_fault (server, "{'method':'DELETE','hop':'egress','times':1,'action':'cut'}");
  gone = call (&fixture, "credential_vault.delete", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_variant_n_children (gone), ==, 0);
  g_assert_null (call (&fixture, "credential_vault.get", NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
}

static void
test_services (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *name;
    const char *arguments;
    int code;
  } cases[] = {
    { "pools.list", NULL, ASB_ERROR_UNSUPPORTED_CAPABILITY },
    { "pools.get", "{'name': <'p'>}", ASB_ERROR_UNSUPPORTED_CAPABILITY },
    { "templates.list", NULL, ASB_ERROR_UNSUPPORTED_CAPABILITY },
    { "pools.get", NULL, ASB_ERROR_INVALID_ARGUMENT },
    { "pools.get", "{'name': <'..'>}", ASB_ERROR_INVALID_ARGUMENT },
    { "pools.get", "{'name': <'p'>, 'other': <1>}", ASB_ERROR_INVALID_ARGUMENT },
    { "pools.list", "{'other': <1>}", ASB_ERROR_INVALID_ARGUMENT },
    { "pools.explode", NULL, ASB_ERROR_UNSUPPORTED_CAPABILITY },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (call (fixture, cases[i].name, cases[i].arguments, &error));
      g_assert_error (error, ASB_ERROR, cases[i].code);
    }
}

/* Templates are made of what users name, too. */
static void
test_service_answers (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GVariant) items = NULL;

  asb_test_server_fault (fixture->server,
                         "{'path':'/v1/pools','action':'reply','status':200,"
                         "'json':{'items':[{'name':'p','capacitySpec':{'bufferMax':3}}]}}");
  answer = call (fixture, "pools.list", NULL, &error);
  g_assert_no_error (error);
  items = g_variant_lookup_value (answer, "items", G_VARIANT_TYPE ("av"));
  g_assert_cmpuint (g_variant_n_children (items), ==, 1);
}

/* Snapshots. */

static AsbSnapshot *
await_snapshot (Fixture *fixture, const char *id)
{
  gint64 deadline = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  while (TRUE)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbSnapshot) snapshot
          = asb_provider_get_snapshot (fixture->provider, id, NULL, &error);

      g_assert_no_error (error);
      if (asb_snapshot_get_state (snapshot) != ASB_SNAPSHOT_STATE_CREATING)
        return g_steal_pointer (&snapshot);
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
    }
}

static void
test_snapshots (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSnapshotFilter) filter = asb_snapshot_filter_new ();
  g_autoptr (AsbSandboxInfo) restored = NULL;
  g_autoptr (AsbSnapshot) snapshot = NULL;
  g_autoptr (AsbSnapshot) ready = NULL;
  g_autoptr (AsbSnapshot) gone = NULL;
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;
  const char *id;

  snapshot = asb_provider_create_snapshot (fixture->provider, fixture->id, "mine", NULL, &error);
  g_assert_no_error (error);
  id = asb_snapshot_get_id (snapshot);
  g_assert_cmpstr (asb_snapshot_get_sandbox_id (snapshot), ==, fixture->id);
  ready = await_snapshot (fixture, id);
  g_assert_cmpint (asb_snapshot_get_state (ready), ==, ASB_SNAPSHOT_STATE_READY);
  asb_snapshot_filter_set_sandbox_id (filter, fixture->id);
  asb_snapshot_filter_set_name (filter, "mine");
  list = asb_provider_list_snapshots (fixture->provider, filter, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);

  asb_sandbox_spec_set_snapshot_id (spec, id);
  restored = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (asb_provider_delete_snapshot (fixture->provider, id, NULL, &error));
  g_assert_cmpstr (asb_error_info_get_provider_error_code (asb_error_get_info (error)), ==,
                   "SNAPSHOT::DELETE_CONFLICT");
  g_clear_error (&error);
  g_assert_true (asb_provider_delete_sandbox (fixture->provider, asb_test_server_get_id (restored),
                                              NULL, &error));
  g_assert_true (asb_provider_delete_snapshot (fixture->provider, id, NULL, &error));
  g_assert_no_error (error);
  gone = asb_provider_get_snapshot (fixture->provider, id, NULL, &error);
  g_assert_null (gone);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SNAPSHOT_NOT_FOUND);
}

static void
test_snapshot_answer_lost (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSnapshot) snapshot = NULL;
  g_autoptr (AsbSnapshot) ready = NULL;
  g_autoptr (GError) error = NULL;
  const char *id;

  g_test_summary ("What an earlier try of the same call has deleted is deleted");
  snapshot = asb_provider_create_snapshot (fixture->provider, fixture->id, "mine", NULL, &error);
  g_assert_no_error (error);
  id = asb_snapshot_get_id (snapshot);
  ready = await_snapshot (fixture, id);
  asb_test_server_fault (fixture->server, "{'method':'DELETE','times':1,'action':'cut'}");
  g_assert_true (asb_provider_delete_snapshot (fixture->provider, id, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "DELETE", "*"), ==, 2);
  g_assert_false (asb_provider_delete_snapshot (fixture->provider, id, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SNAPSHOT_NOT_FOUND);
}

/* Servers tell the errors of others in what they say of a snapshot. */
static void
test_snapshot_with_secret (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProvider) provider
      = asb_test_server_new_provider (fixture->server, "{'api-key': <'the-key-of-tests'>}");
  g_autoptr (AsbSnapshot) snapshot = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (fixture->server,
                         "{'path':'/v1/snapshots/x','action':'reply','status':200,'json':{'id':"
                         "'x','status':{'state':'Failed','message':'no: the-key-of-tests'}}}");
  snapshot = asb_provider_get_snapshot (provider, "x", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_snapshot_get_message (snapshot), ==, "no: …");
}

/* Metrics. */

static void
test_metrics (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxMetrics) metrics
      = asb_provider_get_metrics (fixture->provider, fixture->id, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (asb_sandbox_metrics_get_cpu_count (metrics), >, 0);
  g_assert_cmpuint (asb_sandbox_metrics_get_memory_total (metrics), >, 1024 * 1024);
  g_assert_nonnull (asb_sandbox_metrics_get_sampled_at (metrics));
}

static void
sample_cb (AsbMetricsWatch *watch, AsbSandboxMetrics *metrics, gpointer user_data)
{
  guint *n_samples = user_data;

  g_assert_cmpuint (asb_sandbox_metrics_get_memory_total (metrics), >, 0);
  ++*n_samples;
}

static void
test_watch (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbMetricsWatch) watch = NULL;
  g_autoptr (AsbMetricsWatch) second = NULL;
  g_autoptr (GError) error = NULL;
  guint n_samples = 0;

  asb_test_server_set (fixture->server, "{'metrics_ms':50}");
  watch = asb_provider_watch_metrics (fixture->provider, fixture->id, NULL, &error);
  g_assert_no_error (error);
  g_signal_connect (watch, "sample", G_CALLBACK (sample_cb), &n_samples);
  while (n_samples < 3)
    g_main_context_iteration (NULL, TRUE);
  asb_metrics_watch_close (watch);
  g_assert_cmpint (asb_metrics_watch_get_state (watch), ==, ASB_METRICS_WATCH_STATE_CLOSED);

  second = asb_provider_watch_metrics (fixture->provider, fixture->id, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (asb_provider_delete_sandbox (fixture->provider, fixture->id, NULL, &error));
  while (asb_metrics_watch_get_state (second) == ASB_METRICS_WATCH_STATE_ACTIVE)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (asb_metrics_watch_get_state (second), ==, ASB_METRICS_WATCH_STATE_GONE);
}

static void
test_watch_cut (Fixture *fixture, gconstpointer data)
{
  static const char *const faults[] = {
    "{'path':'*/metrics/watch','action':'cut','bytes':20}",
    "{'path':'*/metrics/watch','action':'reply','status':200,'body':'{]\\n'}",
    "{'path':'*/metrics/watch','action':'reply','status':200,'fill':200000}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (AsbMetricsWatch) watch = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (GError) why = NULL;

      asb_test_server_fault (fixture->server, faults[i]);
      watch = asb_provider_watch_metrics (fixture->provider, fixture->id, NULL, &error);
      g_assert_no_error (error);
      while (asb_metrics_watch_get_state (watch) == ASB_METRICS_WATCH_STATE_ACTIVE)
        g_main_context_iteration (NULL, TRUE);
      g_assert_cmpint (asb_metrics_watch_get_state (watch), ==, ASB_METRICS_WATCH_STATE_FAILED);
      why = asb_metrics_watch_dup_error (watch);
      g_assert_error (why, ASB_ERROR, (i == 0 ? ASB_ERROR_INTERRUPTED : ASB_ERROR_PROTOCOL));
      asb_test_server_heal (fixture->server);
    }
}

/* Diagnostics. */

static void
test_diagnostics (Fixture *fixture, gconstpointer data)
{
  static const char *const calls[][2] = {
    { "logs", "container" }, { "events", "runtime" }, { "logs", NULL },
    { "events", NULL },      { "inspect", NULL },     { "summary", NULL },
  };
  g_autoptr (AsbDiagnostics) none = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autoptr (AsbDiagnostics) diagnostics = asb_provider_get_diagnostics (
          fixture->provider, fixture->id, calls[i][0], calls[i][1], NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (asb_diagnostics_get_kind (diagnostics), ==, calls[i][0]);
      g_assert_cmpstr (asb_diagnostics_get_scope (diagnostics), ==, calls[i][1]);
      g_assert_nonnull (asb_diagnostics_get_content (diagnostics));
    }
  none = asb_provider_get_diagnostics (fixture->provider, fixture->id, "rumours", NULL, NULL,
                                       &error);
  g_assert_null (none);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  none = asb_provider_get_diagnostics (fixture->provider, fixture->id, "logs", "x", NULL, &error);
  g_assert_null (none);
  g_assert_cmpstr (asb_error_info_get_provider_error_code (asb_error_get_info (error)), ==,
                   "DIAGNOSTICS_SCOPE_UNSUPPORTED");
}

static void
test_diagnostics_of_others (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbDiagnostics) none = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A page of something in between is none of the server's diagnostics");

  asb_test_server_fault (fixture->server,
                         "{'path':'*/diagnostics/summary','action':'reply','status':200,"
                         "'type':'text/html; charset=utf-8','body':'<html>Log in</html>'}");
  none = asb_provider_get_diagnostics (fixture->provider, fixture->id, "summary", NULL, NULL,
                                       &error);
  g_assert_null (none);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_assert_nonnull (strstr (error->message, "“text/html; charset=utf-8”"));
  g_assert_null (strstr (error->message, "Log in"));
}

/* Endpoints. */

static void
assert_endpoint (const char *server_options, const char *options, const char *pattern,
                 const char *header)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new (server_options);
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, options);
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (provider);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbEndpoint) endpoint
      = asb_provider_get_endpoint (provider, asb_test_server_get_id (info), 8000, 0, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (asb_endpoint_get_port (endpoint), ==, 8000);
  g_test_message ("%s", asb_endpoint_get_uri (endpoint));
  g_assert_true (g_pattern_match_simple (pattern, asb_endpoint_get_uri (endpoint)));
  if (header)
    g_assert_true (g_hash_table_contains (asb_endpoint_get_headers (endpoint), header));
}

static void
test_endpoints (void)
{
  assert_endpoint (NULL, NULL, "http://127.0.0.1:*/proxy/8000", NULL);
  assert_endpoint (NULL, "{'use-server-proxy': <true>}",
                   "http://127.0.0.1:*/v1/sandboxes/*/proxy/8000", NULL);
  assert_endpoint ("--endpoints host", NULL, "http://127.0.0.1:8000", NULL);
  assert_endpoint ("--endpoints uri", NULL, "http://127.0.0.1:*/*/8000", NULL);
  assert_endpoint ("--endpoints header", NULL, "http://127.0.0.1:*", "OpenSandbox-Ingress-To");
  assert_endpoint ("--execd-token t", "{'execd-token': <'t'>}", "http://127.0.0.1:*/proxy/8000",
                   "X-EXECD-ACCESS-TOKEN");
}

static void
test_signed_endpoint (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new ("--endpoints uri --signing-key c2VjcmV0");
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, NULL);
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (provider);
  g_autoptr (GError) error = NULL;
  gint64 expires = g_get_real_time () / G_USEC_PER_SEC + 600;
  g_autoptr (AsbEndpoint) endpoint = asb_provider_get_endpoint (
      provider, asb_test_server_get_id (info), 8000, expires, NULL, &error);
  g_autoptr (AsbEndpoint) none = NULL;

  g_assert_no_error (error);
  g_assert_true (
      g_pattern_match_simple ("http://127.0.0.1:*/*/8000/*/*", asb_endpoint_get_uri (endpoint)));
  none = asb_provider_get_endpoint (fixture->provider, fixture->id, 8000, expires, NULL, &error);
  g_assert_null (none);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
}

/* Endpoints are remembered, until what is known of them may be wrong. */
static void
test_endpoints_remembered (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) paused = NULL;
  g_autoptr (AsbSandboxInfo) resumed = NULL;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 3; i++)
    {
      g_autoptr (AsbEndpoint) endpoint
          = asb_provider_get_endpoint (fixture->provider, fixture->id, 44772, 0, NULL, &error);

      g_assert_no_error (error);
    }
  g_assert_cmpuint (asb_test_server_count (fixture->server, "GET", "*/endpoints/44772"), ==, 1);
  paused = asb_provider_pause_sandbox (fixture->provider, fixture->id, NULL, &error);
  g_assert_no_error (error);
  resumed = asb_provider_resume_sandbox (fixture->provider, fixture->id, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "GET", "*/endpoints/44772"), ==, 2);
}

/* … and not more of them than fit. */
static void
test_endpoints_bounded (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < MANY_ENDPOINTS; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbEndpoint) endpoint = asb_provider_get_endpoint (
          fixture->provider, fixture->id, 8000 + i % (MANY_ENDPOINTS - 1), 0, NULL, &error);

      g_assert_no_error (error);
    }
  g_assert_cmpuint (asb_test_server_count (fixture->server, "GET", "*/endpoints/8000"), ==, 2);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "GET", "*/endpoints/8001"), ==, 1);
}

/* Whose secret goes where: the key to the server, the token to execd and through it. */
static void
test_secrets (void)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new ("--api-key k --execd-token t");
  g_autoptr (AsbProvider) provider
      = asb_test_server_new_provider (server, "{'api-key': <'k'>, 'execd-token': <'t'>}");
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbSandboxMetrics) metrics = NULL;
  g_autoptr (GError) error = NULL;

  asb_network_policy_set_default_action (policy, ASB_NETWORK_ACTION_DENY);
  asb_sandbox_spec_set_network_policy (spec, policy);
  info = asb_provider_create_sandbox (provider, spec, NULL, &error);
  g_assert_no_error (error);
  assert_policy (
      asb_provider_get_network_policy (provider, asb_test_server_get_id (info), NULL, &error),
      error, "-");
  metrics = asb_provider_get_metrics (provider, asb_test_server_get_id (info), NULL, &error);
  g_assert_no_error (error);
  g_assert_true (asb_test_server_has_header (server, "/v1/*", "OPEN-SANDBOX-API-KEY"));
  g_assert_false (asb_test_server_has_header (server, "/v1/*", "X-EXECD-ACCESS-TOKEN"));
  g_assert_true (asb_test_server_has_header (server, "*/metrics", "X-EXECD-ACCESS-TOKEN"));
  g_assert_false (asb_test_server_has_header (server, "*/metrics", "OPEN-SANDBOX-API-KEY"));
  g_assert_false (asb_test_server_has_header (server, "*/policy", "OPEN-SANDBOX-API-KEY"));
}

/* Servers that know nothing of all that. */

static void
test_old_server (void)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new ("--old");
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, NULL);
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (provider);
  const char *id = asb_test_server_get_id (info);
  g_autoptr (AsbSnapshotFilter) filter = asb_snapshot_filter_new ();
  GError *errors[6] = { NULL };

  g_assert_null (asb_provider_patch_metadata (
      provider, id, g_variant_new_parsed ("@a{sms} {'a': 'b'}"), NULL, &errors[0]));
  g_assert_null (asb_provider_create_snapshot (provider, id, NULL, NULL, &errors[1]));
  g_assert_null (asb_provider_list_snapshots (provider, filter, NULL, &errors[2]));
  g_assert_null (asb_provider_get_snapshot (provider, "s", NULL, &errors[3]));
  g_assert_null (asb_provider_get_diagnostics (provider, id, "summary", NULL, NULL, &errors[4]));
  g_assert_null (asb_provider_call_service (provider, NULL, "pools.list", NULL, NULL, &errors[5]));
  for (gsize i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      g_assert_error (errors[i], ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
      g_error_free (errors[i]);
    }
}

/* The doctor. */

static void
assert_findings (const char *server_options, const char *options, const char *const *wanted)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new (server_options);
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, options);
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) findings = asb_provider_diagnose (provider, NULL, &error);
  GVariantIter iter;
  GVariant *finding;
  gsize n = 0;

  g_assert_no_error (error);
  g_variant_iter_init (&iter, findings);
  for (; (finding = g_variant_iter_next_value (&iter)) != NULL; n++)
    {
      g_autoptr (GVariant) owned = finding;
      g_autofree char *text = NULL;
      const char *name = NULL, *state = NULL;

      g_assert_true (g_variant_lookup (finding, "name", "&s", &name));
      g_assert_true (g_variant_lookup (finding, "state", "&s", &state));
      text = g_strconcat (name, "=", state, NULL);
      g_assert_cmpstr (text, ==, wanted[n]);
    }
  g_assert_null (wanted[n]);
}

static void
test_doctor (void)
{
  static const char *const fine[] = { "server=ok", "version=ok", "key=ok", NULL };
  static const char *const old[] = { "server=ok", "version=warning", "key=ok", NULL };
  static const char *const locked[] = { "server=ok", "version=ok", "key=failure", NULL };

  assert_findings (NULL, NULL, fine);
  assert_findings ("--old", NULL, old);
  assert_findings ("--api-key k", "{'api-key': <'k'>}", fine);
  assert_findings ("--api-key k", "{'api-key': <'wrong'>}", locked);
  assert_findings (NULL, "{'proxy': <'http://127.0.0.1:1'>}", fine); /* loopback is direct */
}

static void
test_doctor_without_server (void)
{
  g_autoptr (GVariant) options
      = g_variant_ref_sink (g_variant_new_parsed ("{'url': <'http://127.0.0.1:1'>}"));
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProvider) provider
      = asb_registry_create_provider (asb_registry_get_default (), "opensandbox", options, &error);
  g_autoptr (GVariant) findings = NULL;
  g_autoptr (GVariant) finding = NULL;
  const char *state = NULL;

  g_assert_no_error (error);
  findings = asb_provider_diagnose (provider, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_variant_n_children (findings), ==, 1);
  finding = g_variant_get_child_value (findings, 0);
  g_assert_true (g_variant_lookup (finding, "state", "&s", &state));
  g_assert_cmpstr (state, ==, "failure");
}

#define PROXY "{'use-server-proxy': <true>}"
#define ADD(path, options, function)                                                               \
  g_test_add ("/opensandbox/" path, Fixture, options, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("egress/policies", NULL, test_policies);
  ADD ("egress/policies/through-the-server", PROXY, test_policies);
  ADD ("egress/policies/by-server", NULL, test_policies_by_server);
  ADD ("egress/null", NULL, test_policy_null);
  ADD ("egress/answer-lost", NULL, test_policy_answer_lost);
  ADD ("egress/refused", NULL, test_policy_refused);
  ADD ("egress/refused/by-server", NULL, test_policy_refused_by_server);
  ADD ("egress/answers", NULL, test_policy_answers);
  ADD ("egress/out-of-reach", NULL, test_policy_out_of_reach);
  ADD ("egress/none", NULL, test_no_policy);
  ADD ("egress/none/through-the-server", PROXY, test_no_policy);
  ADD ("put-again", "{'transport': <'native'>}", test_put_again);
  g_test_add_func ("/opensandbox/services/vault", test_vault);
  ADD ("services", NULL, test_services);
  ADD ("services/answers", NULL, test_service_answers);
  ADD ("snapshots", NULL, test_snapshots);
  ADD ("snapshots/answer-lost", NULL, test_snapshot_answer_lost);
  ADD ("snapshots/secret", NULL, test_snapshot_with_secret);
  ADD ("metrics", NULL, test_metrics);
  ADD ("metrics/watch", NULL, test_watch);
  ADD ("metrics/watch/cut", NULL, test_watch_cut);
  ADD ("diagnostics", NULL, test_diagnostics);
  ADD ("diagnostics/of-others", NULL, test_diagnostics_of_others);
  g_test_add_func ("/opensandbox/endpoints", test_endpoints);
  ADD ("endpoints/signed", NULL, test_signed_endpoint);
  ADD ("endpoints/remembered", NULL, test_endpoints_remembered);
  ADD ("endpoints/bounded", NULL, test_endpoints_bounded);
  g_test_add_func ("/opensandbox/secrets", test_secrets);
  g_test_add_func ("/opensandbox/old-server", test_old_server);
  g_test_add_func ("/opensandbox/doctor", test_doctor);
  g_test_add_func ("/opensandbox/doctor/without-server", test_doctor_without_server);
  return g_test_run ();
}
