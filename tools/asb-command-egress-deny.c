/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-egress.h"

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_egress_run_patch (tool, parsed, ASB_NETWORK_ACTION_DENY);
}

static const ToolExample examples[] = {
  { "asb egress deny opensandbox:5f2c example.org", "Keeps it from there." },
  { NULL, NULL },
};

const ToolCommand tool_command_egress_deny = {
  .name = "egress deny",
  .summary = "keep a sandbox from reaching something",
  .description = "Adds rules that keep a sandbox from reaching these targets, before all others, "
                 "and prints the rules.",
  .options = tool_egress_options,
  .arguments = tool_egress_target_arguments,
  .examples = examples,
  .run = run,
};
