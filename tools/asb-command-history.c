/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-sandbox.h"

static const ToolCommand *const children[] = {
  &tool_command_history_list,   &tool_command_history_show,
  &tool_command_history_output, &tool_command_history_export,
  &tool_command_history_status, &tool_command_history_cleanup,
  &tool_command_history_rm,     NULL,
};

static gboolean
is_sandbox (Tool *tool, const char *word)
{
  return tool_sandbox_exists (tool, word, TOOL_SANDBOX_ANY);
}

static const ToolExample examples[] = {
  { "asb history list", "Shows which sandboxes have a record." },
  { "asb history list scratch", "Shows what was done in one of them." },
  { "asb history show scratch 4", "Shows all that is known of one event." },
  { "asb history output scratch 4", "Prints again what that command printed." },
  { NULL, NULL },
};

const ToolCommand tool_command_history = {
  .name = "history",
  .summary = "tell what was done in a sandbox",
  .description = "Shows the record of what was done in a sandbox: commands with their output, and "
                 "files. It is written inside the sandbox while things happen, and kept when the "
                 "sandbox is removed. To look at it changes nothing in it.\n\n"
                 "Without a command it is asb history list: asb history --follow scratch.",
  .children = children,
  .usual_child = &tool_command_history_list,
  .is_usual = is_sandbox,
  .examples = examples,
};
