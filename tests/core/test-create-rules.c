/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "asb-test-store.h"

/* The rules of the options of a backend. */

/* The rules, in the order in which one is told of them. Each line breaks one rule and, so that the
 * order shows, also the one after it. */

typedef struct
{
  const char *name;
  void (*break_it) (TestCreation *fixture);
  const char *message;
} Rule;

static void
break_mode (TestCreation *fixture)
{
  asb_backend_options_set_mode (fixture->options, (AsbBackendMode)7);
}

static void
break_cleanup (TestCreation *fixture)
{
  asb_backend_options_set_cleanup (fixture->options, (AsbCleanupPolicy)7);
}

static void
break_ttl (TestCreation *fixture)
{
  asb_backend_options_set_sandbox_ttl_mode (fixture->options, ASB_TTL_MODE_SECONDS);
}

static void
forget_cleanup_ttl (TestCreation *fixture)
{
  asb_backend_options_set_cleanup (fixture->options, ASB_CLEANUP_POLICY_TTL);
}

static void
stray_cleanup_ttl (TestCreation *fixture)
{
  asb_backend_options_set_cleanup_ttl_seconds (fixture->options, 10);
}

static void
break_reconnect (TestCreation *fixture)
{
  asb_backend_options_set_reconnect_seconds (fixture->options, 301);
}

static void
break_ready_timeout (TestCreation *fixture)
{
  asb_backend_options_set_ready_timeout_seconds (fixture->options, 0);
}

static void
long_ready_timeout (TestCreation *fixture)
{
  asb_backend_options_set_ready_timeout_seconds (fixture->options, 31622401);
}

static void
no_ready_timeout (TestCreation *fixture)
{
  asb_backend_options_set_ready_timeout_seconds (fixture->options, NAN);
}

static void
double_history (TestCreation *fixture)
{
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autoptr (TestStore) store = test_store_new ();

  asb_backend_options_set_history (fixture->options, config);
  asb_backend_options_set_history_store (fixture->options, ASB_HISTORY_STORE (store));
}

static void
double_provider (TestCreation *fixture)
{
  asb_backend_options_set_provider_name (fixture->options, "mock");
}

static void
forget_provider (TestCreation *fixture)
{
  asb_backend_options_set_provider (fixture->options, NULL);
}

static void
stray_provider_options (TestCreation *fixture)
{
  asb_backend_options_set_provider_options (fixture->options,
                                            g_variant_new_parsed ("{'provider-key': <'k'>}"));
}

static void
forget_database (TestCreation *fixture)
{
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();

  asb_history_config_set_mode (config, ASB_HISTORY_MODE_DATABASE);
  asb_backend_options_set_history (fixture->options, config);
}

static void
stray_database (TestCreation *fixture)
{
  asb_backend_options_set_history_database_url (fixture->options, "file:///x");
}

static void
stray_ref (TestCreation *fixture)
{
  g_autoptr (AsbSandboxRef) ref = g_object_new (ASB_TYPE_SANDBOX_REF, "sandbox-id", "x", NULL);

  asb_backend_options_set_ref (fixture->options, ref);
}

static void
forget_ref (TestCreation *fixture)
{
  asb_backend_options_set_mode (fixture->options, ASB_BACKEND_MODE_CONNECT);
}

static void
stray_name (TestCreation *fixture)
{
  stray_ref (fixture);
  asb_backend_options_set_mode (fixture->options, ASB_BACKEND_MODE_CONNECT);
  asb_backend_options_set_sandbox_name (fixture->options, "name");
}

static void
empty_name (TestCreation *fixture)
{
  asb_backend_options_set_sandbox_name (fixture->options, "");
}

static void
long_name (TestCreation *fixture)
{
  g_autofree char *name = g_strnfill (129, 'x');

  asb_backend_options_set_sandbox_name (fixture->options, name);
}

static void
control_name (TestCreation *fixture)
{
  asb_backend_options_set_sandbox_name (fixture->options, "a\tb");
}

static void
relative_workdir (TestCreation *fixture)
{
  asb_backend_options_set_workdir (fixture->options, "workspace");
}

static void
climbing_workdir (TestCreation *fixture)
{
  asb_backend_options_set_workdir (fixture->options, "/workspace/../etc");
}

static void
bad_environment (TestCreation *fixture)
{
  static const char *const environment[] = { "GOOD=1", "bad", NULL };

  asb_backend_options_set_environment (fixture->options, environment);
}

static void
nameless_environment (TestCreation *fixture)
{
  static const char *const environment[] = { "=1", NULL };

  asb_backend_options_set_environment (fixture->options, environment);
}

static void
add_mount (TestCreation *fixture, const char *source, const char *target)
{
  g_autoptr (AsbMount) mount = asb_mount_new (source, target, ASB_MOUNT_MODE_OVERLAY);

  asb_backend_options_add_mount (fixture->options, mount);
}

static void
stray_mount (TestCreation *fixture)
{
  stray_ref (fixture);
  asb_backend_options_set_mode (fixture->options, ASB_BACKEND_MODE_CONNECT);
  add_mount (fixture, "/src", "/workspace");
}

static void
relative_mount (TestCreation *fixture)
{
  add_mount (fixture, "/src", "/workspace");
  add_mount (fixture, "src", "/data");
}

static void
relative_target (TestCreation *fixture)
{
  add_mount (fixture, "/src", "workspace");
}

static void
climbing_target (TestCreation *fixture)
{
  add_mount (fixture, "/src", "/workspace/../etc");
}

static void
contradict_name (TestCreation *fixture)
{
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);

  g_hash_table_insert (metadata, (gpointer) "agent_sandbox.name", (gpointer) "other");
  asb_backend_options_set_metadata (fixture->options, metadata);
  asb_backend_options_set_sandbox_name (fixture->options, "name");
}

static void
connect (TestCreation *fixture)
{
  stray_ref (fixture);
  asb_backend_options_set_mode (fixture->options, ASB_BACKEND_MODE_CONNECT);
}

static void
stray_entrypoint (TestCreation *fixture)
{
  const char *const entrypoint[] = { "sh", NULL };

  connect (fixture);
  asb_backend_options_set_entrypoint (fixture->options, entrypoint);
}

static void
empty_entrypoint (TestCreation *fixture)
{
  const char *const entrypoint[] = { NULL };

  asb_backend_options_set_entrypoint (fixture->options, entrypoint);
}

static void
stray_resources (TestCreation *fixture)
{
  g_autoptr (GHashTable) resources = g_hash_table_new (g_str_hash, g_str_equal);

  connect (fixture);
  asb_backend_options_set_resources (fixture->options, resources);
}

static void
stray_policy (TestCreation *fixture)
{
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();

  connect (fixture);
  asb_backend_options_set_network_policy (fixture->options, policy);
}

static void
stray_snapshot (TestCreation *fixture)
{
  connect (fixture);
  asb_backend_options_set_snapshot_id (fixture->options, "s");
}

static void
double_image (TestCreation *fixture)
{
  asb_backend_options_set_image (fixture->options, "i");
  asb_backend_options_set_snapshot_id (fixture->options, "s");
}

static void
half_credentials (TestCreation *fixture)
{
  asb_backend_options_set_image_password (fixture->options, "secret");
}

static void
stray_create_options (TestCreation *fixture)
{
  connect (fixture);
  asb_backend_options_set_create_options (fixture->options, g_variant_new_parsed ("@a{sv} {}"));
}

static void
wrong_create_options (TestCreation *fixture)
{
  asb_backend_options_set_create_options (fixture->options, g_variant_new_string ("x"));
}

static const Rule rules[] = {
  { "mode", break_mode, "Option “mode”" },
  { "cleanup", break_cleanup, "Option “cleanup”" },
  { "ttl", break_ttl, "Option “sandbox-ttl-seconds”" },
  { "cleanup-ttl/missing", forget_cleanup_ttl, "Option “cleanup-ttl-seconds” must be" },
  { "cleanup-ttl/stray", stray_cleanup_ttl, "Option “cleanup-ttl-seconds” needs" },
  { "reconnect", break_reconnect, "Option “reconnect-seconds” must be" },
  { "ready-timeout/none", break_ready_timeout, "Option “ready-timeout-seconds” must be" },
  { "ready-timeout/long", long_ready_timeout, "Option “ready-timeout-seconds” must be" },
  { "ready-timeout/nan", no_ready_timeout, "Option “ready-timeout-seconds” must be" },
  { "history/double", double_history, "Options “history” and “history-store”" },
  { "provider/double", double_provider, "Options “provider” and “provider-name”" },
  { "provider/missing", forget_provider, "One of the options “provider” and" },
  { "provider/options", stray_provider_options, "Option “provider-options”" },
  { "database/missing", forget_database, "needs option “history-database-url”" },
  { "database/stray", stray_database, "Option “history-database-url” needs" },
  { "ref/stray", stray_ref, "Option “ref” needs" },
  { "ref/missing", forget_ref, "Mode connect needs" },
  { "name/stray", stray_name, "Option “sandbox-name” needs" },
  { "name/empty", empty_name, "Option “sandbox-name” must have" },
  { "name/long", long_name, "Option “sandbox-name” must have" },
  { "name/control", control_name, "Option “sandbox-name” must have" },
  { "name/contradicted", contradict_name, "Option “sandbox-name” is not" },
  { "workdir", relative_workdir, "Option “workdir”" },
  { "workdir/climbing", climbing_workdir,
    "Option “workdir” must be an absolute path without “..”" },
  { "entrypoint/stray", stray_entrypoint, "Option “entrypoint” needs" },
  { "entrypoint/empty", empty_entrypoint, "Option “entrypoint” must" },
  { "resources/stray", stray_resources, "Option “resources” needs" },
  { "network-policy/stray", stray_policy, "Option “network-policy” needs" },
  { "snapshot/stray", stray_snapshot, "Option “snapshot-id” needs" },
  { "snapshot/image", double_image, "Options “image” and “snapshot-id”" },
  { "image/credentials", half_credentials, "Options “image-username” and “image-password”" },
  { "create-options/stray", stray_create_options, "Option “create-options” needs" },
  { "create-options/wrong", wrong_create_options, "Option “create-options” must be" },
  { "environment/bad", bad_environment, "Option “environment”" },
  { "environment/nameless", nameless_environment, "Option “environment”" },
  { "mounts/stray", stray_mount, "Option “mounts” needs" },
  { "mounts/source", relative_mount, "source of mount 2, “src”" },
  { "mounts/target", relative_target, "target of mount 1, “workspace”" },
  { "mounts/climbing", climbing_target, "“/workspace/../etc”" },
};

static void
check_rule (TestCreation *fixture, const Rule *rule)
{
  g_autoptr (AsbBackend) backend = asb_create_backend (fixture->options, NULL, &fixture->error);

  g_assert_null (backend);
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (g_strstr_len (fixture->error->message, -1, rule->message));
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 0);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "get_sandbox"), ==, 0);
}

static void
test_rule (TestCreation *fixture, gconstpointer data)
{
  const Rule *rule = data;

  g_test_summary ("Options that break a rule are refused before anything is made");

  rule->break_it (fixture);
  check_rule (fixture, rule);
}

static void
test_order (TestCreation *fixture, gconstpointer data)
{
  static const guint order[] = { 0, 1, 2, 3, 5, 8, 9, 17, 18 };

  g_test_summary ("Of several faults the first is told");

  for (gsize i = G_N_ELEMENTS (order); i > 0; i--)
    {
      rules[order[i - 1]].break_it (fixture);
      check_rule (fixture, &rules[order[i - 1]]);
      g_clear_error (&fixture->error);
    }
}

static void
test_good_names (TestCreation *fixture, gconstpointer data)
{
  g_autofree char *longest = g_strnfill (128, 'x');
  const char *names[] = { "a", "two words", "ünï 名", longest };

  g_test_summary ("Names have 1 to 128 characters, not bytes");

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AsbBackend) backend = NULL;

      asb_backend_options_set_sandbox_name (fixture->options, names[i]);
      backend = test_creation_create (fixture);
      test_backend_close (backend);
    }
}

static void
test_history_validated (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();

  g_test_summary ("The settings of the history are looked at too");

  asb_history_config_set_output_chunk_bytes (config, 1);
  asb_backend_options_set_history (fixture->options, config);
  g_assert_null (asb_create_backend (fixture->options, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_HISTORY_CONFIG_VALIDATION);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/create-backend/" path, TestCreation, NULL, test_creation_set_up, function,         \
              test_creation_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      g_autofree char *path = g_strconcat ("/create-backend/rules/", rules[i].name, NULL);

      g_test_add (path, TestCreation, &rules[i], test_creation_set_up, test_rule,
                  test_creation_tear_down);
    }
  ADD ("rules/order", test_order);
  ADD ("rules/good-names", test_good_names);
  ADD ("rules/history", test_history_validated);
  return g_test_run ();
}
