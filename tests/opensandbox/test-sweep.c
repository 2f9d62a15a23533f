/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each call of a provider, with each way in which its answer can be spoilt: it ends, with an error
 * that can be told on, and never as if all was well. */

#include <string.h>

#include "asb-test-server.h"

/* There is no time to ask twice. Whoever is slow gets an error, too. */
#define IMPATIENT                                                                                  \
  "{'request-timeout-seconds': <0.1>, 'ready-timeout-seconds': <0.01>, 'transport': <'native'>}"
/* Files may be silent for a while. */
#define IMPATIENT_WITH_FILES "{'transport': <'native'>, 'idle-timeout-seconds': <0.1>}"

#define FILE_PATH "/workspace/file"
#define FILE_SIZE 100000

#define VAULT                                                                                      \
  "{'credentials': <[{'name': <'c'>, 'source': <{'type': <'inline'>, 'value': <'x'>}>}]>,"         \
  " 'bindings': <[{'name': <'b'>, 'match': <{'hosts': <['example.org']>}>,"                        \
  " 'auth': <{'type': <'bearer'>, 'credential': <'c'>}>}]>}"

typedef struct
{
  AsbTestServer *server;
  AsbProvider *patient;
  AsbProvider *provider;
  AsbSandboxInfo *info;
  const char *id;
  AsbTransport *transport; /* has time: it is not for what never ends */
  AsbProvider *file_provider;
  AsbTransport *files;
  gint64 n_renewals;
} World;

static GVariant *
ask_vault (AsbProvider *provider, World *self, const char *verb, const char *arguments,
           GError **error)
{
  g_autofree char *name = g_strconcat ("credential_vault.", verb, NULL);

  return asb_provider_call_service (
      provider, self->id, name, arguments ? g_variant_new_parsed (arguments) : NULL, NULL, error);
}

static GBytes *
new_contents (char letter)
{
  g_autofree char *text = g_strnfill (FILE_SIZE, letter);

  return g_bytes_new (text, FILE_SIZE);
}

static AsbFileInfo *
write_contents (AsbTransport *transport, char letter, GError **error)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (FILE_PATH);
  g_autoptr (GBytes) contents = new_contents (letter);

  asb_file_request_set_contents (request, contents);
  return asb_transport_write_file (transport, request, NULL, error);
}

static void
world_open (World *self)
{
  g_autoptr (AsbFileInfo) written = NULL;
  g_autoptr (GVariant) vault = NULL;
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (GError) error = NULL;

  *self = (World){ 0 };
  self->server = asb_test_server_new (NULL);
  self->patient = asb_test_server_new_provider (self->server, "{'transport': <'native'>}");
  self->provider = asb_test_server_new_provider (self->server, IMPATIENT);
  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "example.org");
  asb_sandbox_spec_set_network_policy (spec, policy);
  asb_sandbox_spec_set_create_options (spec, g_variant_new_parsed ("{'credential_proxy': <true>}"));
  self->info = asb_provider_create_sandbox (self->patient, spec, NULL, &error);
  g_assert_no_error (error);
  self->id = asb_test_server_get_id (self->info);
  self->transport = asb_provider_open_transport (self->patient, self->id, NULL, &error);
  g_assert_no_error (error);
  self->file_provider = asb_test_server_new_provider (self->server, IMPATIENT_WITH_FILES);
  self->files = asb_provider_open_transport (self->file_provider, self->id, NULL, &error);
  g_assert_no_error (error);
  written = write_contents (self->transport, 'a', &error);
  g_assert_no_error (error);
  vault = ask_vault (self->patient, self, "create", VAULT, &error);
  g_assert_no_error (error);
}

static void
world_close (World *self)
{
  g_autoptr (GError) error = NULL;

  asb_test_server_heal (self->server);
  g_assert_true (asb_transport_close (self->transport, NULL, &error));
  g_object_unref (self->transport);
  g_assert_true (asb_transport_close (self->files, NULL, &error));
  g_object_unref (self->files);
  g_object_unref (self->file_provider);
  g_assert_true (asb_provider_delete_sandbox (self->patient, self->id, NULL, &error));
  g_assert_no_error (error);
  g_object_unref (self->info);
  g_object_unref (self->provider);
  g_object_unref (self->patient);
  asb_test_server_free (self->server);
}

/* The calls. Each gives an object, or NULL with an error. */

static gpointer
get (World *world, GError **error)
{
  return asb_provider_get_sandbox (world->provider, world->id, NULL, error);
}

static gpointer
list (World *world, GError **error)
{
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();

  return asb_provider_list_sandboxes (world->provider, filter, NULL, error);
}

static gpointer
renew (World *world, GError **error)
{
  /* One that was done all the same must not look like the next. */
  return asb_provider_renew_sandbox (world->provider, world->id, 600 + 60 * ++world->n_renewals,
                                     NULL, error);
}

static gpointer
change_metadata (World *world, GError **error)
{
  g_autoptr (GVariant) changes = g_variant_ref_sink (g_variant_new_parsed ("{'a': @ms 'b'}"));

  return asb_provider_patch_metadata (world->provider, world->id, changes, NULL, error);
}

static gpointer
get_endpoint (World *world, GError **error)
{
  return asb_provider_get_endpoint (world->provider, world->id, 9000, 0, NULL, error);
}

static gpointer
get_policy (World *world, GError **error)
{
  return asb_provider_get_network_policy (world->provider, world->id, NULL, error);
}

static gpointer
create_snapshot (World *world, GError **error)
{
  return asb_provider_create_snapshot (world->provider, world->id, NULL, NULL, error);
}

static gpointer
list_snapshots (World *world, GError **error)
{
  g_autoptr (AsbSnapshotFilter) filter = asb_snapshot_filter_new ();

  return asb_provider_list_snapshots (world->provider, filter, NULL, error);
}

static gpointer
get_metrics (World *world, GError **error)
{
  return asb_provider_get_metrics (world->provider, world->id, NULL, error);
}

static gpointer
get_diagnostics (World *world, GError **error)
{
  return asb_provider_get_diagnostics (world->provider, world->id, "logs", "all", NULL, error);
}

static gpointer
create (World *world, GError **error)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();

  asb_sandbox_spec_set_await_readiness (spec, FALSE);
  return asb_provider_create_sandbox (world->provider, spec, NULL, error);
}

static gpointer
run (World *world, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("exit 3");
  g_autoptr (AsbProcess) process
      = asb_transport_start_command (world->transport, spec, NULL, error);

  return process ? asb_process_wait (process, NULL, error) : NULL;
}

static gpointer
list_files (World *world, GError **error)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/etc");

  return asb_transport_list_files (world->transport, request, NULL, error);
}

static AsbSandboxState
get_state (World *world)
{
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_get_sandbox (world->patient, world->id, NULL, NULL);

  g_assert_nonnull (info);
  return asb_sandbox_info_get_state (info);
}

static void
make_paused (World *world, gboolean paused)
{
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  if (get_state (world) == (paused ? ASB_SANDBOX_STATE_PAUSED : ASB_SANDBOX_STATE_RUNNING))
    return;
  info = paused ? asb_provider_pause_sandbox (world->patient, world->id, NULL, &error)
                : asb_provider_resume_sandbox (world->patient, world->id, NULL, &error);
  g_assert_no_error (error);
}

static gpointer
pause_it (World *world, GError **error)
{
  make_paused (world, FALSE);
  return asb_provider_pause_sandbox (world->provider, world->id, NULL, error);
}

static gpointer
resume_it (World *world, GError **error)
{
  make_paused (world, TRUE);
  return asb_provider_resume_sandbox (world->provider, world->id, NULL, error);
}

static AsbNetworkPolicy *
new_policy (void)
{
  AsbNetworkPolicy *policy = asb_network_policy_new ();

  asb_network_policy_set_default_action (policy, ASB_NETWORK_ACTION_DENY);
  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "example.org");
  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "example.com");
  return policy;
}

static gpointer
set_policy (World *world, GError **error)
{
  g_autoptr (AsbNetworkPolicy) policy = new_policy ();

  return asb_provider_set_network_policy (world->provider, world->id, policy, NULL, error);
}

static gpointer
change_policy (World *world, GError **error)
{
  g_autoptr (AsbNetworkPolicy) policy = new_policy ();

  return asb_provider_patch_network_policy (world->provider, world->id, policy, NULL, error);
}

static gpointer
remove_rules (World *world, GError **error)
{
  static const char *const targets[] = { "example.com", NULL };

  return asb_provider_remove_network_rules (world->provider, world->id, targets, NULL, error);
}

/* Something that can be told from nothing. */
static gpointer
take_variant (GVariant *variant)
{
  g_autoptr (GVariant) owned = variant;

  return owned ? g_object_new (G_TYPE_OBJECT, NULL) : NULL;
}

static gpointer
create_vault (World *world, GError **error)
{
  return take_variant (ask_vault (world->provider, world, "create", VAULT, error));
}

static gpointer
get_vault (World *world, GError **error)
{
  return take_variant (ask_vault (world->provider, world, "get", NULL, error));
}

static gpointer
change_vault (World *world, GError **error)
{
  return take_variant (
      ask_vault (world->provider, world, "patch", "{'expected_revision': <int64 1>}", error));
}

static gpointer
delete_vault (World *world, GError **error)
{
  return take_variant (ask_vault (world->provider, world, "delete", NULL, error));
}

/* How it ends, which it must not do well. */
static gpointer
watch (World *world, GError **error)
{
  g_autoptr (AsbMetricsWatch) metrics
      = asb_provider_watch_metrics (world->provider, world->id, NULL, error);

  if (!metrics)
    return NULL;
  while (asb_metrics_watch_get_state (metrics) == ASB_METRICS_WATCH_STATE_ACTIVE)
    g_main_context_iteration (NULL, TRUE);
  if (asb_metrics_watch_get_state (metrics) != ASB_METRICS_WATCH_STATE_FAILED)
    return g_steal_pointer (&metrics);
  g_propagate_error (error, asb_metrics_watch_dup_error (metrics));
  return NULL;
}

static gpointer
download (World *world, GError **error)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (FILE_PATH);
  g_autoptr (GBytes) bytes = asb_transport_read_file (world->files, request, NULL, error);

  return bytes ? g_object_new (G_TYPE_OBJECT, NULL) : NULL;
}

static gpointer
upload (World *world, GError **error)
{
  return write_contents (world->files, 'b', error);
}

/* What may be believed all the same. */

static gboolean
is_paused (World *world, const char *fault, GObject *object)
{
  return get_state (world) == ASB_SANDBOX_STATE_PAUSED;
}

static gboolean
is_running (World *world, const char *fault, GObject *object)
{
  return get_state (world) == ASB_SANDBOX_STATE_RUNNING;
}

static char *
dup_targets (AsbNetworkPolicy *policy)
{
  GListModel *rules = asb_network_policy_get_rules (policy);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (rules); i++)
    {
      g_autoptr (AsbNetworkRule) rule = g_list_model_get_item (rules, i);

      g_string_append_printf (text, "%s ", asb_network_rule_get_target (rule));
    }
  return g_string_free (text, FALSE);
}

/* Where the answer says nothing it is asked for what there is. */
static gboolean
is_the_policy (World *world, const char *fault, GObject *object)
{
  g_autoptr (AsbNetworkPolicy) policy
      = asb_provider_get_network_policy (world->patient, world->id, NULL, NULL);
  g_autofree char *there = policy ? dup_targets (policy) : NULL;
  g_autofree char *told = dup_targets (ASB_NETWORK_POLICY (object));

  return g_strcmp0 (there, told) == 0;
}

/* Of services whatever JSON is what they answer. */
static gboolean
is_an_answer (World *world, const char *fault, GObject *object)
{
  return strstr (fault, "'status':204") || strstr (fault, "'status':200,'body':''")
         || strstr (fault, "'body':'{}'") || strstr (fault, "'body':'[]'")
         || strstr (fault, "'body':'null'");
}

/* A file may have got longer since it was looked at. */
static gboolean
is_longer (World *world, const char *fault, GObject *object)
{
  return strstr (fault, "'fill'") != NULL;
}

/* A new sandbox is found where the answer of its creation was lost. */
static gboolean
was_found (World *world, const char *fault, GObject *object)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_provider_delete_sandbox (
      world->patient, asb_test_server_get_id (ASB_SANDBOX_INFO (object)), NULL, &error));
  g_assert_no_error (error);
  return TRUE;
}

static gboolean
holds (World *world, char letter)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (FILE_PATH);
  g_autoptr (GBytes) bytes = asb_transport_read_file (world->transport, request, NULL, NULL);
  g_autoptr (GBytes) expected = new_contents (letter);

  return bytes && g_bytes_equal (bytes, expected);
}

/* There is nothing in the answer that could be cut. What failed leaves the file as it was. */
static gboolean
was_written (World *world, const char *fault, GObject *object)
{
  gboolean is_there = holds (world, 'b');
  g_autoptr (AsbFileInfo) before = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_heal (world->server);
  before = write_contents (world->transport, 'a', &error);
  g_assert_no_error (error);
  return is_there;
}

/* What is spoilt. */
static const struct
{
  const char *name;
  gpointer (*call) (World *world, GError **error);
  const char *method;
  const char *path;
  gboolean (*believes) (World *world, const char *fault, GObject *object); /* NULL: nothing */
} calls[] = {
  { "get", get, "GET", "/v1/sandboxes/*" },
  { "list", list, "GET", "/v1/sandboxes" },
  { "renew", renew, "POST", "*/renew-expiration" },
  { "metadata", change_metadata, "PATCH", "*/metadata" },
  { "endpoint", get_endpoint, "GET", "*/endpoints/9000" },
  { "policy", get_policy, "GET", "*policy" },
  { "snapshot", create_snapshot, "POST", "*/snapshots" },
  { "snapshots", list_snapshots, "GET", "*/snapshots" },
  { "metrics", get_metrics, "GET", "*/metrics" },
  { "diagnostics", get_diagnostics, "GET", "*/diagnostics/*" },
  { "create", create, "POST", "/v1/sandboxes", was_found },
  { "pause", pause_it, "POST", "*/pause", is_paused },
  { "resume", resume_it, "POST", "*/resume", is_running },
  { "set-policy", set_policy, "PUT", "*policy", is_the_policy },
  { "change-policy", change_policy, "PATCH", "*policy", is_the_policy },
  { "remove-rules", remove_rules, "DELETE", "*policy", is_the_policy },
  { "vault-create", create_vault, "POST", "*/credential-vault", is_an_answer },
  { "vault-get", get_vault, "GET", "*/credential-vault", is_an_answer },
  { "vault-change", change_vault, "PATCH", "*/credential-vault", is_an_answer },
  { "vault-delete", delete_vault, "DELETE", "*/credential-vault", is_an_answer },
  { "watch", watch, "GET", "*/metrics/watch" },
  { "download", download, "GET", "*/files/download", is_longer },
  { "upload", upload, "POST", "*/files/upload", was_written },
  { "run", run, "POST", "*/command" },
  { "files", list_files, "POST", "*/command" },
};

/* Ways to spoil an answer. */
static const char *const faults[] = {
  "'action':'cut'",
  "'action':'cut','of':'response','bytes':30",
  "'action':'cut','of':'response','bytes':30,'reset':true",
  "'action':'cut','bytes':3",
  "'action':'short','bytes':50000",
  "'action':'reset'",
  "'action':'stall','bytes':3",
  "'action':'silent'",
  "'action':'silent','work':true",
  "'action':'reply','status':200,'body':''",
  "'action':'reply','status':200,'type':'text/html','body':'<html>hello</html>'",
  "'action':'reply','status':200,'type':'application/json','body':'{'",
  "'action':'reply','status':200,'type':'application/json','body':'null'",
  "'action':'reply','status':200,'type':'application/json','body':'7'",
  "'action':'reply','status':200,'type':'application/json','body':'[]'",
  "'action':'reply','status':200,'type':'application/json','body':'{}'",
  "'action':'reply','status':200,'type':'application/json','body':'{} {}'",
  "'action':'reply','status':200,'type':'application/json','body':'[[[[',"
  "'fill':5000000",
  "'action':'reply','status':200,'headers':{'Content-Encoding':'gzip'},'body':'x'",
  "'action':'reply','status':204,'body':''",
  "'action':'reply','status':400,'json':{'code':'A','message':'b'}",
  "'action':'reply','status':404,'json':{'detail':'Not Found'}",
  "'action':'reply','status':404,'type':'text/html','body':'<html>no</html>'",
  "'action':'reply','status':405,'json':{'detail':'Method Not Allowed'}",
  "'action':'reply','status':422,'json':{'detail':[{'loc':['a',1],'msg':'m'},7]}",
  "'action':'reply','status':429,'headers':{'Retry-After':'100'},'body':'wait'",
  "'action':'reply','status':500,'type':'text/plain','body':'Internal Server Error'",
  "'action':'reply','status':503,'headers':{'Retry-After':'Thu, 01 Jan 1970 00:00:00 GMT'},"
  "'body':''",
  "'action':'redirect','to':'http://localhost:1/x'",
  "'action':'redirect','to':'/v1/sandboxes/x/loop'",
};

static void
check (World *world, gsize i, const char *fault)
{
  g_autofree char *spec
      = g_strdup_printf ("{'method':'%s','path':'%s',%s}", calls[i].method, calls[i].path, fault);
  g_autoptr (GObject) object = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_heal (world->server);
  asb_test_server_fault (world->server, spec);
  object = calls[i].call (world, &error);
  g_test_message ("%s: %s: %s", calls[i].name, fault, error ? error->message : "done");
  g_assert_true ((object == NULL) == (error != NULL));
  if (!error)
    {
      g_assert_true (calls[i].believes && calls[i].believes (world, fault, object));
      return;
    }
  g_assert_cmpint (error->domain, ==, ASB_ERROR);
  g_assert_cmpstr (asb_error_code_to_string (error->code), !=, "internal_error");
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_cmpuint (strlen (error->message), <, 1200);
  g_assert_null (strchr (error->message, '\n'));
  g_assert_null (strstr (error->message, "<html"));
}

static gboolean
has_effect (gsize i, const char *fault)
{
  return !strstr (fault, "'short'") || calls[i].call == download;
}

/* Streams of events may be silent for as long as they like. */
static gboolean
is_endless (gsize i, const char *fault)
{
  gboolean is_stall = strstr (fault, "'stall'") != NULL;

  if (g_str_has_prefix (calls[i].path, "*/command"))
    return is_stall || strstr (fault, "'silent'");
  /* Whether it is paused is asked for as long as the server says that it will be. */
  if (calls[i].call == pause_it || calls[i].call == resume_it)
    return strstr (fault, "'status':20") != NULL;
  /* The time of a request is long for files; what becomes of it others show. */
  if (calls[i].call == download)
    return strstr (fault, "'silent'") != NULL;
  return is_stall && calls[i].call == watch;
}

static void
test_call (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  World world;

  world_open (&world);
  for (gsize j = 0; j < G_N_ELEMENTS (faults); j++)
    if (has_effect (i, faults[j]) && !is_endless (i, faults[j]))
      check (&world, i, faults[j]);
  asb_test_server_heal (world.server);
  make_paused (&world, FALSE);
  g_assert_true (holds (&world, 'a'));
  world_close (&world);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autofree char *path = g_strdup_printf ("/opensandbox/sweep/%s", calls[i].name);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_call);
    }
  return g_test_run ();
}
