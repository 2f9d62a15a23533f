/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-store.h"

#include "asb-backend-private.h"
#include "asb-call-private.h"

#define N_THREADS 8

/* A backend in use, and its end. */

static void
check_error (TestRecorded *fixture, int code)
{
  g_assert_error (fixture->error, ASB_ERROR, code);
  g_clear_error (&fixture->error);
}

static gboolean
close_backend (TestRecorded *fixture)
{
  return asb_backend_close (fixture->backend, NULL, &fixture->error);
}

static guint
n_sandboxes (TestRecorded *fixture)
{
  return test_mock_get_sandbox_count (fixture->mock);
}

/* Closing. */

static void
count_notify_cb (GObject *object, GParamSpec *pspec, gpointer user_data)
{
  (*(guint *)user_data)++;
}

static void
test_close (TestRecorded *fixture, gconstpointer data)
{
  guint n_notified = 0;

  g_test_summary ("Closing deletes the sandbox it made and closes the way in, once");

  g_signal_connect (fixture->backend, "notify::closed", G_CALLBACK (count_notify_cb), &n_notified);
  g_assert_false (asb_backend_get_closed (fixture->backend));
  g_assert_true (close_backend (fixture));
  g_assert_true (asb_backend_get_closed (fixture->backend));
  g_assert_cmpuint (n_sandboxes (fixture), ==, 0);
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 0);
  g_assert_true (close_backend (fixture));
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "delete_sandbox"), ==, 1);
  g_assert_cmpuint (n_notified, ==, 1);
}

static void
test_never (void)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autoptr (AsbBackendOptions) options = test_options_new (mock);
  g_autoptr (AsbBackend) backend = NULL;

  g_test_summary ("With the policy never it leaves the sandbox");

  asb_backend_options_set_cleanup (options, ASB_CLEANUP_POLICY_NEVER);
  backend = asb_create_backend (options, NULL, NULL);
  test_backend_close (backend);
  g_assert_cmpuint (test_mock_get_sandbox_count (mock), ==, 1);
  g_assert_cmpuint (test_mock_get_transport_count (mock), ==, 0);
}

static void
test_ttl (gconstpointer blocking)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autoptr (AsbBackendOptions) options = test_options_new (mock);
  g_autoptr (AsbBackend) backend = NULL;
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("With a time to live it is deleted later, in the context of the caller");

  asb_backend_options_set_cleanup (options, ASB_CLEANUP_POLICY_TTL);
  asb_backend_options_set_cleanup_ttl_seconds (options, 1);
  backend = asb_create_backend (options, NULL, NULL);
  if (blocking)
    test_backend_close (backend);
  else
    {
      asb_backend_close_async (backend, NULL, test_answer_cb, &answer);
      g_assert_true (asb_backend_close_finish (backend, test_answer_wait (&answer), NULL));
    }
  g_assert_true (asb_backend_get_closed (backend));
  g_assert_cmpuint (test_mock_get_sandbox_count (mock), ==, 1);
  while (test_mock_get_sandbox_count (mock) > 0)
    g_main_context_iteration (NULL, TRUE);
  test_drain ();
}

static void
test_dropped (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) other = test_backend_new (fixture->mock, NULL);

  g_test_summary ("Dropping a backend deletes nothing");

  g_clear_object (&other);
  g_assert_cmpuint (n_sandboxes (fixture), ==, 2);
}

static void
test_delete_fails (TestRecorded *fixture, gconstpointer data)
{
  AsbErrorInfo *info;

  g_test_summary ("When the sandbox cannot be deleted the backend is open again, and can be used");

  test_mock_add_fault (fixture->mock, "{'operation': <'delete_sandbox'>, 'fault': <'fail'>,"
                                      " 'call': <1>, 'provider-error-code': <'E7'>}");
  g_assert_false (close_backend (fixture));
  info = asb_error_get_info (fixture->error);
  g_assert_cmpstr (asb_error_info_get_operation (info), ==, "sandbox.delete");
  g_assert_cmpstr (asb_error_info_get_provider_error_code (info), ==, "E7");
  g_assert_cmpstr (asb_error_info_get_sandbox_id (info), ==,
                   asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (fixture->backend)));
  g_assert_nonnull (asb_error_info_get_operation_id (info));
  check_error (fixture, ASB_ERROR_PROVIDER);
  g_assert_false (asb_backend_get_closed (fixture->backend));
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 1);
  g_object_unref (asb_backend_query_file (fixture->backend, "/", NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  g_assert_true (close_backend (fixture));
  g_assert_cmpuint (n_sandboxes (fixture), ==, 0);
}

static void
test_reconcile (TestRecorded *fixture, gconstpointer data)
{
  static const char *const faults[] = { "fail", "drop", "empty" };

  g_test_summary ("A deletion whose answer is lost is found to be done");

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (AsbBackend) other = test_backend_new (fixture->mock, NULL);
      g_autofree char *rule = g_strdup_printf (
          "{'operation': <'delete_sandbox'>, 'fault': <'%s'>, 'done': <true>}", faults[i]);
      g_autoptr (GError) error = NULL;
      gboolean closed;

      test_mock_clear_faults (fixture->mock);
      test_mock_add_fault (fixture->mock, rule);
      closed = asb_backend_close (other, NULL, &error);
      /* That it did not do it is an answer too. */
      g_assert_cmpint (closed, ==, !g_str_equal (faults[i], "empty"));
      g_assert_cmpuint (n_sandboxes (fixture), ==, 1);
    }
}

static void
test_gone_already (TestRecorded *fixture, gconstpointer data)
{
  const char *id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (fixture->backend));

  g_test_summary ("A sandbox somebody else deleted is no failure");

  g_assert_true (asb_provider_delete_sandbox (fixture->mock, id, NULL, NULL));
  test_mock_add_fault (fixture->mock, "{'operation': <'delete_sandbox'>, 'fault': <'fail'>,"
                                      " 'code': <'sandbox_not_found'>}");
  g_assert_true (close_backend (fixture));
  g_assert_no_error (fixture->error);
}

static void
test_delete_without_answer (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("A deletion that is never answered ends with its deadline");

  asb_call_set_limit ("delete the sandbox", 1);
  test_mock_add_fault (fixture->mock, "{'operation': <'delete_sandbox'>, 'fault': <'hold'>}");
  g_assert_false (close_backend (fixture));
  check_error (fixture, ASB_ERROR_TIMED_OUT);
  g_assert_false (asb_backend_get_closed (fixture->backend));
  asb_call_set_limit ("delete the sandbox", -1);
}

static void
test_transport_does_not_close (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("A way in that does not close in order is no failure");

  test_mock_add_fault (fixture->mock, "{'operation': <'close'>, 'fault': <'fail'>}");
  g_assert_true (close_backend (fixture));
  g_assert_true (asb_backend_get_closed (fixture->backend));
}

static void
test_close_cancelled (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_test_summary ("A closing that is cancelled leaves the backend open");

  test_mock_add_fault (fixture->mock, "{'operation': <'delete_sandbox'>, 'fault': <'delay'>,"
                                      " 'call': <1>, 'delay-ms': <3600000>}");
  test_mock_cancel_on_call (fixture->mock, "delete_sandbox", cancellable);
  g_assert_false (asb_backend_close (fixture->backend, cancellable, &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&fixture->error);
  g_assert_false (asb_backend_get_closed (fixture->backend));
  g_assert_cmpuint (n_sandboxes (fixture), ==, 1);
  g_assert_true (close_backend (fixture));
}

/* Closing while something runs. */

static void
start_read (TestRecorded *fixture, TestAnswer *answer)
{
  test_mock_add_fault (fixture->mock, "{'operation': <'query_file'>, 'fault': <'hold'>}");
  asb_backend_query_file_async (fixture->backend, "/", NULL, test_answer_cb, answer);
  while (test_mock_get_held_count (fixture->mock) == 0)
    g_main_context_iteration (NULL, TRUE);
}

static void
test_close_waits (TestRecorded *fixture, gconstpointer data)
{
  g_auto (TestAnswer) reading = { 0 };
  g_auto (TestAnswer) closing = { 0 };
  g_autoptr (AsbFileInfo) info = NULL;

  g_test_summary ("Closing waits for what runs, and lets nothing new begin");

  start_read (fixture, &reading);
  asb_backend_close_async (fixture->backend, NULL, test_answer_cb, &closing);
  test_drain ();
  g_assert_cmpuint (closing.n_calls, ==, 0);
  g_assert_cmpuint (n_sandboxes (fixture), ==, 1);
  g_assert_null (asb_backend_read_file (fixture->backend, "/x", NULL, &fixture->error));
  g_assert_cmpstr (asb_error_info_get_operation (asb_error_get_info (fixture->error)), ==,
                   "file.read");
  g_assert_nonnull (asb_error_info_get_sandbox_id (asb_error_get_info (fixture->error)));
  check_error (fixture, ASB_ERROR_SANDBOX_DELETING);

  g_assert_cmpuint (test_mock_release (fixture->mock, "*"), ==, 1);
  info = asb_backend_query_file_finish (fixture->backend, test_answer_wait (&reading),
                                        &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_true (
      asb_backend_close_finish (fixture->backend, test_answer_wait (&closing), &fixture->error));
  g_assert_cmpuint (n_sandboxes (fixture), ==, 0);
}

static void
test_drain_timeout (TestRecorded *fixture, gconstpointer data)
{
  g_auto (TestAnswer) reading = { 0 };
  g_autoptr (AsbFileInfo) info = NULL;

  g_test_summary ("What does not end in time keeps the backend open, and nothing is touched");

  start_read (fixture, &reading);
  fixture->backend->drain_timeout_ms = 1;
  g_assert_false (close_backend (fixture));
  g_assert_true (asb_error_info_get_retryable (asb_error_get_info (fixture->error)));
  g_assert_nonnull (asb_error_info_get_sandbox_id (asb_error_get_info (fixture->error)));
  check_error (fixture, ASB_ERROR_LOCK_ACQUISITION_TIMEOUT);
  g_assert_cmpuint (n_sandboxes (fixture), ==, 1);
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 1);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "delete_sandbox"), ==, 0);
  g_assert_false (asb_backend_get_closed (fixture->backend));

  test_mock_release (fixture->mock, "*");
  info = asb_backend_query_file_finish (fixture->backend, test_answer_wait (&reading),
                                        &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_true (close_backend (fixture));
}

static void
test_two_closings (TestRecorded *fixture, gconstpointer data)
{
  g_auto (TestAnswer) one = { 0 };
  g_auto (TestAnswer) other = { 0 };

  g_test_summary ("Two who close at once delete once, and both are told it is done");

  asb_backend_close_async (fixture->backend, NULL, test_answer_cb, &one);
  asb_backend_close_async (fixture->backend, NULL, test_answer_cb, &other);
  g_assert_true (asb_backend_close_finish (fixture->backend, test_answer_wait (&one), NULL));
  g_assert_true (asb_backend_close_finish (fixture->backend, test_answer_wait (&other), NULL));
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "delete_sandbox"), ==, 1);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "close"), ==, 1);
}

static void
test_two_closings_one_fails (TestRecorded *fixture, gconstpointer data)
{
  g_auto (TestAnswer) one = { 0 };
  g_auto (TestAnswer) other = { 0 };

  g_test_summary ("When the first one fails the second tries it again");

  test_mock_add_fault (fixture->mock, "{'operation': <'delete_sandbox'>, 'fault': <'fail'>,"
                                      " 'call': <1>}");
  asb_backend_close_async (fixture->backend, NULL, test_answer_cb, &one);
  asb_backend_close_async (fixture->backend, NULL, test_answer_cb, &other);
  g_assert_false (asb_backend_close_finish (fixture->backend, test_answer_wait (&one), NULL));
  g_assert_true (asb_backend_close_finish (fixture->backend, test_answer_wait (&other), NULL));
  g_assert_cmpuint (n_sandboxes (fixture), ==, 0);
  g_assert_true (asb_backend_get_closed (fixture->backend));
}

static gpointer
close_in_thread (gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_backend_close (data, NULL, &error));
  g_assert_no_error (error);
  return NULL;
}

static void
test_close_from_threads (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("The same from many threads");

  test_run_threads (N_THREADS, close_in_thread, fixture->backend, FALSE);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "delete_sandbox"), ==, 1);
}

/* After the end. */

typedef gboolean (*Operation) (AsbBackend *backend, GError **error);

static gboolean
do_info (AsbBackend *backend, GError **error)
{
  g_autoptr (AsbSandboxInfo) info = asb_backend_query_info (backend, NULL, error);

  return info != NULL;
}

static gboolean
do_execute (AsbBackend *backend, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("true");
  g_autoptr (AsbCommandResult) result = asb_backend_execute (backend, spec, NULL, error);

  return result != NULL;
}

static gboolean
do_start (AsbBackend *backend, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("true");
  g_autoptr (AsbCommand) command = asb_backend_start_command (backend, spec, NULL, error);

  return command != NULL;
}

static gboolean
do_list (AsbBackend *backend, GError **error)
{
  g_autoptr (GListModel) list = asb_backend_list_files (backend, "/", NULL, error);

  return list != NULL;
}

static gboolean
do_query (AsbBackend *backend, GError **error)
{
  g_autoptr (AsbFileInfo) info = asb_backend_query_file (backend, "/", NULL, error);

  return info != NULL;
}

static gboolean
do_write (AsbBackend *backend, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("text", 4);
  g_autoptr (AsbFileInfo) info = asb_backend_write_file (backend, "/f", bytes, NULL, NULL, error);

  return info != NULL;
}

static gboolean
do_read (AsbBackend *backend, GError **error)
{
  g_autoptr (GBytes) bytes = asb_backend_read_file (backend, "/f", NULL, error);

  return bytes != NULL;
}

static gboolean
do_open_read (AsbBackend *backend, GError **error)
{
  g_autoptr (GInputStream) stream = asb_backend_open_read (backend, "/f", NULL, error);

  return stream != NULL;
}

static gboolean
do_open_write (AsbBackend *backend, GError **error)
{
  g_autoptr (GOutputStream) stream = asb_backend_open_write (backend, "/g", -1, NULL, error);

  return stream && g_output_stream_close (stream, NULL, error);
}

static gboolean
do_mkdir (AsbBackend *backend, GError **error)
{
  return asb_backend_make_directory (backend, "/d", NULL, error);
}

static gboolean
do_move (AsbBackend *backend, GError **error)
{
  return asb_backend_move_file (backend, "/g", "/h", ASB_FILE_FLAGS_NONE, NULL, error);
}

static gboolean
do_delete (AsbBackend *backend, GError **error)
{
  return asb_backend_delete_file (backend, "/h", ASB_FILE_FLAGS_NONE, NULL, error);
}

static const Operation operations[]
    = { do_info, do_execute,   do_start,      do_list,  do_query, do_write,
        do_read, do_open_read, do_open_write, do_mkdir, do_move,  do_delete };

static void
test_operations (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("All operations work before the end, and none does afterwards");

  for (gsize i = 0; i < G_N_ELEMENTS (operations); i++)
    {
      g_assert_true (operations[i](fixture->backend, &fixture->error));
      g_assert_no_error (fixture->error);
    }
  g_assert_true (close_backend (fixture));
  for (gsize i = 0; i < G_N_ELEMENTS (operations); i++)
    {
      g_assert_false (operations[i](fixture->backend, &fixture->error));
      g_assert_nonnull (asb_error_info_get_operation (asb_error_get_info (fixture->error)));
      g_assert_cmpstr (asb_error_info_get_sandbox_id (asb_error_get_info (fixture->error)), ==,
                       asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (fixture->backend)));
      check_error (fixture, ASB_ERROR_CLOSED);
    }
}

static void
test_delete_sandbox (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("Deleting takes the sandbox at once; the backend is still to be closed");

  g_assert_true (asb_backend_delete_sandbox (fixture->backend, NULL, &fixture->error));
  g_assert_cmpuint (n_sandboxes (fixture), ==, 0);
  g_assert_true (asb_backend_delete_sandbox (fixture->backend, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  g_assert_false (asb_backend_get_closed (fixture->backend));
  g_assert_false (do_query (fixture->backend, &fixture->error));
  check_error (fixture, ASB_ERROR_SANDBOX_DELETED);
  g_assert_true (close_backend (fixture));
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "delete_sandbox"), ==, 1);
}

static void
test_gone (TestRecorded *fixture, gconstpointer data)
{
  const char *id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (fixture->backend));
  AsbErrorInfo *info;

  g_test_summary ("What a backend has been in and is not there was not never there");

  g_assert_true (asb_provider_delete_sandbox (fixture->mock, id, NULL, NULL));
  g_assert_false (do_execute (fixture->backend, &fixture->error));
  info = asb_error_get_info (fixture->error);
  g_assert_cmpstr (asb_error_info_get_operation (info), ==, "command.execute");
  g_assert_cmpstr (asb_error_info_get_sandbox_id (info), ==, id);
  check_error (fixture, ASB_ERROR_SANDBOX_DELETED);
}

static void
test_fate (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("Of a guest that is ending the provider says why, and otherwise nothing changes");

  test_mock_add_fault (fixture->mock, "{'operation': <'start_command'>, 'fault': <'fail'>,"
                                      " 'code': <'guest_unavailable'>}");
  g_assert_false (do_execute (fixture->backend, &fixture->error));
  check_error (fixture, ASB_ERROR_GUEST_UNAVAILABLE);
  test_mock_add_fault (fixture->mock, "{'operation': <'get_sandbox'>, 'fault': <'fail'>,"
                                      " 'code': <'sandbox_expired'>}");
  g_assert_false (do_execute (fixture->backend, &fixture->error));
  check_error (fixture, ASB_ERROR_SANDBOX_EXPIRED);
  test_mock_add_fault (fixture->mock, "{'operation': <'query_file'>, 'fault': <'fail'>,"
                                      " 'code': <'closed'>}");
  g_assert_false (do_query (fixture->backend, &fixture->error));
  check_error (fixture, ASB_ERROR_SANDBOX_EXPIRED);
}

/* The coordinator. */

typedef enum
{
  AGREES,
  REFUSES,
  DELETES,
  DROPS
} Manner;

typedef struct
{
  Manner manner;
  guint n_calls;
  guint n_destroyed;
} Coordinator;

static void
sandbox_deleted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);

  g_assert_true (asb_backend_delete_sandbox_finish (ASB_BACKEND (source), result, NULL));
  g_task_return_boolean (task, TRUE);
}

static void
coordinate (AsbBackend *backend, GTask *task, gpointer user_data)
{
  Coordinator *coordinator = user_data;

  coordinator->n_calls++;
  if (coordinator->manner == AGREES)
    g_task_return_boolean (task, TRUE);
  else if (coordinator->manner == REFUSES)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_SANDBOX_STATE, "Others use it");
  else if (coordinator->manner == DELETES)
    asb_backend_delete_sandbox_async (backend, NULL, sandbox_deleted_cb, g_object_ref (task));
}

static void
coordinator_destroyed (gpointer user_data)
{
  ((Coordinator *)user_data)->n_destroyed++;
}

static AsbBackend *
new_coordinated (TestRecorded *fixture, Coordinator *coordinator)
{
  g_autoptr (AsbBackendOptions) options = test_options_new (fixture->mock);
  AsbBackend *backend;

  asb_backend_options_set_close_coordinator (options, coordinate, coordinator,
                                             coordinator_destroyed);
  backend = asb_create_backend (options, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  return backend;
}

static void
test_coordinator (TestRecorded *fixture, gconstpointer data)
{
  Coordinator coordinator = { 0 };
  g_autoptr (AsbBackend) backend = new_coordinated (fixture, &coordinator);

  g_test_summary (
      "A coordinator takes the place of the deletion, and lives as long as the backend");

  test_backend_close (backend);
  g_assert_cmpuint (coordinator.n_calls, ==, 1);
  g_assert_cmpuint (n_sandboxes (fixture), ==, 2);
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 1);
  test_backend_close (backend);
  g_assert_cmpuint (coordinator.n_calls, ==, 1);
  g_assert_cmpuint (coordinator.n_destroyed, ==, 0);
  g_clear_object (&backend);
  g_assert_cmpuint (coordinator.n_destroyed, ==, 1);
}

static void
test_coordinator_refuses (TestRecorded *fixture, gconstpointer data)
{
  Coordinator coordinator = { .manner = REFUSES };
  g_autoptr (AsbBackend) backend = new_coordinated (fixture, &coordinator);

  g_test_summary ("It may refuse: then the backend stays open");

  g_assert_false (asb_backend_close (backend, NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_SANDBOX_STATE);
  g_assert_true (do_query (backend, &fixture->error));
  coordinator.manner = DROPS;
  g_assert_false (asb_backend_close (backend, NULL, &fixture->error));
  check_error (fixture, ASB_ERROR_INTERNAL);
  coordinator.manner = DELETES;
  test_backend_close (backend);
  g_assert_cmpuint (n_sandboxes (fixture), ==, 1);
}

/* Many at once. */

static gpointer
work (gpointer data)
{
  AsbBackend *backend = data;
  g_autofree char *unique = asb_uuid_v7_new ();
  g_autofree char *path = g_strconcat ("/threads/", unique, NULL);
  g_autofree char *text = g_strconcat ("echo ", unique, NULL);
  g_autofree char *expected = g_strconcat (unique, "\n", NULL);
  g_autoptr (GBytes) contents = g_bytes_new (unique, strlen (unique));

  for (guint i = 0; i < 10; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);
      g_autoptr (AsbFileInfo) info
          = asb_backend_write_file (backend, path, contents, NULL, NULL, &error);
      g_autoptr (GBytes) bytes = asb_backend_read_file (backend, path, NULL, &error);
      g_autoptr (AsbCommandResult) result = asb_backend_execute (backend, spec, NULL, &error);

      g_assert_no_error (error);
      g_assert_true (g_bytes_equal (bytes, contents));
      test_assert_bytes (asb_command_result_get_stdout_bytes (result), expected);
    }
  return NULL;
}

static void
test_threads (TestRecorded *fixture, gconstpointer with_loop)
{
  g_test_summary ("Operations from many threads do not disturb each other, nor their record");

  fixture->store->record_manner = with_loop ? TEST_STORE_ANSWERS_FROM_THREAD : TEST_STORE_ANSWERS;
  test_run_threads (N_THREADS, work, fixture->backend, with_loop != NULL);
  g_assert_cmpuint (test_store_count (fixture->store), ==, 1 + N_THREADS * 10 * 3 * 2);
  g_assert_cmpuint (fixture->store->max_recording, ==, 1);
  g_assert_true (close_backend (fixture));
}

static void
test_many_async (TestRecorded *fixture, gconstpointer data)
{
  TestAnswer answers[50] = { 0 };

  g_test_summary ("Many operations at once from one thread each get their own answer");

  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    {
      g_autofree char *path = g_strdup_printf ("/many/%u", i);
      g_autoptr (GBytes) bytes = g_bytes_new (path, strlen (path));

      asb_backend_write_file_async (fixture->backend, path, bytes, NULL, NULL, test_answer_cb,
                                    &answers[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    {
      g_autofree char *path = g_strdup_printf ("/many/%u", i);
      g_autoptr (AsbFileInfo) info = asb_backend_write_file_finish (
          fixture->backend, test_answer_wait (&answers[i]), &fixture->error);

      g_assert_no_error (fixture->error);
      g_assert_cmpstr (asb_file_info_get_path (info), ==, path);
      test_answer_clear (&answers[i]);
    }
}

static void
test_alive (TestRecorded *fixture, gconstpointer data)
{
  g_auto (TestAnswer) answer = { 0 };
  g_autoptr (AsbBackend) backend = test_backend_new (fixture->mock, NULL);
  AsbBackend *weak = backend;
  g_autoptr (AsbFileInfo) info = NULL;

  g_test_summary ("A call in flight keeps its backend alive");

  g_object_add_weak_pointer (G_OBJECT (backend), (gpointer *)&weak);
  asb_backend_query_file_async (backend, "/", NULL, test_answer_cb, &answer);
  g_clear_object (&backend);
  g_assert_nonnull (weak);
  info = asb_backend_query_file_finish (weak, test_answer_wait (&answer), &fixture->error);
  g_assert_no_error (fixture->error);
  test_answer_clear (&answer);
  test_drain ();
  g_assert_null (weak);
}

static void
test_bad_paths (TestRecorded *fixture, gconstpointer data)
{
  static const char *const paths[] = { "", "..", "/a/../b" };
  guint n_recorded = test_store_count (fixture->store);

  g_test_summary ("A path that means nothing certain is refused before anything is recorded");

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_assert_null (asb_backend_read_file (fixture->backend, paths[i], NULL, &fixture->error));
      check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_null (asb_backend_list_files (fixture->backend, paths[i], NULL, &fixture->error));
      check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_false (
          asb_backend_move_file (fixture->backend, "/a", paths[i], 0, NULL, &fixture->error));
      check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
    }
  g_assert_cmpuint (test_store_count (fixture->store), ==, n_recorded);
}

static void
test_error_is_own (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GError) first = NULL;
  g_autoptr (GError) second = NULL;

  g_test_summary ("An error names its operation, whoever else failed of the same cause");

  test_mock_add_fault (fixture->mock, "{'operation': <'*'>, 'fault': <'fail'>}");
  g_assert_false (do_query (fixture->backend, &first));
  g_assert_false (do_list (fixture->backend, &second));
  g_assert_cmpstr (asb_error_info_get_operation (asb_error_get_info (first)), ==, "file.stat");
  g_assert_cmpstr (asb_error_info_get_operation (asb_error_get_info (second)), ==, "file.list");
  g_assert_cmpstr (asb_error_info_get_operation_id (asb_error_get_info (first)), !=,
                   asb_error_info_get_operation_id (asb_error_get_info (second)));
  g_assert_nonnull (asb_error_info_get_correlation_id (asb_error_get_info (first)));
}

static void
test_properties (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxRef) ref = NULL;
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (AsbTransport) transport = NULL;
  g_autoptr (AsbHistoryStore) store = NULL;
  g_autofree char *workdir = NULL;
  gboolean closed = TRUE;

  g_test_summary ("The properties tell what the functions tell");

  g_object_get (fixture->backend, "ref", &ref, "provider", &provider, "transport", &transport,
                "history-store", &store, "workdir", &workdir, "closed", &closed, NULL);
  g_assert_true (ref == asb_backend_get_ref (fixture->backend));
  g_assert_true (provider == fixture->mock);
  g_assert_true (transport == asb_backend_get_transport (fixture->backend));
  g_assert_true (store == ASB_HISTORY_STORE (fixture->store));
  g_assert_cmpstr (workdir, ==, "/workspace");
  g_assert_false (closed);
}

#define ADD_WITH(path, data, function)                                                             \
  g_test_add ("/backend/" path, TestRecorded, data, test_recorded_set_up, function,                \
              test_recorded_tear_down)
#define ADD(path, function) ADD_WITH (path, NULL, function)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("close/done", test_close);
  g_test_add_func ("/backend/close/never", test_never);
  g_test_add_data_func ("/backend/close/ttl", NULL, test_ttl);
  g_test_add_data_func ("/backend/close/ttl-blocking", GINT_TO_POINTER (TRUE), test_ttl);
  ADD ("close/dropped", test_dropped);
  ADD ("close/delete-fails", test_delete_fails);
  ADD ("close/reconcile", test_reconcile);
  ADD ("close/gone-already", test_gone_already);
  ADD ("close/delete-without-answer", test_delete_without_answer);
  ADD ("close/transport-fails", test_transport_does_not_close);
  ADD ("close/cancelled", test_close_cancelled);
  ADD ("close/waits", test_close_waits);
  ADD ("close/drain-timeout", test_drain_timeout);
  ADD ("close/two", test_two_closings);
  ADD ("close/two-one-fails", test_two_closings_one_fails);
  ADD ("close/threads", test_close_from_threads);
  ADD ("coordinator/agrees", test_coordinator);
  ADD ("coordinator/refuses", test_coordinator_refuses);
  ADD ("operations", test_operations);
  ADD ("delete-sandbox", test_delete_sandbox);
  ADD ("gone", test_gone);
  ADD ("fate", test_fate);
  ADD ("threads/without-loop", test_threads);
  ADD_WITH ("threads/with-loop", GINT_TO_POINTER (TRUE), test_threads);
  ADD ("many-async", test_many_async);
  ADD ("alive", test_alive);
  ADD ("bad-paths", test_bad_paths);
  ADD ("error-is-own", test_error_is_own);
  ADD ("properties", test_properties);
  return g_test_run ();
}
