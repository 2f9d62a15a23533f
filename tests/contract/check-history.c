/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every history store keeps to, whether it is told of the work or stands where it is done. */

#include "checks.h"

#include <string.h>

#define ALL G_MAXUINT64

/* One that keeps nothing has nothing to be checked but that it takes everything. */
static gboolean
open_with_store (Check *check)
{
  if (!check->store_name)
    {
      check_skip (check, "no history store was named");
      return FALSE;
    }
  return check_open_backend (check);
}

static gboolean
keeps_nothing (Check *check)
{
  g_autoptr (AsbHistoryPage) page = NULL;
  g_autoptr (GError) error = NULL;
  gboolean empty;

  page = asb_history_store_query (asb_backend_get_history_store (check->backend), 0, 10, ALL, NULL,
                                  &error);
  if (!check_no_error (check, __FILE__, __LINE__, error))
    return TRUE;
  empty = g_list_model_get_n_items (asb_history_page_get_changes (page)) == 0;
  if (empty)
    check_skip (check, "the store keeps nothing");
  return empty;
}

static AsbHistoryPage *
query (Check *check, gint64 after, guint limit)
{
  g_autoptr (GError) error = NULL;
  AsbHistoryPage *page = asb_history_store_query (asb_backend_get_history_store (check->backend),
                                                  after, limit, ALL, NULL, &error);

  check_no_error (check, __FILE__, __LINE__, error);
  return page;
}

static AsbHistoryOperation *
get_operation (Check *check, const char *event_id)
{
  const char *const ids[] = { event_id, "no-such-event", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) list = asb_history_store_get_operations (
      asb_backend_get_history_store (check->backend), ids, NULL, &error);

  if (!check_no_error (check, __FILE__, __LINE__, error))
    return NULL;
  if (g_list_model_get_n_items (list) != 1)
    check_fail (check, __FILE__, __LINE__, "an operation of the record cannot be had, or one more");
  return g_list_model_get_item (list, 0);
}

/* The id of the last operation of that type; NULL when there is none. */
static char *
find_operation (Check *check, const char *operation_type)
{
  g_autoptr (AsbHistoryPage) page = query (check, 0, 10000);
  GListModel *changes = page ? asb_history_page_get_changes (page) : NULL;
  char *id = NULL;

  for (guint i = 0; changes && i < g_list_model_get_n_items (changes); i++)
    {
      g_autoptr (AsbHistoryChange) change = g_list_model_get_item (changes, i);

      if (g_strcmp0 (asb_history_change_get_operation_type (change), operation_type) == 0)
        {
          g_free (id);
          id = g_strdup (asb_history_change_get_event_id (change));
        }
    }
  return id;
}

static void
check_output (Check *check, const char *event_id, const char *expected)
{
  g_autoptr (GOutputStream) output = g_memory_output_stream_new_resizable ();
  g_autoptr (GInputStream) input = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;
  gconstpointer data;

  input = asb_history_store_get_output (asb_backend_get_history_store (check->backend), event_id,
                                        ASB_OUTPUT_STREAM_STDOUT, NULL, &error);
  CHECK_NO_ERROR (check, error);
  g_output_stream_splice (output, input, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, &error);
  CHECK_NO_ERROR (check, error);
  bytes = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (output));
  data = g_bytes_get_data (bytes, &size);
  CHECK (check, size == strlen (expected) && memcmp (data, expected, size) == 0);
}

/* Commands, with their outcome and output. */
static void
commands (Check *check)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("echo recorded");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (AsbHistoryOperation) operation = NULL;
  g_autofree char *id = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_with_store (check))
    return;
  result = asb_backend_execute (check->backend, spec, NULL, &error);
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    {
      check_skip (check, error->message);
      return;
    }
  CHECK_NO_ERROR (check, error);
  CHECK_TEXT (check, asb_command_result_get_record_error (result), NULL);
  if (keeps_nothing (check))
    return;
  id = find_operation (check, "command.execute");
  CHECK (check, id != NULL);
  operation = get_operation (check, id);
  CHECK_GOES_ON (check);
  CHECK (check, asb_history_operation_get_status (operation) == ASB_OPERATION_STATUS_SUCCEEDED);
  CHECK (check, asb_history_operation_get_duration_ms (operation) >= 0);
  check_output (check, id, "recorded\n");
}

static void
failures (Check *check)
{
  g_autoptr (AsbHistoryOperation) operation = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *id = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_with_store (check))
    return;
  bytes = asb_backend_read_file (check->backend, "missing", NULL, &error);
  CHECK (check, bytes == NULL);
  if (keeps_nothing (check))
    return;
  id = find_operation (check, "file.read");
  CHECK (check, id != NULL);
  operation = get_operation (check, id);
  CHECK_GOES_ON (check);
  CHECK (check, asb_history_operation_get_status (operation) == ASB_OPERATION_STATUS_FAILED);
}

/* What was recorded is there once, in order, however it is read. */
static void
pages (Check *check)
{
  g_autoptr (AsbHistoryPage) all = NULL;
  gint64 after = 0;
  guint n_seen = 0;
  guint n_all;

  if (!open_with_store (check))
    return;
  for (int i = 0; i < 5; i++)
    g_bytes_unref (asb_backend_read_file (check->backend, "missing", NULL, NULL));
  if (keeps_nothing (check))
    return;
  all = query (check, 0, 10000);
  CHECK_GOES_ON (check);
  n_all = g_list_model_get_n_items (asb_history_page_get_changes (all));
  while (n_seen < n_all)
    {
      g_autoptr (AsbHistoryPage) page = query (check, after, 1);
      g_autoptr (AsbHistoryChange) change = NULL;
      g_autoptr (AsbHistoryChange) expected = NULL;

      CHECK_GOES_ON (check);
      CHECK_COUNT (check, g_list_model_get_n_items (asb_history_page_get_changes (page)), 1);
      change = g_list_model_get_item (asb_history_page_get_changes (page), 0);
      expected = g_list_model_get_item (asb_history_page_get_changes (all), n_seen);
      CHECK (check, asb_history_change_get_seq (change) > after);
      CHECK_TEXT (check, asb_history_change_get_change_id (change),
                  asb_history_change_get_change_id (expected));
      after = asb_history_page_get_next_seq (page);
      n_seen++;
    }
  CHECK (check, after == asb_history_page_get_max_seq (all));
}

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  *(GAsyncResult **)user_data = g_object_ref (result);
}

/* Begins to wait for what comes after @after. */
static void
begin_to_wait (Check *check, gint64 after, GCancellable *cancellable, GAsyncResult **result)
{
  asb_history_store_wait_async (asb_backend_get_history_store (check->backend), after, 10000, ALL,
                                60000, cancellable, waited_cb, result);
}

/* Who waits is told of what is done, and only of that. */
static void
waiting (Check *check)
{
  g_autoptr (AsbHistoryPage) before = NULL;
  g_autoptr (AsbHistoryPage) page = NULL;
  g_autoptr (AsbHistoryPage) empty = NULL;
  g_autoptr (AsbHistoryChange) change = NULL;
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  AsbHistoryStore *store;
  gint64 last;

  if (!open_with_store (check) || keeps_nothing (check))
    return;
  store = asb_backend_get_history_store (check->backend);
  before = query (check, 0, 10000);
  CHECK_GOES_ON (check);
  last = asb_history_page_get_max_seq (before);

  begin_to_wait (check, last, NULL, &result);
  g_bytes_unref (asb_backend_read_file (check->backend, "missing", NULL, NULL));
  while (!result)
    g_main_context_iteration (NULL, TRUE);
  page = asb_history_store_wait_finish (store, result, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, g_list_model_get_n_items (asb_history_page_get_changes (page)) > 0);
  change = g_list_model_get_item (asb_history_page_get_changes (page), 0);
  CHECK (check, asb_history_change_get_seq (change) > last);
  CHECK_TEXT (check, asb_history_change_get_operation_type (change), "file.read");

  /* What is there is not waited for, and nothing is made up when the time is over. */
  g_clear_object (&page);
  page = asb_history_store_wait (store, last, 10000, ALL, 60000, NULL, &error);
  CHECK_NO_ERROR (check, error);
  last = asb_history_page_get_max_seq (page);
  empty = asb_history_store_wait (store, last, 10000, ALL, 1, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK_COUNT (check, g_list_model_get_n_items (asb_history_page_get_changes (empty)), 0);
  CHECK (check, asb_history_page_get_next_seq (empty) == last);
}

static void
waiting_cancelled (Check *check)
{
  g_autoptr (AsbHistoryPage) before = NULL;
  g_autoptr (AsbHistoryPage) page = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_with_store (check) || keeps_nothing (check))
    return;
  before = query (check, 0, 10000);
  CHECK_GOES_ON (check);
  begin_to_wait (check, asb_history_page_get_max_seq (before), cancellable, &result);
  g_cancellable_cancel (cancellable);
  while (!result)
    g_main_context_iteration (NULL, TRUE);
  page = asb_history_store_wait_finish (asb_backend_get_history_store (check->backend), result,
                                        &error);
  CHECK (check, page == NULL);
  CHECK_ERROR (check, error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static GVariant *
new_batch (const char *id, const char *event_id)
{
  g_autofree char *text
      = g_strdup_printf ("{'batch_id': <'%s'>, 'schema_version': <int64 1>, 'records': <[{"
                         "'type': <'operation_started'>, 'change_id': <'%s:created'>, 'event': <{"
                         "'event_id': <'%s'>, 'operation_type': <'sandbox.info'>,"
                         "'occurred_at': <'2024-01-02T03:04:05.000006Z'>,"
                         "'actor': <{'actor_type': <'agent'>, 'actor_id': <'me'>}>,"
                         "'request': <{'a': <'b'>}>}>}]>}",
                         id, event_id, event_id);

  return g_variant_parse (NULL, text, NULL, NULL, NULL);
}

/* What comes twice is recorded once. */
static void
repeated (Check *check)
{
  g_autofree char *event_id = asb_uuid_v7_new ();
  g_autoptr (GVariant) batch = new_batch ("check-batch", event_id);
  g_autoptr (AsbHistoryPage) before = NULL;
  g_autoptr (AsbHistoryPage) after = NULL;
  g_autoptr (AsbHistoryOperation) operation = NULL;
  g_autoptr (GError) error = NULL;
  AsbHistoryStore *store;

  if (!open_with_store (check))
    return;
  store = asb_backend_get_history_store (check->backend);
  asb_history_store_record (store, batch, NULL, &error);
  CHECK_NO_ERROR (check, error);
  if (keeps_nothing (check))
    return;
  before = query (check, 0, 10000);
  CHECK_GOES_ON (check);
  asb_history_store_record (store, batch, NULL, &error);
  CHECK_NO_ERROR (check, error);
  after = query (check, 0, 10000);
  CHECK_GOES_ON (check);
  CHECK (check, asb_history_page_get_max_seq (before) == asb_history_page_get_max_seq (after));
  operation = get_operation (check, event_id);
  CHECK_GOES_ON (check);
  CHECK_TEXT (check, asb_history_operation_get_operation_type (operation), "sandbox.info");
  CHECK_TEXT (check, asb_history_operation_get_actor_id (operation), "me");
  CHECK (check, asb_history_operation_get_status (operation) == ASB_OPERATION_STATUS_STARTED);
}

static void
refused (Check *check)
{
  g_autoptr (GVariant) batch = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_with_store (check) || keeps_nothing (check))
    return;
  batch = g_variant_ref_sink (g_variant_new_parsed (
      "{'batch_id': <'x'>, 'schema_version': <int64 1>, 'records': <[{'type': <'nonsense'>}]>}"));
  CHECK (check, !asb_history_store_record (asb_backend_get_history_store (check->backend), batch,
                                           NULL, &error));
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
status (Check *check)
{
  g_autoptr (AsbHistoryStatus) status = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_with_store (check) || keeps_nothing (check))
    return;
  status
      = asb_history_store_get_status (asb_backend_get_history_store (check->backend), NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK_TEXT (check, asb_history_status_get_state (status), "open");
}

static void
acknowledged (Check *check)
{
  g_autoptr (AsbHistoryPage) page = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_with_store (check) || keeps_nothing (check))
    return;
  page = query (check, 0, 10000);
  CHECK_GOES_ON (check);
  asb_history_store_acknowledge (asb_backend_get_history_store (check->backend), "check",
                                 asb_history_page_get_max_seq (page), NULL, &error);
  CHECK_NO_ERROR (check, error);
}

/* What is neither old nor much stays. */
static void
cleaned_up (Check *check)
{
  g_autoptr (AsbHistoryPage) before = NULL;
  g_autoptr (AsbHistoryPage) after = NULL;
  g_autoptr (GError) error = NULL;
  AsbHistoryStore *store;

  if (!open_with_store (check) || keeps_nothing (check))
    return;
  store = asb_backend_get_history_store (check->backend);
  before = query (check, 0, 10000);
  CHECK_GOES_ON (check);
  asb_history_store_cleanup (store, NULL, &error);
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    {
      check_skip (check, "the store cleans up by itself, or never");
      return;
    }
  CHECK_NO_ERROR (check, error);
  after = query (check, 0, 10000);
  CHECK_GOES_ON (check);
  CHECK (check, !asb_history_page_get_reset_required (after));
  CHECK (check, asb_history_page_get_max_seq (after) >= asb_history_page_get_max_seq (before));
}

void
check_history_store (Check *check)
{
  check_run (check, "history/commands", commands);
  check_run (check, "history/failures", failures);
  check_run (check, "history/pages", pages);
  check_run (check, "history/wait", waiting);
  check_run (check, "history/wait/cancelled", waiting_cancelled);
  check_run (check, "history/repeated", repeated);
  check_run (check, "history/refused", refused);
  check_run (check, "history/status", status);
  check_run (check, "history/acknowledge", acknowledged);
  check_run (check, "history/cleanup", cleaned_up);
}
