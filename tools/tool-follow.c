/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-follow.h"

#include <string.h>
#include <unistd.h>

#include "tool-operation.h"
#include "tool-output.h"
#include "tool-text.h"

#define CHANGES_LIMIT 1000
#define CHANGES_BYTES (1024 * 1024)

/* A question is asked again when its time is over, and the end of a connection ends it before. */
#define WAIT_MS 60000

/* A command that prints changes the record hundreds of times a second, which is no news here. */
#define PAUSE_MS 200
#define OUTPUT_CHANGE "output_appended"

#define MAX_GOING_PAUSES 50

typedef struct
{
  GHashTable *shown; /* event id → the outcome that was shown last */
  gboolean json;
} Follow;

static int
print_json (AsbHistoryOperation *operation)
{
  ToolJson *json = tool_json_new ();

  tool_operation_add_json (json, operation);
  return tool_json_print (json);
}

/* Columns stand where they are, since nobody knows what is still to come. */
static int
print_line (AsbHistoryOperation *operation, const char *outcome)
{
  const guint columns = tool_text_get_columns (STDOUT_FILENO);
  g_autofree char *took = tool_operation_dup_duration (operation);
  g_autofree char *subject = tool_operation_dup_subject (operation);
  g_autofree char *line = g_strdup_printf ("%5" G_GINT64_FORMAT "  %-16s  %-12s  %8s  %s",
                                           asb_history_operation_get_seq (operation),
                                           asb_history_operation_get_operation_type (operation),
                                           outcome, took ? took : "-", subject ? subject : "");
  g_autofree char *printable = tool_text_dup_printable (line, -1);
  g_autofree char *cut
      = columns > 0 ? tool_text_dup_cut (printable, columns) : g_steal_pointer (&printable);
  g_autofree char *text = g_strconcat (cut, "\n", NULL);

  return tool_output_print (text, strlen (text));
}

/* Output alone changes an operation, too, and is no news. */
static int
show (Follow *self, AsbHistoryOperation *operation)
{
  const char *event_id = asb_history_operation_get_event_id (operation);
  g_autofree char *outcome = tool_operation_dup_outcome (operation);

  if (g_strcmp0 (g_hash_table_lookup (self->shown, event_id), outcome) == 0)
    return TOOL_EXIT_DONE;
  g_hash_table_replace (self->shown, g_strdup (event_id), g_strdup (outcome));
  return self->json ? print_json (operation) : print_line (operation, outcome);
}

static gboolean
time_cb (gpointer user_data)
{
  *(gboolean *)user_data = TRUE;
  return G_SOURCE_REMOVE;
}

static void
pause_a_little (Tool *tool)
{
  gboolean is_over = FALSE;
  const guint source = g_timeout_add (PAUSE_MS, time_cb, &is_over);

  while (!is_over && !g_cancellable_is_cancelled (tool->cancellable))
    g_main_context_iteration (NULL, TRUE);
  if (!is_over)
    g_source_remove (source);
}

static AsbHistoryPage *
wait_for_page (Tool *tool, const ToolRecord *record, gint64 position, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  asb_history_store_wait_async (record->store, position, CHANGES_LIMIT, CHANGES_BYTES, WAIT_MS,
                                tool->cancellable, tool_wait_cb, &wait);
  return asb_history_store_wait_finish (record->store, tool_wait (&wait), error);
}

/* What a page of nothing but output, or of nothing at all, is for. */
static gboolean
has_news (AsbHistoryPage *page)
{
  GListModel *changes = asb_history_page_get_changes (page);

  for (guint i = 0; i < g_list_model_get_n_items (changes); i++)
    {
      g_autoptr (AsbHistoryChange) change = g_list_model_get_item (changes, i);

      if (g_strcmp0 (asb_history_change_get_change_type (change), OUTPUT_CHANGE) != 0)
        return TRUE;
    }
  return FALSE;
}

/* Where to go on after a page without news. In a record that has taken the place of the one that
 * was read, at its beginning. */
static gint64
get_next_position (AsbHistoryPage *page, gint64 position)
{
  if (asb_history_page_get_reset_required (page) && asb_history_page_get_max_seq (page) < position)
    return 0;
  return MAX (position, asb_history_page_get_next_seq (page));
}

/* Waits until an operation has begun or ended after *@position, which moves over what else has
 * happened. */
static gboolean
wait_for_news (Tool *tool, const ToolRecord *record, gint64 *position, GError **error)
{
  for (;;)
    {
      g_autoptr (AsbHistoryPage) page = wait_for_page (tool, record, *position, error);

      if (!page)
        return FALSE;
      if (has_news (page))
        return TRUE;
      *position = get_next_position (page, *position);
      if (g_list_model_get_n_items (asb_history_page_get_changes (page)) > 0)
        pause_a_little (tool);
    }
}

static gboolean
is_gone (Tool *tool, const ToolSandbox *sandbox)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_provider_get_sandbox_async (sandbox->provider, tool_sandbox_get_id (sandbox->info), NULL,
                                  tool_wait_cb, &wait);
  info = asb_provider_get_sandbox_finish (sandbox->provider, tool_wait (&wait), &error);
  return tool_sandbox_is_gone (error);
}

static gboolean
is_end_of_guest (const GError *cause)
{
  return g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED)
         || g_error_matches (cause, ASB_ERROR, ASB_ERROR_CLOSED)
         || g_error_matches (cause, ASB_ERROR, ASB_ERROR_INTERRUPTED)
         || g_error_matches (cause, ASB_ERROR, ASB_ERROR_HISTORY_UNAVAILABLE);
}

/* Whoever removes a sandbox ends its guest first, and nothing tells when that is over. */
static gboolean
is_going (Tool *tool, const ToolSandbox *sandbox, const GError *cause)
{
  for (int i = 0; i < MAX_GOING_PAUSES && is_end_of_guest (cause); i++)
    {
      if (g_cancellable_is_cancelled (tool->cancellable) || is_gone (tool, sandbox))
        return TRUE;
      pause_a_little (tool);
    }
  return g_cancellable_is_cancelled (tool->cancellable) || is_gone (tool, sandbox);
}

/* Being interrupted is how one stops looking, and a sandbox that goes ends its record. */
static int
end (Tool *tool, const ToolSandbox *sandbox, GError *cause, GError **error)
{
  if (is_going (tool, sandbox, cause))
    {
      g_error_free (cause);
      return TOOL_EXIT_DONE;
    }
  g_propagate_error (error, cause);
  return TOOL_EXIT_FAILED;
}

static int
show_changed (Tool *tool, Follow *self, const ToolRecord *record, gint64 *position, GError **error)
{
  g_autoptr (GPtrArray) changed = tool_record_get_changed (tool, record, position, error);
  int status = changed ? TOOL_EXIT_DONE : TOOL_EXIT_FAILED;

  for (guint i = 0; changed && i < changed->len && status == TOOL_EXIT_DONE; i++)
    status = show (self, changed->pdata[i]);
  return status;
}

/* What is printed faster than it can be recorded goes first, and this comes after it. */
static gboolean
is_only_busy (GError **cause)
{
  if (!g_error_matches (*cause, ASB_ERROR, ASB_ERROR_TOO_MANY_REQUESTS))
    return FALSE;
  g_clear_error (cause);
  return TRUE;
}

/* Whether to look at the record again. */
static gboolean
wait_to_go_on (Tool *tool, const ToolRecord *record, gint64 *position, GError **cause)
{
  if (!*cause && wait_for_news (tool, record, position, cause))
    return TRUE;
  if (!is_only_busy (cause))
    return FALSE;
  pause_a_little (tool);
  return TRUE;
}

int
tool_follow_record (Tool *tool, const ToolSandbox *sandbox, const ToolRecord *record, gboolean json,
                    GError **error)
{
  g_autoptr (GHashTable) shown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Follow self = { shown, json };
  gint64 position = 0;
  GError *cause = NULL;
  int status;

  do
    status = show_changed (tool, &self, record, &position, &cause);
  while ((status == TOOL_EXIT_DONE || cause) && !tool_sandbox_is_removed (sandbox->info)
         && wait_to_go_on (tool, record, &position, &cause));
  return cause ? end (tool, sandbox, cause, error) : status;
}
