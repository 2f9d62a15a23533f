/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-output.h"
#include "tool-record.h"
#include "tool-text.h"

static struct
{
  gboolean json;
} options;

static int
print_json (AsbHistoryStatus *status)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_object (json, NULL);
  tool_json_add_text (json, "state", asb_history_status_get_state (status));
  tool_json_add_text (json, "message", asb_history_status_get_message (status));
  tool_json_add_text (json, "journal_mode", asb_history_status_get_journal_mode (status));
  tool_json_add_integer (json, "database_bytes",
                         (gint64)asb_history_status_get_database_bytes (status));
  tool_json_add_integer (json, "operations", (gint64)asb_history_status_get_operations (status));
  tool_json_add_integer (json, "min_available_change_seq",
                         asb_history_status_get_min_available_seq (status));
  tool_json_add_integer (json, "max_change_seq", asb_history_status_get_max_seq (status));
  tool_json_end_object (json);
  return tool_json_print (json);
}

static int
print_text (AsbHistoryStatus *status)
{
  const char *message = asb_history_status_get_message (status);
  g_autofree char *printable = message ? tool_text_dup_printable (message, -1) : NULL;
  g_autofree char *size = tool_text_dup_size (asb_history_status_get_database_bytes (status));
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "state       %s\n", asb_history_status_get_state (status));
  if (printable && *printable)
    g_string_append_printf (text, "message     %s\n", printable);
  g_string_append_printf (text, "operations  %" G_GUINT64_FORMAT "\n",
                          asb_history_status_get_operations (status));
  g_string_append_printf (text, "size        %s\n", size);
  g_string_append_printf (text, "changes     %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT "\n",
                          asb_history_status_get_min_available_seq (status),
                          asb_history_status_get_max_seq (status));
  return tool_output_print (text->str, text->len);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolRecord) record = { 0 };
  g_autoptr (AsbHistoryStatus) status = NULL;
  g_autoptr (GError) error = NULL;

  if (tool_sandbox_find (tool, tool_parsed_get (parsed, 0), TOOL_SANDBOX_ANY, &sandbox, &error)
      && tool_record_open (tool, &sandbox, &record, &error))
    status = tool_record_get_status (tool, &record, &error);
  if (status)
    return options.json ? print_json (status) : print_text (status);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "a sandbox, also a removed one", 0, TOOL_COMPLETE_RECORD },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb history status scratch", "Tells whether all is recorded, and how much there is." },
  { NULL, NULL },
};

const ToolCommand tool_command_history_status = {
  .name = "history status",
  .summary = "tell how the record is doing",
  .description = "Tells whether the record can be written, what came in its way last, how much it "
                 "holds, and which changes are still there for those who read it on and on.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
