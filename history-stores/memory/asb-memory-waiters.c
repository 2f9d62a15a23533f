/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-memory-waiters.h"

#include "asb-cancel-source-private.h"

struct _AsbMemoryWaiters
{
  GMutex *mutex;
  AsbMemoryLog *log;
  GPtrArray *waiting; /* Waiter: whoever takes one out answers it */
};

/* Counted: the source has one, and so does who has to answer. */
typedef struct
{
  AsbMemoryWaiters *waiters;
  gint64 after_seq;
  guint limit;
  guint64 max_bytes;
  GTask *task;
  GSource *source;
  AsbHistoryPage *page; /* (nullable) */
} Waiter;

static void
waiter_clear (gpointer data)
{
  Waiter *waiter = data;

  g_clear_object (&waiter->task);
  g_clear_object (&waiter->page);
  g_clear_pointer (&waiter->source, g_source_unref);
}

static void
waiter_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, waiter_clear);
}

AsbMemoryWaiters *
asb_memory_waiters_new (GMutex *mutex, AsbMemoryLog *log)
{
  AsbMemoryWaiters *self = g_new0 (AsbMemoryWaiters, 1);

  self->mutex = mutex;
  self->log = log;
  self->waiting = g_ptr_array_new_with_free_func (waiter_unref);
  return self;
}

void
asb_memory_waiters_free (AsbMemoryWaiters *self)
{
  g_ptr_array_unref (self->waiting);
  g_free (self);
}

/* Takes @page. */
static void
answer_page (GTask *task, AsbHistoryPage *page)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, ASB_TYPE_HISTORY_PAGE);
  g_value_take_object (&value, page);
  g_task_return_value (task, &value);
}

static void
answer (Waiter *waiter)
{
  /* It refers to the waiter, and lives in the context of the task, which may go with the answer. */
  g_source_destroy (waiter->source);
  g_clear_pointer (&waiter->source, g_source_unref);
  if (g_task_return_error_if_cancelled (waiter->task))
    return;
  if (waiter->page)
    answer_page (waiter->task, g_steal_pointer (&waiter->page));
  else
    g_task_return_new_error (waiter->task, ASB_ERROR, ASB_ERROR_CLOSED,
                             "The record in memory was closed");
}

void
asb_memory_waiters_answer (GPtrArray *taken)
{
  for (guint i = 0; i < taken->len; i++)
    answer (taken->pdata[i]);
  g_ptr_array_unref (taken);
}

/* Must hold the mutex. */
static AsbHistoryPage *
query (Waiter *waiter)
{
  return asb_memory_log_query (waiter->waiters->log, waiter->after_seq, waiter->limit,
                               waiter->max_bytes);
}

/* The time is over, or it was cancelled. */
static gboolean
time_cb (gpointer user_data)
{
  Waiter *waiter = user_data;
  AsbMemoryWaiters *self = waiter->waiters;
  g_autoptr (GPtrArray) taken = g_ptr_array_new_with_free_func (waiter_unref);
  guint position;

  g_mutex_lock (self->mutex);
  if (g_ptr_array_find (self->waiting, waiter, &position))
    {
      waiter->page = query (waiter);
      g_ptr_array_add (taken, g_ptr_array_steal_index (self->waiting, position));
    }
  g_mutex_unlock (self->mutex);
  asb_memory_waiters_answer (g_steal_pointer (&taken));
  return G_SOURCE_REMOVE;
}

static void
attach (Waiter *waiter, guint timeout_ms)
{
  GCancellable *cancellable = g_task_get_cancellable (waiter->task);
  g_autoptr (GSource) cancelled = cancellable ? asb_cancel_source_new (cancellable) : NULL;

  waiter->source = g_timeout_source_new (timeout_ms);
  if (cancelled)
    g_source_add_child_source (waiter->source, cancelled);
  g_source_set_static_name (waiter->source, "a wait for the record in memory");
  g_source_set_callback (waiter->source, time_cb, g_atomic_rc_box_acquire (waiter), waiter_unref);
  g_source_attach (waiter->source, g_task_get_context (waiter->task));
}

void
asb_memory_waiters_add (AsbMemoryWaiters *self, gint64 after_seq, guint limit, guint64 max_bytes,
                        guint timeout_ms, GTask *task)
{
  Waiter *waiter = g_atomic_rc_box_new0 (Waiter);

  waiter->waiters = self;
  waiter->after_seq = after_seq;
  waiter->limit = limit;
  waiter->max_bytes = max_bytes;
  waiter->task = g_object_ref (task);
  attach (waiter, timeout_ms);
  g_ptr_array_add (self->waiting, waiter);
}

GPtrArray *
asb_memory_waiters_take_ready (AsbMemoryWaiters *self)
{
  GPtrArray *taken = g_ptr_array_new_with_free_func (waiter_unref);

  for (guint i = self->waiting->len; i-- > 0;)
    {
      Waiter *waiter = self->waiting->pdata[i];

      if (!asb_memory_log_has_news (self->log, waiter->after_seq))
        continue;
      waiter->page = query (waiter);
      g_ptr_array_add (taken, g_ptr_array_steal_index_fast (self->waiting, i));
    }
  return taken;
}

GPtrArray *
asb_memory_waiters_take_all (AsbMemoryWaiters *self)
{
  GPtrArray *taken = g_steal_pointer (&self->waiting);

  self->waiting = g_ptr_array_new_with_free_func (waiter_unref);
  return taken;
}
