/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-test-pool.h"

#include "asb-pool-private.h"

void
test_pool_set_up (TestPool *fixture, gconstpointer data)
{
  asb_pool_set_second (G_TIME_SPAN_MILLISECOND);
  fixture->mock = test_mock_new (data);
  fixture->options = test_options_new (fixture->mock);
  fixture->cancellable = g_cancellable_new ();
}

void
test_pool_tear_down (TestPool *fixture, gconstpointer data)
{
  TestCensus census;

  if (fixture->pool)
    {
      g_assert_true (asb_pool_shutdown (fixture->pool, NULL, &fixture->error));
      g_assert_no_error (fixture->error);
    }
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 0);
  test_census_init (&census);
  test_census_add (&census, fixture->mock);
  test_census_add (&census, fixture->options);
  if (fixture->pool)
    test_census_add (&census, fixture->pool);
  g_clear_object (&fixture->pool);
  g_clear_object (&fixture->options);
  g_clear_object (&fixture->mock);
  g_clear_object (&fixture->cancellable);
  test_census_wait (&census);
  asb_pool_set_second (G_TIME_SPAN_SECOND);
}

void
test_pool_start (TestPool *fixture, guint max_idle)
{
  fixture->pool = asb_pool_new (fixture->options, max_idle);
  /* As long as these tests take it is for ever. */
  asb_pool_set_idle_timeout (fixture->pool, 10000000);
  g_assert_true (asb_pool_start (fixture->pool, &fixture->error));
  g_assert_no_error (fixture->error);
}

void
test_pool_wait_idle (AsbPool *pool, guint n)
{
  while (asb_pool_get_idle_count (pool) != n)
    g_main_context_iteration (NULL, TRUE);
}

static gboolean
wake_cb (gpointer user_data)
{
  return G_SOURCE_CONTINUE;
}

/* The mock says so in another thread. */
void
test_pool_wait_sandboxes (TestPool *fixture, guint n)
{
  guint timer = g_timeout_add (1, wake_cb, NULL);

  while (test_mock_get_sandbox_count (fixture->mock) != n)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (timer);
}

AsbBackend *
test_pool_acquire (TestPool *fixture, AsbAcquirePolicy policy, gint64 seconds)
{
  AsbBackend *backend = asb_pool_acquire (fixture->pool, policy, seconds, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  g_assert_true (ASB_IS_BACKEND (backend));
  return backend;
}

void
test_pool_acquire_fails (TestPool *fixture, AsbAcquirePolicy policy, gint64 seconds, int code)
{
  g_assert_null (asb_pool_acquire (fixture->pool, policy, seconds, NULL, &fixture->error));
  g_test_message ("%s", fixture->error->message);
  g_assert_error (fixture->error, ASB_ERROR, code);
  g_clear_error (&fixture->error);
}

const char *
test_pool_get_id (AsbBackend *backend)
{
  return asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend));
}
