/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-record.h"

#include <string.h>
#include <unistd.h>

#include "tool-output.h"

#define STORE_NAME "sandbox"
#define CHANGES_LIMIT 1000
#define CHANGES_BYTES (1024 * 1024)
#define OPERATIONS_LIMIT 500
#define MIN_PREFIX 4

/* Only the local provider gives a stream to what it keeps; elsewhere one works in the sandbox, as a
 * backend does. It records nothing, so looking leaves no trace here either. */
static gboolean
open_backend (Tool *tool, const ToolSandbox *sandbox, ToolRecord *record, GError **error)
{
  AsbTransport *transport;

  record->backend = tool_sandbox_connect_to (tool, sandbox, ASB_HISTORY_MODE_NONE, error);
  if (!record->backend)
    return FALSE;
  transport = asb_backend_get_transport (record->backend);
  record->transport = transport ? g_object_ref (transport) : NULL;
  if (!record->transport)
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_HISTORY_UNAVAILABLE,
                         "There is no way into the sandbox to its record");
  return record->transport != NULL;
}

static gboolean
open_transport (Tool *tool, const ToolSandbox *sandbox, ToolRecord *record, GError **error)
{
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  g_autoptr (GIOStream) stream = NULL;
  g_auto (ToolWait) stream_wait = { 0 };
  g_auto (ToolWait) wait = { 0 };
  AsbGuestTransport *transport;

  asb_stream_spec_set_record_only (spec, tool_sandbox_is_removed (sandbox->info));
  asb_provider_open_stream_async (sandbox->provider, tool_sandbox_get_id (sandbox->info), spec,
                                  tool->cancellable, tool_wait_cb, &stream_wait);
  stream = asb_provider_open_stream_finish (sandbox->provider, tool_wait (&stream_wait), error);
  if (!stream)
    return FALSE;
  asb_guest_transport_new_async (stream, NULL, tool->cancellable, tool_wait_cb, &wait);
  transport = asb_guest_transport_new_finish (tool_wait (&wait), error);
  if (!transport)
    return FALSE;
  record->transport = ASB_TRANSPORT (transport);
  return TRUE;
}

gboolean
tool_record_open (Tool *tool, const ToolSandbox *sandbox, ToolRecord *record, GError **error)
{
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_auto (ToolWait) wait = { 0 };

  if (!(tool_sandbox_is_local (sandbox->info) ? open_transport : open_backend) (tool, sandbox,
                                                                                record, error))
    return FALSE;
  record->store
      = asb_registry_create_history_store (asb_registry_get_default (), STORE_NAME, NULL, error);
  if (!record->store)
    return FALSE;
  asb_history_store_open_async (record->store, record->transport,
                                asb_sandbox_info_get_ref (sandbox->info), config, tool->cancellable,
                                tool_wait_cb, &wait);
  return asb_history_store_open_finish (record->store, tool_wait (&wait), error);
}

static void
close_transport (AsbTransport *transport)
{
  g_auto (ToolWait) wait = { 0 };

  asb_transport_close_async (transport, NULL, tool_wait_cb, &wait);
  asb_transport_close_finish (transport, tool_wait (&wait), NULL);
}

static void
close_store (AsbHistoryStore *store)
{
  g_auto (ToolWait) wait = { 0 };

  asb_history_store_close_async (store, NULL, tool_wait_cb, &wait);
  asb_history_store_close_finish (store, tool_wait (&wait), NULL);
}

void
tool_record_clear (ToolRecord *record)
{
  if (record->store)
    close_store (record->store);
  if (record->backend)
    tool_backend_close (record->backend);
  else if (record->transport)
    close_transport (record->transport);
  g_clear_object (&record->store);
  g_clear_object (&record->transport);
  g_clear_object (&record->backend);
}

gboolean
tool_record_remove (Tool *tool, AsbProvider *provider, AsbSandboxInfo *info, GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (GVariant) answer = NULL;

  if (!tool_sandbox_is_removed (info))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE,
                   "Sandbox “%s” is there, and its record with it; remove it with asb rm first",
                   tool_sandbox_get_id (info));
      return FALSE;
    }
  asb_provider_call_service_async (provider, tool_sandbox_get_id (info), "delete_record", NULL,
                                   tool->cancellable, tool_wait_cb, &wait);
  answer = asb_provider_call_service_finish (provider, tool_wait (&wait), error);
  return answer != NULL;
}

AsbHistoryStatus *
tool_record_get_status (Tool *tool, const ToolRecord *record, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  asb_history_store_get_status_async (record->store, tool->cancellable, tool_wait_cb, &wait);
  return asb_history_store_get_status_finish (record->store, tool_wait (&wait), error);
}

/* The event ids that the changes after @after name, each once. Returns: the next position, or -1
 * with @error set */
static gint64
get_event_ids (Tool *tool, const ToolRecord *record, gint64 after, GHashTable *seen, GPtrArray *ids,
               GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbHistoryPage) page = NULL;
  GListModel *changes;

  asb_history_store_query_async (record->store, after, CHANGES_LIMIT, CHANGES_BYTES,
                                 tool->cancellable, tool_wait_cb, &wait);
  page = asb_history_store_query_finish (record->store, tool_wait (&wait), error);
  if (!page)
    return -1;
  changes = asb_history_page_get_changes (page);
  for (guint i = 0; i < g_list_model_get_n_items (changes); i++)
    {
      g_autoptr (AsbHistoryChange) change = g_list_model_get_item (changes, i);
      g_autofree char *event_id = g_strdup (asb_history_change_get_event_id (change));

      if (event_id && g_hash_table_add (seen, g_strdup (event_id)))
        g_ptr_array_add (ids, g_steal_pointer (&event_id));
    }
  return g_list_model_get_n_items (changes) > 0 ? asb_history_page_get_next_seq (page) : after;
}

static gboolean
add_operations (Tool *tool, const ToolRecord *record, GPtrArray *ids, guint first,
                GPtrArray *operations, GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (GPtrArray) batch = g_ptr_array_new ();
  g_autoptr (GListModel) found = NULL;

  for (guint i = first; i < ids->len && i < first + OPERATIONS_LIMIT; i++)
    g_ptr_array_add (batch, ids->pdata[i]);
  g_ptr_array_add (batch, NULL);
  asb_history_store_get_operations_async (record->store, (const char *const *)batch->pdata,
                                          tool->cancellable, tool_wait_cb, &wait);
  found = asb_history_store_get_operations_finish (record->store, tool_wait (&wait), error);
  if (!found)
    return FALSE;
  for (guint i = 0; i < g_list_model_get_n_items (found); i++)
    g_ptr_array_add (operations, g_list_model_get_item (found, i));
  return TRUE;
}

static int
compare_seq (gconstpointer a, gconstpointer b)
{
  const gint64 first = asb_history_operation_get_seq (*(AsbHistoryOperation *const *)a);
  const gint64 second = asb_history_operation_get_seq (*(AsbHistoryOperation *const *)b);

  return (first > second) - (first < second);
}

GPtrArray *
tool_record_get_changed (Tool *tool, const ToolRecord *record, gint64 *position, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) ids = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) operations = g_ptr_array_new_with_free_func (g_object_unref);
  gint64 after = 0;
  gint64 next = *position;

  do
    {
      after = next;
      next = get_event_ids (tool, record, after, seen, ids, error);
      if (next < 0)
        return NULL;
    }
  while (next > after);
  for (guint i = 0; i < ids->len; i += OPERATIONS_LIMIT)
    if (!add_operations (tool, record, ids, i, operations, error))
      return NULL;
  *position = next;
  g_ptr_array_sort (operations, compare_seq);
  return g_steal_pointer (&operations);
}

GPtrArray *
tool_record_get_operations (Tool *tool, const ToolRecord *record, GError **error)
{
  gint64 position = 0;

  return tool_record_get_changed (tool, record, &position, error);
}

/* Event ids begin with 0 for centuries to come, so a number is a number in the list. */
static gboolean
matches_event (AsbHistoryOperation *operation, const char *text)
{
  const char *event_id = asb_history_operation_get_event_id (operation);
  guint64 seq;

  if (*text != '0' && g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT64, &seq, NULL))
    return asb_history_operation_get_seq (operation) == (gint64)seq;
  if (strlen (text) < MIN_PREFIX)
    return FALSE;
  return g_str_has_prefix (event_id, text);
}

AsbHistoryOperation *
tool_record_find (GPtrArray *operations, const char *text, GError **error)
{
  AsbHistoryOperation *found = NULL;

  for (guint i = 0; i < operations->len; i++)
    {
      if (!matches_event (operations->pdata[i], text))
        continue;
      if (g_str_equal (asb_history_operation_get_event_id (operations->pdata[i]), text))
        return operations->pdata[i];
      if (found)
        {
          g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                       "Several events begin with “%s”; give their number in asb history list",
                       text);
          return NULL;
        }
      found = operations->pdata[i];
    }
  if (!found)
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "There is no event “%s” in the record; see asb history list", text);
  return found;
}

gboolean
tool_record_copy_output (Tool *tool, const ToolRecord *record, const char *event_id,
                         AsbOutputStream stream, GError **error)
{
  g_auto (ToolWait) open_wait = { 0 };
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (GInputStream) output = NULL;

  asb_history_store_get_output_async (record->store, event_id, stream, tool->cancellable,
                                      tool_wait_cb, &open_wait);
  output = asb_history_store_get_output_finish (record->store, tool_wait (&open_wait), error);
  if (!output)
    return FALSE;
  tool_copy_async (output, STDOUT_FILENO, NULL, tool->cancellable, tool_wait_cb, &wait);
  return tool_copy_finish (tool_wait (&wait), error);
}
