/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "asb-test-server.h"

/* Backends on a server, as programs make them: how long their sandboxes live, and what is said
 * where there is none to work in. */

typedef struct
{
  AsbTestServer *server;
  AsbProvider *provider; /* looks on */
  char *url;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->server = asb_test_server_new (NULL);
  fixture->provider = asb_test_server_new_provider (fixture->server, NULL);
  fixture->url
      = g_strdup_printf ("http://127.0.0.1:%u", asb_test_server_get_port (fixture->server));
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_object_unref (fixture->provider);
  g_free (fixture->url);
  asb_test_server_free (fixture->server);
}

static AsbOpensandboxConfig *
new_config (void)
{
  g_autoptr (AsbHistoryConfig) history
      = g_object_new (ASB_TYPE_HISTORY_CONFIG, "mode", ASB_HISTORY_MODE_NONE, NULL);

  return g_object_new (ASB_TYPE_OPENSANDBOX_CONFIG, "history", history, "transport", "native",
                       NULL);
}

/* Takes @config. */
static AsbBackend *
create (Fixture *fixture, AsbOpensandboxConfig *config)
{
  g_autoptr (AsbOpensandboxConfig) owned = config;
  g_autoptr (GError) error = NULL;
  AsbBackend *backend = asb_create_opensandbox_backend (fixture->url, owned, NULL, &error);

  g_assert_no_error (error);
  return backend;
}

static void
close_backend (AsbBackend *backend)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_backend_close (backend, NULL, &error));
  g_assert_no_error (error);
}

/* K7: three meanings of one field. Seconds that the server says are left; −1 for no end. */
static gint64
get_seconds_left (Fixture *fixture, AsbBackend *backend)
{
  const char *id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend));
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info = asb_provider_get_sandbox (fixture->provider, id, NULL, &error);
  GDateTime *expires_at;

  g_assert_no_error (error);
  expires_at = asb_sandbox_info_get_expires_at (info);
  return expires_at ? g_date_time_to_unix (expires_at) - g_get_real_time () / G_USEC_PER_SEC : -1;
}

static void
assert_lives (Fixture *fixture, AsbOpensandboxConfig *config, gint64 seconds)
{
  g_autoptr (AsbBackend) backend = create (fixture, config);

  g_assert_cmpint (ABS (get_seconds_left (fixture, backend) - seconds), <=, 10);
  close_backend (backend);
}

static void
test_lifetimes (Fixture *fixture, gconstpointer data)
{
  AsbOpensandboxConfig *forever = new_config ();
  AsbOpensandboxConfig *kept = new_config ();
  AsbOpensandboxConfig *hour = new_config ();
  g_autoptr (AsbOpensandboxConfig) minute = new_config ();
  g_autoptr (GError) error = NULL;
  guint n_posts;

  g_object_set (forever, "sandbox-ttl-mode", ASB_TTL_MODE_NEVER, "cleanup",
                ASB_CLEANUP_POLICY_NEVER, NULL);
  g_object_set (kept, "cleanup", ASB_CLEANUP_POLICY_NEVER, NULL);
  g_object_set (hour, "sandbox-ttl-mode", ASB_TTL_MODE_SECONDS, "sandbox-ttl-seconds", (gint64)3600,
                NULL);
  g_object_set (minute, "sandbox-ttl-mode", ASB_TTL_MODE_SECONDS, "sandbox-ttl-seconds", (gint64)59,
                NULL);
  assert_lives (fixture, new_config (), 600);
  assert_lives (fixture, hour, 3600);
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 0);
  assert_lives (fixture, forever, -1);
  assert_lives (fixture, kept, -1);
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 2);

  n_posts = asb_test_server_count (fixture->server, "POST", "/v1/sandboxes");
  g_assert_null (asb_create_opensandbox_backend (fixture->url, minute, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "/v1/sandboxes"), ==, n_posts);
}

/* P1: a command that fails, and sandboxes in which none can run. */

static int
execute (AsbBackend *backend, const char *command, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (command);
  g_autoptr (AsbCommandResult) result = NULL;

  result = asb_backend_execute (backend, spec, NULL, error);
  return result ? asb_command_result_get_exit_status (result) : -1;
}

static void
test_told_apart (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, new_config ());
  g_autoptr (AsbBackend) deleted = create (fixture, new_config ());
  g_autoptr (AsbSandboxInfo) paused = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (execute (backend, "exit 1", &error), ==, 1);
  g_assert_no_error (error);

  g_assert_true (asb_provider_delete_sandbox (
      fixture->provider, asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (deleted)), NULL,
      &error));
  g_assert_cmpint (execute (deleted, "exit 1", &error), ==, -1);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED);
  g_clear_error (&error);
  paused = asb_backend_pause (backend, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (execute (backend, "exit 1", &error), ==, -1);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
  g_clear_error (&error);
  close_backend (deleted);
  close_backend (backend);
}

/* A reference is to one sandbox, not to whatever has its id. */

static AsbBackend *
connect_to (Fixture *fixture, AsbSandboxRef *ref, const char *id, const char *instance_id,
            GError **error)
{
  g_autoptr (AsbOpensandboxConfig) config = new_config ();
  g_autoptr (AsbSandboxRef) changed = asb_sandbox_ref_new (
      asb_sandbox_ref_get_provider_name (ref), asb_sandbox_ref_get_provider_key (ref),
      id ? id : asb_sandbox_ref_get_sandbox_id (ref),
      instance_id ? instance_id : asb_sandbox_ref_get_sandbox_instance_id (ref),
      asb_sandbox_ref_get_endpoint_fingerprint (ref), NULL);

  g_object_set (config, "mode", ASB_BACKEND_MODE_CONNECT, "ref", changed, "cleanup",
                ASB_CLEANUP_POLICY_NEVER, "workdir", "/tmp", NULL);
  return asb_create_opensandbox_backend (fixture->url, config, NULL, error);
}

/* Nobody keeps it alive, and a command runs in it when the time is up. */
static void
test_expired (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  const char *id = asb_test_server_get_id (info);
  g_autoptr (AsbSandboxInfo) renewed = NULL;
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GError) error = NULL;

  backend = connect_to (fixture, asb_sandbox_info_get_ref (info), NULL, NULL, &error);
  g_assert_no_error (error);
  renewed = asb_provider_renew_sandbox (fixture->provider, id, 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (execute (backend, "sleep 600", &error), ==, -1);
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_EXPIRED);
  g_clear_error (&error);
  g_assert_cmpint (execute (backend, "exit 1", &error), ==, -1);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_EXPIRED);
  g_clear_error (&error);
  g_assert_false (asb_provider_delete_sandbox (fixture->provider, id, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
  close_backend (backend);
}

static void
test_connect (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, new_config ());
  AsbSandboxRef *ref = asb_backend_get_ref (backend);
  g_autoptr (AsbBackend) other = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_null (connect_to (fixture, ref, "nobody", NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (connect_to (fixture, ref, NULL, "somebody-else", &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
  g_clear_error (&error);
  other = connect_to (fixture, ref, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (execute (other, "exit 3", &error), ==, 3);
  close_backend (other);
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 1);
  close_backend (backend);
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 0);
}

/* Several backends on one provider share its connections, and none of them closes it. */
static void
test_shared (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProvider) provider
      = asb_test_server_new_provider (fixture->server, "{'transport': <'native'>}");
  g_autoptr (AsbBackendOptions) options = asb_backend_options_new ();
  g_autoptr (AsbBackend) first = NULL;
  g_autoptr (AsbBackend) second = NULL;
  g_autoptr (GError) error = NULL;

  asb_backend_options_set_provider (options, provider);
  first = asb_create_backend (options, NULL, &error);
  g_assert_no_error (error);
  second = asb_create_backend (options, NULL, &error);
  g_assert_no_error (error);
  close_backend (first);
  g_assert_cmpint (execute (second, "exit 4", &error), ==, 4);
  g_assert_no_error (error);
  close_backend (second);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/opensandbox/backends/" path, Fixture, NULL, set_up, function, tear_down)

/* What is tried again. */

#define N_READS 300

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  guint *n_left = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) list
      = asb_backend_list_files_finish (ASB_BACKEND (source), result, &error);

  g_assert_no_error (error);
  --*n_left;
}

static guint
count_operations (AsbBackend *backend, guint *n_changes)
{
  AsbHistoryStore *store = asb_backend_get_history_store (backend);
  g_autoptr (GHashTable) operations = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gint64 after = 0;

  *n_changes = 0;
  while (TRUE)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbHistoryPage) page
          = asb_history_store_query (store, after, 200, 1 << 20, NULL, &error);
      GListModel *changes;

      g_assert_no_error (error);
      changes = asb_history_page_get_changes (page);
      if (g_list_model_get_n_items (changes) == 0)
        return g_hash_table_size (operations);
      for (guint i = 0; i < g_list_model_get_n_items (changes); i++, ++*n_changes)
        {
          g_autoptr (AsbHistoryChange) change = g_list_model_get_item (changes, i);

          g_hash_table_add (operations, g_strdup (asb_history_change_get_event_id (change)));
          after = asb_history_change_get_seq (change);
        }
    }
}

static void
test_recorded_once (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbConcurrencyConfig) concurrency
      = g_object_new (ASB_TYPE_CONCURRENCY_CONFIG, "max-parallel-file-reads", 1024, NULL);
  g_autoptr (AsbRetryConfig) retry
      = g_object_new (ASB_TYPE_RETRY_CONFIG, "max-attempts", 10, "base-delay-ms", 500, NULL);
  AsbOpensandboxConfig *config = g_object_new (ASB_TYPE_OPENSANDBOX_CONFIG, "retry", retry,
                                               "concurrency", concurrency, NULL);
  g_autoptr (AsbBackend) backend = create (fixture, config);
  guint n_left = N_READS;
  guint n_before, n_changes;

  g_test_summary ("More than a guest takes at once are tried again, and each is one in the record");

  n_before = count_operations (backend, &n_changes);
  for (guint i = 0; i < N_READS; i++)
    asb_backend_list_files_async (backend, "/", NULL, listed_cb, &n_left);
  while (n_left > 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (count_operations (backend, &n_changes), ==, n_before + N_READS);
  g_assert_cmpuint (n_changes, ==, 2 * (n_before + N_READS));
  close_backend (backend);
}

/* Without being told to. */
static void
test_usual_bounds (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend
      = create (fixture, g_object_new (ASB_TYPE_OPENSANDBOX_CONFIG, NULL));
  guint n_left = N_READS;

  g_test_summary ("As many as are asked for have their turn");

  for (guint i = 0; i < N_READS; i++)
    asb_backend_list_files_async (backend, "/", NULL, listed_cb, &n_left);
  while (n_left > 0)
    g_main_context_iteration (NULL, TRUE);
  close_backend (backend);
}

/* The provider names the sandbox, and knows nothing of whose backend it is. */
static void
test_details_of_errors (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, new_config ());
  AsbSandboxRef *ref = asb_backend_get_ref (backend);
  g_autoptr (GError) error = NULL;
  AsbErrorInfo *info;

  g_assert_null (asb_backend_get_endpoint (backend, 80, 1, NULL, &error));
  info = asb_error_get_info (error);
  g_assert_cmpstr (asb_error_info_get_operation (info), ==, "sandbox.get_endpoint");
  g_assert_cmpstr (asb_error_info_get_provider_name (info), ==, "opensandbox");
  g_assert_cmpstr (asb_error_info_get_provider_key (info), ==, "opensandbox-default");
  g_assert_cmpstr (asb_error_info_get_sandbox_id (info), ==, asb_sandbox_ref_get_sandbox_id (ref));
  g_assert_cmpstr (asb_error_info_get_sandbox_instance_id (info), ==,
                   asb_sandbox_ref_get_sandbox_instance_id (ref));
  g_assert_nonnull (asb_error_info_get_provider_request_id (info));
  close_backend (backend);
}

static void
test_ranges (void)
{
  static const struct
  {
    const char *options;
    const char *text;
  } cases[] = {
    { "{'request-timeout-seconds': <0.0>}", "“request-timeout-seconds” of" },
    { "{'request-timeout-seconds': <-1.0>}", "it must be a number from 0.001 to 31622400" },
    { "{'ready-timeout-seconds': <1e300>}", "it must be a number from 0.001 to 31622400" },
    { "{'idle-timeout-seconds': <0.0>}", "it must be a number from 0.001 to 31622400" },
    { "{'max-connections': <uint32 0>}", "it must be a whole number from 1 to 65535" },
    { "{'keep-alive-seconds': <uint32 3601>}", "it must be a whole number from 1 to 3600" },
    { "{'use-server-proxy': <'yes'>}", "it is true or false" },
    { "{'provider-key': <5>}", "it must be a text" },
    { "{'headers': <'a: b'>}", "it must be of type “a{ss}”" },
  };

  g_test_summary ("What cannot be is refused with what can, in words that need no C");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GVariant) options = g_variant_ref_sink (g_variant_new_parsed (cases[i].options));
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbProvider) provider = asb_registry_create_provider (
          asb_registry_get_default (), "opensandbox", options, &error);

      g_assert_null (provider);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, cases[i].text));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("lifetimes", test_lifetimes);
  ADD ("told-apart", test_told_apart);
  ADD ("expired", test_expired);
  ADD ("connect", test_connect);
  ADD ("shared", test_shared);
  ADD ("recorded-once", test_recorded_once);
  ADD ("usual-bounds", test_usual_bounds);
  ADD ("details-of-errors", test_details_of_errors);
  g_test_add_func ("/opensandbox/backends/ranges", test_ranges);
  return g_test_run ();
}
