/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-test-pool.h"

#include "asb-call-private.h"

/* Pools in which something goes wrong: no sandbox is lost, and none is handed out that is of no
 * use. */

#define FAIL_FAST ASB_ACQUIRE_POLICY_FAIL_FAST
#define DIRECT_CREATE ASB_ACQUIRE_POLICY_DIRECT_CREATE
#define RETRY ASB_ACQUIRE_POLICY_RETRY_NEXT_IDLE
#define RETRY_THEN_CREATE ASB_ACQUIRE_POLICY_RETRY_NEXT_IDLE_THEN_CREATE

/* Makes one call of an operation fail, or all. */
static void
make_fail (TestPool *fixture, const char *operation, guint call, const char *code)
{
  g_autofree char *rule
      = g_strdup_printf ("{'operation': <'%s'>, 'fault': <'fail'>, 'call': <uint32 %u>, "
                         "'code': <'%s'>, 'message': <'The fault of the test'>}",
                         operation, call, code);

  test_mock_add_fault (fixture->mock, rule);
}

static void
hold (TestPool *fixture, const char *operation)
{
  g_autofree char *rule = g_strdup_printf ("{'operation': <'%s'>, 'fault': <'hold'>}", operation);

  test_mock_add_fault (fixture->mock, rule);
}

static gboolean
is_there (TestPool *fixture, const char *id)
{
  g_auto (GStrv) ids = NULL;

  g_object_get (fixture->mock, "sandbox-ids", &ids, NULL);
  return g_strv_contains ((const char *const *)ids, id);
}

static char *
get_first_id (TestPool *fixture)
{
  g_auto (GStrv) ids = NULL;

  g_object_get (fixture->mock, "sandbox-ids", &ids, NULL);
  return g_strdup (ids[0]);
}

/* K5: renewing fails once; the sandbox is not only let go of. */
static void
test_renew_fails (TestPool *fixture, gconstpointer data)
{
  g_autofree char *first = NULL;
  g_autoptr (AsbErrorInfo) info = NULL;

  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  first = get_first_id (fixture);
  make_fail (fixture, "renew_sandbox", 1, "provider_error");
  g_assert_null (asb_pool_acquire (fixture->pool, FAIL_FAST, 60, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_POOL_ACQUIRE_FAILED);
  g_assert_nonnull (strstr (fixture->error->message, "The fault of the test"));
  g_assert_cmpstr (asb_error_info_get_sandbox_id (asb_error_get_info (fixture->error)), ==, first);
  g_clear_error (&fixture->error);
  while (is_there (fixture, first))
    g_thread_yield ();
  test_pool_wait_idle (fixture->pool, 1);
}

static void
check_policy (TestPool *fixture, AsbAcquirePolicy policy, guint n_failing, int code,
              guint n_renewals)
{
  guint64 before = test_mock_get_calls (fixture->mock, "renew_sandbox");

  test_pool_wait_idle (fixture->pool, 3);
  for (guint i = 1; i <= n_failing; i++)
    make_fail (fixture, "renew_sandbox", i, "provider_error");
  if (code < 0)
    {
      g_autoptr (AsbBackend) backend = test_pool_acquire (fixture, policy, 60);

      test_backend_close (backend);
    }
  else
    test_pool_acquire_fails (fixture, policy, 60, code);
  test_mock_clear_faults (fixture->mock);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "renew_sandbox") - before, ==, n_renewals);
}

static void
test_policies (TestPool *fixture, gconstpointer data)
{
  test_pool_start (fixture, 3);
  asb_pool_set_max_acquire_retries (fixture->pool, 2);
  check_policy (fixture, FAIL_FAST, 1, ASB_ERROR_POOL_ACQUIRE_FAILED, 1);
  check_policy (fixture, DIRECT_CREATE, 1, -1, 2);
  check_policy (fixture, RETRY, 1, -1, 2);
  check_policy (fixture, RETRY, 2, ASB_ERROR_POOL_ACQUIRE_FAILED, 2);
  check_policy (fixture, RETRY_THEN_CREATE, 2, -1, 3);
  /* One that was made for the call and cannot be renewed is ended, too. */
  check_policy (fixture, DIRECT_CREATE, 2, ASB_ERROR_PROVIDER, 2);
  check_policy (fixture, (AsbAcquirePolicy)7, 0, ASB_ERROR_INVALID_ARGUMENT, 0);
  test_pool_wait_idle (fixture->pool, 3);
  test_pool_wait_sandboxes (fixture, 3);
}

/* What cannot be had says nothing against the sandbox. */
static void
test_refused_lifetime (TestPool *fixture, gconstpointer data)
{
  g_autofree char *first = NULL;

  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  first = get_first_id (fixture);
  make_fail (fixture, "renew_sandbox", 1, "invalid_argument");
  test_pool_acquire_fails (fixture, DIRECT_CREATE, 60, ASB_ERROR_INVALID_ARGUMENT);
  test_pool_acquire_fails (fixture, DIRECT_CREATE, -1, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_true (is_there (fixture, first));
  g_assert_cmpuint (asb_pool_get_idle_count (fixture->pool), ==, 1);
}

static void
test_does_not_answer (TestPool *fixture, gconstpointer data)
{
  g_autofree char *first = NULL;

  asb_backend_options_set_ready_timeout_seconds (fixture->options, 0.05);
  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  first = get_first_id (fixture);
  asb_call_set_limit (NULL, 0);
  hold (fixture, "query_file");
  test_pool_acquire_fails (fixture, FAIL_FAST, 0, ASB_ERROR_POOL_ACQUIRE_FAILED);
  asb_call_set_limit (NULL, -1);
  test_mock_clear_faults (fixture->mock);
  test_mock_release (fixture->mock, "*");
  while (is_there (fixture, first))
    g_thread_yield ();
}

/* Somebody else has deleted or paused it. */
static void
test_gone (TestPool *fixture, gconstpointer data)
{
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;

  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  first = get_first_id (fixture);
  g_assert_true (asb_provider_delete_sandbox (fixture->mock, first, NULL, &fixture->error));
  backend = test_pool_acquire (fixture, DIRECT_CREATE, 0);
  g_assert_cmpstr (test_pool_get_id (backend), !=, first);
  test_backend_close (backend);
  test_pool_wait_idle (fixture->pool, 1);
  test_pool_wait_sandboxes (fixture, 1);
  second = get_first_id (fixture);
  info = asb_provider_pause_sandbox (fixture->mock, second, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  test_pool_acquire_fails (fixture, FAIL_FAST, 0, ASB_ERROR_POOL_ACQUIRE_FAILED);
  while (is_there (fixture, second))
    g_thread_yield ();
}

/* Cancelling. */

/* @held: what the call is in the middle of. */
static void
cancel_during (TestPool *fixture, const char *held, AsbAcquirePolicy policy, gint64 seconds)
{
  g_auto (TestAnswer) answer = { 0 };

  hold (fixture, held);
  asb_pool_acquire_async (fixture->pool, policy, seconds, fixture->cancellable, test_answer_cb,
                          &answer);
  while (test_mock_get_held_count (fixture->mock) == 0)
    g_main_context_iteration (NULL, TRUE);
  g_cancellable_cancel (fixture->cancellable);
  test_mock_clear_faults (fixture->mock);
  test_mock_release (fixture->mock, "*");
  g_assert_null (
      asb_pool_acquire_finish (fixture->pool, test_answer_wait (&answer), &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&fixture->error);
  g_cancellable_reset (fixture->cancellable);
}

static void
test_cancel (TestPool *fixture, gconstpointer data)
{
  g_autofree char *first = NULL;

  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  first = get_first_id (fixture);

  /* Before it begins. */
  g_cancellable_cancel (fixture->cancellable);
  g_assert_null (
      asb_pool_acquire (fixture->pool, DIRECT_CREATE, 0, fixture->cancellable, &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&fixture->error);
  g_cancellable_reset (fixture->cancellable);

  /* While it is looked at: it is back, as it was. */
  cancel_during (fixture, "query_file", DIRECT_CREATE, 0);
  g_assert_cmpuint (asb_pool_get_idle_count (fixture->pool), ==, 1);
  g_assert_true (is_there (fixture, first));
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 1);

  /* While it is renewed: nobody knows when it ends. */
  cancel_during (fixture, "renew_sandbox", DIRECT_CREATE, 60);
  test_pool_wait_idle (fixture->pool, 1);
  while (is_there (fixture, first))
    g_thread_yield ();
  test_pool_wait_sandboxes (fixture, 1);

  /* While one is made. */
  asb_pool_set_max_idle (fixture->pool, 0);
  test_pool_wait_sandboxes (fixture, 0);
  cancel_during (fixture, "create_sandbox", DIRECT_CREATE, 0);
  test_pool_wait_sandboxes (fixture, 0);
  cancel_during (fixture, "open_transport", DIRECT_CREATE, 0);
  test_pool_wait_sandboxes (fixture, 0);
}

/* Making fails. */

static void
test_degraded (TestPool *fixture, gconstpointer data)
{
  g_autoptr (GError) last = NULL;
  gint64 began_at;

  make_fail (fixture, "create_sandbox", 0, "provider_unavailable");
  fixture->pool = asb_pool_new (fixture->options, 1);
  asb_pool_set_degraded_threshold (fixture->pool, 2);
  began_at = g_get_monotonic_time ();
  g_assert_true (asb_pool_start (fixture->pool, &fixture->error));
  while (asb_pool_get_failure_count (fixture->pool) < 4)
    g_main_context_iteration (NULL, TRUE);
  /* A second, thirty, sixty, each of a millisecond here. */
  g_assert_cmpint (g_get_monotonic_time () - began_at, >=, 91000);
  g_assert_true (asb_pool_get_degraded (fixture->pool));
  last = asb_pool_get_last_error (fixture->pool);
  g_assert_error (last, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
  test_pool_acquire_fails (fixture, FAIL_FAST, 0, ASB_ERROR_POOL_EMPTY);
  test_mock_clear_faults (fixture->mock);
  test_pool_wait_idle (fixture->pool, 1);
  g_assert_false (asb_pool_get_degraded (fixture->pool));
  g_assert_cmpuint (asb_pool_get_failure_count (fixture->pool), ==, 0);
  g_assert_null (asb_pool_get_last_error (fixture->pool));
}

/* Ending fails. */

static void
test_incomplete (TestPool *fixture, gconstpointer data)
{
  g_autofree char *first = NULL;
  g_autoptr (GVariant) ids = NULL;

  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  first = get_first_id (fixture);
  make_fail (fixture, "delete_sandbox", 0, "provider_error");
  g_assert_false (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_POOL_INCOMPLETE);
  g_test_message ("%s", fixture->error->message);
  g_assert_nonnull (strstr (fixture->error->message, first));
  g_assert_nonnull (strstr (fixture->error->message, "The fault of the test"));
  ids = g_variant_lookup_value (asb_error_info_get_details (asb_error_get_info (fixture->error)),
                                "sandbox_ids", G_VARIANT_TYPE_STRING_ARRAY);
  g_assert_cmpuint (g_variant_n_children (ids), ==, 1);
  g_clear_error (&fixture->error);
  g_assert_cmpint (asb_pool_get_state (fixture->pool), ==, ASB_POOL_STATE_DRAINING);
  test_pool_acquire_fails (fixture, DIRECT_CREATE, 0, ASB_ERROR_POOL_NOT_RUNNING);

  /* It goes on by itself, and who asks again is told. */
  test_mock_clear_faults (fixture->mock);
  g_assert_true (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
}

static void
test_release_incomplete (TestPool *fixture, gconstpointer data)
{
  test_pool_start (fixture, 2);
  test_pool_wait_idle (fixture->pool, 2);
  make_fail (fixture, "delete_sandbox", 0, "provider_error");
  g_assert_cmpint (asb_pool_release_all_idle (fixture->pool, NULL, &fixture->error), ==, -1);
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_POOL_INCOMPLETE);
  g_clear_error (&fixture->error);
  test_mock_clear_faults (fixture->mock);
  test_pool_wait_idle (fixture->pool, 2);
  test_pool_wait_sandboxes (fixture, 2);
}

/* What was made and could not be undone is the pool's to end. */
static void
test_left_behind (TestPool *fixture, gconstpointer data)
{
  make_fail (fixture, "open_transport", 1, "provider_error");
  make_fail (fixture, "delete_sandbox", 1, "provider_error");
  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  test_pool_wait_sandboxes (fixture, 1);
}

/* Shutting down. */

static void
test_shutdown_while_making (TestPool *fixture, gconstpointer data)
{
  hold (fixture, "open_transport");
  test_pool_start (fixture, 2);
  while (test_mock_get_held_count (fixture->mock) == 0)
    g_thread_yield ();
  asb_call_set_limit (NULL, 0);
  g_assert_true (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  asb_call_set_limit (NULL, -1);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
  test_mock_forget (fixture->mock, "*");
}

/* Who is being served is waited for, and has to make way in the end. */
static void
test_shutdown_while_acquiring (TestPool *fixture, gconstpointer data)
{
  g_auto (TestAnswer) served = { 0 };
  g_auto (TestAnswer) shut = { 0 };
  g_autoptr (AsbConcurrencyConfig) concurrency = g_object_new (
      ASB_TYPE_CONCURRENCY_CONFIG, "lifecycle-lock-timeout-seconds", data ? 0.05 : 30.0, NULL);

  asb_backend_options_set_concurrency (fixture->options, concurrency);
  test_pool_start (fixture, 1);
  test_pool_wait_idle (fixture->pool, 1);
  hold (fixture, "query_file");
  asb_pool_acquire_async (fixture->pool, DIRECT_CREATE, 0, NULL, test_answer_cb, &served);
  while (test_mock_get_held_count (fixture->mock) == 0)
    g_main_context_iteration (NULL, TRUE);
  test_mock_clear_faults (fixture->mock);
  if (data)
    asb_call_set_limit (NULL, 0);
  asb_pool_shutdown_async (fixture->pool, NULL, test_answer_cb, &shut);
  if (!data)
    test_mock_release (fixture->mock, "*");
  if (data)
    {
      g_assert_null (
          asb_pool_acquire_finish (fixture->pool, test_answer_wait (&served), &fixture->error));
      g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_POOL_NOT_RUNNING);
      g_clear_error (&fixture->error);
    }
  else
    {
      g_autoptr (AsbBackend) backend
          = asb_pool_acquire_finish (fixture->pool, test_answer_wait (&served), &fixture->error);

      g_assert_no_error (fixture->error);
      test_backend_close (backend);
    }
  g_assert_true (
      asb_pool_shutdown_finish (fixture->pool, test_answer_wait (&shut), &fixture->error));
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
  asb_call_set_limit (NULL, -1);
  test_mock_forget (fixture->mock, "*");
}

/* In the same thread, that is: nobody would ever be served while it blocks. */
static void
test_shutdown_blocks_acquiring (TestPool *fixture, gconstpointer data)
{
  g_auto (TestAnswer) served = { 0 };

  test_pool_start (fixture, 0);
  hold (fixture, "create_sandbox");
  asb_pool_acquire_async (fixture->pool, DIRECT_CREATE, 0, NULL, test_answer_cb, &served);
  while (test_mock_get_held_count (fixture->mock) == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_POOL_INCOMPLETE);
  g_test_message ("%s", fixture->error->message);
  g_clear_error (&fixture->error);
  test_mock_clear_faults (fixture->mock);
  test_mock_release (fixture->mock, "*");
  g_assert_null (
      asb_pool_acquire_finish (fixture->pool, test_answer_wait (&served), &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_POOL_NOT_RUNNING);
  g_clear_error (&fixture->error);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
}

/* Who cancels leaves the rest to the pool. */
static void
test_shutdown_cancelled (TestPool *fixture, gconstpointer data)
{
  g_auto (TestAnswer) answer = { 0 };

  test_pool_start (fixture, 2);
  test_pool_wait_idle (fixture->pool, 2);
  hold (fixture, "delete_sandbox");
  asb_pool_shutdown_async (fixture->pool, fixture->cancellable, test_answer_cb, &answer);
  while (test_mock_get_held_count (fixture->mock) < 2)
    g_main_context_iteration (NULL, TRUE);
  g_cancellable_cancel (fixture->cancellable);
  g_assert_false (
      asb_pool_shutdown_finish (fixture->pool, test_answer_wait (&answer), &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&fixture->error);
  test_mock_clear_faults (fixture->mock);
  test_mock_release (fixture->mock, "*");
  while (test_mock_get_transport_count (fixture->mock) > 0)
    g_main_context_iteration (NULL, TRUE);
  test_drain ();
}

static void
add (const char *path, gconstpointer data, void (*test) (TestPool *, gconstpointer))
{
  g_test_add (path, TestPool, data, test_pool_set_up, test, test_pool_tear_down);
}

static void
set_up_anyhow (TestPool *fixture, gconstpointer data)
{
  test_pool_set_up (fixture, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("/pool/faults/renew-fails", NULL, test_renew_fails);
  add ("/pool/faults/policies", NULL, test_policies);
  add ("/pool/faults/refused-lifetime", NULL, test_refused_lifetime);
  add ("/pool/faults/does-not-answer", NULL, test_does_not_answer);
  add ("/pool/faults/gone", NULL, test_gone);
  add ("/pool/faults/cancel", NULL, test_cancel);
  add ("/pool/faults/degraded", NULL, test_degraded);
  add ("/pool/faults/incomplete", NULL, test_incomplete);
  add ("/pool/faults/release-incomplete", NULL, test_release_incomplete);
  add ("/pool/faults/left-behind", NULL, test_left_behind);
  add ("/pool/faults/shutdown-while-making", NULL, test_shutdown_while_making);
  g_test_add ("/pool/faults/shutdown-while-acquiring", TestPool, NULL, set_up_anyhow,
              test_shutdown_while_acquiring, test_pool_tear_down);
  g_test_add ("/pool/faults/shutdown-evicts", TestPool, "evicts", set_up_anyhow,
              test_shutdown_while_acquiring, test_pool_tear_down);
  add ("/pool/faults/shutdown-blocks-acquiring", NULL, test_shutdown_blocks_acquiring);
  add ("/pool/faults/shutdown-cancelled", NULL, test_shutdown_cancelled);
  return g_test_run ();
}
