/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a sandbox may reach on the network: what the commands asb egress … have in common. */

#pragma once

#include "tool-sandbox.h"

/* Asks the provider of @sandbox, with tool_wait_cb() and @wait. */
typedef void (*ToolEgressAskFunc) (Tool *tool, const ToolSandbox *sandbox, const ToolParsed *parsed,
                                   ToolWait *wait);
typedef AsbNetworkPolicy *(*ToolEgressFinishFunc) (AsbProvider *provider, GAsyncResult *result,
                                                   GError **error);

/* “allow” and “deny”. */
extern const char *const tool_egress_actions[];

/* --json, which every one of them has. Ends with no name. */
extern const ToolOption tool_egress_options[];
/* ID and TARGET… */
extern const ToolArgument tool_egress_target_arguments[];

/* Finds the sandbox that the first argument names, asks, and prints the policy it has then.
 * Returns: the exit status */
int tool_egress_run (Tool *tool, const ToolParsed *parsed, ToolEgressAskFunc ask,
                     ToolEgressFinishFunc finish);
/* The targets, which are the arguments after the first, as rules that go before the others. */
int tool_egress_run_patch (Tool *tool, const ToolParsed *parsed, AsbNetworkAction action);
