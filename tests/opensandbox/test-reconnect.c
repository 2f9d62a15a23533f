/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-entrance.h"

#include <string.h>

/* The connection to the guest is lost, at any byte, and comes back: nothing is lost, nothing done
 * twice. */

#define PROXY "*/proxy/44772/proxy/*"
#define PTY "*/proxy/44772/pty/*/ws"
#define ALL (1 << 20)

typedef struct
{
  const char *name;
  const char *options;
  const char *path; /* of the WebSocket */
} Way;

static const Way WAYS[] = {
  { "websocket", "{'transport': <'websocket'>, 'use-server-proxy': <true>}", PROXY },
  { "pty", "{'transport': <'pty'>, 'use-server-proxy': <true>}", PTY },
};

static char *
new_expected (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 1; i <= 2000; i++)
    g_string_append_printf (text, "%u\n", i);
  return g_string_free (text, FALSE);
}

/* How many commands the record knows that have begun, and ended well. */
static void
count_commands (AsbBackend *backend, guint *n_started, guint *n_succeeded)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbHistoryPage) page = asb_history_store_query (
      asb_backend_get_history_store (backend), 0, 10000, ALL, NULL, &error);
  g_autoptr (GHashTable) started = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) succeeded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GListModel *changes;

  g_assert_no_error (error);
  changes = asb_history_page_get_changes (page);
  for (guint i = 0; i < g_list_model_get_n_items (changes); i++)
    {
      g_autoptr (AsbHistoryChange) change = g_list_model_get_item (changes, i);

      if (!strstr (asb_history_change_get_operation_type (change), "command"))
        continue;
      g_hash_table_add (started, g_strdup (asb_history_change_get_event_id (change)));
      if (g_strcmp0 (asb_history_change_get_status (change), "succeeded") == 0)
        g_hash_table_add (succeeded, g_strdup (asb_history_change_get_event_id (change)));
    }
  *n_succeeded = g_hash_table_size (succeeded);
  *n_started = g_hash_table_size (started);
}

static void
check_cut (AsbTestServer *server, const Way *way, AsbSandboxRef *ref, gint64 bytes)
{
  const AsbTestEntrance entrance = { .options = way->options, .ref = ref, .reconnect_seconds = 60 };
  g_autofree char *fault = g_strdup_printf (
      "{'path':'%s','hop':'lifecycle','nth':1,'action':'cut','bytes':%" G_GINT64_FORMAT
      ",'reset':%s}",
      way->path, bytes, bytes % 2 ? "true" : "false");
  g_autofree char *expected = new_expected ();
  g_autoptr (AsbBackend) backend = NULL;
  g_autofree char *output = NULL;

  asb_test_server_fault (server, fault);
  backend = asb_test_entrance_open (server, &entrance);
  output = asb_test_entrance_run (backend, "echo once >>/workspace/log; seq 2000");
  g_assert_cmpstr (output, ==, expected);
  asb_test_server_heal (server);
  asb_test_entrance_close (backend);
}

static void
test_cut (gconstpointer data)
{
  const Way *way = data;
  const AsbTestEntrance entrance
      = { .options = way->options, .history = ASB_HISTORY_MODE_SANDBOX, .reconnect_seconds = 60 };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) backend = asb_test_entrance_open (server, &entrance);
  g_autofree char *log = NULL;
  g_autofree char *expected = NULL;
  guint n_cuts = 0;

  g_test_summary ("Cut after so many bytes the connection comes back, and all is done once");
  /* From behind the HELLO on, before which there is nothing to come back to. */
  for (gint64 bytes = 1000; bytes < 11000; bytes += 37 + (bytes > 2000 ? 400 : 0))
    {
      check_cut (server, way, asb_backend_get_ref (backend), bytes);
      n_cuts++;
    }
  log = asb_test_entrance_run (backend, "wc -l </workspace/log");
  expected = g_strdup_printf ("%u", n_cuts);
  g_assert_cmpstr (g_strstrip (log), ==, expected);
  g_test_message ("%u cuts", n_cuts);
  asb_test_entrance_close (backend);
}

/* Behind HELLO, since there is nothing to come back to before it. */
static void
check_closed (AsbTestServer *server, const Way *way, AsbSandboxRef *ref, guint code, guint frames)
{
  const AsbTestEntrance entrance = { .options = way->options, .ref = ref, .reconnect_seconds = 60 };
  g_autofree char *fault = g_strdup_printf (
      "{'path':'%s','hop':'lifecycle','nth':1,'action':'close','code':%u,'frames':%u}", way->path,
      code, frames);
  g_autofree char *expected = new_expected ();
  g_autoptr (AsbBackend) backend = NULL;
  g_autofree char *output = NULL;

  asb_test_server_fault (server, fault);
  backend = asb_test_entrance_open (server, &entrance);
  output = asb_test_entrance_run (backend, "echo once >>/workspace/log; seq 2000");
  g_test_message ("code %u after %u frames", code, frames);
  g_assert_cmpstr (output, ==, expected);
  asb_test_server_heal (server);
  asb_test_entrance_close (backend);
}

static void
test_closed (gconstpointer data)
{
  static const guint codes[]
      = { 1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 3000, 4999 };
  const Way *way = data;
  const AsbTestEntrance entrance
      = { .options = way->options, .history = ASB_HISTORY_MODE_SANDBOX, .reconnect_seconds = 60 };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) backend = asb_test_entrance_open (server, &entrance);
  g_autofree char *log = NULL;
  g_autofree char *expected = g_strdup_printf ("%u", (guint)G_N_ELEMENTS (codes) * 2);

  g_test_summary ("With whatever code a WebSocket is closed, it comes back, and all is done once");
  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      check_closed (server, way, asb_backend_get_ref (backend), codes[i], 6);
      check_closed (server, way, asb_backend_get_ref (backend), codes[i], 10);
    }
  log = asb_test_entrance_run (backend, "wc -l </workspace/log");
  g_assert_cmpstr (g_strstrip (log), ==, expected);
  asb_test_entrance_close (backend);
}

/* As early as it can be. */
static void
test_closed_early (gconstpointer data)
{
  static const guint codes[] = { 1000, 1001, 1008, 1011, 1013, 4000 };
  const Way *way = data;
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  const AsbTestEntrance whole = { .options = way->options };
  g_autoptr (AsbBackend) backend = asb_test_entrance_open (server, &whole);

  g_test_summary ("One that is closed before the guest was heard is no way in, and that is told");
  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      const AsbTestEntrance entrance
          = { .options = way->options, .ref = asb_backend_get_ref (backend) };
      g_autofree char *fault = g_strdup_printf (
          "{'path':'%s','hop':'lifecycle','action':'close','code':%u}", way->path, codes[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbBackend) other = NULL;

      asb_test_server_fault (server, fault);
      other = asb_test_entrance_try (server, &entrance, &error);
      g_test_message ("code %u: %s", codes[i], error ? error->message : "done");
      g_assert_null (other);
      g_assert_cmpint (error->domain, ==, ASB_ERROR);
      g_assert_false (error->code == ASB_ERROR_SANDBOX_NOT_FOUND);
      asb_test_server_heal (server);
    }
  asb_test_entrance_close (backend);
}

static void
test_cut_record (gconstpointer data)
{
  const Way *way = data;
  const AsbTestEntrance entrance
      = { .options = way->options, .history = ASB_HISTORY_MODE_SANDBOX, .reconnect_seconds = 60 };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  guint n_started;
  guint n_succeeded;

  g_test_summary ("The record of commands whose connection was cut is whole");
  for (gint64 bytes = 3000; bytes < 40000; bytes += 6007)
    {
      g_autofree char *fault = g_strdup_printf (
          "{'path':'%s','hop':'lifecycle','nth':1,'action':'cut','bytes':%" G_GINT64_FORMAT "}",
          way->path, bytes);
      g_autoptr (AsbBackend) backend = NULL;

      asb_test_server_fault (server, fault);
      backend = asb_test_entrance_open (server, &entrance);
      for (guint i = 0; i < 5; i++)
        {
          g_autofree char *output = asb_test_entrance_run (backend, "seq 2000");
          g_autofree char *expected = new_expected ();

          g_assert_cmpstr (output, ==, expected);
        }
      count_commands (backend, &n_started, &n_succeeded);
      g_assert_cmpuint (n_started, ==, 5);
      g_assert_cmpuint (n_succeeded, ==, 5);
      asb_test_server_heal (server);
      asb_test_entrance_close (backend);
    }
}

/* Sends and gets back much more than what may wait, while the connection is cut again and again. */
static void
test_cut_both_ways (gconstpointer data)
{
  const Way *way = data;
  const AsbTestEntrance entrance = { .options = way->options, .reconnect_seconds = 60 };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autofree char *fault = g_strdup_printf (
      "{'path':'%s','hop':'lifecycle','times':4,'action':'cut','bytes':1500000}", way->path);
  g_autoptr (AsbBackend) backend = NULL;
  gsize size = 5 * 1000 * 1000;
  guint8 *bytes = g_malloc (size);
  g_autoptr (GBytes) input = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A file that goes there and back while the connection is cut stays the same");
  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8)(i * 31 + i / 4093);
  input = g_bytes_new_take (bytes, size);
  asb_test_server_fault (server, fault);
  backend = asb_test_entrance_open (server, &entrance);
  info = asb_backend_write_file (backend, "/workspace/big", input, NULL, NULL, &error);
  g_assert_no_error (error);
  output = asb_backend_read_file (backend, "/workspace/big", NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (input, output));
  asb_test_server_heal (server);
  asb_test_entrance_close (backend);
}

static void
test_gone (void)
{
  const AsbTestEntrance entrance = { .reconnect_seconds = 300 };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) backend = asb_test_entrance_open (server, &entrance);
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, NULL);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("sleep 1000");
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GError) error = NULL;
  const char *id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend));
  gint64 before;

  g_test_summary ("A sandbox that is deleted is not waited for");
  command = asb_backend_start_command (backend, spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (asb_provider_delete_sandbox (provider, id, NULL, &error));
  g_assert_no_error (error);
  before = g_get_monotonic_time ();
  g_assert_false (asb_command_wait (command, NULL, &error));
  g_assert_nonnull (error);
  g_assert_cmpint (g_get_monotonic_time () - before, <, 120 * G_TIME_SPAN_SECOND);
  g_test_message ("%s", error->message);
}

static void
test_guest_killed (gconstpointer data)
{
  static const char kill_all[] = "for p in /proc/[0-9]*; do\n"
                                 "  case $(cat $p/comm 2>/dev/null) in\n"
                                 "    asb-guest*) kill -9 ${p#/proc/} ;;\n"
                                 "  esac\n"
                                 "done\n"
                                 "sleep 60";
  const Way *way = data;
  const AsbTestEntrance entrance
      = { .options = way->options, .history = ASB_HISTORY_MODE_SANDBOX, .reconnect_seconds = 60 };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) backend = asb_test_entrance_open (server, &entrance);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (kill_all);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *said = NULL;

  g_test_summary ("What a guest that was killed had begun is unknown, and the next one is started");
  result = asb_backend_execute (backend, spec, NULL, &error);
  g_assert_null (result);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_test_message ("%s", error->message);
  said = asb_test_entrance_run (backend, "echo again");
  g_assert_cmpstr (said, ==, "again\n");
  asb_test_entrance_close (backend);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (WAYS); i++)
    {
      g_autofree char *cut = g_strdup_printf ("/opensandbox/reconnect/%s/cut", WAYS[i].name);
      g_autofree char *closed = g_strdup_printf ("/opensandbox/reconnect/%s/closed", WAYS[i].name);
      g_autofree char *early = g_strdup_printf ("/opensandbox/reconnect/%s/early", WAYS[i].name);
      g_autofree char *record = g_strdup_printf ("/opensandbox/reconnect/%s/record", WAYS[i].name);
      g_autofree char *killed = g_strdup_printf ("/opensandbox/reconnect/%s/killed", WAYS[i].name);
      g_autofree char *both = g_strdup_printf ("/opensandbox/reconnect/%s/file", WAYS[i].name);

      g_test_add_data_func (cut, &WAYS[i], test_cut);
      g_test_add_data_func (closed, &WAYS[i], test_closed);
      g_test_add_data_func (early, &WAYS[i], test_closed_early);
      g_test_add_data_func (record, &WAYS[i], test_cut_record);
      g_test_add_data_func (both, &WAYS[i], test_cut_both_ways);
      g_test_add_data_func (killed, &WAYS[i], test_guest_killed);
    }
  g_test_add_func ("/opensandbox/reconnect/gone", test_gone);
  return g_test_run ();
}
