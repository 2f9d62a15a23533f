/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <unistd.h>

#include "tool-commands.h"
#include "tool-file.h"
#include "tool-message.h"
#include "tool-no-record.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-search.h"
#include "tool-text.h"

static struct
{
  gboolean ignore_case;
  gboolean files;
  gboolean null;
  gboolean json;
} options;

static int
print_paths (GListModel *infos)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (infos); i++)
    {
      g_autoptr (AsbFileInfo) info = g_list_model_get_item (infos, i);

      tool_search_append_path (text, asb_file_info_get_path (info));
      g_string_append_c (text, options.null ? '\0' : '\n');
    }
  return tool_output_print (text->str, text->len);
}

static AsbSearchResult *
find (Tool *tool, const ToolParsed *parsed, GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbFileSearch) search = asb_file_search_new ();
  AsbSearchResult *result;

  asb_file_search_set_pattern (search, tool_parsed_get (parsed, 1));
  asb_file_search_set_path (search, tool_parsed_get (parsed, 2));
  asb_file_search_set_max_results (search, TOOL_SEARCH_MAX_RESULTS);
  asb_file_search_set_flags (search, (options.ignore_case ? ASB_SEARCH_FLAGS_IGNORE_CASE : 0)
                                         | (options.files ? ASB_SEARCH_FLAGS_FILES : 0));
  backend = tool_sandbox_connect (tool, tool_parsed_get (parsed, 0), error);
  if (!backend)
    return NULL;
  asb_backend_find_files_async (backend, search, tool->cancellable, tool_wait_cb, &wait);
  result = asb_backend_find_files_finish (backend, tool_wait (&wait), error);
  tool_backend_close (backend);
  return result;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSearchResult) result = find (tool, parsed, &error);
  int status;

  if (!result)
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  status = options.json ? tool_files_print_json (G_LIST_MODEL (result))
                        : print_paths (G_LIST_MODEL (result));
  return status != TOOL_EXIT_DONE ? status : tool_search_say_rest (result);
}

static const ToolOption option_entries[] = {
  { "files", 'f', TOOL_OPTION_FLAG, &options.files, NULL, "finds regular files only" },
  { "ignore-case", 'i', TOOL_OPTION_FLAG, &options.ignore_case, NULL,
    "takes letters for the same whatever their case" },
  { "null", '0', TOOL_OPTION_FLAG, &options.null, NULL,
    "ends each path with a zero byte, for xargs -0" },
  TOOL_NO_RECORD_OPTION,
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "PATTERN", "what paths look like: *, ?, [a-z], {this,that}, and ** for any folders", 0 },
  { "PATH", "the folder to look in; if not given, the folder where commands run",
    TOOL_ARGUMENT_OPTIONAL },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb find scratch '*.py'", "Finds files by name, however deep." },
  { "asb find -f scratch 'src/**/test*' /workspace/project", "Finds files by their paths." },
  { NULL, NULL },
};

const ToolCommand tool_command_find_files = {
  .name = "find",
  .summary = "find files of a sandbox by a pattern",
  .description
  = "Prints the paths of the files that match a pattern, one a line. A pattern without "
    "a slash is about names, however deep; another one about paths from where it is "
    "looked for. Links are not followed.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
