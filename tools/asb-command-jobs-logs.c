/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-jobs.h"
#include "tool-no-record.h"

static struct
{
  gboolean follow;
} options;

static int
print (Tool *tool, ToolJobs *jobs, AsbJob *job)
{
  return tool_job_print (tool, job, options.follow);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_jobs_do (tool, parsed, print, TOOL_EXIT_FAILED);
}

static const ToolOption option_entries[] = {
  { "follow", 'f', TOOL_OPTION_FLAG, &options.follow, NULL,
    "goes on with what the job prints from now on, until it ends" },
  TOOL_NO_RECORD_OPTION,
  { NULL },
};

static const ToolExample examples[] = {
  { "asb jobs logs scratch build", "Prints what the job named build has printed." },
  { "asb jobs logs -f scratch build | grep -i error", "Looks for something in it as it comes." },
  { NULL, NULL },
};

const ToolCommand tool_command_jobs_logs = {
  .name = "jobs logs",
  .summary = "print what a job has printed",
  .description = "Prints what is kept of the output of a job, byte for byte: its standard output "
                 "to standard output, its standard error to standard error. What is not kept any "
                 "more is said to be missing.",
  .options = option_entries,
  .arguments = tool_job_arguments,
  .examples = examples,
  .run = run,
};
