/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-jobs.h"
#include "tool-message.h"

static struct
{
  gboolean follow;
} options;

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_auto (ToolJobs) jobs = { 0 };
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (GError) error = NULL;

  if (tool_jobs_open (tool, parsed, &jobs, &error))
    job = tool_jobs_find (&jobs, tool_parsed_get (parsed, 1), &error);
  if (job)
    return tool_job_print (tool, job, options.follow);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  { "follow", 'f', TOOL_OPTION_FLAG, &options.follow, NULL,
    "goes on with what the job prints from now on, until it ends" },
  { NULL },
};

const ToolCommand tool_command_jobs_logs = {
  .name = "jobs logs",
  .summary = "print what a job has printed",
  .description = "Prints what is kept of the output of a job, byte for byte: its standard output "
                 "to standard output, its standard error to standard error. What is not kept any "
                 "more is said to be missing.",
  .options = option_entries,
  .arguments = tool_job_arguments,
  .run = run,
};
