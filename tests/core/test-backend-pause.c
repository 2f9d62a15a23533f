/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-store.h"

#include "asb-call-private.h"

/* Pausing and resuming: what is refused meanwhile, what is recorded and when, and what time is. */

/* @data: non-NULL for a store inside the sandbox. */
static void
set_up (TestRecorded *fixture, gconstpointer data)
{
  fixture->mock = test_mock_new (NULL);
  fixture->store = test_store_new ();
  fixture->store->records_in_place = data != NULL;
  fixture->backend = test_backend_new (fixture->mock, ASB_HISTORY_STORE (fixture->store));
  g_ptr_array_set_size (fixture->store->batches, 0);
}

static void
tear_down (TestRecorded *fixture, gconstpointer data)
{
  g_assert_no_error (fixture->error);
  test_recorded_tear_down (fixture, data);
}

static void
check_summary (TestRecorded *fixture, const char *expected)
{
  g_autofree char *summary = test_store_summary (fixture->store);

  g_assert_cmpstr (summary, ==, expected);
}

static void
pause_it (TestRecorded *fixture)
{
  g_autoptr (AsbSandboxInfo) info = asb_backend_pause (fixture->backend, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_PAUSED);
}

static void
resume_it (TestRecorded *fixture)
{
  g_autoptr (AsbSandboxInfo) info = asb_backend_resume (fixture->backend, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_RUNNING);
}

static void
check_refused (TestRecorded *fixture)
{
  g_assert_null (asb_backend_list_files (fixture->backend, "/", NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
  g_assert_nonnull (g_strstr_len (fixture->error->message, -1, "is paused; resume it first"));
  g_clear_error (&fixture->error);
}

static void
check_works (TestRecorded *fixture)
{
  g_autoptr (GListModel) files
      = asb_backend_list_files (fixture->backend, "/", NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  g_assert_nonnull (files);
}

/* What no record is kept of. */
static void
check_calls_refused (TestRecorded *fixture)
{
  g_assert_null (asb_backend_list_jobs (fixture->backend, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
  g_clear_error (&fixture->error);
  g_assert_null (asb_backend_query_job (fixture->backend, "j", NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
  g_clear_error (&fixture->error);
  g_assert_null (
      asb_backend_watch_files (fixture->backend, "/", ASB_FILE_FLAGS_NONE, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
  g_clear_error (&fixture->error);
}

static void
test_refused (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("Work in a paused sandbox is refused without asking anybody, until it goes on");

  pause_it (fixture);
  check_refused (fixture);
  check_calls_refused (fixture);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "list_files"), ==, 0);
  resume_it (fixture);
  check_works (fixture);
}

static void
test_recorded_outside (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("A record that is kept elsewhere is written at once");

  pause_it (fixture);
  check_summary (fixture, ":started :succeeded");
  resume_it (fixture);
  check_summary (fixture, ":started :succeeded :started :succeeded");
}

static void
test_recorded_inside (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GVariant) start = NULL, end = NULL;

  g_test_summary ("What the record inside cannot take while the sandbox is paused it is given in "
                  "its order when it goes on");

  pause_it (fixture);
  check_summary (fixture, ":started");
  info = asb_backend_query_info (fixture->backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_PAUSED);
  check_summary (fixture, ":started");
  resume_it (fixture);
  check_summary (fixture, ":started :succeeded :started :succeeded :started :succeeded");
  start = test_store_get_record (fixture->store, 4, 0);
  test_variant_check_string (start, "event/operation_type", "sandbox.resume");
  end = test_store_get_record (fixture->store, 1, 0);
  test_variant_check_string (end, "event/result/state", "paused");
}

static void
test_failed (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("A pause that fails changes nothing");

  test_mock_add_fault (fixture->mock, "{'operation': <'pause_sandbox'>, 'fault': <'fail'>}");
  g_assert_null (asb_backend_pause (fixture->backend, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_error (&fixture->error);
  check_summary (fixture, ":started :failed");
  check_works (fixture);
  test_mock_clear_faults (fixture->mock);
}

static void
test_answer_lost (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("A pause or a resumption whose answer is lost is seen in the state");

  test_mock_add_fault (fixture->mock,
                       "{'operation': <'pause_sandbox'>, 'fault': <'drop'>, 'done': <true>}");
  pause_it (fixture);
  check_refused (fixture);
  test_mock_add_fault (fixture->mock,
                       "{'operation': <'resume_sandbox'>, 'fault': <'drop'>, 'done': <true>}");
  resume_it (fixture);
  check_works (fixture);
  test_mock_clear_faults (fixture->mock);
}

static void
test_twice (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("Both can be done twice, and a failure to do it again changes nothing");

  resume_it (fixture);
  pause_it (fixture);
  pause_it (fixture);
  test_mock_add_fault (fixture->mock, "{'operation': <'*'>, 'fault': <'fail'>}");
  g_assert_null (asb_backend_pause (fixture->backend, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_error (&fixture->error);
  g_assert_null (asb_backend_resume (fixture->backend, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_error (&fixture->error);
  test_mock_clear_faults (fixture->mock);
  check_refused (fixture);
  resume_it (fixture);
  check_works (fixture);
}

static void
test_resumed_by_others (TestRecorded *fixture, gconstpointer data)
{
  const char *id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (fixture->backend));
  g_autoptr (AsbSandboxInfo) info = NULL;

  g_test_summary ("A sandbox that others have resumed is worked in again");

  pause_it (fixture);
  check_refused (fixture);
  g_object_unref (asb_provider_resume_sandbox (fixture->mock, id, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  check_works (fixture);
  pause_it (fixture);
  g_object_unref (asb_provider_resume_sandbox (fixture->mock, id, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  info = asb_backend_query_info (fixture->backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  check_works (fixture);
}

static void
test_command (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("sit");
  g_autoptr (AsbCommand) command = NULL;
  guint n_ended;

  g_test_summary ("A command that runs over a pause goes on");

  test_mock_set_result (fixture->mock, "sit", "{'hold': <true>, 'stdout': <'done'>}");
  command = asb_backend_start_command (fixture->backend, spec, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  pause_it (fixture);
  resume_it (fixture);
  g_signal_emit_by_name (fixture->mock, "finish-commands", "sit", &n_ended);
  g_assert_cmpuint (n_ended, ==, 1);
  asb_command_wait (command, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_true (asb_command_get_successful (command));
}

static void
test_close (TestRecorded *fixture, gconstpointer data)
{
  g_test_summary ("A backend can be closed while its sandbox is paused");

  pause_it (fixture);
  test_backend_close (fixture->backend);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
}

static void
test_too_much (TestRecorded *fixture, gconstpointer data)
{
  guint n_done = 0;

  g_test_summary ("What waits to be recorded is bounded: then operations are refused");

  pause_it (fixture);
  while (!fixture->error)
    {
      g_autoptr (AsbSandboxInfo) info
          = asb_backend_query_info (fixture->backend, NULL, &fixture->error);

      if (info)
        n_done++;
    }
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_TOO_MANY_REQUESTS);
  g_clear_error (&fixture->error);
  g_assert_cmpuint (n_done, >, 500);
}

/* Deadlines. */

/* Long enough to pause meanwhile, and so that another call is longer. */
#define LIMIT_MS 1000
#define LONGER_LIMIT_MS 1200

/* A call of another provider, begun later and with more time, whose time is up. */
static void
outlast_limits (TestRecorded *fixture)
{
  g_autoptr (AsbProvider) steady = test_mock_new (NULL);
  g_autoptr (AsbBackend) backend = test_backend_new (steady, NULL);
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/");
  AsbTransport *transport = asb_backend_get_transport (backend);
  g_auto (TestAnswer) answer = { 0 };

  asb_call_set_limit ("list the directory", LONGER_LIMIT_MS);
  test_mock_add_fault (steady, "{'operation': <'list_files'>, 'fault': <'hold'>}");
  asb_transport_list_files_async (transport, request, NULL, test_answer_cb, &answer);
  g_assert_null (
      asb_transport_list_files_finish (transport, test_answer_wait (&answer), &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_clear_error (&fixture->error);
  test_mock_forget (steady, "*");
  test_backend_close (backend);
}

static void
test_signal_deadline (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("sit");
  g_autoptr (AsbCommand) command = NULL;
  g_auto (TestAnswer) slow = { 0 };

  g_test_summary ("Nor does that of a signal to a command");

  asb_call_set_limit ("send a signal to the command", LIMIT_MS);
  test_mock_set_result (fixture->mock, "sit", "{'hold': <true>}");
  command = asb_backend_start_command (fixture->backend, spec, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  test_mock_add_fault (fixture->mock, "{'operation': <'send_signal'>, 'fault': <'hold'>}");
  asb_command_send_signal_async (command, 15, NULL, test_answer_cb, &slow);
  pause_it (fixture);
  outlast_limits (fixture);
  g_assert_null (slow.result);
  resume_it (fixture);
  g_assert_cmpuint (test_mock_release (fixture->mock, "*"), ==, 1);
  asb_command_send_signal_finish (command, test_answer_wait (&slow), &fixture->error);
  g_assert_no_error (fixture->error);
  test_mock_clear_faults (fixture->mock);
  asb_call_set_limit ("list the directory", -1);
  asb_call_set_limit ("send a signal to the command", -1);
}

static void
test_deadline_meanwhile (TestRecorded *fixture, gconstpointer data)
{
  AsbTransport *transport = asb_backend_get_transport (fixture->backend);
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/");
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("Who begins a call while the sandbox is paused does not wait for ever");

  asb_call_set_limit ("list the directory", 50);
  test_mock_add_fault (fixture->mock, "{'operation': <'list_files'>, 'fault': <'hold'>}");
  pause_it (fixture);
  asb_transport_list_files_async (transport, request, NULL, test_answer_cb, &answer);
  g_assert_null (
      asb_transport_list_files_finish (transport, test_answer_wait (&answer), &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_clear_error (&fixture->error);
  test_mock_forget (fixture->mock, "*");
  test_mock_clear_faults (fixture->mock);
  resume_it (fixture);
  asb_call_set_limit ("list the directory", -1);
}

static void
test_deadline (TestRecorded *fixture, gconstpointer data)
{
  AsbTransport *transport = asb_backend_get_transport (fixture->backend);
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/");
  g_auto (TestAnswer) slow = { 0 };
  g_autoptr (GListModel) files = NULL;

  g_test_summary ("The time of a call does not pass while its sandbox is paused");

  asb_call_set_limit ("list the directory", LIMIT_MS);
  test_mock_add_fault (fixture->mock, "{'operation': <'list_files'>, 'fault': <'hold'>}");
  asb_transport_list_files_async (transport, request, NULL, test_answer_cb, &slow);
  pause_it (fixture);
  outlast_limits (fixture);
  g_assert_null (slow.result);
  resume_it (fixture);
  g_assert_cmpuint (test_mock_release (fixture->mock, "*"), ==, 1);
  files = asb_transport_list_files_finish (transport, test_answer_wait (&slow), &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_nonnull (files);
  test_mock_clear_faults (fixture->mock);
  asb_call_set_limit ("list the directory", -1);
}

static void
test_deadline_goes_on (TestRecorded *fixture, gconstpointer data)
{
  AsbTransport *transport = asb_backend_get_transport (fixture->backend);
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/");
  g_auto (TestAnswer) slow = { 0 };

  g_test_summary ("After a pause the time of a call goes on");

  asb_call_set_limit ("list the directory", 50);
  test_mock_add_fault (fixture->mock, "{'operation': <'list_files'>, 'fault': <'hold'>}");
  asb_transport_list_files_async (transport, request, NULL, test_answer_cb, &slow);
  pause_it (fixture);
  resume_it (fixture);
  g_assert_null (
      asb_transport_list_files_finish (transport, test_answer_wait (&slow), &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_clear_error (&fixture->error);
  test_mock_forget (fixture->mock, "*");
  test_mock_clear_faults (fixture->mock);
  asb_call_set_limit ("list the directory", -1);
}

static void
add (const char *path, void (*function) (TestRecorded *fixture, gconstpointer data))
{
  g_autofree char *inside = g_strconcat (path, "/inside", NULL);

  g_test_add (path, TestRecorded, NULL, set_up, function, tear_down);
  g_test_add (inside, TestRecorded, "inside", set_up, function, tear_down);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  add ("/backend-pause/refused", test_refused);
  g_test_add ("/backend-pause/recorded/outside", TestRecorded, NULL, set_up, test_recorded_outside,
              tear_down);
  g_test_add ("/backend-pause/recorded/inside", TestRecorded, "inside", set_up,
              test_recorded_inside, tear_down);
  add ("/backend-pause/failed", test_failed);
  add ("/backend-pause/answer-lost", test_answer_lost);
  add ("/backend-pause/twice", test_twice);
  add ("/backend-pause/resumed-by-others", test_resumed_by_others);
  add ("/backend-pause/command", test_command);
  add ("/backend-pause/close", test_close);
  g_test_add ("/backend-pause/too-much", TestRecorded, "inside", set_up, test_too_much, tear_down);
  add ("/backend-pause/deadline", test_deadline);
  add ("/backend-pause/deadline-goes-on", test_deadline_goes_on);
  add ("/backend-pause/deadline-meanwhile", test_deadline_meanwhile);
  add ("/backend-pause/signal-deadline", test_signal_deadline);

  return g_test_run ();
}
