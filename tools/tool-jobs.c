/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-jobs.h"

#include <string.h>
#include <unistd.h>

#include "tool-message.h"
#include "tool-options.h"
#include "tool-output.h"
#include "tool-run.h"
#include "tool-sandbox.h"

#define SANDBOX "the sandbox: its ID, the beginning of that, or its name"
#define JOB "the job: its ID, the number at the end of that, or its name"

const ToolArgument tool_job_arguments[] = {
  { "ID", SANDBOX, 0, TOOL_COMPLETE_SANDBOX },
  { "JOB", JOB, 0, TOOL_COMPLETE_JOB },
  { NULL },
};

const ToolArgument tool_jobs_arguments[] = {
  { "ID", SANDBOX, 0, TOOL_COMPLETE_SANDBOX },
  { "JOB", JOB, TOOL_ARGUMENT_REPEATED, TOOL_COMPLETE_JOB },
  { NULL },
};

void
tool_jobs_clear (ToolJobs *self)
{
  g_clear_object (&self->jobs);
  if (self->backend)
    tool_backend_close (self->backend);
  g_clear_object (&self->backend);
}

gboolean
tool_jobs_open_in (Tool *tool, const char *sandbox, ToolJobs *self, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  self->backend = tool_sandbox_connect (tool, sandbox, error);
  if (!self->backend)
    return FALSE;
  asb_backend_list_jobs_async (self->backend, tool->cancellable, tool_wait_cb, &wait);
  self->jobs = asb_backend_list_jobs_finish (self->backend, tool_wait (&wait), error);
  return self->jobs != NULL;
}

gboolean
tool_jobs_open (Tool *tool, const ToolParsed *parsed, ToolJobs *self, GError **error)
{
  return tool_jobs_open_in (tool, tool_parsed_get (parsed, 0), self, error);
}

static gboolean
has_number (const char *id, const char *text)
{
  const char *dash = strrchr (id, '-');

  return dash && g_str_equal (dash + 1, text);
}

static void
set_not_found (ToolJobs *self, const char *text, GError **error)
{
  g_autoptr (GPtrArray) jobs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *guess;

  for (guint i = 0; i < g_list_model_get_n_items (self->jobs); i++)
    {
      AsbJob *job = g_list_model_get_item (self->jobs, i);

      g_ptr_array_add (jobs, job);
      if (asb_job_get_name (job))
        g_ptr_array_add (names, (gpointer)asb_job_get_name (job));
    }
  g_ptr_array_add (names, NULL);
  guess = tool_options_guess ((const char *const *)names->pdata, text);
  if (guess)
    g_set_error (error, ASB_ERROR, ASB_ERROR_JOB_NOT_FOUND,
                 "There is no job “%s” in the sandbox; did you mean “%s”?", text, guess);
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_JOB_NOT_FOUND,
                 "There is no job “%s” in the sandbox; asb jobs list shows which there are", text);
}

/* Returns: (transfer full): the job with this id, the newest with this name, or the one with this
 * number at the end of its id */
static AsbJob *
find (ToolJobs *self, const char *text, GError **error)
{
  g_autoptr (AsbJob) found = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (self->jobs); i++)
    {
      g_autoptr (AsbJob) job = g_list_model_get_item (self->jobs, i);

      if (g_str_equal (asb_job_get_id (job), text))
        return g_steal_pointer (&job);
      if (g_strcmp0 (asb_job_get_name (job), text) == 0 || has_number (asb_job_get_id (job), text))
        g_set_object (&found, job);
    }
  if (!found)
    set_not_found (self, text, error);
  return g_steal_pointer (&found);
}

int
tool_jobs_do (Tool *tool, const ToolParsed *parsed,
              int (*func) (Tool *tool, ToolJobs *jobs, AsbJob *job), int failed)
{
  g_auto (ToolJobs) jobs = { 0 };
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (GError) error = NULL;

  if (tool_jobs_open (tool, parsed, &jobs, &error))
    job = find (&jobs, tool_parsed_get (parsed, 1), &error);
  if (job)
    return func (tool, &jobs, job);
  tool_message_error (error);
  return failed;
}

int
tool_jobs_each (Tool *tool, const ToolParsed *parsed, ToolJobFunc func)
{
  g_auto (ToolJobs) jobs = { 0 };
  g_autoptr (GError) connect_error = NULL;
  int status = TOOL_EXIT_DONE;

  if (!tool_jobs_open (tool, parsed, &jobs, &connect_error))
    {
      tool_message_error (connect_error);
      return TOOL_EXIT_FAILED;
    }
  for (guint i = 1; i < parsed->arguments->len; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbJob) job = find (&jobs, tool_parsed_get (parsed, i), &error);

      if (job && func (tool, job, &error))
        continue;
      status = TOOL_EXIT_FAILED;
      tool_message_error (error);
    }
  return status;
}

/* By a signal: one that ended by itself when it was told to says nothing of that. */
static gboolean
was_stopped (AsbCommandResult *result)
{
  return asb_command_result_get_state (result) == ASB_COMMAND_STATE_CANCELLED
         && asb_command_result_get_term_signal (result) > 0;
}

gboolean
tool_job_wait (Tool *tool, AsbJob *job, int *status)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_job_wait_async (job, tool->cancellable, tool_wait_cb, &wait);
  result = asb_job_wait_finish (job, tool_wait (&wait), &error);
  if (result && was_stopped (result))
    {
      tool_message ("The job was stopped");
      *status = TOOL_EXIT_SIGNAL + asb_command_result_get_term_signal (result);
    }
  else
    *status = result ? tool_run_get_result_status (result) : TOOL_EXIT_ASB;
  if (!result)
    tool_message_error (error);
  return result != NULL;
}

/* Printing. */

static void
add_result (ToolJson *json, AsbCommandResult *result)
{
  const int term_signal = result ? asb_command_result_get_term_signal (result) : 0;

  if (result && asb_command_result_get_has_exit_status (result))
    tool_json_add_integer (json, "exit_status", asb_command_result_get_exit_status (result));
  else
    tool_json_add_null (json, "exit_status");
  if (term_signal > 0)
    tool_json_add_integer (json, "signal", term_signal);
  else
    tool_json_add_null (json, "signal");
  tool_json_add_time (json, "ended_at", result ? asb_command_result_get_ended_at (result) : NULL);
}

void
tool_job_add_json (ToolJson *json, AsbJob *job)
{
  tool_json_begin_object (json, NULL);
  tool_json_add_text (json, "id", asb_job_get_id (job));
  tool_json_add_text (json, "name", asb_job_get_name (job));
  tool_json_add_text (json, "command", asb_job_get_command (job));
  tool_json_add_integer (json, "pid", asb_job_get_pid (job));
  tool_json_add_enum (json, "state", ASB_TYPE_COMMAND_STATE, asb_job_get_state (job));
  tool_json_add_time (json, "started_at", asb_job_get_started_at (job));
  add_result (json, asb_job_get_result (job));
  tool_json_add_integer (json, "stdout_bytes", (gint64)asb_job_get_stdout_total (job));
  tool_json_add_integer (json, "stdout_first", (gint64)asb_job_get_stdout_first (job));
  tool_json_add_integer (json, "stderr_bytes", (gint64)asb_job_get_stderr_total (job));
  tool_json_add_integer (json, "stderr_first", (gint64)asb_job_get_stderr_first (job));
  tool_json_add_text (json, "output_error", asb_job_get_output_error (job));
  tool_json_add_text (json, "record_error", asb_job_get_record_error (job));
  tool_json_end_object (json);
}

typedef struct
{
  guint n_pending;
  int status;
} Printing;

/* One of the two outputs on its way. */
typedef struct
{
  Printing *printing;
  Tool *tool;
  AsbJob *job;
  AsbOutputStream which;
  gboolean follow;
  guint64 offset;
  guint64 count; /* bytes copied since */
} Output;

static void open_output (Output *output);

static void
say_missing (const Output *output, guint64 n_bytes)
{
  tool_message ("%" G_GUINT64_FORMAT " bytes of standard %s are missing here: no more is kept",
                n_bytes, output->which == ASB_OUTPUT_STREAM_STDERR ? "error" : "output");
}

/* Goes on where what is kept begins. */
static gboolean
skip_dropped (Output *output, const GError *error)
{
  AsbErrorInfo *info = asb_error_get_info (error);
  GVariant *details = info ? asb_error_info_get_details (info) : NULL;
  gint64 first;

  if (!g_error_matches (error, ASB_ERROR, ASB_ERROR_OUTPUT_DROPPED) || !details
      || !g_variant_lookup (details, "first_offset", "x", &first)
      || first <= (gint64)output->offset)
    return FALSE;
  say_missing (output, (guint64)first - output->offset);
  output->offset = (guint64)first;
  open_output (output);
  return TRUE;
}

/* @error: NULL at the end. */
static void
part_ended (Output *output, const GError *error)
{
  if (error && skip_dropped (output, error))
    return;
  if (error && output->printing->status == TOOL_EXIT_DONE)
    output->printing->status = tool_output_fail (error);
  output->printing->n_pending--;
}

static void
copied_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Output *output = user_data;
  g_autoptr (GError) error = NULL;

  tool_copy_finish (result, &error);
  output->offset += output->count;
  output->count = 0;
  part_ended (output, error);
}

static void
opened_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Output *output = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GInputStream) stream = asb_job_open_output_finish (output->job, result, &error);
  const int fd = output->which == ASB_OUTPUT_STREAM_STDERR ? STDERR_FILENO : STDOUT_FILENO;

  if (stream)
    tool_copy_async (stream, fd, &output->count, output->tool->cancellable, copied_cb, output);
  else
    part_ended (output, error);
}

static void
open_output (Output *output)
{
  asb_job_open_output_async (output->job, output->which, (gint64)output->offset, output->follow,
                             output->tool->cancellable, opened_cb, output);
}

int
tool_job_print (Tool *tool, AsbJob *job, gboolean follow)
{
  Printing printing = { 2, TOOL_EXIT_DONE };
  Output outputs[] = {
    { &printing, tool, job, ASB_OUTPUT_STREAM_STDOUT, follow, asb_job_get_stdout_first (job), 0 },
    { &printing, tool, job, ASB_OUTPUT_STREAM_STDERR, follow, asb_job_get_stderr_first (job), 0 }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (outputs); i++)
    {
      if (outputs[i].offset > 0)
        say_missing (&outputs[i], outputs[i].offset);
      open_output (&outputs[i]);
    }
  while (printing.n_pending > 0)
    g_main_context_iteration (NULL, TRUE);
  return printing.status;
}
