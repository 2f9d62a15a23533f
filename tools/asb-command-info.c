/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-limits.h"
#include "tool-message.h"
#include "tool-mount.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-text.h"

#define TITLE_WIDTH 10

static struct
{
  gboolean json;
} options;

static int
print_json (AsbSandboxInfo *info)
{
  ToolJson *json = tool_json_new ();

  tool_sandbox_add_json (json, NULL, info);
  return tool_json_print (json);
}

static void
append (GString *text, const char *title, const char *value)
{
  tool_text_append_entry (text, TITLE_WIDTH, title, value);
}

static void
append_metadata (GString *text, GHashTable *metadata)
{
  GHashTableIter iter;
  gpointer name, value;

  if (!metadata)
    return;
  g_hash_table_iter_init (&iter, metadata);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      g_autofree char *pair = g_strdup_printf ("%s=%s", (char *)name, (char *)value);

      append (text, "metadata", pair);
    }
}

static void
append_mounts (GString *text, GListModel *mounts)
{
  for (guint i = 0; mounts && i < g_list_model_get_n_items (mounts); i++)
    {
      g_autoptr (AsbMount) mount = g_list_model_get_item (mounts, i);
      g_autofree char *value = tool_mount_dup_text (mount);

      append (text, "mount", value);
    }
}

/* As --limit takes it; sizes are bytes and times seconds. */
static void
append_limit (const char *name, guint64 number, gpointer user_data)
{
  g_autofree char *value = g_strdup_printf ("%s=%" G_GUINT64_FORMAT, name, number);

  if (number > 0)
    append (user_data, "limit", value);
}

static int
print_text (AsbSandboxInfo *info)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *full_name = tool_sandbox_dup_full_name (info);
  g_autofree char *created = tool_text_dup_time (asb_sandbox_info_get_created_at (info));
  g_autofree char *age = tool_text_dup_age (asb_sandbox_info_get_created_at (info));
  g_autofree char *expires = tool_text_dup_time (asb_sandbox_info_get_expires_at (info));

  append (text, "name", asb_sandbox_info_get_name (info));
  append (text, "id", full_name);
  append (text, "state",
          tool_enum_get_nick (ASB_TYPE_SANDBOX_STATE, asb_sandbox_info_get_state (info)));
  append (text, "message", asb_sandbox_info_get_message (info));
  append (text, "created", created);
  append (text, "age", age);
  append (text, "expires", expires);
  append (text, "image", asb_sandbox_info_get_image (info));
  append (text, "workdir", asb_sandbox_info_get_workdir (info));
  append_mounts (text, asb_sandbox_info_get_mounts (info));
  append (text, "network", asb_sandbox_info_get_network (info));
  if (asb_sandbox_info_get_limits (info))
    tool_limits_foreach (asb_sandbox_info_get_limits (info), append_limit, text);
  append_metadata (text, asb_sandbox_ref_get_metadata (asb_sandbox_info_get_ref (info)));
  return tool_output_print (text->str, text->len);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_autoptr (GError) error = NULL;

  if (!tool_sandbox_find (tool, tool_parsed_get (parsed, 0), TOOL_SANDBOX_ANY, &sandbox, &error))
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  return options.json ? print_json (sandbox.info) : print_text (sandbox.info);
}

static const ToolOption option_entries[] = {
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name; a removed one too", 0,
    TOOL_COMPLETE_RECORD },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb info scratch", "Shows its ID, its state, its folder and so on." },
  { NULL, NULL },
};

const ToolCommand tool_command_info = {
  .name = "info",
  .summary = "tell of one sandbox",
  .description = "Shows what is known of a sandbox.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
