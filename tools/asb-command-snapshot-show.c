/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-message.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-snapshot.h"
#include "tool-text.h"

#define TITLE_WIDTH 10

static struct
{
  gboolean json;
} options;

static void
append (GString *text, const char *title, const char *value)
{
  tool_text_append_entry (text, TITLE_WIDTH, title, value);
}

static int
print_text (AsbProvider *provider, AsbSnapshot *snapshot)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *full_name = tool_snapshot_dup_full_name (provider, snapshot);
  g_autofree char *created = tool_text_dup_time (asb_snapshot_get_created_at (snapshot));

  append (text, "name", asb_snapshot_get_name (snapshot));
  append (text, "id", full_name);
  append (text, "state",
          tool_enum_get_nick (ASB_TYPE_SNAPSHOT_STATE, asb_snapshot_get_state (snapshot)));
  append (text, "message", asb_snapshot_get_message (snapshot));
  append (text, "created", created);
  append (text, "sandbox", asb_snapshot_get_sandbox_id (snapshot));
  return tool_output_print (text->str, text->len);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  const char *id;
  AsbProvider *provider = tool_snapshot_parse (tool, tool_parsed_get (parsed, 0), &id, &error);
  g_autoptr (AsbSnapshot) snapshot
      = provider ? tool_snapshot_get (tool, provider, id, &error) : NULL;

  if (snapshot)
    return options.json ? tool_snapshot_print_json (snapshot) : print_text (provider, snapshot);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "SNAPSHOT", "its whole ID, or PROVIDER:ID as asb snapshot create prints it", 0,
    TOOL_COMPLETE_SNAPSHOT },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb snapshot show opensandbox:5f3e", "Tells among other things whether it is ready." },
  { NULL, NULL },
};

const ToolCommand tool_command_snapshot_show = {
  .name = "snapshot show",
  .summary = "tell of one snapshot",
  .description = "Shows what is known of a snapshot, and whether it is ready.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
