/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-sandbox.h"

static const ToolCommand *const children[] = {
  &tool_command_jobs_list,   &tool_command_jobs_logs,
  &tool_command_jobs_attach, &tool_command_jobs_wait,
  &tool_command_jobs_stop,   &tool_command_jobs_signal,
  &tool_command_jobs_rm,     NULL,
};

static gboolean
is_sandbox (Tool *tool, const char *word)
{
  return tool_sandbox_exists (tool, word, TOOL_SANDBOX_LIVE);
}

static const ToolExample examples[] = {
  { "asb exec -d --name server scratch -- python3 -m http.server", "Starts a job." },
  { "asb jobs list scratch", "Shows which there are." },
  { "asb jobs logs -f scratch server", "Prints what it has printed, and goes on with it." },
  { "asb jobs stop scratch server", "Ends it." },
  { NULL, NULL },
};

const ToolCommand tool_command_jobs = {
  .name = "jobs",
  .summary = "look after commands that run for themselves",
  .description
  = "Jobs are commands that asb exec --detach has started. They run on in their sandbox until they "
    "end, are stopped, or the sandbox is removed. What they print is kept there: the last 8 MiB of "
    "standard output and of standard error. A sandbox knows 1,000 jobs; those that ended first are "
    "forgotten when more come. The record has them as any command: see asb history.\n\n"
    "Without a command it is asb jobs list: asb jobs scratch.",
  .children = children,
  .usual_child = &tool_command_jobs_list,
  .is_usual = is_sandbox,
  .examples = examples,
};
