/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every transport that runs jobs, or commands at a terminal, keeps to. */

#include "checks.h"

#include <signal.h>
#include <string.h>

#define PATIENCE_MS 60000

static AsbCommandSpec *
new_spec (const char *text)
{
  AsbCommandSpec *spec = asb_command_spec_new_shell (text);

  asb_command_spec_set_timeout_ms (spec, PATIENCE_MS);
  return spec;
}

static AsbJob *
start (Check *check, const char *text, const char *name)
{
  g_autoptr (AsbCommandSpec) spec = new_spec (text);
  g_autoptr (GError) error = NULL;
  AsbJob *job;

  if (!check_open_backend_for (check, ASB_CAPABILITY_BACKGROUND_JOBS))
    return NULL;
  job = asb_backend_start_job (check->backend, spec, name, NULL, &error);
  check_no_error (check, __FILE__, __LINE__, error);
  return job;
}

static char *
read_output (Check *check, AsbJob *job, gint64 offset)
{
  g_autoptr (GOutputStream) output = g_memory_output_stream_new_resizable ();
  g_autoptr (GInputStream) input = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;
  const char *data;

  input = asb_job_open_output (job, ASB_OUTPUT_STREAM_STDOUT, offset, TRUE, NULL, &error);
  if (!check_no_error (check, __FILE__, __LINE__, error))
    return NULL;
  g_output_stream_splice (output, input, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, &error);
  if (!check_no_error (check, __FILE__, __LINE__, error))
    return NULL;
  bytes = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (output));
  data = g_bytes_get_data (bytes, &size);
  return g_strndup (data ? data : "", size);
}

/* It runs on by itself, and what it printed can be had afterwards, from any place. */
static void
job_runs (Check *check)
{
  g_autoptr (AsbJob) job = start (check, "echo first; echo second; exit 3", "check");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autofree char *all = NULL;
  g_autofree char *rest = NULL;
  g_autoptr (GError) error = NULL;

  CHECK_GOES_ON (check);
  CHECK_TEXT (check, asb_job_get_name (job), "check");
  result = asb_job_wait (job, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK_COUNT (check, asb_command_result_get_exit_status (result), 3);
  all = read_output (check, job, 0);
  CHECK_GOES_ON (check);
  CHECK_TEXT (check, all, "first\nsecond\n");
  rest = read_output (check, job, (gint64)strlen ("first\n"));
  CHECK_GOES_ON (check);
  CHECK_TEXT (check, rest, "second\n");
  asb_job_remove (job, NULL, &error);
  CHECK_NO_ERROR (check, error);
}

/* It is found again by its id and among all, and stopped by whoever finds it. */
static void
job_is_found (Check *check)
{
  g_autoptr (AsbJob) job = start (check, "echo ready; exec sleep 1000", NULL);
  g_autoptr (AsbJob) found = NULL;
  g_autoptr (GListModel) jobs = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  CHECK_GOES_ON (check);
  jobs = asb_backend_list_jobs (check->backend, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK_COUNT (check, g_list_model_get_n_items (jobs), 1);
  found = asb_backend_query_job (check->backend, asb_job_get_id (job), NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_job_get_state (found) == ASB_COMMAND_STATE_RUNNING);
  asb_job_remove (found, NULL, &error);
  CHECK (check, error != NULL);
  g_clear_error (&error);
  result = asb_job_stop (found, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_command_result_get_state (result) == ASB_COMMAND_STATE_CANCELLED);
  asb_job_remove (found, NULL, &error);
  CHECK_NO_ERROR (check, error);
}

/* A name that nobody could find it by is refused, and the others are found. */
static void
job_has_a_name (Check *check)
{
  g_autofree char *longer = g_strnfill (129, 'x');
  const char *const names[] = { "", "\xff", longer };
  g_autoptr (AsbCommandSpec) spec = new_spec ("true");
  g_autoptr (GListModel) jobs = NULL;
  g_autoptr (GError) error = NULL;

  if (!check_open_backend_for (check, ASB_CAPABILITY_BACKGROUND_JOBS))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AsbJob) job = asb_backend_start_job (check->backend, spec, names[i], NULL, &error);

      CHECK (check, !job && g_error_matches (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT));
      g_clear_error (&error);
    }
  jobs = asb_backend_list_jobs (check->backend, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK_COUNT (check, g_list_model_get_n_items (jobs), 0);
}

/* Its command is shown as one types it. */
static void
job_shows_its_command (Check *check)
{
  static const char *const argv[] = { "printf", "%s", "it's a \"b\"", "", NULL };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!check_open_backend_for (check, ASB_CAPABILITY_BACKGROUND_JOBS))
    return;
  asb_command_spec_set_timeout_ms (spec, PATIENCE_MS);
  job = asb_backend_start_job (check->backend, spec, NULL, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK_TEXT (check, asb_job_get_command (job), "printf %s 'it'\\''s a \"b\"' ''");
  result = asb_job_wait (job, NULL, &error);
  CHECK_NO_ERROR (check, error);
}

static void
job_is_missing (Check *check)
{
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (GError) error = NULL;

  if (!check_open_backend_for (check, ASB_CAPABILITY_BACKGROUND_JOBS))
    return;
  job = asb_backend_query_job (check->backend, "no-such-job", NULL, &error);
  CHECK (check, job == NULL && error != NULL);
  CHECK (check, error->domain == ASB_ERROR);
}

/* It fails at once with the reason, and leaves no id that nobody knows. */
static void
job_cannot_start (Check *check)
{
  static const struct
  {
    const char *program;
    const char *cwd;
    AsbError code;
  } cases[] = {
    { "/nope/prog", NULL, ASB_ERROR_COMMAND_NOT_FOUND },
    { "true", "/nope", ASB_ERROR_WORKING_DIRECTORY },
    { "true", "/etc/passwd", ASB_ERROR_WORKING_DIRECTORY },
  };

  if (!check_open_backend_for (check, ASB_CAPABILITY_BACKGROUND_JOBS))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *argv[] = { cases[i].program, NULL };
      g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
      g_autoptr (AsbJob) job = NULL;
      g_autoptr (GListModel) jobs = NULL;
      g_autoptr (GError) error = NULL;

      asb_command_spec_set_cwd (spec, cases[i].cwd);
      job = asb_backend_start_job (check->backend, spec, NULL, NULL, &error);
      CHECK (check, job == NULL && g_error_matches (error, ASB_ERROR, (int)cases[i].code));
      g_clear_error (&error);
      jobs = asb_backend_list_jobs (check->backend, NULL, &error);
      CHECK_NO_ERROR (check, error);
      CHECK (check, g_list_model_get_n_items (jobs) == 0);
    }
}

/* The command has a terminal of the size that was asked for, and its end is seen as any other. */
static void
terminal (Check *check)
{
  g_autoptr (AsbCommandSpec) spec = new_spec ("test -t 0 && test -t 1 && stty size; exit 5");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (!check_open_backend_for (check, ASB_CAPABILITY_COMMAND_TERMINAL))
    return;
  asb_command_spec_set_tty (spec, TRUE);
  asb_command_spec_set_rows (spec, 31);
  asb_command_spec_set_columns (spec, 97);
  result = asb_backend_execute (check->backend, spec, NULL, &error);
  CHECK_NO_ERROR (check, error);
  text = asb_command_result_dup_stdout_text (result);
  CHECK_TEXT (check, text, "31 97\r\n");
  CHECK_COUNT (check, asb_command_result_get_exit_status (result), 5);
}

/* Where a shell stands between it tells a signal as 128 more. */
static gboolean
was_interrupted (AsbCommand *command)
{
  if (asb_command_get_if_signaled (command))
    return asb_command_get_term_sig (command) == SIGINT;
  return asb_command_get_if_exited (command)
         && asb_command_get_exit_status (command) == 128 + SIGINT;
}

/* What is typed arrives, and a key may be a signal. No shell's trap is asked for: a shell that is
 * about to read does not look at a signal that comes just before it does. */
static void
terminal_keys (Check *check)
{
  g_autoptr (AsbCommandSpec) spec
      = new_spec ("stty -echo; echo ready; read -r line; echo \"got $line\"; exec sleep 1000");
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GDataInputStream) lines = NULL;
  g_autofree char *line = NULL;
  g_autofree char *answer = NULL;
  g_autoptr (GError) error = NULL;

  if (!check_open_backend_for (check, ASB_CAPABILITY_COMMAND_TERMINAL))
    return;
  asb_command_spec_set_tty (spec, TRUE);
  asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  command = asb_backend_start_command (check->backend, spec, NULL, &error);
  CHECK_NO_ERROR (check, error);
  lines = g_data_input_stream_new (asb_command_get_stdout_pipe (command));
  g_data_input_stream_set_newline_type (lines, G_DATA_STREAM_NEWLINE_TYPE_CR_LF);
  line = g_data_input_stream_read_line (lines, NULL, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK_TEXT (check, line, "ready");
  g_output_stream_write_all (asb_command_get_stdin_pipe (command), "word\n", 5, NULL, NULL, &error);
  CHECK_NO_ERROR (check, error);
  answer = g_data_input_stream_read_line (lines, NULL, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK_TEXT (check, answer, "got word");
  g_output_stream_write_all (asb_command_get_stdin_pipe (command), "\003", 1, NULL, NULL, &error);
  CHECK_NO_ERROR (check, error);
  asb_command_wait (command, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, was_interrupted (command));
}

void
check_jobs (Check *check)
{
  check_run (check, "jobs/run", job_runs);
  check_run (check, "jobs/found", job_is_found);
  check_run (check, "jobs/name", job_has_a_name);
  check_run (check, "jobs/command", job_shows_its_command);
  check_run (check, "jobs/missing", job_is_missing);
  check_run (check, "jobs/cannot-start", job_cannot_start);
  check_run (check, "terminal/size", terminal);
  check_run (check, "terminal/keys", terminal_keys);
}
