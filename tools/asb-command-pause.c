/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-message.h"
#include "tool-sandbox.h"

static gboolean
pause_sandbox (Tool *tool, const char *text, GError **error)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbSandboxInfo) info = NULL;

  if (!tool_sandbox_find (tool, text, TOOL_SANDBOX_LIVE, &sandbox, error))
    return FALSE;
  asb_provider_pause_sandbox_async (sandbox.provider, tool_sandbox_get_id (sandbox.info),
                                    tool->cancellable, tool_wait_cb, &wait);
  info = asb_provider_pause_sandbox_finish (sandbox.provider, tool_wait (&wait), error);
  return info != NULL;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_sandbox_each (tool, parsed, pause_sandbox);
}

static const ToolArgument arguments[] = {
  { "ID", "a sandbox: its ID, the beginning of that, or its name", TOOL_ARGUMENT_REPEATED,
    TOOL_COMPLETE_SANDBOX },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb pause opensandbox:5f2c", "Holds one until asb resume." },
  { NULL, NULL },
};

const ToolCommand tool_command_pause = {
  .name = "pause",
  .summary = "hold sandboxes still",
  .description = "Freezes all that runs in the sandboxes, where the provider can. Commands in "
                 "them, and new ones, "
                 "wait until asb resume; the time of the sandbox to live goes on.",
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
