/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-egress.h"

static struct
{
  const char *rest;
  GPtrArray *allowed;
  GPtrArray *denied;
} options;

static void
add_rules (AsbNetworkPolicy *policy, AsbNetworkAction action, GPtrArray *targets)
{
  for (guint i = 0; targets && i < targets->len; i++)
    asb_network_policy_add_rule (policy, action, targets->pdata[i]);
}

/* Of what is denied and allowed both, the denial counts. */
static void
ask (Tool *tool, const ToolSandbox *sandbox, const ToolParsed *parsed, ToolWait *wait)
{
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();

  asb_network_policy_set_default_action (policy, g_strcmp0 (options.rest, "allow") == 0
                                                     ? ASB_NETWORK_ACTION_ALLOW
                                                     : ASB_NETWORK_ACTION_DENY);
  add_rules (policy, ASB_NETWORK_ACTION_DENY, options.denied);
  add_rules (policy, ASB_NETWORK_ACTION_ALLOW, options.allowed);
  asb_provider_set_network_policy_async (sandbox->provider, tool_sandbox_get_id (sandbox->info),
                                         policy, tool->cancellable, tool_wait_cb, wait);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_egress_run (tool, parsed, ask, asb_provider_set_network_policy_finish);
}

static const ToolOption option_entries[] = {
  { "allow", '\0', TOOL_OPTION_TEXTS, &options.allowed, "TARGET", "lets the sandbox reach this" },
  { "deny", '\0', TOOL_OPTION_TEXTS, &options.denied, "TARGET",
    "keeps it from reaching this, even where --allow speaks of it too" },
  { "rest", '\0', TOOL_OPTION_TEXT, &options.rest, "ACTION",
    "allow or deny: what holds for everything else; deny if not given", TOOL_COMPLETE_NOTHING,
    TOOL_GROUP_OWN, tool_egress_actions },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb egress set --allow example.org --allow '*.example.org' opensandbox:5f2c",
    "Lets it reach that and nothing else." },
  { NULL, NULL },
};

const ToolCommand tool_command_egress_set = {
  .name = "egress set",
  .summary = "replace what a sandbox may reach",
  .description
  = "Replaces all rules for what a sandbox may reach, and prints them. Without options "
    "it may reach nothing then.",
  .options = option_entries,
  .more_options = tool_egress_options,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
