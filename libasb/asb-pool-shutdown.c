/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pool.h"

#include "asb-call-private.h"
#include "asb-cancel-source-private.h"
#include "asb-error-private.h"
#include "asb-io-thread-private.h"
#include "asb-pool-private.h"
#include "asb-sync-private.h"
#include "asb-timer-private.h"

/* Calls that end what a pool has, where they were called, and wait for it. */

/* How long those who were told to make way may take for it. */
#define PATIENCE (30 * G_TIME_SPAN_SECOND)

typedef struct
{
  AsbPoolCore *pool;
  AsbPoolSweep *sweep;
  gboolean is_shutdown;
  GSource *wake;
  GSource *cancelled;
  gint64 evict_at; /* until then calls in flight are waited for */
} Closing;

static void
stop_waiting (Closing *closing)
{
  if (!closing->wake)
    return;
  g_mutex_lock (&closing->pool->mutex);
  g_ptr_array_remove_fast (closing->pool->waiting, closing->wake);
  asb_pool_give_back_endings (closing->pool, closing->sweep);
  g_mutex_unlock (&closing->pool->mutex);
  asb_source_clear (&closing->wake);
  asb_source_clear (&closing->cancelled);
}

static void
closing_free (gpointer data)
{
  Closing *closing = data;

  g_clear_pointer (&closing->sweep, asb_pool_sweep_unref);
  g_clear_pointer (&closing->pool, asb_pool_core_unref);
  g_free (closing);
}

/* What could not be ended. */

typedef struct
{
  guint n;
  GString *text;
  GVariantBuilder ids;
} Report;

static void
report_ending (Report *report, const AsbPoolEnding *ending)
{
  g_string_append_printf (report->text, "%s“%s” (%s)", report->n > 0 ? ", " : "",
                          ending->sandbox_id,
                          ending->error ? ending->error->message : "that is not done yet");
  g_variant_builder_add (&report->ids, "s", ending->sandbox_id);
  report->n++;
}

static void
report_number (Report *report, guint n, const char *what)
{
  if (n == 0)
    return;
  g_string_append_printf (report->text, "%s%u %s", report->n > 0 ? ", " : "", n, what);
  report->n += n;
}

/* Takes @report. */
static GError *
new_incomplete (Report *report, const char *operation)
{
  g_autoptr (GString) text = report->text;
  g_autoptr (AsbErrorInfo) info
      = g_object_new (ASB_TYPE_ERROR_INFO, "operation", operation, "retryable", TRUE, NULL);
  g_autofree char *message
      = g_strdup_printf ("Not all that the pool has could be ended: %s", text->str);
  GVariantDict details;

  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert_value (&details, "sandbox_ids", g_variant_builder_end (&report->ids));
  asb_error_info_set_details (info, g_variant_dict_end (&details));
  return asb_error_new_with_info (ASB_ERROR_POOL_INCOMPLETE, message, info);
}

/* Must hold the mutex. */
static GError *
find_fault (Closing *closing)
{
  AsbPoolCore *pool = closing->pool;
  Report report = { 0, g_string_new (NULL), G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE_STRING_ARRAY) };

  for (GList *link = pool->endings.head; link; link = link->next)
    {
      const AsbPoolEnding *ending = link->data;

      if (closing->is_shutdown || ending->tried == closing->sweep)
        report_ending (&report, ending);
    }
  if (closing->is_shutdown)
    {
      report_number (&report, pool->n_creating, "that are still being made");
      report_number (&report, pool->acquires->len, "calls that still want one");
    }
  if (report.n > 0)
    return new_incomplete (&report, closing->is_shutdown ? "pool.shutdown" : "pool.release");
  g_string_free (report.text, TRUE);
  g_variant_builder_clear (&report.ids);
  return NULL;
}

static void
finish (GTask *task)
{
  Closing *closing = g_task_get_task_data (task);
  AsbPoolCore *pool = closing->pool;
  GError *error;
  guint n_ended;

  g_mutex_lock (&pool->mutex);
  error = find_fault (closing);
  n_ended = closing->sweep->n_ended;
  if (!error && closing->is_shutdown && pool->state == ASB_POOL_STATE_DRAINING)
    {
      pool->state = ASB_POOL_STATE_STOPPED;
      asb_pool_core_changed (pool);
    }
  g_mutex_unlock (&pool->mutex);
  stop_waiting (closing);
  if (error)
    g_task_return_error (task, error);
  else
    g_task_return_int (task, n_ended);
}

/* Waiting. What this thread itself holds up is not waited for: that would be for ever. */

static gboolean
is_blocked (GMainContext *context)
{
  return context && asb_sync_blocks_context (context);
}

/* Must hold the mutex. */
static gboolean
waits_for_calls (AsbPoolCore *pool)
{
  for (guint i = 0; i < pool->acquires->len; i++)
    if (!is_blocked (g_task_get_context (pool->acquires->pdata[i])))
      return TRUE;
  return pool->n_creating > 0 && !is_blocked (pool->context);
}

/* Must hold the mutex. */
static gboolean
waits_for_endings (Closing *closing)
{
  for (GList *link = closing->pool->endings.head; link; link = link->next)
    {
      const AsbPoolEnding *ending = link->data;

      if (ending->sweep == closing->sweep
          || (closing->is_shutdown && ending->is_running && !is_blocked (ending->context)))
        return TRUE;
    }
  return FALSE;
}

/* Must hold the mutex. What is to be ended this call sees to, once. */
static void
adopt (Closing *closing)
{
  for (GList *link = closing->pool->endings.head; link; link = link->next)
    {
      AsbPoolEnding *ending = link->data;

      if (!ending->is_running && !ending->sweep && ending->tried != closing->sweep)
        ending->sweep = asb_pool_sweep_ref (closing->sweep);
    }
}

/* Must hold the mutex. Returns: (transfer full): what is to be cancelled */
static GPtrArray *
evict (Closing *closing, gint64 now)
{
  GPtrArray *acquires = closing->pool->acquires;
  GPtrArray *evicted = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; closing->is_shutdown && i < acquires->len; i++)
    {
      GTask *task = acquires->pdata[i];
      GCancellable *cancellable = now >= closing->evict_at || is_blocked (g_task_get_context (task))
                                      ? asb_pool_evict (task)
                                      : NULL;

      if (cancellable)
        g_ptr_array_add (evicted, cancellable);
    }
  return evicted;
}

typedef struct
{
  GPtrArray *evicted;
  GPtrArray *endings;
  gboolean is_done;
} Step;

/* When the patience with calls in flight is at its end; −1: there is nothing to be patient with. */
static gint64
get_next_time (Closing *closing, gint64 now)
{
  if (!closing->is_shutdown || now >= closing->evict_at + PATIENCE)
    return -1;
  return now < closing->evict_at ? closing->evict_at : closing->evict_at + PATIENCE;
}

/* Must hold the mutex. */
static void
plan (Closing *closing, GMainContext *context, Step *step)
{
  AsbPoolCore *pool = closing->pool;
  gint64 now = g_get_monotonic_time ();
  gint64 next;
  AsbPoolEnding *ending;

  if (closing->is_shutdown)
    adopt (closing);
  step->evicted = evict (closing, now);
  step->endings = g_ptr_array_new ();
  while ((ending = asb_pool_take_ending (pool, closing->sweep, context, now, &next)))
    g_ptr_array_add (step->endings, ending);
  step->is_done
      = !waits_for_endings (closing)
        && !(closing->is_shutdown && waits_for_calls (pool) && now < closing->evict_at + PATIENCE);
  /* What changes after this says so by another time. */
  g_source_set_ready_time (closing->wake, get_next_time (closing, now));
}

static gboolean
step_cb (gpointer user_data)
{
  g_autoptr (GTask) task = g_object_ref (user_data);
  Closing *closing = g_task_get_task_data (task);
  Step step = { 0 };

  if (!closing->wake)
    return G_SOURCE_REMOVE;
  g_mutex_lock (&closing->pool->mutex);
  plan (closing, g_task_get_context (task), &step);
  g_mutex_unlock (&closing->pool->mutex);
  for (guint i = 0; i < step.evicted->len; i++)
    g_cancellable_cancel (step.evicted->pdata[i]);
  for (guint i = 0; i < step.endings->len; i++)
    asb_pool_run_ending (closing->pool, step.endings->pdata[i]);
  g_ptr_array_unref (step.evicted);
  g_ptr_array_unref (step.endings);
  if (step.is_done)
    finish (task);
  return G_SOURCE_CONTINUE;
}

static gboolean
cancelled_cb (gpointer user_data)
{
  g_autoptr (GTask) task = g_object_ref (user_data);
  Closing *closing = g_task_get_task_data (task);

  if (!closing->wake)
    return G_SOURCE_REMOVE;
  stop_waiting (closing);
  g_task_return_error_if_cancelled (task);
  return G_SOURCE_REMOVE;
}

/* Must hold the mutex. */
static void
begin_waiting (GTask *task)
{
  Closing *closing = g_task_get_task_data (task);
  GCancellable *cancellable = g_task_get_cancellable (task);

  closing->wake = asb_timer_new ("asb pool end", step_cb, g_object_ref (task), g_object_unref);
  g_source_set_ready_time (closing->wake, 0);
  g_ptr_array_add (closing->pool->waiting, closing->wake);
  g_source_attach (closing->wake, g_task_get_context (task));
  if (!cancellable)
    return;
  closing->cancelled = asb_cancel_source_new (cancellable);
  g_source_set_callback (closing->cancelled, cancelled_cb, g_object_ref (task), g_object_unref);
  g_source_attach (closing->cancelled, g_task_get_context (task));
}

/* Beginning. */

static GTask *
new_task (AsbPool *self, gboolean is_shutdown, gpointer tag, GCancellable *cancellable,
          GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (self, cancellable, callback, user_data);
  Closing *closing = g_new0 (Closing, 1);

  g_task_set_source_tag (task, tag);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, closing, closing_free);
  closing->pool = asb_pool_core_ref (asb_pool_get_core (self));
  closing->sweep = asb_pool_sweep_new ();
  closing->is_shutdown = is_shutdown;
  return task;
}

/* Answers @task if nothing is to be done, or can be in this process. */
static gboolean
refuse (GTask *task)
{
  if (g_task_return_error_if_cancelled (task))
    return TRUE;
  if (!asb_io_thread_is_lost ())
    return FALSE;
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_CLOSED,
                           "The threads of libasb run in the process that this one was forked "
                           "from: the pool is its");
  return TRUE;
}

/* Must hold the mutex. Returns: whether there is nothing to wait for */
static gboolean
begin_shutdown (Closing *closing)
{
  AsbPoolCore *pool = closing->pool;

  if (pool->state == ASB_POOL_STATE_NOT_STARTED)
    {
      pool->state = ASB_POOL_STATE_STOPPED;
      asb_pool_core_changed (pool);
    }
  if (pool->state == ASB_POOL_STATE_STOPPED)
    return TRUE;
  pool->state = ASB_POOL_STATE_DRAINING;
  closing->evict_at = g_get_monotonic_time () + (gint64)pool->drain_ms * 1000;
  while (!g_queue_is_empty (&pool->idle))
    asb_pool_core_end_oldest (pool);
  asb_pool_core_changed (pool);
  return FALSE;
}

/**
 * asb_pool_shutdown_async:
 * @self: a [class@Pool]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is shut down
 * @user_data: data for @callback
 *
 * Shuts the pool down: nothing is made or handed out any more, creations under way are cancelled
 * and undone, calls of [method@Pool.acquire_async] in flight are waited for and after a while (30
 * seconds, or [property@ConcurrencyConfig:lifecycle-lock-timeout-seconds]) told to make way, and
 * the sandboxes that are ready are ended. What was handed out before is its callers'.
 *
 * %ASB_ERROR_POOL_INCOMPLETE if not all could be ended: message and details name it. The pool then
 * goes on trying, and can be shut down again, which succeeds once nothing is left. Whoever cancels
 * leaves the rest to the pool, too. A pool that is shut down can be started again.
 *
 * Since: 1.0
 */
void
asb_pool_shutdown_async (AsbPool *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                         gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  g_autoptr (GCancellable) creating = NULL;
  gboolean is_done;
  Closing *closing;

  g_return_if_fail (ASB_IS_POOL (self));

  task = new_task (self, TRUE, asb_pool_shutdown_async, cancellable, callback, user_data);
  closing = g_task_get_task_data (task);
  if (refuse (task))
    return;
  g_mutex_lock (&closing->pool->mutex);
  is_done = begin_shutdown (closing);
  if (!is_done)
    begin_waiting (task);
  creating = g_object_ref (closing->pool->creating);
  g_mutex_unlock (&closing->pool->mutex);
  g_cancellable_cancel (creating);
  if (is_done)
    g_task_return_int (task, 0);
}

/**
 * asb_pool_shutdown_finish:
 * @self: a [class@Pool]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Pool.shutdown_async].
 *
 * Returns: whether nothing is left
 *
 * Since: 1.0
 */
gboolean
asb_pool_shutdown_finish (AsbPool *self, GAsyncResult *result, GError **error)
{
  GError *local = NULL;

  g_return_val_if_fail (ASB_IS_POOL (self), FALSE);
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  g_task_propagate_int (G_TASK (result), &local);
  if (!local)
    return TRUE;
  asb_error_info_set_last (local);
  g_propagate_error (error, local);
  return FALSE;
}

/**
 * asb_pool_shutdown:
 * @self: a [class@Pool]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Shuts the pool down. Blocks; see [method@Pool.shutdown_async].
 *
 * Returns: whether nothing is left
 *
 * Since: 1.0
 */
gboolean
asb_pool_shutdown (AsbPool *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_POOL (self), FALSE);

  asb_sync_begin (&sync);
  asb_pool_shutdown_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_pool_shutdown_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_pool_release_all_idle_async:
 * @self: a [class@Pool]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when they are ended
 * @user_data: data for @callback
 *
 * Ends all sandboxes that are ready, for example since what they were made of has changed. The pool
 * makes others for them, unless it is not running or [property@Pool:max-idle] is 0.
 *
 * %ASB_ERROR_POOL_INCOMPLETE if not all could be ended: message and details name them. The pool
 * goes on trying.
 *
 * Since: 1.0
 */
void
asb_pool_release_all_idle_async (AsbPool *self, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  Closing *closing;

  g_return_if_fail (ASB_IS_POOL (self));

  task = new_task (self, FALSE, asb_pool_release_all_idle_async, cancellable, callback, user_data);
  closing = g_task_get_task_data (task);
  if (refuse (task))
    return;
  g_mutex_lock (&closing->pool->mutex);
  while (!g_queue_is_empty (&closing->pool->idle))
    asb_pool_core_end_oldest (closing->pool);
  adopt (closing);
  begin_waiting (task);
  g_mutex_unlock (&closing->pool->mutex);
}

/**
 * asb_pool_release_all_idle_finish:
 * @self: a [class@Pool]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Pool.release_all_idle_async].
 *
 * Returns: how many were ended; -1 on error
 *
 * Since: 1.0
 */
gssize
asb_pool_release_all_idle_finish (AsbPool *self, GAsyncResult *result, GError **error)
{
  GError *local = NULL;
  gssize n;

  g_return_val_if_fail (ASB_IS_POOL (self), -1);
  g_return_val_if_fail (g_task_is_valid (result, self), -1);

  n = g_task_propagate_int (G_TASK (result), &local);
  if (!local)
    return n;
  asb_error_info_set_last (local);
  g_propagate_error (error, local);
  return -1;
}

/**
 * asb_pool_release_all_idle:
 * @self: a [class@Pool]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Ends all sandboxes that are ready. Blocks; see [method@Pool.release_all_idle_async].
 *
 * Returns: how many were ended; -1 on error
 *
 * Since: 1.0
 */
gssize
asb_pool_release_all_idle (AsbPool *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_POOL (self), -1);

  asb_sync_begin (&sync);
  asb_pool_release_all_idle_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_pool_release_all_idle_finish (self, asb_sync_wait (&sync), error);
}
