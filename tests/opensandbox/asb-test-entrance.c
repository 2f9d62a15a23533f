/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-entrance.h"

AsbBackend *
asb_test_entrance_try (AsbTestServer *server, const AsbTestEntrance *entrance, GError **error)
{
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, entrance->options);
  g_autoptr (AsbHistoryConfig) history = asb_history_config_new ();
  g_autoptr (AsbBackendOptions) options = NULL;

  g_object_set (history, "mode", entrance->history, NULL);
  options
      = g_object_new (ASB_TYPE_BACKEND_OPTIONS, "provider", provider, "image",
                      entrance->image ? entrance->image : "python:3.12", "workdir",
                      entrance->ref && !entrance->has_workdir ? "/" : "/workspace", "history",
                      history, "reconnect-seconds", entrance->reconnect_seconds, "cleanup",
                      entrance->ref ? ASB_CLEANUP_POLICY_NEVER : ASB_CLEANUP_POLICY_ON_CLOSE,
                      "mode", entrance->ref ? ASB_BACKEND_MODE_CONNECT : ASB_BACKEND_MODE_CREATE,
                      "ref", entrance->ref, NULL);
  return asb_create_backend (options, NULL, error);
}

AsbBackend *
asb_test_entrance_open (AsbTestServer *server, const AsbTestEntrance *entrance)
{
  g_autoptr (GError) error = NULL;
  AsbBackend *backend = asb_test_entrance_try (server, entrance, &error);

  g_assert_no_error (error);
  return backend;
}

void
asb_test_entrance_close (AsbBackend *backend)
{
  g_autoptr (GError) error = NULL;

  asb_backend_close (backend, NULL, &error);
  g_assert_no_error (error);
}

char *
asb_test_entrance_dup_way (AsbBackend *backend, char **reason)
{
  g_autoptr (AsbCapabilities) capabilities = asb_backend_get_capabilities (backend);
  AsbCapability *guest = asb_capabilities_get (capabilities, ASB_CAPABILITY_GUEST);

  g_assert_nonnull (guest);
  if (reason)
    *reason = g_strdup (asb_capability_get_reason (guest));
  if (asb_capability_get_support (guest) == ASB_CAPABILITY_SUPPORT_UNAVAILABLE)
    return g_strdup ("native");
  return g_strdup (asb_capability_get_source (guest));
}

char *
asb_test_entrance_run (AsbBackend *backend, const char *shell)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (shell);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) result = asb_backend_execute (backend, spec, NULL, &error);
  GBytes *output;

  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 0);
  output = asb_command_result_get_stdout_bytes (result);
  return g_strndup (g_bytes_get_data (output, NULL), g_bytes_get_size (output));
}
