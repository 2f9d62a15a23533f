/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-message.h"
#include "tool-operation.h"
#include "tool-output.h"
#include "tool-record.h"

static struct
{
  gboolean use_stderr;
} options;

static const char *
find_command (GPtrArray *operations, const char *event, GError **error)
{
  AsbHistoryOperation *operation = tool_record_find (operations, event, error);

  if (operation && !tool_operation_is_command (operation))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "Event “%s” is no command, so it has no output; see asb history list", event);
      return NULL;
    }
  return operation ? asb_history_operation_get_event_id (operation) : NULL;
}

static gboolean
print_output (Tool *tool, const ToolParsed *parsed, GError **error)
{
  const AsbOutputStream stream
      = options.use_stderr ? ASB_OUTPUT_STREAM_STDERR : ASB_OUTPUT_STREAM_STDOUT;
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolRecord) record = { 0 };
  g_autoptr (GPtrArray) operations = NULL;
  const char *event_id;

  if (!tool_sandbox_find (tool, tool_parsed_get (parsed, 0), TOOL_SANDBOX_ANY, &sandbox, error)
      || !tool_record_open (tool, &sandbox, &record, error))
    return FALSE;
  operations = tool_record_get_operations (tool, &record, error);
  if (!operations)
    return FALSE;
  event_id = find_command (operations, tool_parsed_get (parsed, 1), error);
  return event_id && tool_record_copy_output (tool, &record, event_id, stream, error);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;

  return print_output (tool, parsed, &error) ? TOOL_EXIT_DONE : tool_output_fail (error);
}

static const ToolOption option_entries[] = {
  { "stderr", '\0', TOOL_OPTION_FLAG, &options.use_stderr, NULL,
    "prints what went to standard error instead" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "a sandbox, also a removed one", 0, TOOL_COMPLETE_RECORD },
  { "EVENT", "the number of the command in asb history list, its ID, or the beginning of that" },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb history output scratch 3", "Prints again what the command of that event printed." },
  { "asb history output --stderr scratch 3", "Prints what it complained about." },
  { NULL, NULL },
};

const ToolCommand tool_command_history_output = {
  .name = "history output",
  .summary = "print again what a command printed",
  .description = "Prints what a command wrote to standard output, byte for byte, as far as it was "
                 "kept: of very long output the record keeps the beginning.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
