/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-jobs.h"
#include "tool-no-record.h"

static gboolean
forget (Tool *tool, AsbJob *job, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  asb_job_remove_async (job, tool->cancellable, tool_wait_cb, &wait);
  return asb_job_remove_finish (job, tool_wait (&wait), error);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_jobs_each (tool, parsed, forget);
}

static const ToolExample examples[] = {
  { "asb jobs rm scratch build", "Forgets one job." },
  { NULL, NULL },
};

const ToolCommand tool_command_jobs_rm = {
  .name = "jobs rm",
  .summary = "forget jobs that have ended",
  .description = "Forgets jobs that have ended, with what is kept of their output. The record of "
                 "them stays: see asb history.",
  .options = tool_no_record_options,
  .arguments = tool_jobs_arguments,
  .examples = examples,
  .run = run,
};
