/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"

static const ToolCommand *const children[] = {
  &tool_command_egress_get,  &tool_command_egress_set,    &tool_command_egress_allow,
  &tool_command_egress_deny, &tool_command_egress_remove, NULL,
};

static const ToolExample examples[] = {
  { "asb egress get opensandbox:5f2c", "Shows what it may reach." },
  { "asb egress allow opensandbox:5f2c example.org", "Lets it reach more." },
  { NULL, NULL },
};

const ToolCommand tool_command_egress = {
  .name = "egress",
  .summary = "say what a sandbox may reach on the network",
  .description
  = "Rules say which names and addresses a sandbox may reach. Of names the first one that speaks "
    "of one counts, of addresses any that denies before all that allow, and what none speaks of is "
    "allowed or denied as a whole. They are there for sandboxes that were made with a network "
    "policy, by a provider that has them.",
  .children = children,
  .examples = examples,
};
