/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-slot-queue-private.h"

#include "asb-error-private.h"
#include "asb-task-wait-private.h"

struct _AsbSlotQueue
{
  GObject parent_instance;

  guint n_slots;
  guint timeout_ms;
  int code;
  char *what;

  GMutex mutex;
  guint n_free;
  GQueue waiting; /* GTask, the first one in front */
};

G_DEFINE_FINAL_TYPE (AsbSlotQueue, asb_slot_queue, G_TYPE_OBJECT)

static void
asb_slot_queue_finalize (GObject *object)
{
  AsbSlotQueue *self = ASB_SLOT_QUEUE (object);

  /* Those who wait hold the queue. */
  g_assert (g_queue_is_empty (&self->waiting));
  g_clear_pointer (&self->what, g_free);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (asb_slot_queue_parent_class)->finalize (object);
}

static void
asb_slot_queue_class_init (AsbSlotQueueClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_slot_queue_finalize;
}

static void
asb_slot_queue_init (AsbSlotQueue *self)
{
  g_mutex_init (&self->mutex);
  g_queue_init (&self->waiting);
}

AsbSlotQueue *
asb_slot_queue_new (guint n_slots, double seconds, int code, const char *what)
{
  AsbSlotQueue *self = g_object_new (ASB_TYPE_SLOT_QUEUE, NULL);

  self->n_slots = self->n_free = n_slots;
  self->timeout_ms = (guint)(seconds * 1000);
  self->code = code;
  self->what = g_strdup (what);
  return self;
}

gboolean
asb_slot_queue_try (AsbSlotQueue *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (self->n_free == 0)
    return FALSE;
  self->n_free--;
  return TRUE;
}

/* Takes one back. FALSE if it has got a slot meanwhile. */
static gboolean
stop_waiting (AsbSlotQueue *self, GTask *task)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (!g_queue_remove (&self->waiting, task))
    return FALSE;
  g_object_unref (task);
  return TRUE;
}

static gboolean
timeout_cb (gpointer user_data)
{
  GTask *task = user_data;
  AsbSlotQueue *self = g_task_get_source_object (task);
  g_autoptr (AsbErrorInfo) info = NULL;
  g_autofree char *message = NULL;

  if (!stop_waiting (self, task))
    return G_SOURCE_REMOVE;
  info = g_object_new (ASB_TYPE_ERROR_INFO, "retryable", TRUE, NULL);
  message = g_strdup_printf ("The turn did not come within %g s: %u of the %s at work is as many "
                             "as “concurrency” allows at once",
                             self->timeout_ms / 1000.0, self->n_slots, self->what);
  g_task_return_error (task, asb_error_new_with_info (self->code, message, info));
  return G_SOURCE_REMOVE;
}

static gboolean
cancelled_cb (gpointer user_data)
{
  GTask *task = user_data;

  if (stop_waiting (g_task_get_source_object (task), task))
    g_task_return_error_if_cancelled (task);
  return G_SOURCE_REMOVE;
}

void
asb_slot_queue_take_async (AsbSlotQueue *self, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);
  gboolean has_slot;

  g_task_set_source_tag (task, asb_slot_queue_take_async);
  g_task_set_check_cancellable (task, FALSE);
  g_mutex_lock (&self->mutex);
  has_slot = self->n_free > 0;
  if (has_slot)
    self->n_free--;
  else
    {
      /* Before anybody can answer it. */
      asb_task_wait_begin (task, self->timeout_ms, timeout_cb, cancelled_cb);
      g_queue_push_tail (&self->waiting, g_object_ref (task));
    }
  g_mutex_unlock (&self->mutex);

  if (has_slot)
    g_task_return_boolean (task, TRUE);
}

gboolean
asb_slot_queue_take_finish (AsbSlotQueue *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
asb_slot_queue_leave (AsbSlotQueue *self)
{
  g_autoptr (GTask) next = NULL;

  g_mutex_lock (&self->mutex);
  g_assert (self->n_free < self->n_slots);
  next = g_queue_pop_head (&self->waiting);
  if (!next)
    self->n_free++;
  g_mutex_unlock (&self->mutex);

  if (next)
    g_task_return_boolean (next, TRUE);
}
