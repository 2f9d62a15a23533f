/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <unistd.h>

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-no-record.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-search.h"
#include "tool-text.h"

static struct
{
  gboolean ignore_case;
  gboolean fixed;
  gboolean files;
  gboolean json;
  gboolean line_number;
  const char *include;
} options;

/* On a terminal nothing in a line does something to it; elsewhere it is byte for byte what it is.
 */
static void
append_line (GString *text, AsbTextMatch *match)
{
  gsize size;
  const char *bytes = g_bytes_get_data (asb_text_match_get_bytes (match), &size);
  g_autofree char *printable = NULL;

  if (!bytes)
    return;
  if (!tool_text_is_terminal (STDOUT_FILENO))
    {
      g_string_append_len (text, bytes, (gssize)size);
      return;
    }
  printable = tool_text_dup_printable (bytes, (gssize)size);
  g_string_append (text, printable);
}

static int
print_matches (GListModel *matches)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (matches); i++)
    {
      g_autoptr (AsbTextMatch) match = g_list_model_get_item (matches, i);

      tool_search_append_path (text, asb_text_match_get_path (match));
      g_string_append_printf (text, ":%" G_GUINT64_FORMAT ":",
                              asb_text_match_get_line_number (match));
      append_line (text, match);
      g_string_append_c (text, '\n');
    }
  return tool_output_print (text->str, text->len);
}

static void
add_match (ToolJson *json, AsbTextMatch *match)
{
  gsize size;
  const char *bytes = g_bytes_get_data (asb_text_match_get_bytes (match), &size);
  g_autofree char *line = g_strndup (bytes ? bytes : "", size);

  tool_json_begin_object (json, NULL);
  tool_json_add_text (json, "path", asb_text_match_get_path (match));
  tool_json_add_integer (json, "line_number", (gint64)asb_text_match_get_line_number (match));
  tool_json_add_integer (json, "column", asb_text_match_get_column (match));
  tool_json_add_integer (json, "offset", (gint64)asb_text_match_get_offset (match));
  tool_json_add_text (json, "text", line);
  tool_json_add_boolean (json, "truncated", asb_text_match_get_truncated (match));
  tool_json_end_object (json);
}

static int
print_json (GListModel *matches)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_array (json, NULL);
  for (guint i = 0; i < g_list_model_get_n_items (matches); i++)
    {
      g_autoptr (AsbTextMatch) match = g_list_model_get_item (matches, i);

      add_match (json, match);
    }
  tool_json_end_array (json);
  return tool_json_print (json);
}

/* Returns: (transfer full) (element-type utf8): each path once, as they come */
static GPtrArray *
list_paths (GListModel *matches)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < g_list_model_get_n_items (matches); i++)
    {
      g_autoptr (AsbTextMatch) match = g_list_model_get_item (matches, i);
      char *path;

      if (g_hash_table_contains (seen, asb_text_match_get_path (match)))
        continue;
      path = g_strdup (asb_text_match_get_path (match));
      g_hash_table_add (seen, path);
      g_ptr_array_add (paths, path);
    }
  return g_steal_pointer (&paths);
}

static int
print_files (GListModel *matches)
{
  g_autoptr (GPtrArray) paths = list_paths (matches);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < paths->len; i++)
    {
      tool_search_append_path (text, paths->pdata[i]);
      g_string_append_c (text, '\n');
    }
  return tool_output_print (text->str, text->len);
}

static int
print_files_json (GListModel *matches)
{
  g_autoptr (GPtrArray) paths = list_paths (matches);
  ToolJson *json = tool_json_new ();

  tool_json_begin_array (json, NULL);
  for (guint i = 0; i < paths->len; i++)
    tool_json_add_text (json, NULL, paths->pdata[i]);
  tool_json_end_array (json);
  return tool_json_print (json);
}

static int
print (GListModel *matches)
{
  if (options.files)
    return options.json ? print_files_json (matches) : print_files (matches);
  return options.json ? print_json (matches) : print_matches (matches);
}

static AsbSearchResult *
search_text (Tool *tool, const ToolParsed *parsed, GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbFileSearch) search = asb_file_search_new ();
  AsbSearchResult *result;

  asb_file_search_set_text (search, tool_parsed_get (parsed, 1));
  asb_file_search_set_path (search, tool_parsed_get (parsed, 2));
  asb_file_search_set_pattern (search, options.include);
  asb_file_search_set_max_results (search, TOOL_SEARCH_MAX_RESULTS);
  asb_file_search_set_flags (search, (options.ignore_case ? ASB_SEARCH_FLAGS_IGNORE_CASE : 0)
                                         | (options.fixed ? 0 : ASB_SEARCH_FLAGS_REGEX));
  backend = tool_sandbox_connect (tool, tool_parsed_get (parsed, 0), error);
  if (!backend)
    return NULL;
  asb_backend_search_text_async (backend, search, tool->cancellable, tool_wait_cb, &wait);
  result = asb_backend_search_text_finish (backend, tool_wait (&wait), error);
  tool_backend_close (backend);
  return result;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSearchResult) result = search_text (tool, parsed, &error);
  int status;

  if (!result)
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  status = print (G_LIST_MODEL (result));
  return status != TOOL_EXIT_DONE ? status : tool_search_say_rest (result);
}

static const ToolOption option_entries[] = {
  { "fixed", 'F', TOOL_OPTION_FLAG, &options.fixed, NULL,
    "takes the expression for a text, as it is" },
  { "files-with-matches", 'l', TOOL_OPTION_FLAG, &options.files, NULL,
    "prints only the paths of the files, each once" },
  { "ignore-case", 'i', TOOL_OPTION_FLAG, &options.ignore_case, NULL,
    "takes letters for the same whatever their case" },
  { "include", '\0', TOOL_OPTION_BYTES, &options.include, "PATTERN",
    "looks only into files whose paths match, as with asb find" },
  TOOL_NO_RECORD_OPTION,
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  /* What is done anyway. */
  { "line-number", 'n', TOOL_OPTION_FLAG, &options.line_number, NULL, NULL },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "EXPRESSION", "what to look for in each line, a regular expression", 0 },
  { "PATH", "the folder, or file, to look into; if not given, the folder where commands run",
    TOOL_ARGUMENT_OPTIONAL },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb grep scratch 'import (os|sys)' src", "Finds lines in a folder." },
  { "asb grep -F --include='*.c' scratch 'a[i]'", "Finds a text, as it is, in some files." },
  { NULL, NULL },
};

const ToolCommand tool_command_grep = {
  .name = "grep",
  .summary = "find text in files of a sandbox",
  .description = "Prints the lines in which a regular expression (of PCRE2) is found, behind the "
                 "path of the file and the number of the line. Only regular files that hold text "
                 "are looked into; of long lines what is around the match is printed. That nothing "
                 "was found is no failure.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
