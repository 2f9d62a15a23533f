/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>
#include <unistd.h>

#include "tool-commands.h"
#include "tool-follow.h"
#include "tool-listing.h"
#include "tool-message.h"
#include "tool-operation.h"
#include "tool-output.h"
#include "tool-record.h"
#include "tool-table.h"
#include "tool-text.h"

static struct
{
  gboolean json;
  gboolean follow;
} options;

static int
print_sandboxes (GPtrArray *infos)
{
  static const char *const titles[] = { "NAME", "ID", "STATE", "CREATED", NULL };
  ToolTable *table = tool_table_new (titles);
  const guint length = tool_sandbox_get_short_length (infos);

  for (guint i = 0; i < infos->len; i++)
    {
      AsbSandboxInfo *info = infos->pdata[i];
      g_autofree char *id = g_strndup (tool_sandbox_get_id (info), length);
      g_autofree char *created = tool_text_dup_time (asb_sandbox_info_get_created_at (info));
      const char *const cells[]
          = { asb_sandbox_info_get_name (info), id, tool_sandbox_get_state (info), created };

      tool_table_add_row (table, cells);
    }
  return tool_table_print (table);
}

static int
list_sandboxes (Tool *tool, GError **error)
{
  AsbProvider *provider = tool_get_provider (tool, TOOL_LOCAL_PROVIDER, error);
  g_autoptr (GPtrArray) infos
      = provider ? tool_sandbox_list (tool, provider, TOOL_SANDBOX_ANY, error) : NULL;

  if (!infos)
    return TOOL_EXIT_FAILED;
  return options.json ? tool_listing_print (infos, TRUE) : print_sandboxes (infos);
}

static int
print_operations (GPtrArray *operations)
{
  ToolJson *json;
  g_autofree char *table = NULL;

  if (!options.json)
    {
      table = tool_operations_dup_table (operations, tool_text_get_columns (STDOUT_FILENO),
                                         tool_text_has_colours ());
      return tool_output_print (table, strlen (table));
    }
  json = tool_json_new ();
  tool_json_begin_array (json, NULL);
  for (guint i = 0; i < operations->len; i++)
    tool_operation_add_json (json, operations->pdata[i]);
  tool_json_end_array (json);
  return tool_json_print (json);
}

static int
list_operations (Tool *tool, const char *text, GError **error)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolRecord) record = { 0 };
  g_autoptr (GPtrArray) operations = NULL;

  if (!tool_sandbox_find (tool, text, TOOL_SANDBOX_ANY, &sandbox, error)
      || !tool_record_open (tool, &sandbox, &record, error))
    return TOOL_EXIT_FAILED;
  if (options.follow)
    return tool_follow_record (tool, &sandbox, &record, options.json, error);
  operations = tool_record_get_operations (tool, &record, error);
  return operations ? print_operations (operations) : TOOL_EXIT_FAILED;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  const char *text = tool_parsed_get (parsed, 0);
  g_autoptr (GError) error = NULL;
  int status = TOOL_EXIT_USAGE;

  if (text)
    status = list_operations (tool, text, &error);
  else if (options.follow)
    g_set_error_literal (&error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                         "There is no sandbox to follow; try asb history list --follow ID");
  else
    status = list_sandboxes (tool, &error);

  if (error)
    tool_message_error (error);
  return status;
}

static const ToolOption option_entries[] = {
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL,
    "prints JSON, for programs: everything that is known of each event" },
  { "follow", 'f', TOOL_OPTION_FLAG, &options.follow, NULL,
    "goes on with what happens, each event when it begins and when it has ended, until the sandbox "
    "is gone; with --json a document each" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "a sandbox, also a removed one; if not given, sandboxes are listed",
    TOOL_ARGUMENT_OPTIONAL, TOOL_COMPLETE_RECORD },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb history list scratch", "Shows what was done in a sandbox." },
  { "asb history list -f --json scratch | jq .status", "Tells a program as it happens." },
  { NULL, NULL },
};

const ToolCommand tool_command_history_list = {
  .name = "history list",
  .summary = "list what was done in a sandbox, or the sandboxes",
  .description = "Lists what was done in a sandbox, in the order in which it began. Without a "
                 "sandbox it lists those whose record can be shown, live or removed.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
