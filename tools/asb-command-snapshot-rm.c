/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-sandbox.h"
#include "tool-snapshot.h"

static gboolean
remove_snapshot (Tool *tool, const char *text, GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  const char *id;
  AsbProvider *provider = tool_snapshot_parse (tool, text, &id, error);

  if (!provider)
    return FALSE;
  asb_provider_delete_snapshot_async (provider, id, tool->cancellable, tool_wait_cb, &wait);
  return asb_provider_delete_snapshot_finish (provider, tool_wait (&wait), error);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_sandbox_each (tool, parsed, remove_snapshot);
}

static const ToolArgument arguments[] = {
  { "SNAPSHOT", "its whole ID, or PROVIDER:ID as asb snapshot create prints it",
    TOOL_ARGUMENT_REPEATED, TOOL_COMPLETE_SNAPSHOT },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb snapshot rm opensandbox:5f3e", "Removes one snapshot." },
  { NULL, NULL },
};

const ToolCommand tool_command_snapshot_rm = {
  .name = "snapshot rm",
  .summary = "remove snapshots",
  .description = "Removes snapshots. Sandboxes that were made of them stay; some servers refuse to "
                 "remove a snapshot while there are such.",
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
