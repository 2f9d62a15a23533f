/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waiting for a change of the record. */

#include "config.h"

#include "asb-history-store.h"

#include "asb-call-private.h"
#include "asb-cancel-source-private.h"
#include "asb-error.h"
#include "asb-sync-private.h"

#define MAX_WAIT_MS 60000

/* Pauses between questions to a store that cannot wait. */
#define FIRST_PAUSE_MS 100
#define LAST_PAUSE_MS 2000

typedef struct
{
  gint64 after_seq;
  guint limit;
  guint64 max_bytes;
  gint64 until;
  guint pause_ms;
} Wait;

static void ask (GTask *task);

static gboolean
ask_cb (gpointer user_data)
{
  ask (user_data);
  return G_SOURCE_REMOVE;
}

/* Whoever cancels meanwhile is answered by the next question. */
static void
pause_and_ask (GTask *task, Wait *wait)
{
  const gint64 left_ms = (wait->until - g_get_monotonic_time ()) / 1000 + 1;
  g_autoptr (GSource) source = g_timeout_source_new (MIN (wait->pause_ms, (guint)left_ms));
  GCancellable *cancellable = g_task_get_cancellable (task);
  g_autoptr (GSource) cancelled = cancellable ? asb_cancel_source_new (cancellable) : NULL;

  wait->pause_ms = MIN (2 * wait->pause_ms, LAST_PAUSE_MS);
  if (cancelled)
    g_source_add_child_source (source, cancelled);
  g_source_set_static_name (source, "asb_history_store_wait");
  g_source_set_callback (source, ask_cb, g_object_ref (task), g_object_unref);
  g_source_attach (source, g_task_get_context (task));
}

static gboolean
has_something (AsbHistoryPage *page)
{
  return g_list_model_get_n_items (asb_history_page_get_changes (page)) > 0
         || asb_history_page_get_reset_required (page);
}

static void
asked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  Wait *wait = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbHistoryPage) page
      = asb_history_store_query_finish (ASB_HISTORY_STORE (source), result, &error);

  if (!page)
    g_task_return_error (task, error);
  else if (has_something (page) || g_get_monotonic_time () >= wait->until)
    g_task_return_pointer (task, g_steal_pointer (&page), g_object_unref);
  else
    pause_and_ask (task, wait);
}

static void
ask (GTask *task)
{
  const Wait *wait = g_task_get_task_data (task);

  asb_history_store_query_async (g_task_get_source_object (task), wait->after_seq, wait->limit,
                                 wait->max_bytes, g_task_get_cancellable (task), asked_cb,
                                 g_object_ref (task));
}

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  AsbHistoryPage *page = asb_call_finish_pointer (source, result, &error);

  if (page)
    g_task_return_pointer (task, page, g_object_unref);
  else if (g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    {
      g_error_free (error);
      ask (task);
    }
  else
    g_task_return_error (task, error);
}

static void
wait_in_store (GTask *task, guint timeout_ms)
{
  static const AsbCallKind kind = { "wait for the history", 2 * MAX_WAIT_MS / 1000, NULL };
  AsbHistoryStore *self = g_task_get_source_object (task);
  const Wait *wait = g_task_get_task_data (task);
  GTask *call = asb_call_begin (self, &kind, ASB_TYPE_HISTORY_PAGE, g_task_get_cancellable (task),
                                waited_cb, g_object_ref (task), asb_history_store_wait_async);

  if (asb_call_is_cancelled (call))
    return;
  ASB_HISTORY_STORE_GET_IFACE (self)->wait (self, wait->after_seq, wait->limit, wait->max_bytes,
                                            timeout_ms, call);
  g_object_unref (call);
}

/**
 * AsbHistoryStoreInterface::wait:
 * @self: a [iface@HistoryStore]
 * @after_seq: the last change already seen, 0 for none
 * @limit: how many changes at most, 1 to 10,000
 * @max_bytes: how large the answer may be, at least one change is always given
 * @timeout_ms: how long to wait at most, 1 to 60,000 milliseconds
 * @task: to be answered with an [class@HistoryPage]: a page of changes, empty when the time is over
 *
 * Does what [method@HistoryStore.wait_async] says. Optional: where it is not there, or answers with
 * `ASB_ERROR_UNSUPPORTED_CAPABILITY`, the core asks by [vfunc@HistoryStore.query] now and then.
 *
 * Since: 1.0
 */

/**
 * asb_history_store_wait_async:
 * @self: a [iface@HistoryStore]
 * @after_seq: the last change already seen, 0 for none
 * @limit: how many changes at most, 1 to 10,000
 * @max_bytes: how large the answer may be, at least one change is always given
 * @timeout_ms: how long to wait at most, in milliseconds, 1 to 60,000; longer is as good as 60,000
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks for the changes after one that was seen, as [method@HistoryStore.query_async] does, and
 * waits until there are any. Whoever follows a record calls it again and again, each time with what
 * [method@HistoryPage.get_next_seq] said.
 *
 * A page without changes says that the time is over. A page that says that a reset is required
 * comes at once.
 *
 * The stores `sandbox` and `memory` answer as soon as somebody has written. A store that has no way
 * to be told, and a sandbox whose guest is too old (it has no capability `history_wait`), is asked
 * again and again, from ten times a second at first down to every two seconds.
 *
 * Since: 1.0
 */
void
asb_history_store_wait_async (AsbHistoryStore *self, gint64 after_seq, guint limit,
                              guint64 max_bytes, guint timeout_ms, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  Wait *wait;

  g_return_if_fail (ASB_IS_HISTORY_STORE (self));
  g_return_if_fail (after_seq >= 0 && limit > 0 && max_bytes > 0 && timeout_ms > 0);

  timeout_ms = MIN (timeout_ms, MAX_WAIT_MS);
  wait = g_new (Wait, 1);
  *wait = (Wait){ after_seq, limit, max_bytes, g_get_monotonic_time () + timeout_ms * (gint64)1000,
                  FIRST_PAUSE_MS };
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, asb_history_store_wait_async);
  g_task_set_task_data (task, wait, g_free);
  if (ASB_HISTORY_STORE_GET_IFACE (self)->wait)
    wait_in_store (task, timeout_ms);
  else
    ask (task);
}

/**
 * asb_history_store_wait_finish:
 * @self: a [iface@HistoryStore]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@HistoryStore.wait_async].
 *
 * Returns: (transfer full): a page of changes, empty when the time is over
 *
 * Since: 1.0
 */
AsbHistoryPage *
asb_history_store_wait_finish (AsbHistoryStore *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return asb_task_finish_pointer (result, error);
}

/**
 * asb_history_store_wait:
 * @self: a [iface@HistoryStore]
 * @after_seq: the last change already seen, 0 for none
 * @limit: how many changes at most, 1 to 10,000
 * @max_bytes: how large the answer may be, at least one change is always given
 * @timeout_ms: how long to wait at most, in milliseconds, 1 to 60,000; longer is as good as 60,000
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks for the changes after one that was seen, and waits until there are any. Blocks; see
 * [method@HistoryStore.wait_async].
 *
 * Returns: (transfer full): a page of changes, empty when the time is over
 *
 * Since: 1.0
 */
AsbHistoryPage *
asb_history_store_wait (AsbHistoryStore *self, gint64 after_seq, guint limit, guint64 max_bytes,
                        guint timeout_ms, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);
  g_return_val_if_fail (after_seq >= 0 && limit > 0 && max_bytes > 0 && timeout_ms > 0, NULL);

  asb_sync_begin (&sync);
  asb_history_store_wait_async (self, after_seq, limit, max_bytes, timeout_ms, cancellable,
                                asb_sync_ready_cb, &sync);
  return asb_history_store_wait_finish (self, asb_sync_wait (&sync), error);
}
