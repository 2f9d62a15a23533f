/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "tool-commands.h"
#include "tool-message.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-snapshot.h"

static struct
{
  const char *name;
  gboolean json;
} options;

static int
print (AsbProvider *provider, AsbSnapshot *snapshot)
{
  g_autofree char *name = tool_snapshot_dup_full_name (provider, snapshot);
  g_autofree char *line = g_strconcat (name, "\n", NULL);

  return options.json ? tool_snapshot_print_json (snapshot)
                      : tool_output_print (line, strlen (line));
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbSnapshot) snapshot = NULL;
  g_autoptr (GError) error = NULL;

  if (tool_sandbox_find (tool, tool_parsed_get (parsed, 0), TOOL_SANDBOX_LIVE, &sandbox, &error))
    {
      asb_provider_create_snapshot_async (sandbox.provider, tool_sandbox_get_id (sandbox.info),
                                          options.name, tool->cancellable, tool_wait_cb, &wait);
      snapshot = asb_provider_create_snapshot_finish (sandbox.provider, tool_wait (&wait), &error);
    }
  if (snapshot)
    return print (sandbox.provider, snapshot);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  { "name", 'n', TOOL_OPTION_TEXT, &options.name, "NAME", "names the snapshot" },
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { NULL },
};

static const ToolExample examples[] = {
  { "snapshot=$(asb snapshot create --name built opensandbox:0a1b)",
    "Begins one, and keeps its name in a variable." },
  { "asb create --server localhost:8080 --snapshot \"$snapshot\"",
    "Makes a sandbox of it, as soon as it is ready." },
  { NULL, NULL },
};

const ToolCommand tool_command_snapshot_create = {
  .name = "snapshot create",
  .summary = "keep what a sandbox is now",
  .description
  = "Begins a snapshot of the files of a sandbox and prints its name, PROVIDER:ID. It is made in "
    "the background: asb snapshot show tells when it is ready, and asb create waits for it.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
