/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-egress.h"

static void
ask (Tool *tool, const ToolSandbox *sandbox, const ToolParsed *parsed, ToolWait *wait)
{
  g_autoptr (GPtrArray) targets = g_ptr_array_new ();

  for (guint i = 1; i < parsed->arguments->len; i++)
    g_ptr_array_add (targets, (gpointer)tool_parsed_get (parsed, i));
  g_ptr_array_add (targets, NULL);
  asb_provider_remove_network_rules_async (sandbox->provider, tool_sandbox_get_id (sandbox->info),
                                           (const char *const *)targets->pdata, tool->cancellable,
                                           tool_wait_cb, wait);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_egress_run (tool, parsed, ask, asb_provider_remove_network_rules_finish);
}

static const ToolExample examples[] = {
  { "asb egress remove opensandbox:0a1b example.org", "Removes what was said of example.org." },
  { NULL, NULL },
};

const ToolCommand tool_command_egress_remove = {
  .name = "egress remove",
  .summary = "remove rules for what a sandbox may reach",
  .description = "Removes all rules that speak of these targets, and prints those that are left. A "
                 "target of which there is no rule is no error.",
  .options = tool_egress_options,
  .arguments = tool_egress_target_arguments,
  .examples = examples,
  .run = run,
};
