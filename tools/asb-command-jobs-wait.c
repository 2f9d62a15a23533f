/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-jobs.h"

static struct
{
  gboolean json;
} options;

/* The exit status is that of the job, unless it cannot be told. */
static int
print_json (AsbJob *job, int status)
{
  ToolJson *json = tool_json_new ();
  int printed;

  tool_job_add_json (json, job);
  printed = tool_json_print (json);
  return printed == TOOL_EXIT_DONE ? status : TOOL_EXIT_ASB;
}

static int
wait_for_job (Tool *tool, AsbJob *job)
{
  const int status = tool_job_wait (tool, job);

  return options.json && asb_job_get_result (job) ? print_json (job, status) : status;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_jobs_do (tool, parsed, wait_for_job, TOOL_EXIT_ASB);
}

static const ToolOption option_entries[] = {
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL,
    "prints what is known of the job then as JSON, for programs" },
  { NULL },
};

const ToolCommand tool_command_jobs_wait = {
  .name = "jobs wait",
  .summary = "wait until a job has ended",
  .description = "Waits until a job has ended, and ends with the exit status of its command; if a "
                 "signal ended that, also that of asb jobs stop, with 128 and the signal's "
                 "number.",
  .options = option_entries,
  .arguments = tool_job_arguments,
  .usage_status = TOOL_EXIT_ASB,
  .run = run,
};
