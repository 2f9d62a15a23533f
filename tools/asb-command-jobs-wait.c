/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-jobs.h"
#include "tool-message.h"
#include "tool-no-record.h"

static struct
{
  gboolean json;
} options;

/* As it is now that it has ended. */
static gboolean
print_json (Tool *tool, AsbBackend *backend, const char *id)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (GError) error = NULL;
  ToolJson *json;

  asb_backend_query_job_async (backend, id, tool->cancellable, tool_wait_cb, &wait);
  job = asb_backend_query_job_finish (backend, tool_wait (&wait), &error);
  if (!job)
    {
      tool_message_error (error);
      return FALSE;
    }
  json = tool_json_new ();
  tool_job_add_json (json, job);
  return tool_json_print (json) == TOOL_EXIT_DONE;
}

/* The exit status is that of the job, unless it cannot be told. */
static int
wait_for_job (Tool *tool, ToolJobs *jobs, AsbJob *job)
{
  int status;

  if (tool_job_wait (tool, job, &status) && options.json
      && !print_json (tool, jobs->backend, asb_job_get_id (job)))
    return TOOL_EXIT_ASB;
  return status;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_jobs_do (tool, parsed, wait_for_job, TOOL_EXIT_ASB);
}

static const ToolOption option_entries[] = {
  TOOL_NO_RECORD_OPTION,
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL,
    "prints what is known of the job then as JSON, for programs" },
  { NULL },
};

static const ToolExample examples[] = {
  { "job=$(asb exec -d scratch -- make)", "Starts a job, and keeps its ID." },
  { "asb jobs wait scratch \"$job\" && echo built", "Goes on when it has succeeded." },
  { "asb jobs wait --json scratch build | jq .exit_status", "Prints how it ended." },
  { NULL, NULL },
};

const ToolCommand tool_command_jobs_wait = {
  .name = "jobs wait",
  .summary = "wait until a job has ended",
  .description = "Waits until a job has ended, and ends with the exit status of its command; if a "
                 "signal ended that, also that of asb jobs stop, with 128 and the signal's "
                 "number.",
  .options = option_entries,
  .arguments = tool_job_arguments,
  .examples = examples,
  .usage_status = TOOL_EXIT_ASB,
  .run = run,
};
