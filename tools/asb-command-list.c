/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-listing.h"
#include "tool-message.h"
#include "tool-sandbox.h"
#include "tool-server.h"
#include "tool-setting.h"

static struct
{
  gboolean all;
  gboolean json;
  const char *provider;
  GPtrArray *metadata;
} options;

static int
run (Tool *tool, const ToolParsed *parsed)
{
  const ToolSandboxScope scope = options.all ? TOOL_SANDBOX_ANY : TOOL_SANDBOX_LIVE;
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) metadata
      = tool_setting_new_table (options.metadata, "--metadata", "team=x", &error);
  const char *name = options.provider ? options.provider : tool_server_get_default_provider ();
  AsbProvider *provider = metadata ? tool_get_provider (tool, name, &error) : NULL;
  g_autoptr (GPtrArray) infos
      = provider ? tool_sandbox_list_with (tool, provider, scope, metadata, &error) : NULL;

  if (!infos)
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  return tool_listing_print (infos, options.json);
}

static const ToolOption option_entries[] = {
  { "all", 'a', TOOL_OPTION_FLAG, &options.all, NULL,
    "lists removed sandboxes too, as long as there is a record of them" },
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { "provider", '\0', TOOL_OPTION_TEXT, &options.provider, "NAME",
    "lists the sandboxes of this provider; local if not given", TOOL_COMPLETE_PROVIDER },
  { "metadata", '\0', TOOL_OPTION_TEXTS, &options.metadata, "NAME=VALUE",
    "lists only sandboxes with this label; given more than once, with all of them" },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb list", "Shows what is there, oldest first." },
  { "asb list --json | jq -r '.[].id'", "Prints whole IDs, for a script." },
  { NULL, NULL },
};

const ToolCommand tool_command_list = {
  .name = "list",
  .summary = "list sandboxes",
  .description
  = "Lists sandboxes with their names, IDs, states and ages. The IDs are cut to as many "
    "characters as tell them apart; that is enough for other commands.",
  .options = option_entries,
  .examples = examples,
  .run = run,
};
