/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-test-pool.h"

/* Pools that are filled, handed out, changed and shut down; what goes wrong is in
 * test-pool-faults.c.
 */

#define FAIL_FAST ASB_ACQUIRE_POLICY_FAIL_FAST

static void
test_fills (TestPool *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) first = NULL;
  g_autoptr (AsbBackend) second = NULL;
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("echo here");
  g_autoptr (AsbCommandResult) result = NULL;

  test_pool_start (fixture, 2);
  g_assert_cmpint (asb_pool_get_state (fixture->pool), ==, ASB_POOL_STATE_RUNNING);
  test_pool_wait_idle (fixture->pool, 2);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 2);
  first = test_pool_acquire (fixture, FAIL_FAST, 0);
  second = test_pool_acquire (fixture, FAIL_FAST, 0);
  g_assert_cmpstr (test_pool_get_id (first), !=, test_pool_get_id (second));
  result = asb_backend_execute (first, spec, NULL, &fixture->error);
  g_assert_no_error (fixture->error);

  /* Others are made for them. */
  test_pool_wait_idle (fixture->pool, 2);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 4);
  test_backend_close (first);
  test_backend_close (second);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 2);
  g_assert_true (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
  g_assert_cmpint (asb_pool_get_state (fixture->pool), ==, ASB_POOL_STATE_STOPPED);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
}

static void
test_oldest_first (TestPool *fixture, gconstpointer data)
{
  g_autofree char *oldest = NULL;
  g_auto (GStrv) ids = NULL;
  g_autoptr (AsbBackend) backend = NULL;

  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  g_object_get (fixture->mock, "sandbox-ids", &ids, NULL);
  oldest = g_strdup (ids[0]);
  asb_pool_set_max_idle (fixture->pool, 3);
  test_pool_wait_idle (fixture->pool, 3);
  backend = test_pool_acquire (fixture, FAIL_FAST, 0);
  g_assert_cmpstr (test_pool_get_id (backend), ==, oldest);
  test_backend_close (backend);
}

/* No main loop runs here. */
static void
test_without_loop (TestPool *fixture, gconstpointer data)
{
  test_pool_start (fixture, 1);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (AsbBackend) backend = NULL;

      while (asb_pool_get_idle_count (fixture->pool) == 0)
        g_thread_yield ();
      backend = test_pool_acquire (fixture, FAIL_FAST, 0);
      test_backend_close (backend);
    }
}

static void
test_resize (TestPool *fixture, gconstpointer data)
{
  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  asb_pool_set_max_idle (fixture->pool, 5);
  test_pool_wait_idle (fixture->pool, 5);
  asb_pool_set_max_idle (fixture->pool, 2);
  test_pool_wait_idle (fixture->pool, 2);
  test_pool_wait_sandboxes (fixture, 2);
  asb_pool_set_max_idle (fixture->pool, 0);
  test_pool_wait_idle (fixture->pool, 0);
  test_pool_wait_sandboxes (fixture, 0);
  test_pool_acquire_fails (fixture, FAIL_FAST, 0, ASB_ERROR_POOL_EMPTY);
}

static void
test_concurrency (TestPool *fixture, gconstpointer data)
{
  test_mock_add_fault (fixture->mock, "{'operation': <'create_sandbox'>, 'fault': <'hold'>}");
  fixture->pool = asb_pool_new (fixture->options, 10);
  asb_pool_set_warmup_concurrency (fixture->pool, 3);
  g_assert_true (asb_pool_start (fixture->pool, &fixture->error));
  while (test_mock_get_held_count (fixture->mock) < 3)
    g_thread_yield ();
  test_mock_clear_faults (fixture->mock);
  /* One in place of each that is answered, and no more. */
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 3);
  test_mock_release (fixture->mock, "*");
  test_pool_wait_idle (fixture->pool, 10);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 10);
}

static void
test_idle_timeout (TestPool *fixture, gconstpointer data)
{
  g_auto (GStrv) before = NULL;
  g_auto (GStrv) after = NULL;

  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  g_object_get (fixture->mock, "sandbox-ids", &before, NULL);
  asb_pool_set_idle_timeout (fixture->pool, 1);
  while (test_mock_get_calls (fixture->mock, "delete_sandbox") == 0)
    g_thread_yield ();
  asb_pool_set_idle_timeout (fixture->pool, 10000000);
  test_pool_wait_idle (fixture->pool, 1);
  test_pool_wait_sandboxes (fixture, 1);
  g_object_get (fixture->mock, "sandbox-ids", &after, NULL);
  g_assert_cmpstr (before[0], !=, after[0]);
}

/* Where nobody keeps it alive, its time has run while it waited. */
static void
test_time_to_live (TestPool *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;

  asb_backend_options_set_sandbox_ttl_mode (fixture->options, ASB_TTL_MODE_SECONDS);
  asb_backend_options_set_sandbox_ttl_seconds (fixture->options, 1000000);
  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  backend = test_pool_acquire (fixture, FAIL_FAST, 0);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "renew_sandbox"), ==, data ? 0 : 1);
  test_backend_close (backend);
}

static void
test_release_all_idle (TestPool *fixture, gconstpointer data)
{
  test_pool_start (fixture, 3);
  test_pool_wait_idle (fixture->pool, 3);
  g_assert_cmpint (asb_pool_release_all_idle (fixture->pool, NULL, &fixture->error), ==, 3);
  g_assert_no_error (fixture->error);
  test_pool_wait_idle (fixture->pool, 3);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 6);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "delete_sandbox"), ==, 3);
}

static void
test_states (TestPool *fixture, gconstpointer data)
{
  fixture->pool = asb_pool_new (fixture->options, 1);
  g_assert_cmpint (asb_pool_get_state (fixture->pool), ==, ASB_POOL_STATE_NOT_STARTED);
  test_pool_acquire_fails (fixture, 0, 0, ASB_ERROR_POOL_NOT_RUNNING);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_true (asb_pool_start (fixture->pool, &fixture->error));
      g_assert_true (asb_pool_start (fixture->pool, &fixture->error));
      test_pool_wait_idle (fixture->pool, 1);
      g_assert_true (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
      g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
      g_assert_true (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
      test_pool_acquire_fails (fixture, 0, 0, ASB_ERROR_POOL_NOT_RUNNING);
    }
}

static void
count_cb (GObject *object, GParamSpec *pspec, gpointer user_data)
{
  GPtrArray *told = user_data;

  g_ptr_array_add (told, (gpointer)g_param_spec_get_name (pspec));
}

/* In the thread that made the pool, whoever changes something. */
static void
test_telling (TestPool *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) told = g_ptr_array_new ();

  fixture->pool = asb_pool_new (fixture->options, 1);
  g_signal_connect (fixture->pool, "notify", G_CALLBACK (count_cb), told);
  g_assert_true (asb_pool_start (fixture->pool, &fixture->error));
  while (!g_ptr_array_find_with_equal_func (told, "idle-count", g_str_equal, NULL))
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (g_ptr_array_find_with_equal_func (told, "state", g_str_equal, NULL));
  g_assert_false (g_ptr_array_find_with_equal_func (told, "last-error", g_str_equal, NULL));
}

/* Of options of which there can be no pool the name is told. */
static void
test_refused_options (TestPool *fixture, gconstpointer data)
{
  static const char *const names[]
      = { "mode",     "cleanup",      "lifetime", "sandbox-ttl-mode", "idempotency-key",
          "metadata", "history-store" };
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbHistoryStore) store = test_memory_store_new (NULL);

  g_hash_table_insert (metadata, (gpointer) "sandbox_instance_id", (gpointer) "one");
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AsbBackendOptions) options = test_options_new (fixture->mock);
      g_autoptr (AsbPool) pool = NULL;
      g_autofree char *quoted = g_strdup_printf ("“%s”", names[i]);

      switch (i)
        {
        case 0:
          asb_backend_options_set_mode (options, ASB_BACKEND_MODE_CONNECT);
          break;
        case 1:
          asb_backend_options_set_cleanup (options, ASB_CLEANUP_POLICY_NEVER);
          break;
        case 2:
          asb_backend_options_set_lifetime (options, ASB_LIFETIME_PERSISTENT);
          break;
        case 3:
          asb_backend_options_set_sandbox_ttl_mode (options, ASB_TTL_MODE_NEVER);
          break;
        case 4:
          asb_backend_options_set_idempotency_key (options, "key");
          break;
        case 5:
          asb_backend_options_set_metadata (options, metadata);
          break;
        default:
          asb_backend_options_set_history_store (options, store);
        }
      pool = asb_pool_new (options, 1);
      g_assert_false (asb_pool_start (pool, &fixture->error));
      g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (fixture->error->message, quoted));
      g_clear_error (&fixture->error);
    }
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 0);
}

/* It is the pool's own copy. */
static void
test_options_copied (TestPool *fixture, gconstpointer data)
{
  fixture->pool = asb_pool_new (fixture->options, 1);
  asb_backend_options_set_idempotency_key (fixture->options, "key");
  g_assert_true (asb_pool_start (fixture->pool, &fixture->error));
  g_assert_no_error (fixture->error);
}

/* Many who want one, few that are ready: each gets its own. */

typedef struct
{
  TestPool *fixture;
  GMutex mutex;
  GHashTable *ids;
} Crowd;

static gpointer
acquire_in_thread (gpointer user_data)
{
  Crowd *crowd = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbBackend) backend
      = asb_pool_acquire (crowd->fixture->pool, ASB_ACQUIRE_POLICY_DIRECT_CREATE, 60, NULL, &error);

  g_assert_no_error (error);
  g_mutex_lock (&crowd->mutex);
  g_assert_true (g_hash_table_add (crowd->ids, g_strdup (test_pool_get_id (backend))));
  g_mutex_unlock (&crowd->mutex);
  g_assert_true (asb_backend_close (backend, NULL, &error));
  return NULL;
}

static void
test_crowd (TestPool *fixture, gconstpointer data)
{
  Crowd crowd = { .fixture = fixture };

  g_mutex_init (&crowd.mutex);
  crowd.ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  test_pool_start (fixture, 10);
  test_pool_wait_idle (fixture->pool, 10);
  test_run_threads (20, acquire_in_thread, &crowd, FALSE);
  g_assert_cmpuint (g_hash_table_size (crowd.ids), ==, 20);
  test_pool_wait_idle (fixture->pool, 10);
  test_pool_wait_sandboxes (fixture, 10);
  g_hash_table_unref (crowd.ids);
  g_mutex_clear (&crowd.mutex);
}

/* Preparing. */

typedef struct
{
  GThread *thread;
  guint n;
  guint n_failing;
} Preparation;

static void
prepare_cb (AsbBackend *backend, GTask *task, gpointer user_data)
{
  Preparation *preparation = user_data;

  g_assert_true (g_thread_self () == preparation->thread);
  if (++preparation->n <= preparation->n_failing)
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_FAILED, "It cannot be prepared");
  else
    g_task_return_boolean (task, TRUE);
}

static void
test_preparer (TestPool *fixture, gconstpointer data)
{
  Preparation preparation = { g_thread_self (), 0, 1 };
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbBackend) made = NULL;

  fixture->pool = asb_pool_new (fixture->options, 1);
  asb_pool_set_preparer (fixture->pool, prepare_cb, &preparation, NULL);
  g_assert_true (asb_pool_start (fixture->pool, &fixture->error));
  while (asb_pool_get_failure_count (fixture->pool) == 0)
    g_main_context_iteration (NULL, TRUE);
  test_pool_wait_idle (fixture->pool, 1);
  g_assert_cmpuint (preparation.n, ==, 2);
  test_pool_wait_sandboxes (fixture, 1);

  /* One that is made for a call is prepared, too. */
  backend = test_pool_acquire (fixture, FAIL_FAST, 0);
  made = test_pool_acquire (fixture, ASB_ACQUIRE_POLICY_DIRECT_CREATE, 0);
  g_assert_cmpuint (preparation.n, ==, 3);
  test_backend_close (backend);
  test_backend_close (made);
  test_pool_wait_idle (fixture->pool, 1);
}

/* Blocking, in the thread on which its work would have to be done: what cannot be waited for is
 * said, and follows. */
static void
test_own_loop_blocked (TestPool *fixture, gconstpointer data)
{
  Preparation preparation = { g_thread_self (), 0, 0 };
  g_auto (TestAnswer) answer = { 0 };

  test_mock_add_fault (fixture->mock, "{'operation': <'create_sandbox'>, 'fault': <'hold'>}");
  fixture->pool = asb_pool_new (fixture->options, 1);
  asb_pool_set_preparer (fixture->pool, prepare_cb, &preparation, NULL);
  g_assert_true (asb_pool_start (fixture->pool, &fixture->error));
  while (test_mock_get_held_count (fixture->mock) == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_POOL_INCOMPLETE);
  g_test_message ("%s", fixture->error->message);
  g_clear_error (&fixture->error);
  g_assert_cmpint (asb_pool_get_state (fixture->pool), ==, ASB_POOL_STATE_DRAINING);
  g_assert_false (asb_pool_start (fixture->pool, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_POOL_NOT_RUNNING);
  g_clear_error (&fixture->error);

  test_mock_release (fixture->mock, "*");
  asb_pool_shutdown_async (fixture->pool, NULL, test_answer_cb, &answer);
  g_assert_true (
      asb_pool_shutdown_finish (fixture->pool, test_answer_wait (&answer), &fixture->error));
  g_assert_cmpint (asb_pool_get_state (fixture->pool), ==, ASB_POOL_STATE_STOPPED);
}

/* Whoever loses a pool has not shut it down. */
static void
test_dropped (TestPool *fixture, gconstpointer data)
{
  test_pool_start (fixture, 3);
  test_pool_wait_idle (fixture->pool, 3);
  g_clear_object (&fixture->pool);
  test_pool_wait_sandboxes (fixture, 0);

  test_mock_add_fault (fixture->mock, "{'operation': <'create_sandbox'>, 'fault': <'hold'>}");
  test_pool_start (fixture, 3);
  while (test_mock_get_held_count (fixture->mock) == 0)
    g_thread_yield ();
  g_clear_object (&fixture->pool);
  test_mock_clear_faults (fixture->mock);
  test_mock_release (fixture->mock, "*");
  test_pool_wait_sandboxes (fixture, 0);
  while (test_mock_get_transport_count (fixture->mock) > 0)
    g_thread_yield ();
}

static void
add (const char *path, void (*test) (TestPool *, gconstpointer))
{
  g_test_add (path, TestPool, NULL, test_pool_set_up, test, test_pool_tear_down);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("/pool/fills", test_fills);
  add ("/pool/oldest-first", test_oldest_first);
  add ("/pool/without-loop", test_without_loop);
  add ("/pool/resize", test_resize);
  add ("/pool/concurrency", test_concurrency);
  add ("/pool/idle-timeout", test_idle_timeout);
  add ("/pool/time-to-live", test_time_to_live);
  g_test_add ("/pool/time-to-live-kept", TestPool, "{'keep-alive': <true>}", test_pool_set_up,
              test_time_to_live, test_pool_tear_down);
  add ("/pool/release-all-idle", test_release_all_idle);
  add ("/pool/states", test_states);
  add ("/pool/telling", test_telling);
  add ("/pool/refused-options", test_refused_options);
  add ("/pool/options-copied", test_options_copied);
  add ("/pool/crowd", test_crowd);
  add ("/pool/preparer", test_preparer);
  add ("/pool/own-loop-blocked", test_own_loop_blocked);
  add ("/pool/dropped", test_dropped);
  return g_test_run ();
}
