/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-output.h"
#include "tool-record.h"

static struct
{
  gboolean json;
} options;

static gboolean
clean_up (Tool *tool, const ToolRecord *record, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  asb_history_store_cleanup_async (record->store, tool->cancellable, tool_wait_cb, &wait);
  return asb_history_store_cleanup_finish (record->store, tool_wait (&wait), error);
}

static int
print_json (guint64 n_deleted, AsbHistoryStatus *after)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_object (json, NULL);
  tool_json_add_integer (json, "deleted_operations", (gint64)n_deleted);
  tool_json_add_integer (json, "operations", (gint64)asb_history_status_get_operations (after));
  tool_json_add_integer (json, "database_bytes",
                         (gint64)asb_history_status_get_database_bytes (after));
  tool_json_end_object (json);
  return tool_json_print (json);
}

/* Others may have recorded something meanwhile. */
static int
report (AsbHistoryStatus *before, AsbHistoryStatus *after)
{
  const guint64 n_before = asb_history_status_get_operations (before);
  const guint64 n_after = asb_history_status_get_operations (after);
  const guint64 n_deleted = n_before > n_after ? n_before - n_after : 0;
  g_autofree char *text = g_strdup_printf ("deleted %" G_GUINT64_FORMAT
                                           " operations, %" G_GUINT64_FORMAT " are left\n",
                                           n_deleted, n_after);

  return options.json ? print_json (n_deleted, after) : tool_output_print (text, strlen (text));
}

static int
clean_up_sandbox (Tool *tool, const char *id, GError **error)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolRecord) record = { 0 };
  g_autoptr (AsbHistoryStatus) before = NULL;
  g_autoptr (AsbHistoryStatus) after = NULL;

  if (!tool_sandbox_find (tool, id, TOOL_SANDBOX_LIVE, &sandbox, error)
      || !tool_record_open (tool, &sandbox, &record, error))
    return TOOL_EXIT_FAILED;
  before = tool_record_get_status (tool, &record, error);
  if (!before || !clean_up (tool, &record, error))
    return TOOL_EXIT_FAILED;
  after = tool_record_get_status (tool, &record, error);
  return after ? report (before, after) : TOOL_EXIT_FAILED;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  const int status = clean_up_sandbox (tool, tool_parsed_get (parsed, 0), &error);

  if (error)
    tool_message_error (error);
  return status;
}

static const ToolOption option_entries[] = {
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "a sandbox", 0, TOOL_COMPLETE_SANDBOX },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb history cleanup scratch", "Deletes what the settings of the record no longer allow." },
  { NULL, NULL },
};

const ToolCommand tool_command_history_cleanup = {
  .name = "history cleanup",
  .summary = "delete from the record what is too old or too much",
  .description = "Deletes what is older than the settings of the record allow, and where the "
                 "record is larger than they allow the oldest operations. Nothing is deleted that "
                 "still runs, or that a program that follows the record has still to read. The "
                 "guest does the same by itself now and then.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
