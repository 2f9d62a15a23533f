/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-sandbox.h"
#include "tool-server.h"
#include "tool-setting.h"
#include "tool-table.h"
#include "tool-text.h"

static struct
{
  gboolean all;
  gboolean json;
  const char *provider;
  GPtrArray *metadata;
} options;

static int
print_json (GPtrArray *infos)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_array (json, NULL);
  for (guint i = 0; i < infos->len; i++)
    tool_sandbox_add_json (json, NULL, infos->pdata[i]);
  tool_json_end_array (json);
  return tool_json_print (json);
}

static int
print_table (GPtrArray *infos)
{
  static const char *const titles[] = { "NAME", "ID", "STATE", "AGE", "IMAGE", NULL };
  ToolTable *table = tool_table_new (titles);
  const guint length = tool_sandbox_get_short_length (infos);

  for (guint i = 0; i < infos->len; i++)
    {
      AsbSandboxInfo *info = infos->pdata[i];
      g_autofree char *id = g_strndup (tool_sandbox_get_id (info), length);
      g_autofree char *age = tool_text_dup_age (asb_sandbox_info_get_created_at (info));
      const char *const cells[]
          = { asb_sandbox_info_get_name (info), id, tool_sandbox_get_state (info), age,
              asb_sandbox_info_get_image (info) };

      tool_table_add_row (table, cells);
    }
  return tool_table_print (table);
}

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
  return options.json ? print_json (infos) : print_table (infos);
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
