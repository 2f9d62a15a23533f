/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-egress.h"

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_egress_run_patch (tool, parsed, ASB_NETWORK_ACTION_ALLOW);
}

static const ToolExample examples[] = {
  { "asb egress allow opensandbox:5f2c example.org", "Lets it fetch packages." },
  { NULL, NULL },
};

const ToolCommand tool_command_egress_allow = {
  .name = "egress allow",
  .summary = "let a sandbox reach more",
  .description
  = "Adds rules that let a sandbox reach these targets, before all others, and prints the rules.",
  .options = tool_egress_options,
  .arguments = tool_egress_target_arguments,
  .examples = examples,
  .run = run,
};
