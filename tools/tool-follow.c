/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-follow.h"

#include <string.h>

#include "tool-operation.h"
#include "tool-output.h"
#include "tool-text.h"

/* Nothing tells of a change of the record, so it is asked for: one short question a time. */
#define PAUSE_MS 500

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
  const guint columns = tool_text_get_columns ();
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

/* Returns: whether nobody has seen enough meanwhile */
static gboolean
wait_a_while (Tool *tool)
{
  gboolean is_over = FALSE;
  const guint source = g_timeout_add (PAUSE_MS, time_cb, &is_over);

  while (!is_over && !g_cancellable_is_cancelled (tool->cancellable))
    g_main_context_iteration (NULL, TRUE);
  if (!is_over)
    g_source_remove (source);
  return is_over;
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

/* Being interrupted is how one stops looking, and a sandbox that goes ends its record. */
static int
end (Tool *tool, const ToolSandbox *sandbox, GError *cause, GError **error)
{
  if (g_cancellable_is_cancelled (tool->cancellable) || is_gone (tool, sandbox))
    {
      g_error_free (cause);
      return TOOL_EXIT_DONE;
    }
  g_propagate_error (error, cause);
  return TOOL_EXIT_FAILED;
}

int
tool_follow_record (Tool *tool, const ToolSandbox *sandbox, const ToolRecord *record, gboolean json,
                    GError **error)
{
  g_autoptr (GHashTable) shown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Follow self = { shown, json };
  gint64 position = 0;

  do
    {
      GError *cause = NULL;
      g_autoptr (GPtrArray) changed = tool_record_get_changed (tool, record, &position, &cause);

      if (!changed)
        return end (tool, sandbox, cause, error);
      for (guint i = 0; i < changed->len; i++)
        {
          const int status = show (&self, changed->pdata[i]);

          if (status != TOOL_EXIT_DONE)
            return status;
        }
    }
  while (!tool_sandbox_is_removed (sandbox->info) && wait_a_while (tool));
  return TOOL_EXIT_DONE;
}
