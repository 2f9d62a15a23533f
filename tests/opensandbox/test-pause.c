/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-server.h"

#include <string.h>

/* A sandbox on a server that is frozen with its guest in it, and goes on: the command, the
 * connection, and the record inside. */

typedef struct
{
  AsbTestServer *server;
  AsbBackend *backend;
} Fixture;

/* @data: the way to the guest. */
static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOpensandboxConfig) config = asb_opensandbox_config_new ();
  g_autofree char *url = NULL;
  g_autoptr (GError) error = NULL;

  fixture->server = asb_test_server_new (NULL);
  url = g_strdup_printf ("127.0.0.1:%u", asb_test_server_get_port (fixture->server));
  asb_opensandbox_config_set_transport (config, data);
  fixture->backend = asb_create_opensandbox_backend (url, config, NULL, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_backend_close (fixture->backend, NULL, &error));
  g_assert_no_error (error);
  g_object_unref (fixture->backend);
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 0);
  asb_test_server_free (fixture->server);
}

static void
change_state (Fixture *fixture, gboolean paused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info = paused ? asb_backend_pause (fixture->backend, NULL, &error)
                                           : asb_backend_resume (fixture->backend, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==,
                   paused ? ASB_SANDBOX_STATE_PAUSED : ASB_SANDBOX_STATE_RUNNING);
}

/* Gives @text to “cat”, and has it back unless it sleeps. */
static void
give (AsbCommand *cat, const char *text)
{
  g_autoptr (GError) error = NULL;

  g_output_stream_write_all (asb_command_get_stdin_pipe (cat), text, strlen (text), NULL, NULL,
                             &error);
  g_assert_no_error (error);
}

static void
expect (AsbCommand *cat, const char *text)
{
  g_autofree char *read = g_malloc0 (strlen (text) + 1);
  g_autoptr (GError) error = NULL;

  g_input_stream_read_all (asb_command_get_stdout_pipe (cat), read, strlen (text), NULL, NULL,
                           &error);
  g_assert_no_error (error);
  g_assert_cmpstr (read, ==, text);
}

static void
test_command (Fixture *fixture, gconstpointer data)
{
  const char *const argv[] = { "cat", NULL };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
  g_autoptr (AsbCommand) cat = NULL;
  g_autoptr (GListModel) files = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A command goes on after a pause, and has what it was given meanwhile");

  asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  cat = asb_backend_start_command (fixture->backend, spec, NULL, &error);
  g_assert_no_error (error);
  give (cat, "before");
  expect (cat, "before");
  change_state (fixture, TRUE);
  give (cat, "meanwhile");
  files = asb_backend_list_files (fixture->backend, "/", NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
  g_clear_error (&error);
  change_state (fixture, FALSE);
  expect (cat, "meanwhile");
  g_output_stream_close (asb_command_get_stdin_pipe (cat), NULL, &error);
  g_assert_no_error (error);
  asb_command_wait (cat, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (asb_command_get_successful (cat));
}

/* Types and states of all operations, in their order. Returns: (transfer full) */
static char *
describe_record (AsbBackend *backend)
{
  AsbHistoryStore *store = asb_backend_get_history_store (backend);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbHistoryPage) page = asb_history_store_query (store, 0, 100, 1 << 20, NULL, &error);
  GListModel *changes = asb_history_page_get_changes (page);
  g_autoptr (GPtrArray) ids = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GListModel) operations = NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (changes); i++)
    {
      g_autoptr (AsbHistoryChange) change = g_list_model_get_item (changes, i);
      const char *id = asb_history_change_get_event_id (change);

      if (!g_ptr_array_find_with_equal_func (ids, id, g_str_equal, NULL))
        g_ptr_array_add (ids, g_strdup (id));
    }
  g_ptr_array_add (ids, NULL);
  operations
      = asb_history_store_get_operations (store, (const char *const *)ids->pdata, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < g_list_model_get_n_items (operations); i++)
    {
      g_autoptr (AsbHistoryOperation) operation = g_list_model_get_item (operations, i);

      g_string_append_printf (
          text, "%s%s%s", i > 0 ? " " : "", asb_history_operation_get_operation_type (operation),
          asb_history_operation_get_status (operation) == ASB_OPERATION_STATUS_SUCCEEDED ? ""
                                                                                         : "!");
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
test_record (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autofree char *record = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What could not be recorded while the sandbox slept is afterwards, in its order");

  change_state (fixture, TRUE);
  info = asb_backend_query_info (fixture->backend, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_PAUSED);
  change_state (fixture, FALSE);
  record = describe_record (fixture->backend);
  g_assert_cmpstr (record, ==, "sandbox.create sandbox.pause sandbox.get sandbox.resume");
}

/* Somebody else, who tells the backend nothing. */
static void
have_somebody (Fixture *fixture, const char *what)
{
  const char *id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (fixture->backend));
  g_autofree char *path = g_strdup_printf ("/v1/sandboxes/%s/%s", id, what);
  g_autoptr (JsonNode) answer = asb_test_server_ask (fixture->server, "POST", path, NULL);
}

static void
list (Fixture *fixture, gboolean is_refused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) files = asb_backend_list_files (fixture->backend, "/", NULL, &error);

  if (is_refused)
    {
      g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
      g_assert_nonnull (strstr (error->message, "is paused; resume it first"));
    }
  else
    g_assert_no_error (error);
}

static void
test_strangers (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Who pauses and resumes does not matter to what is told of it");

  list (fixture, FALSE);
  have_somebody (fixture, "pause");
  list (fixture, TRUE);
  list (fixture, TRUE);
  have_somebody (fixture, "resume");
  list (fixture, FALSE);
  have_somebody (fixture, "pause");
  change_state (fixture, TRUE);
  have_somebody (fixture, "resume");
  list (fixture, FALSE);
}

static void
test_stranger_pauses (Fixture *fixture, gconstpointer data)
{
  g_autofree char *record = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A sandbox that somebody else has paused is looked at, and resumed");

  have_somebody (fixture, "pause");
  info = asb_backend_query_info (fixture->backend, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_PAUSED);
  change_state (fixture, FALSE);
  list (fixture, FALSE);
  have_somebody (fixture, "pause");
  change_state (fixture, FALSE);
  record = describe_record (fixture->backend);
  g_assert_cmpstr (record, ==,
                   "sandbox.create sandbox.get sandbox.resume file.list sandbox.resume");
}

static void
test_command_of_strangers (Fixture *fixture, gconstpointer data)
{
  const char *const argv[] = { "cat", NULL };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
  g_autoptr (AsbCommand) cat = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A command outlives a pause of which nobody told");

  asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  cat = asb_backend_start_command (fixture->backend, spec, NULL, &error);
  g_assert_no_error (error);
  give (cat, "before");
  expect (cat, "before");
  have_somebody (fixture, "pause");
  give (cat, "meanwhile");
  list (fixture, TRUE);
  have_somebody (fixture, "resume");
  expect (cat, "meanwhile");
  g_output_stream_close (asb_command_get_stdin_pipe (cat), NULL, &error);
  g_assert_no_error (error);
  asb_command_wait (cat, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (asb_command_get_successful (cat));
}

static void
test_close (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A backend is closed, and its sandbox deleted, also while it sleeps");

  change_state (fixture, TRUE);
}

static void
add (const char *name, void (*function) (Fixture *fixture, gconstpointer data))
{
  static const char *const ways[] = { "websocket", "pty" };

  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *path = g_strdup_printf ("/opensandbox-pause/%s/%s", ways[i], name);

      g_test_add (path, Fixture, ways[i], set_up, function, tear_down);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  add ("command", test_command);
  add ("record", test_record);
  add ("strangers", test_strangers);
  add ("stranger-pauses", test_stranger_pauses);
  add ("command-of-strangers", test_command_of_strangers);
  add ("close", test_close);

  return g_test_run ();
}
