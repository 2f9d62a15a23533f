/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-message.h"
#include "tool-sandbox.h"

static gboolean
resume_sandbox (Tool *tool, const char *text, GError **error)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbSandboxInfo) info = NULL;

  if (!tool_sandbox_find (tool, text, TOOL_SANDBOX_LIVE, &sandbox, error))
    return FALSE;
  asb_provider_resume_sandbox_async (sandbox.provider, tool_sandbox_get_id (sandbox.info),
                                     tool->cancellable, tool_wait_cb, &wait);
  info = asb_provider_resume_sandbox_finish (sandbox.provider, tool_wait (&wait), error);
  return info != NULL;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_sandbox_each (tool, parsed, resume_sandbox);
}

static const ToolArgument arguments[] = {
  { "ID", "a sandbox: its ID, the beginning of that, or its name", TOOL_ARGUMENT_REPEATED,
    TOOL_COMPLETE_SANDBOX },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb resume opensandbox:5f2c", "Lets it go on." },
  { NULL, NULL },
};

const ToolCommand tool_command_resume = {
  .name = "resume",
  .summary = "let held sandboxes go on",
  .description = "Lets sandboxes that asb pause has frozen go on where they were.",
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
