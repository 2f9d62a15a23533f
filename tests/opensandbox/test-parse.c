/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>
#include <math.h>

#include "asb-opensandbox-change.h"
#include "asb-opensandbox-diagnostics.h"
#include "asb-opensandbox-endpoints.h"
#include "asb-opensandbox-identity.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-labels.h"
#include "asb-opensandbox-list.h"
#include "asb-opensandbox-metrics.h"
#include "asb-opensandbox-order.h"
#include "asb-opensandbox-policy.h"
#include "asb-opensandbox-pty-tail.h"
#include "asb-opensandbox-sandbox.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-snapshots.h"
#include "asb-opensandbox-variant.h"

/* What servers say, and what is said to them, without one. JSON is written with ' for ". */

static GBytes *
to_bytes (const char *text)
{
  char *json = g_strdelimit (g_strdup (text), "'", '"');

  return g_bytes_new_take (json, strlen (json));
}

static JsonObject *
to_object (const char *text)
{
  g_autoptr (GBytes) bytes = to_bytes (text);
  g_autoptr (GError) error = NULL;
  JsonObject *object = asb_opensandbox_json_parse_object (bytes, "the test", &error);

  g_assert_no_error (error);
  return object;
}

static AsbOpensandboxLifecycle *
new_lifecycle (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxSettings) settings
      = asb_opensandbox_settings_new ("127.0.0.1:8080", &error);
  g_autoptr (AsbOpensandboxClient) client = NULL;

  g_assert_no_error (error);
  client = asb_opensandbox_client_new (settings);
  return asb_opensandbox_lifecycle_new (client, "opensandbox-default");
}

/* Identity, as the Python package computes it. */

static void
test_identity (void)
{
  g_autoptr (AsbOpensandboxLifecycle) lifecycle = new_lifecycle ();
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *derived = asb_opensandbox_identity_derive ("opensandbox-default", "sbx-1");
  g_autofree char *empty = NULL;
  g_autofree char *given = NULL;
  g_autofree char *huge = g_strnfill (1000, 'x');

  g_assert_cmpstr (asb_opensandbox_lifecycle_get_fingerprint (lifecycle), ==, "d30a576c03187167");
  g_assert_cmpstr (derived, ==, "legacy-be52074ccbbb584cb589901c496a5d4d");
  g_hash_table_insert (metadata, (gpointer) "sandbox_instance_id", (gpointer) "");
  empty = asb_opensandbox_identity_dup_instance_id ("opensandbox-default", "sbx-1", metadata);
  g_assert_cmpstr (empty, ==, derived);
  g_hash_table_insert (metadata, (gpointer) "sandbox_instance_id", (gpointer) "mine");
  given = asb_opensandbox_identity_dup_instance_id ("opensandbox-default", "sbx-1", metadata);
  g_assert_cmpstr (given, ==, "mine");
  g_assert_false (asb_opensandbox_identity_is_id (".."));
  g_assert_false (asb_opensandbox_identity_is_id (""));
  g_assert_true (asb_opensandbox_identity_is_id ("..."));
  g_assert_true (asb_opensandbox_identity_is_id ("f1.bnM=.aWQ=.44772.k_-9%"));
  g_assert_false (asb_opensandbox_identity_is_id ("a/b"));
  g_assert_false (asb_opensandbox_identity_is_id ("a b"));
  g_assert_false (asb_opensandbox_identity_is_id ("a\r\nX: b"));
  g_assert_false (asb_opensandbox_identity_is_id ("a\033[31m"));
  g_assert_false (asb_opensandbox_identity_is_id ("a\342\200\256"));
  g_assert_false (asb_opensandbox_identity_is_id (huge));
}

/* Sandboxes. */

static AsbSandboxInfo *
parse_sandbox (const char *text, GError **error)
{
  g_autoptr (AsbOpensandboxLifecycle) lifecycle = new_lifecycle ();
  g_autoptr (JsonObject) object = to_object (text);

  return asb_opensandbox_sandbox_parse (lifecycle, object, error);
}

static void
test_sandbox (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info = parse_sandbox (
      "{'id':'a?b','image':{'uri':'debian:12'},'snapshotId':null,'platform':null,"
      "'status':{'state':'rUNNING','reason':'CONTAINER_RUNNING','message':null},"
      "'metadata':{'agent_sandbox.name':'n','sandbox_instance_id':'i','x':'y'},"
      "'createdAt':'2026-03-01T10:00:00.123456Z','expiresAt':'2026-03-01T18:10:00+08:00'}",
      &error);
  AsbSandboxRef *ref;
  GDateTime *created, *expires;

  g_assert_no_error (error);
  ref = asb_sandbox_info_get_ref (info);
  g_assert_cmpstr (asb_sandbox_ref_get_provider_name (ref), ==, "opensandbox");
  g_assert_cmpstr (asb_sandbox_ref_get_provider_key (ref), ==, "opensandbox-default");
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_id (ref), ==, "a?b");
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_instance_id (ref), ==, "i");
  g_assert_cmpstr (asb_sandbox_ref_get_endpoint_fingerprint (ref), ==, "d30a576c03187167");
  g_assert_cmpstr (g_hash_table_lookup (asb_sandbox_ref_get_metadata (ref), "x"), ==, "y");
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_RUNNING);
  g_assert_cmpstr (asb_sandbox_info_get_name (info), ==, "n");
  g_assert_cmpstr (asb_sandbox_info_get_image (info), ==, "debian:12");
  g_assert_cmpstr (asb_sandbox_info_get_reason (info), ==, "CONTAINER_RUNNING");
  g_assert_null (asb_sandbox_info_get_message (info));
  created = asb_sandbox_info_get_created_at (info);
  expires = asb_sandbox_info_get_expires_at (info);
  g_assert_cmpint (g_date_time_get_microsecond (created), ==, 123456);
  g_assert_cmpint (g_date_time_to_unix (expires) - g_date_time_to_unix (created), ==, 600);
}

static void
test_sandbox_message (void)
{
  g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new ("h", NULL);
  g_autoptr (AsbOpensandboxClient) client = NULL;
  g_autoptr (AsbOpensandboxLifecycle) lifecycle = NULL;
  g_autofree char *filling = g_strnfill (100000, 'x');
  g_autofree char *text = g_strdup_printf ("{'id':'a','status':{'state':'Failed','message':'no\\n"
                                           "the-key-of-tests\\u001b[31m %s'}}",
                                           filling);
  g_autoptr (JsonObject) object = to_object (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  const char *message;

  g_test_summary ("What a server tells of a sandbox is one line of some length, without a key");

  g_assert_true (asb_opensandbox_settings_set_key (settings, "the-key-of-tests", &error));
  client = asb_opensandbox_client_new (settings);
  lifecycle = asb_opensandbox_lifecycle_new (client, "opensandbox-default");
  info = asb_opensandbox_sandbox_parse (lifecycle, object, &error);
  g_assert_no_error (error);
  message = asb_sandbox_info_get_message (info);
  g_assert_true (g_str_has_prefix (message, "no "));
  g_assert_null (strstr (message, "the-key"));
  g_assert_null (strpbrk (message, "\n\033"));
  g_assert_cmpuint (strlen (message), <, 2000);
}

static void
test_sandbox_states (void)
{
  static const struct
  {
    const char *name;
    AsbSandboxState state;
  } cases[] = {
    { "Pending", ASB_SANDBOX_STATE_CREATING },   { "Allocated", ASB_SANDBOX_STATE_CREATING },
    { "RUNNING", ASB_SANDBOX_STATE_RUNNING },    { "ready", ASB_SANDBOX_STATE_RUNNING },
    { "Paused", ASB_SANDBOX_STATE_PAUSED },      { "Stopping", ASB_SANDBOX_STATE_STOPPING },
    { "Terminated", ASB_SANDBOX_STATE_STOPPED }, { "Failed", ASB_SANDBOX_STATE_FAILED },
    { "Pausing", ASB_SANDBOX_STATE_UNKNOWN },    { "Resuming", ASB_SANDBOX_STATE_UNKNOWN },
    { "Unknown", ASB_SANDBOX_STATE_UNKNOWN },    { "", ASB_SANDBOX_STATE_UNKNOWN },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (asb_opensandbox_sandbox_state_from_string (cases[i].name), ==, cases[i].state);
}

static void
test_sandbox_unknown_state (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = parse_sandbox ("{'id':'x','status':{'state':'Hibernating'}}", &error);

  g_assert_no_error (error);
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_UNKNOWN);
  g_assert_cmpstr (asb_sandbox_info_get_reason (info), ==, "Hibernating");
  g_assert_null (asb_sandbox_info_get_expires_at (info));
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_instance_id (asb_sandbox_info_get_ref (info)), !=,
                   NULL);
}

static void
test_sandbox_refused (void)
{
  static const char *const cases[] = {
    "{}",
    "{'id':7,'status':{'state':'Running'}}",
    "{'id':'','status':{'state':'Running'}}",
    "{'id':'..','status':{'state':'Running'}}",
    "{'id':'a/b','status':{'state':'Running'}}",
    "{'id':'x'}",
    "{'id':'x','status':'Running'}",
    "{'id':'x','status':{}}",
    "{'id':'x','status':{'state':'Running'},'metadata':['a']}",
    "{'id':'x','status':{'state':'Running'},'metadata':{'a':1}}",
    "{'id':'x','status':{'state':'Running'},'image':'debian'}",
    "{'id':'x','status':{'state':'Running'},'createdAt':'yesterday'}",
    "{'id':'x','status':{'state':'Running'},'expiresAt':12}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", cases[i]);
      g_assert_null (parse_sandbox (cases[i], &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
    }
}

/* Labels. */

static void
test_labels_taken (void)
{
  static const char *const pairs[][2] = {
    { "a", "" },
    { "a", NULL },
    { "sandbox_instance_id", "0192-x" },
    { "example.org/x", "y" },
    { "A.b_c-d", "1" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (asb_opensandbox_labels_check (pairs[i][0], pairs[i][1], &error));
      g_assert_no_error (error);
    }
}

static void
test_labels_refused (void)
{
  g_autofree char *long_text = g_strnfill (64, 'x');
  const char *const cases[][3] = {
    { "opensandbox.io/x", "y", "opensandbox.io/" },
    { "a b", "c", "letters" },
    { "", "c", "empty" },
    { "-a", "b", "begin and end" },
    { "A.org/x", "y", "DNS" },
    { "/x", "y", "before the" },
    { "a/b/c", "y", "letters" },
    { "a", "b c", "letters" },
    { "a", "-b", "begin and end" },
    { "a", "\303\274", "letters" },
    { "a", long_text, "63" },
    { long_text, "a", "63" },
    { "agent_sandbox.name", "two words", "sandbox name" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (asb_opensandbox_labels_check (cases[i][0], cases[i][1], &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, cases[i][2]));
    }
}

static void
test_metadata_encoding (void)
{
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *text = NULL;

  g_hash_table_insert (metadata, (gpointer) "note", (gpointer) "a b");
  g_hash_table_insert (metadata, (gpointer) "example.org/x", (gpointer) "1&2");
  text = asb_opensandbox_list_encode_metadata (metadata);
  g_assert_cmpstr (text, ==, "example.org%2Fx=1%262&note=a%20b");
}

/* Orders. */

static char *
print (JsonNode *node)
{
  g_autoptr (JsonGenerator) generator = json_generator_new ();

  json_generator_set_root (generator, node);
  return json_generator_to_data (generator, NULL);
}

/* What the request says under @member, as text; NULL if nothing. */
static char *
order_member (AsbSandboxSpec *spec, const char *member)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) order = asb_opensandbox_order_new (spec, "i-1", &error);
  JsonObject *object;

  g_assert_no_error (error);
  object = json_node_get_object (order);
  return json_object_has_member (object, member) ? print (json_object_get_member (object, member))
                                                 : NULL;
}

static void
assert_member (AsbSandboxSpec *spec, const char *member, const char *wanted)
{
  g_autofree char *text = order_member (spec, member);
  g_autofree char *json = wanted ? g_strdelimit (g_strdup (wanted), "'", '"') : NULL;

  g_assert_cmpstr (text, ==, json);
}

static void
test_order_defaults (void)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  assert_member (spec, "image", "{'uri':'python:3.12'}");
  assert_member (spec, "entrypoint", "['tail','-f','/dev/null']");
  assert_member (spec, "resourceLimits", "{'cpu':'1','memory':'2Gi'}");
  assert_member (spec, "metadata", "{'sandbox_instance_id':'i-1'}");
  assert_member (spec, "timeout", NULL);
  assert_member (spec, "env", NULL);
  assert_member (spec, "networkPolicy", NULL);
  assert_member (spec, "platform", NULL);
}

static void
test_order_everything (void)
{
  static const char *const environment[] = { "A=1", "B=x=y", "C=", NULL };
  static const char *const entrypoint[] = { "sleep", "1 h", NULL };
  g_autoptr (GHashTable) resources = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  g_hash_table_insert (resources, (gpointer) "cpu", (gpointer) "500m");
  asb_network_policy_set_default_action (policy, ASB_NETWORK_ACTION_DENY);
  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "example.org");
  g_object_set (spec, "image", "debian:12", "image-username", "u", "image-password", "p",
                "environment", environment, "entrypoint", entrypoint, "resources", resources,
                "network-policy", policy, "platform", "linux/arm64", "name", "n", NULL);
  asb_sandbox_spec_set_create_options (
      spec, g_variant_new_parsed (
                "{'volumes': <[{'name': <'v'>, 'mount_path': <'/v'>, 'pvc': "
                "<{'claim_name': <'c'>}>, 'read_only': <true>}]>, 'secure_access': <true>,"
                " 'extensions': <{'access.renew.extend.seconds': '600'}>,"
                " 'credential_proxy': <true>, 'resource_requests': <{'cpu': '1'}>,"
                " 'lifecycle': <{'pre_start': <{'timeout_seconds': <5>}>}>}"));
  assert_member (spec, "image", "{'uri':'debian:12','auth':{'username':'u','password':'p'}}");
  assert_member (spec, "env", "{'A':'1','B':'x=y','C':''}");
  assert_member (spec, "entrypoint", "['sleep','1 h']");
  assert_member (spec, "resourceLimits", "{'cpu':'500m'}");
  assert_member (spec, "platform", "{'os':'linux','arch':'arm64'}");
  assert_member (spec, "networkPolicy",
                 "{'defaultAction':'deny','egress':[{'action':'allow','target':'example.org'}]}");
  assert_member (spec, "volumes",
                 "[{'name':'v','mountPath':'/v','pvc':{'claimName':'c'},'readOnly':true}]");
  assert_member (spec, "secureAccess", "true");
  assert_member (spec, "credentialProxy", "{'enabled':true}");
  assert_member (spec, "extensions", "{'access.renew.extend.seconds':'600'}");
  assert_member (spec, "resourceRequests", "{'cpu':'1'}");
  assert_member (spec, "lifecycle", "{'preStart':{'timeoutSeconds':5}}");
}

static void
test_order_of_snapshot (void)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  asb_sandbox_spec_set_snapshot_id (spec, "snap");
  assert_member (spec, "snapshotId", "'snap'");
  assert_member (spec, "image", NULL);
  assert_member (spec, "entrypoint", NULL);
}

static void
test_order_of_pool_and_template (void)
{
  g_autoptr (AsbSandboxSpec) pool = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxSpec) template = asb_sandbox_spec_new ();

  asb_sandbox_spec_set_create_options (pool,
                                       g_variant_new_parsed ("{'extensions': <{'poolRef': 'p'}>}"));
  assert_member (pool, "resourceLimits", NULL);
  asb_sandbox_spec_set_create_options (template, g_variant_new_parsed ("{'template_id': <'t'>}"));
  asb_sandbox_spec_set_ttl_mode (template, ASB_TTL_MODE_SECONDS);
  asb_sandbox_spec_set_ttl_seconds (template, 60);
  assert_member (template, "templateId", "'t'");
  assert_member (template, "image", NULL);
  assert_member (template, "resourceLimits", NULL);
}

static void
test_order_lifetimes (void)
{
  static const gint64 refused[] = { 0, -1, 59, G_MININT64, G_MAXINT64, (gint64)G_MAXINT32 + 1 };
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  asb_sandbox_spec_set_ttl_mode (spec, ASB_TTL_MODE_NEVER);
  assert_member (spec, "timeout", "null");
  asb_sandbox_spec_set_ttl_mode (spec, ASB_TTL_MODE_SECONDS);
  asb_sandbox_spec_set_ttl_seconds (spec, 3600);
  assert_member (spec, "timeout", "3600");
  asb_sandbox_spec_set_ttl_seconds (spec, G_MAXINT32);
  assert_member (spec, "timeout", "2147483647");
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (asb_opensandbox_order_check_ttl (refused[i], 60, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
}

static void
refuse_order (AsbSandboxSpec *spec, const char *said)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_opensandbox_order_new (spec, "i-1", &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  if (!strstr (error->message, said))
    g_error ("“%s” is not in “%s”", said, error->message);
  g_assert_null (strstr (error->message, "hidden"));
}

static void
refuse_options (const char *text, const char *said)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  asb_sandbox_spec_set_create_options (spec, g_variant_new_parsed (text));
  refuse_order (spec, said);
}

static void
test_order_refused (void)
{
  static const char *const environment[] = { "hidden", NULL };
  g_autoptr (AsbSandboxSpec) named = g_object_new (ASB_TYPE_SANDBOX_SPEC, "name", "a b", NULL);
  g_autoptr (AsbSandboxSpec) half
      = g_object_new (ASB_TYPE_SANDBOX_SPEC, "image-password", "hidden", NULL);
  g_autoptr (AsbSandboxSpec) place
      = g_object_new (ASB_TYPE_SANDBOX_SPEC, "platform", "linux", NULL);
  g_autoptr (AsbSandboxSpec) variable
      = g_object_new (ASB_TYPE_SANDBOX_SPEC, "environment", environment, NULL);
  static const char *const odd[] = { "a\377", NULL };
  g_autoptr (AsbSandboxSpec) bytes = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxSpec) both = g_object_new (ASB_TYPE_SANDBOX_SPEC, "snapshot-id", "s", NULL);
  g_autoptr (AsbSandboxSpec) double_image
      = g_object_new (ASB_TYPE_SANDBOX_SPEC, "image", "i", "snapshot-id", "s", NULL);
  g_autoptr (AsbSandboxSpec) template
      = g_object_new (ASB_TYPE_SANDBOX_SPEC, "image", "i", "ttl-mode", ASB_TTL_MODE_SECONDS,
                      "ttl-seconds", (gint64)60, NULL);

  refuse_order (named, "sandbox name");
  refuse_order (half, "both or neither");
  refuse_order (place, "linux/amd64");
  refuse_order (variable, "NAME=VALUE");
  asb_sandbox_spec_set_entrypoint (bytes, odd);
  refuse_order (bytes, "UTF-8");
  asb_sandbox_spec_set_create_options (both, g_variant_new_parsed ("{'template_id': <'t'>}"));
  refuse_order (both, "from two of them");
  refuse_order (double_image, "from two of them");
  asb_sandbox_spec_set_create_options (template, g_variant_new_parsed ("{'templateId': <'t'>}"));
  refuse_order (template, "from two of them");
  refuse_options ("{'volume': <1>}", "“volume”");
  refuse_options ("{'secure_access': <'yes'>}", "“secure_access”");
  refuse_options ("{'credential_proxy': <true>}", "network policy");
  refuse_options ("{'template_id': <'t'>}", "time to live");
}

/* Policies. */

static AsbNetworkPolicy *
parse_policy (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = to_bytes (text);

  return asb_opensandbox_policy_parse (bytes, error);
}

static void
test_policy (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbNetworkPolicy) policy = parse_policy (
      "{'status':'ok','mode':'enforcing','enforcementMode':'dns','policy':{'defaultAction':"
      "'allow','egress':[{'action':'deny','target':'*.example.org'}]}}",
      &error);
  g_autoptr (AsbNetworkPolicy) empty = NULL;
  g_autoptr (AsbNetworkRule) rule = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (asb_network_policy_get_default_action (policy), ==, ASB_NETWORK_ACTION_ALLOW);
  g_assert_cmpstr (asb_network_policy_get_mode (policy), ==, "enforcing");
  g_assert_cmpstr (asb_network_policy_get_enforcement (policy), ==, "dns");
  rule = g_list_model_get_item (asb_network_policy_get_rules (policy), 0);
  g_assert_cmpint (asb_network_rule_get_action (rule), ==, ASB_NETWORK_ACTION_DENY);
  g_assert_cmpstr (asb_network_rule_get_target (rule), ==, "*.example.org");

  empty = parse_policy ("{'mode':'deny_all','policy':{'egress':null}}", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (asb_network_policy_get_rules (empty)), ==, 0);
  g_assert_cmpint (asb_network_policy_get_default_action (empty), ==, ASB_NETWORK_ACTION_DENY);
}

static void
test_policy_refused (void)
{
  static const char *const cases[] = {
    "[]",
    "{}",
    "{'policy':[]}",
    "{'policy':{'egress':{}}}",
    "{'policy':{'egress':[1]}}",
    "{'policy':{'egress':[{'action':'maybe','target':'x'}]}}",
    "{'policy':{'egress':[{'action':'allow'}]}}",
    "{'policy':{'defaultAction':'perhaps'}}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (parse_policy (cases[i], &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
    }
}

/* Endpoints. */

static AsbOpensandboxEndpoint *
parse_endpoint (const char *text, gboolean use_server_proxy, guint port, GError **error)
{
  g_autoptr (AsbOpensandboxSettings) settings
      = asb_opensandbox_settings_new ("127.0.0.1:8080", NULL);
  g_autoptr (GBytes) bytes = to_bytes (text);

  settings->use_server_proxy = use_server_proxy;
  return asb_opensandbox_endpoints_parse (bytes, settings, port, error);
}

static void
test_endpoints (void)
{
  static const struct
  {
    const char *address;
    gboolean use_server_proxy;
    guint port;
    guint flags;
  } cases[] = {
    { "10.0.0.1:44772", FALSE, 44772,
      ASB_OPENSANDBOX_ENDPOINT_DIRECT | ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN },
    { "h:1/proxy/18080", FALSE, 18080,
      ASB_OPENSANDBOX_ENDPOINT_DIRECT | ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN },
    { "h:1/x/18080", FALSE, 18080, ASB_OPENSANDBOX_ENDPOINT_DIRECT },
    { "127.0.0.1:8080/v1/sandboxes/x/proxy/80", TRUE, 80, ASB_OPENSANDBOX_ENDPOINT_SEND_KEY },
    { "127.0.0.1:8080/elsewhere", TRUE, 80, 0 },
    /* At the address of the server, and nothing of the server. */
    { "127.0.0.1:8080/x/44772", FALSE, 44772,
      ASB_OPENSANDBOX_ENDPOINT_DIRECT | ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN },
    { "127.0.0.1:8080/proxy/80", FALSE, 80,
      ASB_OPENSANDBOX_ENDPOINT_DIRECT | ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN },
    { "127.0.0.1:8080/x/proxy/80", TRUE, 80, 0 },
    { "127.0.0.1:8080/sandboxes/x/proxy/80x", TRUE, 80, 0 },
    { "127.0.0.1:8080/sandboxes/x/../proxy/80", TRUE, 80, 0 },
    { "127.0.0.1:8080/sandboxes//proxy/80", TRUE, 80, 0 },
    { "127.0.0.1:8080/sandboxes/x/proxy/81", TRUE, 80, 0 },
    { "127.0.0.1:8080/sandboxes/x/proxy/80", TRUE, 80, ASB_OPENSANDBOX_ENDPOINT_SEND_KEY },
    { "127.0.0.1:8080/front/v1/sandboxes/x/proxy/80", TRUE, 80, ASB_OPENSANDBOX_ENDPOINT_SEND_KEY },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text
          = g_strdup_printf ("{'endpoint':'%s','headers':{'A':'b'}}", cases[i].address);
      g_autofree char *base = g_strconcat ("http://", cases[i].address, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbOpensandboxEndpoint) endpoint
          = parse_endpoint (text, cases[i].use_server_proxy, cases[i].port, &error);

      g_test_message ("%s", cases[i].address);
      g_assert_no_error (error);
      g_assert_cmpstr (endpoint->base, ==, base);
      g_assert_cmpuint (endpoint->flags, ==, cases[i].flags);
      g_assert_cmpstr (g_hash_table_lookup (endpoint->headers, "A"), ==, "b");
    }
}

static void
test_endpoints_refused (void)
{
  static const char *const cases[] = {
    "{}",
    "{'endpoint':''}",
    "{'endpoint':7}",
    "{'endpoint':'http://h:1'}",
    "{'endpoint':'u:p@h:1'}",
    "{'endpoint':'h:1/x?y'}",
    "{'endpoint':'h:1#y'}",
    "{'endpoint':'h:99999'}",
    "{'endpoint':'/x'}",
    "{'endpoint':'h:1/\\u001b[31m'}",
    "{'endpoint':'h:1/a b'}",
    "{'endpoint':'h:1/\\u202e'}",
    "{'endpoint':'h:1','headers':{'A b':'c'}}",
    "{'endpoint':'h:1','headers':{'A':'c\\r\\nB: d'}}",
    "{'endpoint':'h:1','headers':{'Content-Length':'7'}}",
    "{'endpoint':'h:1','headers':['A']}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", cases[i]);
      g_assert_null (parse_endpoint (cases[i], FALSE, 1, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
    }
}

/* The rest. */

static void
test_metrics (void)
{
  g_autoptr (GBytes) good = to_bytes ("{'cpu_count':4,'cpu_used_pct':2.5,'mem_total_mib':8,"
                                      "'mem_used_mib':0.5,'timestamp':1770000000123}");
  g_autoptr (GBytes) bad = to_bytes ("{'error':'no cgroup'}");
  g_autoptr (GBytes) negative = to_bytes ("{'cpu_count':-1,'cpu_used_pct':0,'mem_total_mib':0,"
                                          "'mem_used_mib':0}");
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxMetrics) metrics = asb_opensandbox_metrics_parse (good, &error);
  GDateTime *at;

  g_assert_no_error (error);
  g_assert_cmpfloat (asb_sandbox_metrics_get_cpu_count (metrics), ==, 4);
  g_assert_cmpfloat (asb_sandbox_metrics_get_cpu_percent (metrics), ==, 2.5);
  g_assert_cmpuint (asb_sandbox_metrics_get_memory_total (metrics), ==, 8 * 1024 * 1024);
  g_assert_cmpuint (asb_sandbox_metrics_get_memory_used (metrics), ==, 512 * 1024);
  at = asb_sandbox_metrics_get_sampled_at (metrics);
  g_assert_cmpint (g_date_time_to_unix (at), ==, 1770000000);
  g_assert_cmpint (g_date_time_get_microsecond (at), ==, 123000);

  g_assert_null (asb_opensandbox_metrics_parse (bad, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_error (&error);
  g_assert_null (asb_opensandbox_metrics_parse (negative, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

static void
test_snapshot (void)
{
  g_autoptr (JsonObject) object
      = to_object ("{'id':'s','sandboxId':'x','name':null,'status':{'state':'READY','reason':"
                   "'snapshot_runtime_ready'},'createdAt':'2026-03-01 10:00:00'}");
  g_autoptr (JsonObject) bad = to_object ("{'id':'s','status':null}");
  g_autoptr (JsonObject) elsewhere = to_object ("{'id':'../s','status':{'state':'Ready'}}");
  g_autoptr (AsbOpensandboxLifecycle) lifecycle = new_lifecycle ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSnapshot) snapshot = asb_opensandbox_snapshots_parse (lifecycle, object, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (asb_snapshot_get_id (snapshot), ==, "s");
  g_assert_cmpstr (asb_snapshot_get_sandbox_id (snapshot), ==, "x");
  g_assert_cmpint (asb_snapshot_get_state (snapshot), ==, ASB_SNAPSHOT_STATE_READY);
  g_assert_null (asb_opensandbox_snapshots_parse (lifecycle, bad, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_clear_error (&error);
  g_assert_null (asb_opensandbox_snapshots_parse (lifecycle, elsewhere, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

static void
test_diagnostics (void)
{
  g_autoptr (GBytes) good = to_bytes (
      "{'sandboxId':'x','kind':'logs','scope':'container','delivery':'inline','contentType':"
      "'text/plain','content':'a','contentLength':1,'truncated':true,'warnings':['w']}");
  g_autoptr (GBytes) bad = to_bytes ("{'kind':'logs','delivery':'url'}");
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbDiagnostics) diagnostics = asb_opensandbox_diagnostics_parse (good, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (asb_diagnostics_get_content (diagnostics), ==, "a");
  g_assert_true (asb_diagnostics_get_truncated (diagnostics));
  g_assert_cmpstr (asb_diagnostics_get_warnings (diagnostics)[0], ==, "w");
  g_assert_null (asb_opensandbox_diagnostics_parse (bad, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

static void
test_variant (void)
{
  g_autoptr (JsonObject) object = to_object ("{'a':[1,null,'x'],'b':{'c':true},'d':1.5,'e':null}");
  g_autoptr (JsonNode) node = json_node_init_object (json_node_alloc (), object);
  g_autoptr (GVariant) value = asb_opensandbox_variant_from_json (node);
  g_autofree char *text = g_variant_print (value, FALSE);
  g_autoptr (GVariant) infinite = g_variant_ref_sink (g_variant_new_double (INFINITY));
  g_autoptr (JsonNode) back = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *printed = NULL;

  g_assert_cmpstr (text, ==,
                   "{'a': <[<int64 1>, <@mv nothing>, <'x'>]>, 'b': <{'c': <true>}>, 'd': <1.5>}");
  back = asb_opensandbox_variant_to_json (value, &error);
  g_assert_no_error (error);
  printed = print (back);
  g_assert_nonnull (strstr (printed, "[1,null,\"x\"]"));
  g_assert_null (asb_opensandbox_variant_to_json (infinite, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_renewal_time (void)
{
  g_autofree char *text = asb_opensandbox_change_print_time (G_GINT64_CONSTANT (1772359200000007));
  g_autofree char *far
      = asb_opensandbox_change_print_time ((gint64)G_MAXINT32 * 2 * G_USEC_PER_SEC);

  g_assert_cmpstr (text, ==, "2026-03-01T10:00:00.000007+00:00");
  g_assert_cmpstr (far, ==, "2106-02-07T06:28:14.000000+00:00");
  g_assert_null (asb_opensandbox_change_print_time (G_MAXINT64));
}

static void
test_patch (void)
{
  g_autoptr (GVariant) changes
      = g_variant_ref_sink (g_variant_new_parsed ("@a{sms} {'a': 'b', 'gone': nothing}"));
  g_autoptr (GVariant) bad
      = g_variant_ref_sink (g_variant_new_parsed ("@a{sms} {'opensandbox.io/x': nothing}"));
  g_autoptr (GVariant) identity
      = g_variant_ref_sink (g_variant_new_parsed ("@a{sms} {'sandbox_instance_id': nothing}"));
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) patch = asb_opensandbox_change_new_patch (changes, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = print (patch);
  g_assert_cmpstr (text, ==, "{\"a\":\"b\",\"gone\":null}");
  g_assert_null (asb_opensandbox_change_new_patch (bad, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (asb_opensandbox_change_new_patch (identity, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "cannot be changed"));
}

static void
test_script_error (void)
{
  /* What follows the path is none of its business. */
  static const char path[] = "/work/a\xff\0and a secret after it, as memory has it";
  g_autoptr (GError) known
      = asb_opensandbox_script_error_new ("cat: /work/a: Permission denied\n", "read", path);
  g_autoptr (GError) unknown = asb_opensandbox_script_error_new ("", "look", NULL);

  g_assert_error (known, ASB_ERROR, ASB_ERROR_PERMISSION_DENIED);
  g_assert_cmpstr (known->message, ==, "Could not read “/work/a\357\277\275”: Permission denied");
  g_assert_error (unknown, ASB_ERROR, ASB_ERROR_IO);
  g_assert_cmpstr (unknown->message, ==, "Could not look: no reason given");
}

static void
test_script_error_names (void)
{
  static const struct
  {
    const char *errors;
    AsbError code;
  } cases[] = {
    { "cat: '/No such file or directory': Permission denied\n", ASB_ERROR_PERMISSION_DENIED },
    { "sh: can't create /Is a directory: No space left on device\n", ASB_ERROR_NO_SPACE },
    { "rm: can't remove 'a: No such file or directory\nb': Is a directory\n",
      ASB_ERROR_IS_DIRECTORY },
    { "bash: line 3: /x: File exists\r\n\n", ASB_ERROR_ALREADY_EXISTS },
    { "mv: cannot move 'a' to a subdirectory of itself, 'a/b'\n", ASB_ERROR_INVALID_ARGUMENT },
    { "sh: 1: cannot create /a/b: Directory nonexistent\n", ASB_ERROR_FILE_NOT_FOUND },
    { "something went wrong\n", ASB_ERROR_IO },
  };

  g_test_summary ("A name that says a reason is not taken for the reason");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = asb_opensandbox_script_error_new (cases[i].errors, "try", NULL);

      g_assert_error (error, ASB_ERROR, (int)cases[i].code);
    }
}

/* The end of what a terminal's shell prints. */

static void
take_output (const guint8 *bytes, gsize size, gpointer data)
{
  g_string_append_len (data, (const char *)bytes, (gssize)size);
}

static void
test_pty_tail (void)
{
  static const struct
  {
    const char *text;
    const char *output;
    gboolean ended;
    int status;
  } cases[] = {
    { "hello\nword 3\n", "hello\n", TRUE, 3 },
    { "word -137\r\nmore", "", TRUE, -9 },
    { "no newline wo", "no newline wo", FALSE, 0 },
    { "word is no word 5 here\nword 0\n", "word is no word 5 here\n", TRUE, 0 },
    { "x word 1", "x ", FALSE, 0 },
    { "", "", FALSE, 0 },
  };

  g_test_summary ("What only looks like the end is output, also when nothing follows");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize step = 1; step < 40; step += 3)
      {
        AsbOpensandboxPtyTail tail;
        g_autoptr (GString) output = g_string_new (NULL);
        gsize length = strlen (cases[i].text);

        asb_opensandbox_pty_tail_init (&tail, "word");
        for (gsize at = 0; at < length; at += step)
          asb_opensandbox_pty_tail_take (&tail, (const guint8 *)cases[i].text + at,
                                         MIN (step, length - at), take_output, output);
        g_assert_cmpint (tail.ended, ==, cases[i].ended);
        asb_opensandbox_pty_tail_flush (&tail, take_output, output);
        g_assert_cmpstr (output->str, ==, cases[i].output);
        g_assert_cmpint (tail.status, ==, cases[i].status);
        asb_opensandbox_pty_tail_clear (&tail);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/parse/identity", test_identity);
  g_test_add_func ("/opensandbox/parse/sandbox", test_sandbox);
  g_test_add_func ("/opensandbox/parse/sandbox/message", test_sandbox_message);
  g_test_add_func ("/opensandbox/parse/sandbox/states", test_sandbox_states);
  g_test_add_func ("/opensandbox/parse/sandbox/unknown-state", test_sandbox_unknown_state);
  g_test_add_func ("/opensandbox/parse/sandbox/refused", test_sandbox_refused);
  g_test_add_func ("/opensandbox/labels/taken", test_labels_taken);
  g_test_add_func ("/opensandbox/labels/refused", test_labels_refused);
  g_test_add_func ("/opensandbox/list/encoding", test_metadata_encoding);
  g_test_add_func ("/opensandbox/order/defaults", test_order_defaults);
  g_test_add_func ("/opensandbox/order/everything", test_order_everything);
  g_test_add_func ("/opensandbox/order/snapshot", test_order_of_snapshot);
  g_test_add_func ("/opensandbox/order/pool-and-template", test_order_of_pool_and_template);
  g_test_add_func ("/opensandbox/order/lifetimes", test_order_lifetimes);
  g_test_add_func ("/opensandbox/order/refused", test_order_refused);
  g_test_add_func ("/opensandbox/parse/policy", test_policy);
  g_test_add_func ("/opensandbox/parse/policy/refused", test_policy_refused);
  g_test_add_func ("/opensandbox/parse/endpoint", test_endpoints);
  g_test_add_func ("/opensandbox/parse/endpoint/refused", test_endpoints_refused);
  g_test_add_func ("/opensandbox/parse/metrics", test_metrics);
  g_test_add_func ("/opensandbox/parse/snapshot", test_snapshot);
  g_test_add_func ("/opensandbox/parse/diagnostics", test_diagnostics);
  g_test_add_func ("/opensandbox/script/error", test_script_error);
  g_test_add_func ("/opensandbox/script/error/names", test_script_error_names);
  g_test_add_func ("/opensandbox/variant", test_variant);
  g_test_add_func ("/opensandbox/change/renewal-time", test_renewal_time);
  g_test_add_func ("/opensandbox/change/patch", test_patch);
  g_test_add_func ("/opensandbox/parse/pty-tail", test_pty_tail);
  return g_test_run ();
}
