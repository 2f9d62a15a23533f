/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every transport that runs commands keeps to. */

#include "checks.h"

#include <signal.h>
#include <string.h>

#define N_AT_ONCE 16
#define BIG_SIZE (1024 * 1024)

/* Opens check->backend where commands can be run. */
static gboolean
open_for_commands (Check *check, const char *needed)
{
  g_autoptr (AsbCapabilities) capabilities = NULL;
  g_autofree char *reason = NULL;

  if (!check_open_backend (check))
    return FALSE;
  capabilities = asb_backend_get_capabilities (check->backend);
  if (!asb_capabilities_supports (capabilities, ASB_CAPABILITY_COMMAND_EXECUTION))
    check_skip (check, "the provider runs no commands");
  else if (needed && !asb_capabilities_supports (capabilities, needed))
    {
      reason = g_strdup_printf ("the provider says that it lacks %s", needed);
      check_skip (check, reason);
    }
  return !check_is_over (check);
}

static AsbCommandResult *
run (Check *check, const char *text, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);

  return asb_backend_execute (check->backend, spec, NULL, error);
}

/* Where there is a real shell; a transport for tests may only know some commands by heart. */
static gboolean
open_for_shell (Check *check, const char *needed)
{
  g_autoptr (AsbCommandResult) result = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_commands (check, needed))
    return FALSE;
  result = run (check, "echo $((6*7))", &error);
  if (!check_no_error (check, __FILE__, __LINE__, error))
    return FALSE;
  text = asb_command_result_dup_stdout_text (result);
  if (g_strcmp0 (text, "42\n") != 0)
    check_skip (check, "no shell runs the commands");
  return !check_is_over (check);
}

static void
check_bytes (Check *check, GBytes *bytes, gconstpointer expected, gsize expected_size)
{
  gsize size = 0;
  gconstpointer data = bytes ? g_bytes_get_data (bytes, &size) : NULL;

  CHECK (check, size == expected_size);
  CHECK (check, size == 0 || memcmp (data, expected, size) == 0);
}

static void
succeeds (Check *check)
{
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_commands (check, NULL))
    return;
  result = run (check, "echo hello", &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_command_result_get_state (result) == ASB_COMMAND_STATE_SUCCEEDED);
  CHECK_COUNT (check, asb_command_result_get_exit_status (result), 0);
  CHECK (check, asb_command_result_get_stdout_total (result) == 6);
  check_bytes (check, asb_command_result_get_stdout_bytes (result), "hello\n", 6);
  check_bytes (check, asb_command_result_get_stderr_bytes (result), NULL, 0);
}

/* Another exit status is a result, not an error. */
static void
fails (Check *check)
{
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_commands (check, NULL))
    return;
  result = run (check, "false", &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_command_result_get_state (result) == ASB_COMMAND_STATE_FAILED);
  CHECK_COUNT (check, asb_command_result_get_exit_status (result), 1);
}

static AsbCommand *
start_cat (Check *check, guint64 timeout_ms)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("cat");
  g_autoptr (GError) error = NULL;
  AsbCommand *command;

  asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  asb_command_spec_set_timeout_ms (spec, timeout_ms);
  command = asb_backend_start_command (check->backend, spec, NULL, &error);
  check_no_error (check, __FILE__, __LINE__, error);
  return command;
}

/* All bytes, more than any window or pipe holds, come back as they went. */
static void
standard_input (Check *check)
{
  g_autofree guint8 *bytes = g_malloc (BIG_SIZE);
  g_autoptr (GBytes) given = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_commands (check, ASB_CAPABILITY_COMMAND_STDIN))
    return;
  for (gsize i = 0; i < BIG_SIZE; i++)
    bytes[i] = (guint8)((i * 7 + i / 256) & 0xff);
  given = g_bytes_new_static (bytes, BIG_SIZE);
  command = start_cat (check, 0);
  CHECK_GOES_ON (check);
  asb_command_communicate (command, given, NULL, &output, NULL, &error);
  CHECK_NO_ERROR (check, error);
  check_bytes (check, output, bytes, BIG_SIZE);
  CHECK (check, asb_command_get_successful (command));
}

/* Without a standard input there is none: nothing waits for the caller's. */
static void
no_standard_input (Check *check)
{
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_commands (check, NULL))
    return;
  result = run (check, "cat", &error);
  CHECK_NO_ERROR (check, error);
  CHECK_COUNT (check, asb_command_result_get_exit_status (result), 0);
  CHECK (check, asb_command_result_get_stdout_total (result) == 0);
}

static void
forced_to_exit (Check *check)
{
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_commands (check, ASB_CAPABILITY_COMMAND_STDIN))
    return;
  command = start_cat (check, 0);
  CHECK_GOES_ON (check);
  asb_command_force_exit (command);
  asb_command_wait (command, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_command_get_state (command) == ASB_COMMAND_STATE_CANCELLED);
  CHECK (check, !asb_command_get_successful (command));
}

static void
times_out (Check *check)
{
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_commands (check, ASB_CAPABILITY_COMMAND_STDIN))
    return;
  command = start_cat (check, 100);
  CHECK_GOES_ON (check);
  asb_command_wait (command, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_command_get_state (command) == ASB_COMMAND_STATE_TIMEOUT);
}

static void
cancelled (Check *check)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("sleep 1000");
  g_autoptr (GAsyncResult) answer = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_shell (check, NULL))
    return;
  asb_backend_execute_async (check->backend, spec, cancellable, check_ready_cb, &answer);
  g_cancellable_cancel (cancellable);
  result = asb_backend_execute_finish (check->backend, check_wait (&answer), &error);
  CHECK_ERROR (check, error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
take_number (Check *check, GAsyncResult *answer, int number)
{
  g_autofree char *expected = g_strdup_printf ("%d\n", number);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  result = asb_backend_execute_finish (check->backend, answer, &error);
  CHECK_NO_ERROR (check, error);
  text = asb_command_result_dup_stdout_text (result);
  CHECK_TEXT (check, text, expected);
}

static void
many_at_once (Check *check)
{
  GAsyncResult *answers[N_AT_ONCE] = { NULL };

  if (!open_for_commands (check, NULL))
    return;
  for (int i = 0; i < N_AT_ONCE; i++)
    {
      g_autofree char *text = g_strdup_printf ("echo %d", i);
      g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);

      asb_backend_execute_async (check->backend, spec, NULL, check_ready_cb, &answers[i]);
    }
  for (int i = 0; i < N_AT_ONCE; i++)
    {
      take_number (check, check_wait (&answers[i]), i);
      g_object_unref (answers[i]);
    }
}

static void
working_directory (Check *check)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("pwd");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autofree char *expected = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_commands (check, NULL))
    return;
  result = asb_backend_execute (check->backend, spec, NULL, &error);
  CHECK_NO_ERROR (check, error);
  text = asb_command_result_dup_stdout_text (result);
  expected = g_strconcat (asb_backend_get_workdir (check->backend), "\n", NULL);
  CHECK_TEXT (check, text, expected);
}

/* With a shell. */

static void
missing_working_directory (Check *check)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("true");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_shell (check, NULL))
    return;
  asb_command_spec_set_cwd (spec, "/asb-check/nowhere");
  result = asb_backend_execute (check->backend, spec, NULL, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_WORKING_DIRECTORY);
  CHECK (check, strstr (error->message, "/asb-check/nowhere") != NULL);
  g_clear_error (&error);
  result = run (check, "true", &error);
  CHECK_NO_ERROR (check, error);
}

static void
missing_program (Check *check)
{
  static const char *const argv[] = { "/asb-check/program", NULL };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_shell (check, NULL))
    return;
  result = asb_backend_execute (check->backend, spec, NULL, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND);
}

static void
two_streams (Check *check)
{
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_shell (check, NULL))
    return;
  result = run (check, "echo out; echo err >&2; exit 3", &error);
  CHECK_NO_ERROR (check, error);
  CHECK_COUNT (check, asb_command_result_get_exit_status (result), 3);
  check_bytes (check, asb_command_result_get_stdout_bytes (result), "out\n", 4);
  check_bytes (check, asb_command_result_get_stderr_bytes (result), "err\n", 4);
}

static void
exact_bytes (Check *check)
{
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_shell (check, ASB_CAPABILITY_EXACT_OUTPUT))
    return;
  result = run (check, "printf '\\377\\376x\\000y\\n'; printf 'no newline' >&2", &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_command_result_get_exact (result));
  check_bytes (check, asb_command_result_get_stdout_bytes (result), "\377\376x\000y\n", 6);
  check_bytes (check, asb_command_result_get_stderr_bytes (result), "no newline", 10);
}

static void
environment (Check *check)
{
  static const char *const variables[] = { "ASB_CHECK=a b'\"$c", NULL };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("printf %s \"$ASB_CHECK\"");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_shell (check, NULL))
    return;
  asb_command_spec_set_environment (spec, variables);
  result = asb_backend_execute (check->backend, spec, NULL, &error);
  CHECK_NO_ERROR (check, error);
  text = asb_command_result_dup_stdout_text (result);
  CHECK_TEXT (check, text, "a b'\"$c");
}

/* The result waits for the command, not for what it left behind with its output open. */
static void
background_child (Check *check)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("sleep 1000 & echo hi");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_shell (check, NULL))
    return;
  asb_command_spec_set_timeout_ms (spec, 60000);
  result = asb_backend_execute (check->backend, spec, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_command_result_get_state (result) == ASB_COMMAND_STATE_SUCCEEDED);
  check_bytes (check, asb_command_result_get_stdout_bytes (result), "hi\n", 3);
}

/* What is too much for a result is counted and said, not kept in memory. */
static void
much_output (Check *check)
{
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_shell (check, NULL))
    return;
  result = run (check, "seq 1 2000000", &error);
  CHECK_NO_ERROR (check, error);
  CHECK_COUNT (check, asb_command_result_get_exit_status (result), 0);
  CHECK (check, asb_command_result_get_stdout_total (result) == 14888896);
  CHECK (check, g_bytes_get_size (asb_command_result_get_stdout_bytes (result)) == 14888896
                    || asb_command_result_get_stdout_truncated (result));
}

/* What is too long for the system or the provider is refused as such, before any of it is run. */
static void
long_command (Check *check)
{
  g_autofree char *letters = g_strnfill (200000, 'y');
  g_autofree char *text = g_strconcat ("touch ran; : ", letters, NULL);
  g_autoptr (AsbCommandResult) refused = NULL;
  g_autoptr (AsbCommandResult) listed = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_shell (check, NULL))
    return;
  refused = run (check, text, &error);
  if (refused)
    CHECK_COUNT (check, asb_command_result_get_exit_status (refused), 0);
  else
    CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_TOO_LARGE);
  g_clear_error (&error);
  listed = run (check, "ls ran", &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, (asb_command_result_get_exit_status (listed) == 0) == (refused != NULL));
}

static void
killed_by_signal (Check *check)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("kill -9 $$");
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_shell (check, NULL))
    return;
  command = asb_backend_start_command (check->backend, spec, NULL, &error);
  CHECK_NO_ERROR (check, error);
  asb_command_wait (command, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_command_get_if_signaled (command));
  CHECK (check, asb_command_get_term_sig (command) == SIGKILL);
}

void
check_commands (Check *check)
{
  check_run (check, "commands/success", succeeds);
  check_run (check, "commands/failure", fails);
  check_run (check, "commands/stdin", standard_input);
  check_run (check, "commands/stdin/none", no_standard_input);
  check_run (check, "commands/force-exit", forced_to_exit);
  check_run (check, "commands/timeout", times_out);
  check_run (check, "commands/cancelled", cancelled);
  check_run (check, "commands/at-once", many_at_once);
  check_run (check, "commands/workdir", working_directory);
  check_run (check, "commands/workdir/missing", missing_working_directory);
  check_run (check, "commands/missing", missing_program);
  check_run (check, "commands/streams", two_streams);
  check_run (check, "commands/exact", exact_bytes);
  check_run (check, "commands/environment", environment);
  check_run (check, "commands/background", background_child);
  check_run (check, "commands/much-output", much_output);
  check_run (check, "commands/long", long_command);
  check_run (check, "commands/signal", killed_by_signal);
}
