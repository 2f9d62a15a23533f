/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-server.h"

/* Sandboxes made, found, changed and deleted on a server that works. */

static void
test_create (void)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, NULL);
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  AsbSandboxRef *ref;

  asb_sandbox_spec_set_name (spec, "n");
  asb_sandbox_spec_set_instance_id (spec, "i-1");
  info = asb_provider_create_sandbox (provider, spec, NULL, &error);
  g_assert_no_error (error);
  ref = asb_sandbox_info_get_ref (info);
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_RUNNING);
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_instance_id (ref), ==, "i-1");
  g_assert_cmpstr (asb_sandbox_info_get_name (info), ==, "n");
  g_assert_cmpstr (asb_sandbox_info_get_image (info), ==, "python:3.12");
  g_assert_nonnull (asb_sandbox_info_get_expires_at (info));
  g_assert_cmpuint (asb_test_server_count (server, "POST", "*/sandboxes"), ==, 1);
  g_assert_true (
      asb_provider_delete_sandbox (provider, asb_test_server_get_id (info), NULL, &error));
  g_assert_no_error (error);
}

static void
test_create_at_once (void)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, NULL);
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Nobody knocks at execd when the caller finds out itself what is ready");

  asb_sandbox_spec_set_await_readiness (spec, FALSE);
  info = asb_provider_create_sandbox (provider, spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_test_server_count (server, "GET", "*/ping"), ==, 0);
  g_assert_true (
      asb_provider_delete_sandbox (provider, asb_test_server_get_id (info), NULL, &error));
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/lifecycle/create", test_create);
  g_test_add_func ("/opensandbox/lifecycle/create/at-once", test_create_at_once);
  return g_test_run ();
}
