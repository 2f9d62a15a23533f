/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-message.h"
#include "tool-operation.h"
#include "tool-output.h"
#include "tool-record.h"
#include "tool-text.h"

#define TITLE_WIDTH 13

static struct
{
  gboolean json;
} options;

static void
append (GString *text, const char *title, const char *value)
{
  tool_text_append_entry (text, TITLE_WIDTH, title, value);
}

/* The members of a dictionary, each on a line; text as it is, anything else as GVariant has it. */
static void
append_members (GString *text, const char *title, GVariant *dictionary)
{
  GVariantIter iter;
  const char *name;
  GVariant *value;

  if (!dictionary || !g_variant_is_of_type (dictionary, G_VARIANT_TYPE_VARDICT))
    return;
  g_variant_iter_init (&iter, dictionary);
  while (g_variant_iter_loop (&iter, "{&sv}", &name, &value))
    {
      g_autofree char *shown = g_variant_is_of_type (value, G_VARIANT_TYPE_STRING)
                                   ? g_variant_dup_string (value, NULL)
                                   : g_variant_print (value, FALSE);
      g_autofree char *line = g_strdup_printf ("%s = %s", name, shown);

      if (!g_variant_is_of_type (value, G_VARIANT_TYPE_MAYBE) || g_variant_n_children (value) > 0)
        append (text, title, line);
    }
}

static void
append_operation (GString *text, AsbHistoryOperation *operation)
{
  g_autofree char *number
      = g_strdup_printf ("%" G_GINT64_FORMAT " (%s)", asb_history_operation_get_seq (operation),
                         asb_history_operation_get_event_id (operation));
  g_autofree char *outcome = tool_operation_dup_outcome (operation);
  g_autofree char *duration = tool_operation_dup_duration (operation);
  g_autofree char *actor = g_strjoin (" ", asb_history_operation_get_actor_type (operation),
                                      asb_history_operation_get_actor_id (operation), NULL);

  append (text, "event", number);
  append (text, "operation", asb_history_operation_get_operation_type (operation));
  append (text, "outcome", outcome);
  append (text, "began", asb_history_operation_get_occurred_at (operation));
  append (text, "ended", asb_history_operation_get_completed_at (operation));
  append (text, "took", duration);
  append (text, "by", actor);
  append (text, "thread", asb_history_operation_get_thread_id (operation));
  append (text, "run", asb_history_operation_get_run_id (operation));
  append (text, "correlation", asb_history_operation_get_correlation_id (operation));
  append_members (text, "request", asb_history_operation_get_request (operation));
  append_members (text, "result", asb_history_operation_get_result (operation));
  append_members (text, "command", asb_history_operation_get_command (operation));
  append_members (text, "file", asb_history_operation_get_file_operation (operation));
}

static int
print_text (GPtrArray *operations)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < operations->len; i++)
    {
      if (i > 0)
        g_string_append_c (text, '\n');
      append_operation (text, operations->pdata[i]);
    }
  return tool_output_print (text->str, text->len);
}

static int
print_json (GPtrArray *operations, gboolean single)
{
  ToolJson *json = tool_json_new ();

  if (!single)
    tool_json_begin_array (json, NULL);
  for (guint i = 0; i < operations->len; i++)
    tool_operation_add_json (json, operations->pdata[i]);
  if (!single)
    tool_json_end_array (json);
  return tool_json_print (json);
}

/* Leaves only the event that is asked for. */
static gboolean
select_event (GPtrArray *operations, const char *event, GError **error)
{
  AsbHistoryOperation *operation = tool_record_find (operations, event, error);

  if (!operation)
    return FALSE;
  g_object_ref (operation);
  g_ptr_array_set_size (operations, 0);
  g_ptr_array_add (operations, operation);
  return TRUE;
}

static GPtrArray *
read_operations (Tool *tool, const ToolParsed *parsed, GError **error)
{
  const char *event = tool_parsed_get (parsed, 1);
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolRecord) record = { 0 };
  g_autoptr (GPtrArray) operations = NULL;

  if (!tool_sandbox_find (tool, tool_parsed_get (parsed, 0), TOOL_SANDBOX_ANY, &sandbox, error)
      || !tool_record_open (tool, &sandbox, &record, error))
    return NULL;
  operations = tool_record_get_operations (tool, &record, error);
  if (!operations || (event && !select_event (operations, event, error)))
    return NULL;
  return g_steal_pointer (&operations);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) operations = read_operations (tool, parsed, &error);

  if (!operations)
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  if (options.json)
    return print_json (operations, tool_parsed_get (parsed, 1) != NULL);
  return print_text (operations);
}

static const ToolOption option_entries[] = {
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "a sandbox, also a removed one", 0, TOOL_COMPLETE_RECORD },
  { "EVENT",
    "the number of the event in asb history list, its ID, or the beginning of that; if not "
    "given, all are shown",
    TOOL_ARGUMENT_OPTIONAL },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb history show scratch 3", "Shows the third event that asb history list numbers." },
  { "asb history show scratch --json | jq '.[] | select(.status == \"failed\")'",
    "Shows all that failed." },
  { NULL, NULL },
};

const ToolCommand tool_command_history_show = {
  .name = "history show",
  .summary = "show all that is known of an event",
  .description
  = "Shows everything that the record knows of one event, or of all: who did it, when, "
    "what was asked for and what came of it.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
