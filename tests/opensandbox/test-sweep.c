/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each call of a provider, with each way in which its answer can be spoilt: it ends, with an error
 * that can be told on, and never as if all was well. */

#include <string.h>

#include "asb-test-server.h"

/* There is no time to ask twice. Whoever is slow gets an error, too. */
#define IMPATIENT "{'request-timeout-seconds': <0.1>, 'ready-timeout-seconds': <0.01>}"

typedef struct
{
  AsbTestServer *server;
  AsbProvider *patient;
  AsbProvider *provider;
  AsbSandboxInfo *info;
  const char *id;
  AsbTransport *transport; /* has time: it is not for what never ends */
  gint64 n_renewals;
} World;

static void
world_open (World *self)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (GError) error = NULL;

  *self = (World){ 0 };
  self->server = asb_test_server_new (NULL);
  self->patient = asb_test_server_new_provider (self->server, "{'transport': <'native'>}");
  self->provider = asb_test_server_new_provider (self->server, IMPATIENT);
  asb_sandbox_spec_set_network_policy (spec, policy);
  self->info = asb_provider_create_sandbox (self->patient, spec, NULL, &error);
  g_assert_no_error (error);
  self->id = asb_test_server_get_id (self->info);
  self->transport = asb_provider_open_transport (self->patient, self->id, NULL, &error);
  g_assert_no_error (error);
}

static void
world_close (World *self)
{
  g_autoptr (GError) error = NULL;

  asb_test_server_heal (self->server);
  g_assert_true (asb_transport_close (self->transport, NULL, &error));
  g_object_unref (self->transport);
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

/* What is spoilt. */
static const struct
{
  const char *name;
  gpointer (*call) (World *world, GError **error);
  const char *method;
  const char *path;
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
  { "create", create, "POST", "/v1/sandboxes" },
  { "run", run, "POST", "*/command" },
  { "files", list_files, "POST", "*/command" },
};

/* Ways to spoil an answer. */
static const char *const faults[] = {
  "'action':'cut'",
  "'action':'cut','of':'response','bytes':30",
  "'action':'cut','of':'response','bytes':30,'reset':true",
  "'action':'cut','bytes':3",
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

/* A new sandbox is found where the answer of its creation was lost. */
static void
check_was_found (World *world, gpointer call, GObject *object)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (call == create);
  g_assert_true (asb_provider_delete_sandbox (
      world->patient, asb_test_server_get_id (ASB_SANDBOX_INFO (object)), NULL, &error));
  g_assert_no_error (error);
}

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
      check_was_found (world, calls[i].call, object);
      return;
    }
  g_assert_cmpint (error->domain, ==, ASB_ERROR);
  g_assert_cmpstr (asb_error_code_to_string (error->code), !=, "internal_error");
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_cmpuint (strlen (error->message), <, 1200);
  g_assert_null (strchr (error->message, '\n'));
  g_assert_null (strstr (error->message, "<html"));
}

/* Streams may be silent for a minute. */
static gboolean
is_endless (const char *fault)
{
  return strstr (fault, "'stall'") || strstr (fault, "'silent'");
}

static void
test_call (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  World world;

  world_open (&world);
  for (gsize j = 0; j < G_N_ELEMENTS (faults); j++)
    if (!is_endless (faults[j]) || !g_str_has_prefix (calls[i].path, "*/command"))
      check (&world, i, faults[j]);
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
