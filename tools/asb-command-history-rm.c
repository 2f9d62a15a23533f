/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-message.h"
#include "tool-record.h"

static struct
{
  gboolean force;
} options;

static gboolean
remove_record (Tool *tool, const char *text, GError **error)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_autoptr (GError) cause = NULL;

  if (tool_sandbox_find (tool, text, TOOL_SANDBOX_ANY, &sandbox, &cause)
      && tool_record_remove (tool, sandbox.provider, sandbox.info, &cause))
    return TRUE;
  if (options.force && tool_sandbox_is_gone (cause))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  return tool_sandbox_each (tool, parsed, remove_record);
}

static const ToolOption option_entries[] = {
  { "force", 'f', TOOL_OPTION_FLAG, &options.force, NULL,
    "says nothing of records that are not there" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "a removed sandbox", TOOL_ARGUMENT_REPEATED, TOOL_COMPLETE_RECORD },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb history rm scratch", "Deletes what was kept of a removed sandbox." },
  { "asb prune --records --older-than 30d", "Deletes all that are older." },
  { NULL, NULL },
};

const ToolCommand tool_command_history_rm = {
  .name = "history rm",
  .summary = "delete the records of removed sandboxes",
  .description = "Deletes the records that were kept when their sandboxes were removed, for good. "
                 "A sandbox that is there keeps its record.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
