/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-no-record.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-search.h"

#define KIND_WIDTH 11

static struct
{
  gboolean recursive;
  gboolean json;
} options;

/* How it goes: the exit status once the watch is over, or nobody reads any more. */
typedef struct
{
  gboolean is_over;
  int status;
} Progress;

static int
print_json (AsbFileEvent *event)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_object (json, NULL);
  tool_json_add_enum (json, "event", ASB_TYPE_FILE_EVENT_KIND, asb_file_event_get_kind (event));
  tool_json_add_text (json, "path", asb_file_event_get_path (event));
  tool_json_add_text (json, "new_path", asb_file_event_get_new_path (event));
  tool_json_add_boolean (json, "is_directory", asb_file_event_get_is_directory (event));
  tool_json_add_boolean (json, "is_closed", asb_file_event_get_is_closed (event));
  tool_json_add_text (json, "message", asb_file_event_get_message (event));
  tool_json_end_object (json);
  return tool_json_print (json);
}

static int
print_text (AsbFileEvent *event)
{
  const char *kind = tool_enum_get_nick (ASB_TYPE_FILE_EVENT_KIND, asb_file_event_get_kind (event));
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "%-*s", KIND_WIDTH, kind);
  if (asb_file_event_get_path (event))
    tool_search_append_path (text, asb_file_event_get_path (event));
  if (asb_file_event_get_new_path (event))
    {
      g_string_append (text, " -> ");
      tool_search_append_path (text, asb_file_event_get_new_path (event));
    }
  g_string_append_c (text, '\n');
  return tool_output_print (text->str, text->len);
}

static void
changed_cb (AsbFileWatch *watch, AsbFileEvent *event, gpointer user_data)
{
  Progress *progress = user_data;

  if (progress->is_over)
    return;
  progress->status = options.json ? print_json (event) : print_text (event);
  progress->is_over = progress->status != TOOL_EXIT_DONE;
}

static void
ended_cb (AsbFileWatch *watch, gpointer user_data)
{
  ((Progress *)user_data)->is_over = TRUE;
}

/* Until it ends, or the user has seen enough. */
static int
follow (Tool *tool, AsbFileWatch *watch, GError **error)
{
  Progress progress = { FALSE, TOOL_EXIT_DONE };

  g_signal_connect (watch, "changed", G_CALLBACK (changed_cb), &progress);
  g_signal_connect (watch, "ended", G_CALLBACK (ended_cb), &progress);
  if (asb_file_watch_get_state (watch) != ASB_FILE_WATCH_STATE_ACTIVE)
    progress.is_over = TRUE;
  while (!progress.is_over && !g_cancellable_is_cancelled (tool->cancellable))
    g_main_context_iteration (NULL, TRUE);
  g_signal_handlers_disconnect_by_data (watch, &progress);
  if (asb_file_watch_get_state (watch) == ASB_FILE_WATCH_STATE_FAILED)
    g_propagate_error (error, asb_file_watch_dup_error (watch));
  asb_file_watch_close (watch);
  return *error ? TOOL_EXIT_FAILED : progress.status;
}

static int
watch_files (Tool *tool, AsbBackend *backend, const char *path, GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbFileWatch) watch = NULL;

  asb_backend_watch_files_async (backend, path ? path : ".",
                                 options.recursive ? ASB_FILE_FLAGS_RECURSIVE : ASB_FILE_FLAGS_NONE,
                                 tool->cancellable, tool_wait_cb, &wait);
  watch = asb_backend_watch_files_finish (backend, tool_wait (&wait), error);
  if (!watch)
    return TOOL_EXIT_FAILED;
  if (!options.json)
    tool_message ("watching “%s”", asb_file_watch_get_path (watch));
  return follow (tool, watch, error);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbBackend) backend = tool_sandbox_connect (tool, tool_parsed_get (parsed, 0), &error);
  int status = TOOL_EXIT_FAILED;

  if (backend)
    {
      status = watch_files (tool, backend, tool_parsed_get (parsed, 1), &error);
      tool_backend_close (backend);
    }
  if (error)
    tool_message_error (error);
  return status;
}

static const ToolOption option_entries[] = {
  { "recursive", 'r', TOOL_OPTION_FLAG, &options.recursive, NULL,
    "watches all folders below it, too" },
  TOOL_NO_RECORD_OPTION,
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, an object for each change" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "PATH", "the folder or file; if not given, the folder where commands run",
    TOOL_ARGUMENT_OPTIONAL },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb watch -r scratch", "Shows what changes where commands run, until Ctrl-C." },
  { "asb watch --json scratch /workspace/out | jq -r .path", "Hands the paths to a script." },
  { NULL, NULL },
};

const ToolCommand tool_command_watch = {
  .name = "watch",
  .summary = "show what changes in the files of a sandbox",
  .description
  = "Prints a line for each change of a folder or file while it happens: created, changed, "
    "deleted, moved, attributes. After “overflow” changes were lost, and after “unwatched” nothing "
    "is told of that folder any more. It ends when what is watched is gone, or by a signal.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
