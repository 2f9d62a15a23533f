/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-jobs.h"
#include "tool-no-record.h"

static int
attach (Tool *tool, ToolJobs *jobs, AsbJob *job)
{
  int status = tool_job_print (tool, job, TRUE);

  if (status == TOOL_EXIT_FAILED)
    return TOOL_EXIT_ASB;
  if (status == TOOL_EXIT_DONE)
    tool_job_wait (tool, job, &status);
  return status;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_jobs_do (tool, parsed, attach, TOOL_EXIT_ASB);
}

static const ToolExample examples[] = {
  { "asb jobs attach scratch build", "Prints all of its output, and ends as the job does." },
  { NULL, NULL },
};

const ToolCommand tool_command_jobs_attach = {
  .name = "jobs attach",
  .summary = "stay with a job until it ends",
  .description = "Prints what is kept of the output of a job and what it prints from now on, and "
                 "ends when the job does, with the exit status of its command. An interrupt ends "
                 "asb, and not the job.",
  .options = tool_no_record_options,
  .arguments = tool_job_arguments,
  .examples = examples,
  .usage_status = TOOL_EXIT_ASB,
  .run = run,
};
