/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "asb-test-server.h"

/* Rules that nobody would heed, and sidecars that cannot answer. */

typedef struct
{
  AsbTestServer *server;
  AsbProvider *provider;
  AsbSandboxInfo *info;
  const char *id;
} World;

static AsbNetworkPolicy *
new_policy (const char *target)
{
  AsbNetworkPolicy *policy = asb_network_policy_new ();

  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_DENY, target);
  return policy;
}

static void
world_open (World *world, const char *options, const char *target)
{
  g_autoptr (AsbNetworkPolicy) policy = target ? new_policy (target) : NULL;
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (GError) error = NULL;

  world->server = asb_test_server_new (NULL);
  world->provider = asb_test_server_new_provider (world->server, options);
  asb_sandbox_spec_set_network_policy (spec, policy);
  world->info = asb_provider_create_sandbox (world->provider, spec, NULL, &error);
  g_assert_no_error (error);
  world->id = asb_test_server_get_id (world->info);
}

static void
world_close (World *world)
{
  g_object_unref (world->info);
  g_object_unref (world->provider);
  asb_test_server_free (world->server);
}

static gboolean
is_taken (World *world, const char *target, GError **error)
{
  g_autoptr (AsbNetworkPolicy) policy = new_policy (target);
  g_autoptr (AsbNetworkPolicy) now
      = asb_provider_set_network_policy (world->provider, world->id, policy, NULL, error);

  return now != NULL;
}

static void
test_targets (void)
{
  static const char *const good[]
      = { "example.org",       "EXAMPLE.org",       "*.example.org", "localhost",
          "_sip._tcp.example", "xn--bcher-kva.org", "10.1.2.3",      "10.1.2.3/8",
          "0.0.0.0/0",         "2001:db8::1",       "2001:db8::/32", "*.org",
          " spaced.example ",  "1.2.3.4.in.org" };
  World world = { 0 };

  g_test_summary ("What can be met with is taken as a rule for it");

  world_open (&world, "{}", "example.org");
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (is_taken (&world, good[i], &error));
      g_assert_no_error (error);
    }
  world_close (&world);
}

static const struct
{
  const char *target;
  const char *instead; /* NULL: nothing comes to mind */
} bad[] = {
  { "https://example.org/x?y", "“example.org”" },
  { "https://10.0.0.1:8080/", "“10.0.0.1”" },
  { "example.org:443", "“example.org”" },
  { "example.org/path", "“example.org”" },
  { "example.org.", "“example.org”" },
  { "*.bücher.example", "“*.xn--bcher-kva.example”" },
  { "10.0.0.0/33", NULL },
  { "10.0.0.0/", NULL },
  { "2001:db8::/129", NULL },
  { "300.1.1.1", NULL },
  { "*", NULL },
  { "*.", NULL },
  { "a.*.example", NULL },
  { "a..example", NULL },
  { "a b", NULL },
  { "", NULL },
  { ".", NULL },
};

static void
test_odd_targets (void)
{
  World world = { 0 };

  g_test_summary ("What would not be heeded is refused, and nothing is sent");

  world_open (&world, "{}", "example.org");
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_test_message ("“%s”", bad[i].target);
      g_assert_false (is_taken (&world, bad[i].target, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, "no name such as example.org"));
      if (bad[i].instead)
        g_assert_nonnull (strstr (error->message, bad[i].instead));
      g_assert_true (!strstr (error->message, "; write") == !bad[i].instead);
    }
  g_assert_cmpuint (asb_test_server_count (world.server, "PUT", "*"), ==, 0);
  world_close (&world);
}

static void
test_odd_targets_elsewhere (void)
{
  static const char *const targets[] = { "https://example.org", NULL };
  World world = { 0 };
  g_autoptr (AsbNetworkPolicy) policy = new_policy (targets[0]);
  g_autoptr (AsbNetworkPolicy) left = NULL;
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (GError) error = NULL;
  gpointer none;

  g_test_summary ("At creation and in changes, too; what somebody else has set can be removed");

  world_open (&world, "{}", "example.org");
  none = asb_provider_patch_network_policy (world.provider, world.id, policy, NULL, &error);
  g_assert_null (none);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  asb_sandbox_spec_set_network_policy (spec, policy);
  none = asb_provider_create_sandbox (world.provider, spec, NULL, &error);
  g_assert_null (none);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_cmpuint (asb_test_server_count_sandboxes (world.server), ==, 1);
  left = asb_provider_remove_network_rules (world.provider, world.id, targets, NULL, &error);
  g_assert_no_error (error);
  world_close (&world);
}

/* What is asked of a sandbox that is paused, and the error. */
static void
ask_paused (World *world, guint question, GError **error)
{
  g_autoptr (AsbNetworkPolicy) policy = new_policy ("a.example");
  static const char *const targets[] = { "a.example", NULL };
  g_autoptr (AsbNetworkPolicy) now = NULL;

  if (question == 0)
    now = asb_provider_get_network_policy (world->provider, world->id, NULL, error);
  else if (question == 1)
    now = asb_provider_set_network_policy (world->provider, world->id, policy, NULL, error);
  else if (question == 2)
    now = asb_provider_patch_network_policy (world->provider, world->id, policy, NULL, error);
  else
    now = asb_provider_remove_network_rules (world->provider, world->id, targets, NULL, error);
  g_assert_null (now);
}

static void
test_paused (gconstpointer options)
{
  World world = { 0 };
  g_autoptr (AsbSandboxInfo) paused = NULL;
  g_autoptr (AsbSandboxInfo) resumed = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A sidecar that is silent because its sandbox is paused: that, and soon");

  world_open (&world, options, "example.org");
  paused = asb_provider_pause_sandbox (world.provider, world.id, NULL, &error);
  g_assert_no_error (error);
  for (guint question = 0; question < 4; question++)
    {
      ask_paused (&world, question, &error);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
      g_assert_nonnull (strstr (error->message, "is paused; resume it first"));
      g_assert_true (!strstr (error->message, "may be done when it goes on") == (question == 0));
      g_clear_error (&error);
    }
  g_assert_cmpuint (asb_test_server_count (world.server, NULL, "*/networkpolicy"), ==, 0);
  resumed = asb_provider_resume_sandbox (world.provider, world.id, NULL, &error);
  g_assert_no_error (error);
  world_close (&world);
}

/* The vault. */

static void
assert_no_vault (World *world, const char *name, const char *why)
{
  g_autoptr (GVariant) arguments = g_variant_ref_sink (
      g_variant_new_parsed ("@a{sv} {'credentials':<@av []>,'bindings':<@av []>}"));
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GError) error = NULL;

  answer = asb_provider_call_service (world->provider, world->id, name,
                                      g_str_has_suffix (name, ".create") ? arguments : NULL, NULL,
                                      &error);
  g_assert_null (answer);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_assert_nonnull (strstr (error->message, why));
}

static void
test_no_vault (void)
{
  World world = { 0 };

  g_test_summary ("A vault that is not there says how it is had");

  world_open (&world, "{}", "example.org");
  assert_no_vault (&world, "credential_vault.create", "made with “credential_proxy”");
  world_close (&world);
}

static void
test_no_sidecar (void)
{
  World world = { 0 };

  g_test_summary ("Where there is no sidecar none is asked again");

  world_open (&world, "{'use-server-proxy':<true>}", NULL);
  asb_test_server_forget (world.server);
  assert_no_vault (&world, "credential_vault.get", "made with a network policy");
  g_assert_cmpuint (asb_test_server_count (world.server, "GET", "*/credential-vault"), ==, 1);
  world_close (&world);
}

static void
test_entry_names (void)
{
  static const struct
  {
    const char *name;
    const char *why;
  } cases[] = {
    { "a b", "not found" },       { "näme", "not found" },  { "a/b", "must not be “a/b”" },
    { "..", "must not be “..”" }, { "", "must not be “”" },
  };
  World world = { 0 };

  g_test_summary ("Credentials are named as they are, and what cannot be named is said");

  world_open (&world, "{}", "example.org");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GVariant) arguments
          = g_variant_ref_sink (g_variant_new_parsed ("{'name':<%s>}", cases[i].name));
      g_autoptr (GError) error = NULL;
      GVariant *none = asb_provider_call_service (
          world.provider, world.id, "credential_vault.get_credential", arguments, NULL, &error);

      g_assert_null (none);
      g_assert_nonnull (strstr (error->message, cases[i].why));
    }
  world_close (&world);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/policies/targets", test_targets);
  g_test_add_func ("/opensandbox/policies/targets/odd", test_odd_targets);
  g_test_add_func ("/opensandbox/policies/targets/elsewhere", test_odd_targets_elsewhere);
  g_test_add_data_func ("/opensandbox/policies/paused/direct", "{}", test_paused);
  g_test_add_data_func ("/opensandbox/policies/paused/proxy", "{'use-server-proxy':<true>}",
                        test_paused);
  g_test_add_func ("/opensandbox/policies/vault/none", test_no_vault);
  g_test_add_func ("/opensandbox/policies/vault/no-sidecar", test_no_sidecar);
  g_test_add_func ("/opensandbox/policies/vault/names", test_entry_names);
  return g_test_run ();
}
