/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <unistd.h>

#include "tool-commands.h"
#include "tool-output.h"
#include "tool-progress.h"
#include "tool-record.h"
#include "tool-target.h"

#define STANDARD_OUTPUT "-"
#define MODE 0600

static GInputStream *
open_export (Tool *tool, const ToolRecord *record, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  asb_history_store_export_async (record->store, tool->cancellable, tool_wait_cb, &wait);
  return asb_history_store_export_finish (record->store, tool_wait (&wait), error);
}

static gboolean
copy (Tool *tool, GInputStream *stream, int fd, GError **error)
{
  g_auto (ToolProgress) progress = { 0 };
  g_auto (ToolWait) wait = { 0 };

  tool_progress_begin (&progress, "the record", 0);
  tool_copy_async (stream, fd, &progress.count, tool->cancellable, tool_wait_cb, &wait);
  return tool_copy_finish (tool_wait (&wait), error);
}

static gboolean
export_to (Tool *tool, const ToolSandbox *sandbox, const ToolRecord *record, const char *local,
           GError **error)
{
  g_auto (ToolTarget) target = { .fd = -1 };
  g_autofree char *name = g_strconcat (tool_sandbox_get_id (sandbox->info), ".sqlite3", NULL);
  g_autoptr (GInputStream) stream = open_export (tool, record, error);

  if (!stream)
    return FALSE;
  if (g_str_equal (local, STANDARD_OUTPUT))
    return copy (tool, stream, STDOUT_FILENO, error);
  return tool_target_open (&target, local, name, MODE, error)
         && copy (tool, stream, target.fd, error) && tool_target_commit (&target, error);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolRecord) record = { 0 };
  g_autoptr (GError) error = NULL;

  if (tool_sandbox_find (tool, tool_parsed_get (parsed, 0), TOOL_SANDBOX_ANY, &sandbox, &error)
      && tool_record_open (tool, &sandbox, &record, &error)
      && export_to (tool, &sandbox, &record, tool_parsed_get (parsed, 1), &error))
    return TOOL_EXIT_DONE;
  return tool_output_fail (error);
}

static const ToolArgument arguments[] = {
  { "ID", "a sandbox, also a removed one", 0, TOOL_COMPLETE_RECORD },
  { "LOCAL", "the file of this machine, or the folder to put it into; - is standard output", 0,
    TOOL_COMPLETE_FILE },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb history export scratch record.sqlite3", "Keeps the record as a file." },
  { "sqlite3 record.sqlite3 \"SELECT operation_type, status FROM history_events\"",
    "Looks into it with SQLite." },
  { NULL, NULL },
};

const ToolCommand tool_command_history_export = {
  .name = "history export",
  .summary = "copy the record as one SQLite database",
  .description
  = "Copies the whole record, as it is at one moment, into one file that any program "
    "with SQLite reads. Work in the sandbox goes on meanwhile. It is written aside and "
    "put in its place when it is whole, and only you may read it.",
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
