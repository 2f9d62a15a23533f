/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-message.h"
#include "tool-sandbox.h"

static struct
{
  gboolean force;
} options;

static gboolean
remove_sandbox (Tool *tool, const char *text, GError **error)
{
  g_auto (ToolSandbox) sandbox = { 0 };

  return tool_sandbox_find (tool, text, TOOL_SANDBOX_LIVE, &sandbox, error)
         && tool_sandbox_remove (tool, sandbox.provider, sandbox.info, error);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  int status = TOOL_EXIT_DONE;

  for (guint i = 0; i < parsed->arguments->len; i++)
    {
      g_autoptr (GError) error = NULL;

      if (remove_sandbox (tool, tool_parsed_get (parsed, i), &error)
          || (options.force && tool_sandbox_is_gone (error)))
        continue;
      status = TOOL_EXIT_FAILED;
      tool_message_error (error);
      if (g_cancellable_is_cancelled (tool->cancellable))
        break;
    }
  return status;
}

static const ToolOption option_entries[] = {
  { "force", 'f', TOOL_OPTION_FLAG, &options.force, NULL,
    "says nothing of sandboxes that are not there" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "a sandbox: its ID, the beginning of that, or its name", TOOL_ARGUMENT_REPEATED,
    TOOL_COMPLETE_SANDBOX },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb rm scratch", "Removes one sandbox." },
  { "asb list --json | jq -r '.[].id' | xargs asb rm", "Removes all of them." },
  { NULL, NULL },
};

const ToolCommand tool_command_rm = {
  .name = "rm",
  .summary = "remove sandboxes",
  .description
  = "Ends everything that runs in the sandboxes and removes them with all their files. "
    "The record of what was done in them is kept: see asb history, and asb history rm.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
