/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-server.h"

#include <string.h>

/* A pool on a server that fails: nothing stays there that nobody knows of. */

typedef struct
{
  const char *transport;
  AsbHistoryMode history;
} Way;

static const Way GUEST = { "guest", ASB_HISTORY_MODE_SANDBOX };
static const Way NATIVE = { "native", ASB_HISTORY_MODE_NONE };

typedef struct
{
  AsbTestServer *server;
  AsbPool *pool;
  GError *error;
} Fixture;

static AsbPool *
new_pool (Fixture *fixture, const Way *way, guint max_idle)
{
  g_autoptr (AsbHistoryConfig) history
      = g_object_new (ASB_TYPE_HISTORY_CONFIG, "mode", way->history, NULL);
  g_autoptr (AsbOpensandboxConfig) config = g_object_new (
      ASB_TYPE_OPENSANDBOX_CONFIG, "history", history, "transport", way->transport, NULL);
  g_autofree char *url
      = g_strdup_printf ("http://127.0.0.1:%u", asb_test_server_get_port (fixture->server));
  g_autoptr (AsbBackendOptions) options
      = asb_opensandbox_config_make_options (config, url, &fixture->error);

  g_assert_no_error (fixture->error);
  return asb_pool_new (options, max_idle);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->server = asb_test_server_new (NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  if (fixture->pool)
    {
      g_assert_true (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
      g_assert_no_error (fixture->error);
    }
  g_clear_object (&fixture->pool);
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 0);
  asb_test_server_free (fixture->server);
}

static void
start (Fixture *fixture, const Way *way, guint max_idle)
{
  fixture->pool = new_pool (fixture, way, max_idle);
  g_assert_true (asb_pool_start (fixture->pool, &fixture->error));
  g_assert_no_error (fixture->error);
}

static void
wait_idle (Fixture *fixture, guint n)
{
  while (asb_pool_get_idle_count (fixture->pool) != n)
    g_main_context_iteration (NULL, TRUE);
}

static AsbBackend *
acquire (Fixture *fixture, AsbAcquirePolicy policy, gint64 seconds)
{
  AsbBackend *backend = asb_pool_acquire (fixture->pool, policy, seconds, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  return backend;
}

static void
close_backend (AsbBackend *backend)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_backend_close (backend, NULL, &error));
  g_assert_no_error (error);
}

static char *
run (AsbBackend *backend, const char *shell)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (shell);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) result = asb_backend_execute (backend, spec, NULL, &error);

  g_assert_no_error (error);
  return asb_command_result_dup_stdout_text (result);
}

static void
test_work (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = NULL;
  g_autofree char *output = NULL;
  gint64 left;
  g_autoptr (AsbSandboxInfo) info = NULL;

  start (fixture, data, 1);
  wait_idle (fixture, 1);
  backend = acquire (fixture, ASB_ACQUIRE_POLICY_FAIL_FAST, 7200);
  output = run (backend, "echo here");
  g_assert_cmpstr (output, ==, "here\n");
  info = asb_backend_query_info (backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  left = g_date_time_to_unix (asb_sandbox_info_get_expires_at (info))
         - g_get_real_time () / G_USEC_PER_SEC;
  g_assert_cmpint (left, >, 7000);
  close_backend (backend);
  wait_idle (fixture, 1);
}

/* K5. */
static void
test_renew_fails_once (Fixture *fixture, gconstpointer data)
{
  start (fixture, data, 2);
  wait_idle (fixture, 2);
  asb_test_server_fault (fixture->server,
                         "{'path':'*/renew-expiration','times':1,'action':'reply','status':500,"
                         "'json':{'code':'X','message':'The fault of the test'}}");
  g_assert_null (
      asb_pool_acquire (fixture->pool, ASB_ACQUIRE_POLICY_FAIL_FAST, 3600, NULL, &fixture->error));
  g_test_message ("%s", fixture->error->message);
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_POOL_ACQUIRE_FAILED);
  g_clear_error (&fixture->error);
  g_assert_true (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 0);
}

static char *
delete_one (Fixture *fixture)
{
  g_autoptr (AsbProvider) other = asb_test_server_new_provider (fixture->server, NULL);
  g_autoptr (GListModel) list = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  const char *id;

  list = asb_provider_list_sandboxes (other, filter, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  info = g_list_model_get_item (list, 0);
  id = asb_test_server_get_id (info);
  g_assert_true (asb_provider_delete_sandbox (other, id, NULL, &fixture->error));
  return g_strdup (id);
}

/* Somebody deletes it while it waits. */
static void
test_deleted (Fixture *fixture, gconstpointer data)
{
  g_autofree char *id = NULL;
  g_autoptr (AsbBackend) backend = NULL;

  start (fixture, data, 1);
  wait_idle (fixture, 1);
  id = delete_one (fixture);
  backend = acquire (fixture, ASB_ACQUIRE_POLICY_DIRECT_CREATE, 0);
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend)), !=, id);
  close_backend (backend);
  wait_idle (fixture, 1);
}

/* It is noticed before anybody asks for it. */
static void
test_deleted_is_replaced (Fixture *fixture, gconstpointer data)
{
  g_autofree char *id = NULL;

  start (fixture, data, 1);
  wait_idle (fixture, 1);
  id = delete_one (fixture);
  while (asb_test_server_count (fixture->server, "POST", "/v1/sandboxes") < 2)
    g_thread_yield ();
  wait_idle (fixture, 1);
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 1);
}

/* Whoever got it hears of it in their own thread, as if they had made it. */

static void
state_cb (GObject *transport, GParamSpec *pspec, gpointer user_data)
{
  GThread **thread = user_data;

  *thread = g_thread_self ();
}

static void
test_news (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProvider) other = asb_test_server_new_provider (fixture->server, NULL);
  g_autoptr (AsbBackend) backend = NULL;
  GThread *told = NULL;

  start (fixture, data, 1);
  wait_idle (fixture, 1);
  backend = acquire (fixture, ASB_ACQUIRE_POLICY_FAIL_FAST, 0);
  wait_idle (fixture, 1);
  g_signal_connect (asb_backend_get_transport (backend), "notify::state", G_CALLBACK (state_cb),
                    &told);
  g_assert_true (asb_provider_delete_sandbox (
      other, asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend)), NULL,
      &fixture->error));
  while (!told)
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (told == g_thread_self ());
  close_backend (backend);
}

static void
test_creation_fails (Fixture *fixture, gconstpointer data)
{
  asb_test_server_fault (fixture->server,
                         "{'method':'POST','path':'/v1/sandboxes','times':2,'action':'reply',"
                         "'status':400,'json':{'code':'X','message':'The fault of the test'}}");
  start (fixture, data, 1);
  wait_idle (fixture, 1);
  g_assert_cmpuint (asb_pool_get_failure_count (fixture->pool), ==, 0);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "/v1/sandboxes"), ==, 3);
}

/* It answers nothing while the pool is shut down, and comes back. */
static void
test_server_away (Fixture *fixture, gconstpointer data)
{
  start (fixture, data, 2);
  wait_idle (fixture, 2);
  asb_test_server_fault (fixture->server,
                         "{'method':'DELETE','path':'/v1/sandboxes/*','action':'reply',"
                         "'status':500,'json':{'code':'X','message':'The fault of the test'}}");
  g_assert_false (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
  g_test_message ("%s", fixture->error->message);
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_POOL_INCOMPLETE);
  g_clear_error (&fixture->error);
  asb_test_server_heal (fixture->server);
}

/* Shut down while sandboxes are being made: none is left of them. */
static void
test_making (Fixture *fixture, gconstpointer data)
{
  asb_test_server_fault (fixture->server,
                         "{'method':'POST','path':'/v1/sandboxes','action':'late','ms':300}");
  start (fixture, data, 4);
  while (asb_test_server_count (fixture->server, "POST", "/v1/sandboxes") == 0)
    g_thread_yield ();
}

static gpointer
acquire_in_thread (gpointer user_data)
{
  Fixture *fixture = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbBackend) backend = asb_pool_acquire (
      fixture->pool, ASB_ACQUIRE_POLICY_RETRY_NEXT_IDLE_THEN_CREATE, 3600, NULL, &error);
  g_autofree char *output = NULL;

  g_assert_no_error (error);
  output = run (backend, "cat /workspace/mine 2>/dev/null; echo x >/workspace/mine");
  g_assert_cmpstr (output, ==, "");
  close_backend (backend);
  return NULL;
}

static void
test_crowd (Fixture *fixture, gconstpointer data)
{
  GThread *threads[8];

  start (fixture, data, 4);
  wait_idle (fixture, 4);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("test", acquire_in_thread, fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  static const Way *const ways[] = { &GUEST, &NATIVE };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      const struct
      {
        const char *name;
        void (*test) (Fixture *, gconstpointer);
      } tests[] = {
        { "work", test_work },
        { "renew-fails-once", test_renew_fails_once },
        { "deleted", test_deleted },
        { "creation-fails", test_creation_fails },
        { "server-away", test_server_away },
        { "making", test_making },
        { "crowd", test_crowd },
      };

      for (gsize j = 0; j < G_N_ELEMENTS (tests); j++)
        {
          g_autofree char *path
              = g_strdup_printf ("/opensandbox/pool/%s/%s", ways[i]->transport, tests[j].name);

          g_test_add (path, Fixture, ways[i], set_up, tests[j].test, tear_down);
        }
    }
  g_test_add ("/opensandbox/pool/guest/deleted-is-replaced", Fixture, &GUEST, set_up,
              test_deleted_is_replaced, tear_down);
  g_test_add ("/opensandbox/pool/guest/news", Fixture, &GUEST, set_up, test_news, tear_down);
  return g_test_run ();
}
