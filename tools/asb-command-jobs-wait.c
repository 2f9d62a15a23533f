/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-jobs.h"
#include "tool-message.h"

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_auto (ToolJobs) jobs = { 0 };
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (GError) error = NULL;

  if (tool_jobs_open (tool, parsed, &jobs, &error))
    job = tool_jobs_find (&jobs, tool_parsed_get (parsed, 1), &error);
  if (job)
    return tool_job_wait (tool, job);
  tool_message_error (error);
  return TOOL_EXIT_ASB;
}

const ToolCommand tool_command_jobs_wait = {
  .name = "jobs wait",
  .summary = "wait until a job has ended",
  .description = "Waits until a job has ended, and ends with the exit status of its command; if a "
                 "signal ended that, also that of asb jobs stop, with 128 and the signal's "
                 "number.",
  .arguments = tool_job_arguments,
  .usage_status = TOOL_EXIT_ASB,
  .run = run,
};
