/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-mock.h"

/* What goes wrong in the mock when it is told to. */

static AsbSandboxInfo *
get (TestMock *fixture)
{
  return asb_provider_get_sandbox (fixture->mock, test_mock_sandbox_id (fixture), NULL,
                                   &fixture->error);
}

static void
check_get (TestMock *fixture)
{
  g_autoptr (AsbSandboxInfo) info = get (fixture);

  g_assert_no_error (fixture->error);
  g_assert_nonnull (info);
}

static void
test_fault_nth (TestMock *fixture, gconstpointer data)
{
  AsbErrorInfo *info;

  g_test_summary ("The n-th call since the rule stands fails, as the rule says");

  check_get (fixture);
  test_mock_add_fault (fixture->mock,
                       "{'operation': <'get_sandbox'>, 'fault': <'fail'>, 'call': <2>,"
                       " 'code': <'sandbox_state_error'>, 'message': <'Not today'>,"
                       " 'retryable': <true>, 'provider-error-code': <'E7'>}");
  check_get (fixture);
  g_assert_null (get (fixture));
  info = asb_error_get_info (fixture->error);
  g_assert_cmpstr (fixture->error->message, ==, "Not today");
  g_assert_true (asb_error_info_get_retryable (info));
  g_assert_cmpstr (asb_error_info_get_provider_error_code (info), ==, "E7");
  test_mock_check_error (fixture, ASB_ERROR_SANDBOX_STATE);
  check_get (fixture);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "get_sandbox"), ==, 4);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "pause_sandbox"), ==, 0);
}

static void
test_fault_every (TestMock *fixture, gconstpointer data)
{
  g_test_summary ("Without a number every call fails, until the rules are cleared");

  test_mock_add_fault (fixture->mock, "{'operation': <'*'>, 'fault': <'fail'>}");
  for (guint i = 0; i < 3; i++)
    {
      g_assert_null (get (fixture));
      test_mock_check_error (fixture, ASB_ERROR_PROVIDER);
    }
  test_mock_clear_faults (fixture->mock);
  check_get (fixture);
}

static void
test_fault_wrong (TestMock *fixture, gconstpointer data)
{
  g_test_summary ("Answers of another type, and empty ones");

  test_mock_add_fault (fixture->mock, "{'operation': <'get_sandbox'>, 'fault': <'wrong-type'>,"
                                      " 'call': <1>}");
  test_mock_add_fault (fixture->mock, "{'operation': <'get_sandbox'>, 'fault': <'empty'>,"
                                      " 'call': <2>}");
  test_mock_add_fault (fixture->mock, "{'operation': <'get_sandbox'>, 'fault': <'drop'>,"
                                      " 'call': <3>}");
  g_assert_null (get (fixture));
  test_mock_check_error (fixture, ASB_ERROR_PROTOCOL);
  g_assert_null (get (fixture));
  test_mock_check_error (fixture, ASB_ERROR_PROTOCOL);
  g_assert_null (get (fixture));
  test_mock_check_error (fixture, ASB_ERROR_INTERNAL);
  check_get (fixture);
}

static void
test_fault_delay (TestMock *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_test_summary ("A delayed answer comes; cancelling does not wait for it");

  test_mock_add_fault (fixture->mock, "{'operation': <'get_sandbox'>, 'fault': <'delay'>,"
                                      " 'call': <1>, 'delay-ms': <1>}");
  test_mock_add_fault (fixture->mock, "{'operation': <'get_sandbox'>, 'fault': <'delay'>,"
                                      " 'call': <2>, 'delay-ms': <3600000>}");
  check_get (fixture);
  test_mock_cancel_on_call (fixture->mock, "get_sandbox", cancellable);
  g_assert_null (asb_provider_get_sandbox (fixture->mock, test_mock_sandbox_id (fixture),
                                           cancellable, &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_fault_hold (TestMock *fixture, gconstpointer data)
{
  g_auto (TestAnswer) answer = { 0 };
  g_autoptr (AsbSandboxInfo) info = NULL;

  g_test_summary ("A call that is held is answered when it is released, or never");

  test_mock_add_fault (fixture->mock, "{'operation': <'get_sandbox'>, 'fault': <'hold'>}");
  asb_provider_get_sandbox_async (fixture->mock, test_mock_sandbox_id (fixture), NULL,
                                  test_answer_cb, &answer);
  test_drain ();
  g_assert_cmpuint (answer.n_calls, ==, 0);
  g_assert_cmpuint (test_mock_get_held_count (fixture->mock), ==, 1);
  g_assert_cmpuint (test_mock_release (fixture->mock, "other"), ==, 0);
  g_assert_cmpuint (test_mock_release (fixture->mock, "*"), ==, 1);
  info = asb_provider_get_sandbox_finish (fixture->mock, test_answer_wait (&answer),
                                          &fixture->error);
  g_assert_nonnull (info);
  test_answer_clear (&answer);

  asb_provider_get_sandbox_async (fixture->mock, test_mock_sandbox_id (fixture), NULL,
                                  test_answer_cb, &answer);
  g_assert_cmpuint (test_mock_forget (fixture->mock, "get_sandbox"), ==, 1);
  g_assert_null (
      asb_provider_get_sandbox_finish (fixture->mock, test_answer_wait (&answer), &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_INTERNAL);
}

static void
test_fault_done (TestMock *fixture, gconstpointer data)
{
  g_test_summary ("An operation can be done and only its answer be lost");

  test_mock_add_fault (fixture->mock, "{'operation': <'delete_sandbox'>, 'fault': <'fail'>,"
                                      " 'done': <true>}");
  g_assert_false (asb_provider_delete_sandbox (fixture->mock, test_mock_sandbox_id (fixture), NULL,
                                               &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_PROVIDER);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
}

static void
test_fault_break (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/f");
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (AsbProcess) process = NULL;
  char buffer[8] = "";
  gsize size;

  g_test_summary ("Streams break off after so many bytes, and say so");

  test_mock_put (fixture, "/f", "contents");
  test_mock_add_fault (fixture->mock, "{'operation': <'*'>, 'fault': <'break'>,"
                                      " 'after-bytes': <3>}");
  stream = asb_transport_open_read (fixture->transport, request, NULL, &fixture->error);
  g_assert_false (
      g_input_stream_read_all (stream, buffer, sizeof buffer, &size, NULL, &fixture->error));
  g_assert_cmpuint (size, ==, 3);
  test_mock_check_error (fixture, ASB_ERROR_INTERRUPTED);
  g_assert_null (test_mock_read (fixture, "/f", 0, -1));
  test_mock_check_error (fixture, ASB_ERROR_INTERRUPTED);

  process = test_mock_start (fixture, "echo something", 0, 0);
  g_assert_false (g_input_stream_read_all (asb_process_get_stdout (process), buffer, sizeof buffer,
                                           &size, NULL, &fixture->error));
  g_assert_cmpuint (size, ==, 3);
  test_mock_check_error (fixture, ASB_ERROR_INTERRUPTED);
  g_assert_null (asb_process_wait (process, NULL, &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_INTERRUPTED);
}

static void
test_fault_break_write (TestMock *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) stream = NULL;

  g_test_summary ("A write that breaks off changes nothing");

  test_mock_put (fixture, "/f", "contents");
  test_mock_add_fault (fixture->mock, "{'operation': <'open_write'>, 'fault': <'break'>,"
                                      " 'after-bytes': <3>}");
  stream = test_mock_open_write (fixture, "/f");
  g_assert_true (g_output_stream_write_all (stream, "other", 5, NULL, NULL, NULL));
  g_assert_false (g_output_stream_close (stream, NULL, &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_INTERRUPTED);
  test_mock_check_contents (fixture, "/f", "contents");
}

static void
test_bad_rules (TestMock *fixture, gconstpointer data)
{
  static const char *const options[] = {
    "{'faults': <'x'>}",
    "{'faults': <[@a{sv} {}]>}",
    "{'faults': <[{'operation': <'wait'>}]>}",
    "{'faults': <[{'fault': <'fail'>}]>}",
    "{'faults': <[{'operation': <'wait'>, 'fault': <'burn'>}]>}",
    "{'faults': <[{'operation': <'wait'>, 'fault': <'none'>}]>}",
    "{'faults': <[{'operation': <5>, 'fault': <'fail'>}]>}",
    "{'faults': <[{'operation': <'wait'>, 'fault': <'fail'>, 'code': <'burnt'>}]>}",
    "{'faults': <[{'operation': <'wait'>, 'fault': <'fail'>, 'call': <-1>}]>}",
    "{'faults': <[{'operation': <'wait'>, 'fault': <'fail'>, 'call': <'1'>}]>}",
    "{'faults': <[{'operation': <'wait'>, 'fault': <'fail'>, 'colour': <'red'>}]>}",
    "{'command-results': <'x'>}",
    "{'command-results': <{'make': {'exit-code': <256>}}>}",
    "{'command-results': <{'make': {'stdout': <5>}}>}",
    "{'command-results': <{'make': {'hold': <1>}}>}",
    "{'command-results': <{'make': {'colour': <'red'>}}>}",
  };
  g_autoptr (AsbRegistry) registry = test_registry_new ();

  g_test_summary ("Rules and results that make no sense are refused when the mock is made");

  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    {
      GVariant *variant = g_variant_parse (NULL, options[i], NULL, NULL, NULL);

      g_test_message ("%s", options[i]);
      g_assert_null (asb_registry_create_provider (registry, "mock", variant, &fixture->error));
      g_variant_unref (variant);
      test_mock_check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
    }
}

static void
test_options (void)
{
  g_autoptr (AsbProvider) mock
      = test_mock_new ("{'faults': <[{'operation': <'create_sandbox'>, 'fault': <'fail'>}]>,"
                       " 'command-results': <{'make': {'stdout': <'x'>}}>}");
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GVariant) faults = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Faults and results can be given as options");

  g_assert_null (asb_provider_create_sandbox (mock, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_object_get (mock, "faults", &faults, NULL);
  g_assert_cmpuint (g_variant_n_children (faults), ==, 1);
}

static void
test_bad_signal (TestMock *fixture, gconstpointer data)
{
  g_autoptr (GVariant) rule = g_variant_ref_sink (g_variant_new_parsed ("{'fault': <'burn'>}"));
  gboolean added = TRUE;

  g_test_summary ("A rule that makes no sense is a mistake of the program, and is not taken");

  g_test_expect_message ("libasb-mock", G_LOG_LEVEL_CRITICAL, "*no fault “burn”*");
  g_signal_emit_by_name (fixture->mock, "add-fault", rule, &added);
  g_test_assert_expected_messages ();
  g_assert_false (added);
  check_get (fixture);
}

static void
test_transport_close (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/");
  g_autoptr (AsbTransport) second
      = asb_provider_open_transport (fixture->mock, test_mock_sandbox_id (fixture), NULL, NULL);

  g_test_summary ("A transport that is closed says so; those that are open are counted");

  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 2);
  g_clear_object (&second);
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 1);
  g_assert_true (asb_transport_close (fixture->transport, NULL, &fixture->error));
  g_assert_true (asb_transport_close (fixture->transport, NULL, &fixture->error));
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 0);
  g_assert_cmpint (asb_transport_get_state (fixture->transport), ==, ASB_TRANSPORT_STATE_CLOSED);
  g_assert_null (asb_transport_query_file (fixture->transport, request, NULL, &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_CLOSED);
}

static void
test_no_services (TestMock *fixture, gconstpointer data)
{
  g_test_summary ("There is no guest whose services could be called");

  g_assert_null (asb_transport_call (fixture->transport, "history.status",
                                     g_variant_new_parsed ("@a{sv} {}"), NULL, &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_UNSUPPORTED_CAPABILITY);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/mock/" path, TestMock, NULL, test_mock_set_up, function, test_mock_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("faults/nth", test_fault_nth);
  ADD ("faults/every", test_fault_every);
  ADD ("faults/wrong", test_fault_wrong);
  ADD ("faults/delay", test_fault_delay);
  ADD ("faults/hold", test_fault_hold);
  ADD ("faults/done", test_fault_done);
  ADD ("faults/break", test_fault_break);
  ADD ("faults/break-write", test_fault_break_write);
  ADD ("faults/bad-rules", test_bad_rules);
  g_test_add_func ("/mock/faults/options", test_options);
  ADD ("faults/bad-signal", test_bad_signal);
  ADD ("transport/close", test_transport_close);
  ADD ("transport/no-services", test_no_services);
  return g_test_run ();
}
