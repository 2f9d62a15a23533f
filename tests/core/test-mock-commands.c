/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-mock.h"

#include <signal.h>
#include <string.h>

/* The commands of the mock, as programs see them. */

static void
check_command (TestMock *fixture, const char *shell, const char *out, const char *err,
               int exit_status)
{
  g_autoptr (AsbProcess) process = test_mock_start (fixture, shell, 0, 0);
  g_autofree char *got_out = test_read_text (asb_process_get_stdout (process));
  g_autofree char *got_err = test_read_text (asb_process_get_stderr (process));
  g_autoptr (AsbCommandResult) result = asb_process_wait (process, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  g_assert_cmpstr (got_out, ==, out);
  g_assert_cmpstr (got_err, ==, err);
  g_assert_true (asb_command_result_get_has_exit_status (result));
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, exit_status);
  g_assert_cmpint (asb_command_result_get_state (result), ==,
                   exit_status ? ASB_COMMAND_STATE_FAILED : ASB_COMMAND_STATE_SUCCEEDED);
  g_assert_cmpuint (asb_command_result_get_stdout_total (result), ==, strlen (out));
  g_assert_null (asb_process_get_stdin (process));
}

static void
test_default_commands (TestMock *fixture, gconstpointer data)
{
  g_test_summary ("Commands nobody spoke of do what the reference has them do");

  check_command (fixture, "pwd", "/workspace\n", "", 0);
  check_command (fixture, "false", "", "", 1);
  check_command (fixture, "echo a  b", "a  b\n", "", 0);
  check_command (fixture, "cat", "", "", 0);
  check_command (fixture, "anything else", "", "", 0);
}

static void
test_scripted (TestMock *fixture, gconstpointer data)
{
  g_test_summary ("What was said of a command by its exact text is done");

  test_mock_set_result (fixture->mock, "make",
                        "{'stdout': <'built'>, 'stderr': <@ay [0x77, 0x61, 0x72, 0x6e]>,"
                        " 'exit-code': <int64 2>}");
  check_command (fixture, "make", "built", "warn", 2);
  check_command (fixture, "make ", "", "", 0);
  test_mock_set_result (fixture->mock, "make", "{'stdout': <'again'>}");
  check_command (fixture, "make", "again", "", 0);
}

static void
test_argv (TestMock *fixture, gconstpointer data)
{
  static const char *const argv[] = { "echo", "two words", NULL };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
  g_autoptr (AsbProcess) process = NULL;
  g_autofree char *text = NULL;

  g_test_summary ("Arguments are looked up as people type them");

  test_mock_set_result (fixture->mock, "echo 'two words'", "{'stdout': <'found'>}");
  process = asb_transport_start_command (fixture->transport, spec, NULL, &fixture->error);
  text = test_read_text (asb_process_get_stdout (process));
  g_assert_cmpstr (text, ==, "found");
}

static void
test_cwd (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("pwd");
  g_autoptr (AsbProcess) process = NULL;
  g_autofree char *text = NULL;

  g_test_summary ("A command runs where it is told to");

  asb_command_spec_set_cwd (spec, "/elsewhere");
  process = asb_transport_start_command (fixture->transport, spec, NULL, &fixture->error);
  text = test_read_text (asb_process_get_stdout (process));
  g_assert_cmpstr (text, ==, "/elsewhere\n");
}

static void
test_end_by_signal (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;

  g_test_summary ("A command may be said to die of a signal");

  test_mock_set_result (fixture->mock, "crash", "{'signal': <11>}");
  process = test_mock_start (fixture, "crash", 0, 0);
  result = asb_process_wait (process, NULL, &fixture->error);
  g_assert_false (asb_command_result_get_has_exit_status (result));
  g_assert_cmpint (asb_command_result_get_term_signal (result), ==, SIGSEGV);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_FAILED);
}

static void
test_delay_and_timeout (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) patient = NULL;
  g_autoptr (AsbProcess) hurried = NULL;
  g_autoptr (AsbProcess) held = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autofree char *text = NULL;

  g_test_summary ("A command that takes longer than it may ends by that, without an exit status");

  test_mock_set_result (fixture->mock, "slow", "{'stdout': <'early'>, 'delay-ms': <2>}");
  patient = test_mock_start (fixture, "slow", 0, 3600000);
  result = asb_process_wait (patient, NULL, &fixture->error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_SUCCEEDED);
  g_clear_object (&result);

  test_mock_set_result (fixture->mock, "slow", "{'stdout': <'early'>, 'delay-ms': <3600000>}");
  hurried = test_mock_start (fixture, "slow", 0, 2);
  text = test_read_text (asb_process_get_stdout (hurried));
  g_assert_cmpstr (text, ==, "early");
  result = asb_process_wait (hurried, NULL, &fixture->error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_TIMEOUT);
  g_assert_false (asb_command_result_get_has_exit_status (result));
  g_clear_object (&result);

  test_mock_set_result (fixture->mock, "held", "{'hold': <true>}");
  held = test_mock_start (fixture, "held", 0, 2);
  result = asb_process_wait (held, NULL, &fixture->error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_TIMEOUT);
}

static void
test_hold_and_finish (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("A command that is held runs until it is told to finish");

  test_mock_set_result (fixture->mock, "serve", "{'hold': <true>, 'exit-code': <7>}");
  process = test_mock_start (fixture, "serve", 0, 0);
  asb_process_wait_async (process, NULL, test_answer_cb, &answer);
  test_drain ();
  g_assert_cmpuint (answer.n_calls, ==, 0);
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, "other"), ==, 0);
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, "serve"), ==, 1);
  result = asb_process_wait_finish (process, test_answer_wait (&answer), &fixture->error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 7);
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, "serve"), ==, 0);
}

static void
test_signals (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;

  g_test_summary ("Signals end a command that runs, but for those that do not");

  test_mock_set_result (fixture->mock, "serve", "{'hold': <true>}");
  process = test_mock_start (fixture, "serve", 0, 0);
  g_assert_true (asb_process_send_signal (process, SIGWINCH, NULL, &fixture->error));
  g_assert_true (asb_process_send_signal (process, SIGINT, NULL, &fixture->error));
  g_assert_false (asb_process_send_signal (process, SIGINT, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  result = asb_process_wait (process, NULL, &fixture->error);
  g_assert_cmpint (asb_command_result_get_term_signal (result), ==, SIGINT);
}

static void
test_force_exit (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;

  g_test_summary ("A command that is forced to exit is cancelled");

  test_mock_set_result (fixture->mock, "serve", "{'hold': <true>}");
  process = test_mock_start (fixture, "serve", 0, 0);
  asb_process_force_exit (process);
  asb_process_force_exit (process);
  result = asb_process_wait (process, NULL, &fixture->error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_CANCELLED);
}

static void
test_flags (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) merged = NULL;
  g_autoptr (AsbProcess) silent = NULL;
  g_autofree char *text = NULL;
  g_autoptr (AsbCommandResult) result = NULL;

  g_test_summary ("Output is merged or silenced as was asked for");

  test_mock_set_result (fixture->mock, "both", "{'stdout': <'out'>, 'stderr': <'err'>}");
  merged = test_mock_start (fixture, "both", ASB_COMMAND_FLAGS_STDERR_MERGE, 0);
  text = test_read_text (asb_process_get_stdout (merged));
  g_assert_cmpstr (text, ==, "outerr");
  g_assert_null (asb_process_get_stderr (merged));
  silent = test_mock_start (fixture, "both",
                            ASB_COMMAND_FLAGS_STDOUT_SILENCE | ASB_COMMAND_FLAGS_STDERR_SILENCE, 0);
  g_assert_null (asb_process_get_stdout (silent));
  g_assert_null (asb_process_get_stderr (silent));
  result = asb_process_wait (silent, NULL, &fixture->error);
  g_assert_cmpuint (asb_command_result_get_stdout_total (result), ==, 3);
}

static void
test_cat (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process
      = test_mock_start (fixture, "cat", ASB_COMMAND_FLAGS_STDIN_PIPE, 0);
  GOutputStream *input = asb_process_get_stdin (process);
  g_autofree char *text = NULL;
  g_autoptr (AsbCommandResult) result = NULL;

  g_test_summary ("“cat” gives back its input, and ends with it");

  g_assert_true (g_output_stream_write_all (input, "through", 7, NULL, NULL, &fixture->error));
  g_assert_true (g_output_stream_close (input, NULL, &fixture->error));
  text = test_read_text (asb_process_get_stdout (process));
  g_assert_cmpstr (text, ==, "through");
  result = asb_process_wait (process, NULL, &fixture->error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_SUCCEEDED);
}

static gpointer
write_much (gpointer data)
{
  g_autofree char *much = g_strnfill (1024 * 1024, 'x');
  g_autoptr (GError) error = NULL;

  g_assert_true (g_output_stream_write_all (data, much, 1024 * 1024, NULL, NULL, &error));
  g_assert_true (g_output_stream_close (data, NULL, &error));
  g_assert_no_error (error);
  return NULL;
}

static void
test_cat_much (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process
      = test_mock_start (fixture, "cat", ASB_COMMAND_FLAGS_STDIN_PIPE, 0);
  GThread *writer = g_thread_new ("write", write_much, asb_process_get_stdin (process));
  char buffer[1000];
  gsize total = 0;
  gssize size;

  g_test_summary ("Who writes waits for who reads, in threads of their own");

  while ((size = g_input_stream_read (asb_process_get_stdout (process), buffer, sizeof buffer, NULL,
                                      &fixture->error))
         > 0)
    total += (gsize)size;
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (total, ==, 1024 * 1024);
  g_thread_join (writer);
}

static void
test_stdin_unread (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = NULL;
  GOutputStream *input;

  g_test_summary ("Input nobody reads is swallowed while the command runs, and then refused");

  test_mock_set_result (fixture->mock, "serve", "{'hold': <true>}");
  process = test_mock_start (fixture, "serve", ASB_COMMAND_FLAGS_STDIN_PIPE, 0);
  input = asb_process_get_stdin (process);
  g_assert_true (g_output_stream_write_all (input, "text", 4, NULL, NULL, &fixture->error));
  asb_process_force_exit (process);
  g_assert_false (g_output_stream_write_all (input, "text", 4, NULL, NULL, &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE);
}

static void
test_deleted_while_running (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = NULL;

  g_test_summary ("The end of a command whose sandbox is deleted is not known");

  test_mock_set_result (fixture->mock, "serve", "{'hold': <true>}");
  process = test_mock_start (fixture, "serve", 0, 0);
  g_assert_true (
      asb_provider_delete_sandbox (fixture->mock, test_mock_sandbox_id (fixture), NULL, NULL));
  g_assert_null (asb_process_wait (process, NULL, &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_INTERRUPTED);
}

static void
test_wait_cancelled (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AsbCommandResult) result = NULL;

  g_test_summary ("Waiting can be cancelled; the command goes on");

  test_mock_set_result (fixture->mock, "serve", "{'hold': <true>}");
  process = test_mock_start (fixture, "serve", 0, 0);
  test_mock_cancel_on_call (fixture->mock, "wait", cancellable);
  g_assert_null (asb_process_wait (process, cancellable, &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&fixture->error);
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, "serve"), ==, 1);
  result = asb_process_wait (process, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
}

static gboolean
ready_cb (GObject *stream, gpointer user_data)
{
  (*(guint *)user_data)++;
  return G_SOURCE_CONTINUE;
}

static void
test_pollable (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process
      = test_mock_start (fixture, "cat", ASB_COMMAND_FLAGS_STDIN_PIPE, 0);
  GPollableInputStream *stream = G_POLLABLE_INPUT_STREAM (asb_process_get_stdout (process));
  GOutputStream *input = asb_process_get_stdin (process);
  g_autoptr (GSource) source = g_pollable_input_stream_create_source (stream, NULL);
  guint n_ready = 0;
  char buffer[8];

  g_test_summary ("The source of a stream is ready as long as there is something to read");

  g_source_set_callback (source, G_SOURCE_FUNC (ready_cb), &n_ready, NULL);
  g_source_attach (source, NULL);
  test_drain ();
  g_assert_cmpuint (n_ready, ==, 0);
  g_assert_false (g_pollable_input_stream_is_readable (stream));
  g_assert_cmpint (
      g_pollable_input_stream_read_nonblocking (stream, buffer, 8, NULL, &fixture->error), ==, -1);
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
  g_clear_error (&fixture->error);

  g_assert_true (g_output_stream_write_all (input, "text", 4, NULL, NULL, NULL));
  g_main_context_iteration (NULL, FALSE);
  g_main_context_iteration (NULL, FALSE);
  g_assert_cmpuint (n_ready, ==, 2);
  g_assert_cmpint (
      g_pollable_input_stream_read_nonblocking (stream, buffer, 8, NULL, &fixture->error), ==, 4);
  test_drain ();
  g_assert_cmpuint (n_ready, ==, 2);
  g_source_destroy (source);
}

static gboolean
cancel_cb (gpointer user_data)
{
  g_cancellable_cancel (user_data);
  return G_SOURCE_REMOVE;
}

static void
test_read_cancelled (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process
      = test_mock_start (fixture, "cat", ASB_COMMAND_FLAGS_STDIN_PIPE, 0);
  GInputStream *stream = asb_process_get_stdout (process);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_auto (TestAnswer) answer = { 0 };
  char buffer[8];

  g_test_summary ("Reading that waits can be cancelled");

  g_input_stream_read_async (stream, buffer, 8, 0, cancellable, test_answer_cb, &answer);
  g_idle_add (cancel_cb, cancellable);
  g_assert_cmpint (g_input_stream_read_finish (stream, test_answer_wait (&answer), &fixture->error),
                   ==, -1);
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/mock/" path, TestMock, NULL, test_mock_set_up, function, test_mock_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("commands/default", test_default_commands);
  ADD ("commands/scripted", test_scripted);
  ADD ("commands/argv", test_argv);
  ADD ("commands/cwd", test_cwd);
  ADD ("commands/end-by-signal", test_end_by_signal);
  ADD ("commands/delay-and-timeout", test_delay_and_timeout);
  ADD ("commands/hold-and-finish", test_hold_and_finish);
  ADD ("commands/signals", test_signals);
  ADD ("commands/force-exit", test_force_exit);
  ADD ("commands/flags", test_flags);
  ADD ("commands/cat", test_cat);
  ADD ("commands/cat-much", test_cat_much);
  ADD ("commands/stdin-unread", test_stdin_unread);
  ADD ("commands/deleted-while-running", test_deleted_while_running);
  ADD ("commands/wait-cancelled", test_wait_cancelled);
  ADD ("commands/pollable", test_pollable);
  ADD ("commands/read-cancelled", test_read_cancelled);
  return g_test_run ();
}
