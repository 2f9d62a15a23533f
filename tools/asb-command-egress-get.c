/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-egress.h"

static void
ask (Tool *tool, const ToolSandbox *sandbox, const ToolParsed *parsed, ToolWait *wait)
{
  asb_provider_get_network_policy_async (sandbox->provider, tool_sandbox_get_id (sandbox->info),
                                         tool->cancellable, tool_wait_cb, wait);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_egress_run (tool, parsed, ask, asb_provider_get_network_policy_finish);
}

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb egress get opensandbox:0a1b", "Shows the rules, and what holds for the rest." },
  { "asb egress get --json opensandbox:0a1b", "Prints them for a program." },
  { NULL, NULL },
};

const ToolCommand tool_command_egress_get = {
  .name = "egress get",
  .summary = "print what a sandbox may reach",
  .description = "Prints the rules for what a sandbox may reach, in the order in which they count, "
                 "and what holds for everything else.",
  .options = tool_egress_options,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
