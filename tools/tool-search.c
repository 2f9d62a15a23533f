/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-search.h"

#include <unistd.h>

#include "tool-message.h"
#include "tool-text.h"

void
tool_search_append_path (GString *text, const char *path)
{
  g_autofree char *quoted
      = tool_text_is_terminal (STDOUT_FILENO) ? tool_text_dup_quoted (path) : g_strdup (path);

  g_string_append (text, quoted);
}

static void
say_cut (AsbSearchCut cut)
{
  if (cut == ASB_SEARCH_CUT_TIME)
    tool_message ("The time for searching was up, and this is not all: look for less");
  else if (cut != ASB_SEARCH_CUT_NONE)
    tool_message ("There are more than %d results: look for less", TOOL_SEARCH_MAX_RESULTS);
}

int
tool_search_say_rest (AsbSearchResult *result)
{
  const char *const *errors = asb_search_result_get_errors (result);
  guint64 n_errors = asb_search_result_get_n_errors (result);
  guint n_said = 0;

  for (; errors && errors[n_said]; n_said++)
    tool_message ("%s", errors[n_said]);
  if (n_errors > n_said)
    tool_message ("%" G_GUINT64_FORMAT " more could not be looked at", n_errors - n_said);
  say_cut (asb_search_result_get_cut (result));
  return n_errors > 0 || asb_search_result_get_cut (result) != ASB_SEARCH_CUT_NONE
             ? TOOL_EXIT_FAILED
             : TOOL_EXIT_DONE;
}
