/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-jobs.h"
#include "tool-no-record.h"

static gboolean
stop (Tool *tool, AsbJob *job, GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbCommandResult) result = NULL;

  asb_job_stop_async (job, tool->cancellable, tool_wait_cb, &wait);
  result = asb_job_stop_finish (job, tool_wait (&wait), error);
  return result != NULL;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_jobs_each (tool, parsed, stop);
}

static const ToolExample examples[] = {
  { "asb jobs stop scratch build server", "Ends two jobs, with all they started." },
  { NULL, NULL },
};

const ToolCommand tool_command_jobs_stop = {
  .name = "jobs stop",
  .summary = "end jobs",
  .description = "Ends jobs and everything they started: TERM, and after half a second KILL. Done "
                 "when all has ended. Jobs that had ended before stay as they are.",
  .options = tool_no_record_options,
  .arguments = tool_jobs_arguments,
  .examples = examples,
  .run = run,
};
