/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include "asb-call-private.h"
#include "asb-sync-private.h"

#define CREATE "create the sandbox"
#define N_THREADS 8

static AsbSandboxInfo *
create (AsbProvider *mock, GCancellable *cancellable, GError **error)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  return asb_provider_create_sandbox (mock, spec, cancellable, error);
}

static const char *
id_of (AsbSandboxInfo *info)
{
  return asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info));
}

static gboolean
must_not_run_cb (gpointer user_data)
{
  g_assert_not_reached ();
}

static void
test_context (void)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  guint idle = g_idle_add (must_not_run_cb, NULL);

  g_test_summary ("A blocking call runs nothing of the application's main context");

  info = create (mock, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (g_main_context_get_thread_default ());
  g_source_remove (idle);
}

static void
test_nested_context (void)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GMainContext) context = g_main_context_new ();

  g_test_summary ("Nor of a context that the thread pushed, which stays as it was");

  g_main_context_push_thread_default (context);
  info = create (mock, NULL, NULL);
  g_assert_nonnull (info);
  g_assert_true (g_main_context_get_thread_default () == context);
  g_main_context_pop_thread_default (context);
}

/* Threads, with and without a main loop that runs meanwhile. */

static gpointer
work (gpointer data)
{
  AsbProvider *mock = data;

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbSandboxInfo) info = create (mock, NULL, &error);

      g_assert_no_error (error);
      g_assert_true (asb_provider_delete_sandbox (mock, id_of (info), NULL, &error));
      g_assert_no_error (error);
    }
  return NULL;
}

static void
test_threads (gconstpointer with_loop)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);

  g_test_summary ("Blocking calls from many threads need no main loop, and mind none");

  test_mock_add_fault (mock, "{'operation': <'*'>, 'fault': <'delay'>, 'delay-ms': <0>}");
  test_run_threads (N_THREADS, work, mock, with_loop != NULL);
  g_assert_cmpuint (test_mock_get_sandbox_count (mock), ==, 0);
}

static gboolean
blocking_in_callback_cb (gpointer user_data)
{
  AsbProvider *mock = user_data;
  g_autoptr (AsbSandboxInfo) info = create (mock, NULL, NULL);

  g_assert_nonnull (info);
  return G_SOURCE_REMOVE;
}

static void
test_in_callback (void)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);

  g_test_summary ("A blocking call may be made from a callback of the running main loop");

  test_mock_add_fault (mock, "{'operation': <'*'>, 'fault': <'delay'>, 'delay-ms': <1>}");
  g_idle_add (blocking_in_callback_cb, mock);
  while (test_mock_get_sandbox_count (mock) == 0)
    g_main_context_iteration (NULL, TRUE);
}

/* Answers that come too late. */

typedef struct
{
  AsbProvider *mock;
  TestCensus census;
  TestEvent gone;
  GThread *thread; /* that deleted the sandbox */
} Late;

static void
count_changed_cb (AsbProvider *mock, GParamSpec *pspec, gpointer user_data)
{
  Late *late = user_data;

  if (test_mock_get_sandbox_count (mock) > 0)
    return;
  late->thread = g_thread_self ();
  test_event_happen (&late->gone);
}

static void
late_set_up (Late *late, gconstpointer data)
{
  late->mock = test_mock_new (NULL);
  test_census_init (&late->census);
  test_census_add (&late->census, late->mock);
  test_event_init (&late->gone);
  g_signal_connect (late->mock, "notify::sandbox-count", G_CALLBACK (count_changed_cb), late);
  test_mock_add_fault (late->mock,
                       "{'operation': <'create_sandbox'>, 'fault': <'hold'>, 'done': <true>}");
}

static void
late_tear_down (Late *late, gconstpointer data)
{
  g_signal_handlers_disconnect_by_data (late->mock, late);
  g_clear_object (&late->mock);
  test_census_wait (&late->census);
  test_event_clear (&late->gone);
  asb_call_set_limit (CREATE, -1);
  asb_call_set_limit (NULL, -1);
}

static void
test_late_creation (Late *late, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("A sandbox that is made after the blocking call has failed is deleted again");

  asb_call_set_limit (CREATE, 1);
  g_assert_null (create (late->mock, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_cmpuint (test_mock_get_sandbox_count (late->mock), ==, 1);
  g_assert_cmpuint (test_mock_release (late->mock, "create_sandbox"), ==, 1);
  test_event_wait (&late->gone, 1);
  g_assert_true (late->thread != g_thread_self ());
  g_assert_cmpuint (test_mock_get_calls (late->mock, "delete_sandbox"), ==, 1);
}

static void
test_late_cancelled_creation (Late *late, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("The same for one that was cancelled, and never answered that");

  asb_call_set_limit (NULL, 1);
  test_mock_cancel_on_call (late->mock, "create_sandbox", cancellable);
  g_assert_null (create (late->mock, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (test_mock_release (late->mock, "create_sandbox"), ==, 1);
  test_event_wait (&late->gone, 1);
}

static void
test_never_answered (Late *late, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("An answer that never comes holds nothing once its task is dropped");

  asb_call_set_limit (CREATE, 1);
  g_assert_null (create (late->mock, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_cmpuint (test_mock_forget (late->mock, "create_sandbox"), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sync/context", test_context);
  g_test_add_func ("/sync/nested-context", test_nested_context);
  g_test_add_data_func ("/sync/threads-without-loop", NULL, test_threads);
  g_test_add_data_func ("/sync/threads-with-loop", GINT_TO_POINTER (TRUE), test_threads);
  g_test_add_func ("/sync/in-callback", test_in_callback);
  g_test_add ("/sync/late/creation", Late, NULL, late_set_up, test_late_creation, late_tear_down);
  g_test_add ("/sync/late/cancelled", Late, NULL, late_set_up, test_late_cancelled_creation,
              late_tear_down);
  g_test_add ("/sync/late/never", Late, NULL, late_set_up, test_never_answered, late_tear_down);
  return g_test_run ();
}
