/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-activity-gate-private.h"

#include "asb-error.h"
#include "asb-task-wait-private.h"

struct _AsbActivityGate
{
  GObject parent_instance;

  GMutex mutex;
  guint n_inside;
  gboolean held; /* by one who has closed it */
  gboolean sealed;
  GPtrArray *waiting; /* GTask: those who want it closed */
};

G_DEFINE_FINAL_TYPE (AsbActivityGate, asb_activity_gate, G_TYPE_OBJECT)

static void
asb_activity_gate_finalize (GObject *object)
{
  AsbActivityGate *self = ASB_ACTIVITY_GATE (object);

  g_clear_pointer (&self->waiting, g_ptr_array_unref);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (asb_activity_gate_parent_class)->finalize (object);
}

static void
asb_activity_gate_class_init (AsbActivityGateClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_activity_gate_finalize;
}

static void
asb_activity_gate_init (AsbActivityGate *self)
{
  g_mutex_init (&self->mutex);
  self->waiting = g_ptr_array_new_with_free_func (g_object_unref);
}

AsbActivityGate *
asb_activity_gate_new (void)
{
  return g_object_new (ASB_TYPE_ACTIVITY_GATE, NULL);
}

gboolean
asb_activity_gate_enter (AsbActivityGate *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (self->sealed)
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_CLOSED, "The backend is closed");
  else if (self->held || self->waiting->len > 0)
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETING,
                         "The backend is being closed");
  else
    {
      self->n_inside++;
      return TRUE;
    }
  return FALSE;
}

/* Must hold the mutex. Returns: (transfer full) (nullable): the tasks to answer without it */
static GPtrArray *
take_answerable (AsbActivityGate *self)
{
  GPtrArray *answerable;

  if (self->waiting->len == 0 || self->n_inside > 0 || (self->held && !self->sealed))
    return NULL;
  answerable = g_ptr_array_new_with_free_func (g_object_unref);
  while (self->waiting->len > 0 && (answerable->len == 0 || self->sealed))
    g_ptr_array_add (answerable, g_ptr_array_steal_index (self->waiting, 0));
  self->held = TRUE;
  return answerable;
}

static void
answer_all (GPtrArray *answerable)
{
  for (guint i = 0; answerable && i < answerable->len; i++)
    g_task_return_boolean (answerable->pdata[i], TRUE);
}

void
asb_activity_gate_leave (AsbActivityGate *self)
{
  g_autoptr (GPtrArray) answerable = NULL;

  g_mutex_lock (&self->mutex);
  g_assert (self->n_inside > 0);
  self->n_inside--;
  answerable = take_answerable (self);
  g_mutex_unlock (&self->mutex);

  answer_all (answerable);
}

/* Takes one task back. FALSE if it has been answered. */
static gboolean
stop_waiting (AsbActivityGate *self, GTask *task)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gboolean was_waiting;

  g_object_ref (task);
  was_waiting = g_ptr_array_remove (self->waiting, task);
  g_object_unref (task);
  return was_waiting;
}

static gboolean
timeout_cb (gpointer user_data)
{
  GTask *task = user_data;
  g_autoptr (AsbErrorInfo) info = NULL;

  if (!stop_waiting (g_task_get_source_object (task), task))
    return G_SOURCE_REMOVE;
  info = g_object_new (ASB_TYPE_ERROR_INFO, "retryable", TRUE, NULL);
  g_task_return_error (
      task,
      asb_error_new_with_info (ASB_ERROR_LOCK_ACQUISITION_TIMEOUT,
                               "Could not close the backend: operations are still running", info));
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
asb_activity_gate_close_async (AsbActivityGate *self, guint timeout_ms, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);
  g_autoptr (GPtrArray) answerable = NULL;

  g_task_set_source_tag (task, asb_activity_gate_close_async);
  g_task_set_check_cancellable (task, FALSE);
  g_mutex_lock (&self->mutex);
  /* Here, so that it does wait when it is cancelled, be it in another thread. */
  asb_task_wait_begin (task, timeout_ms, timeout_cb, cancelled_cb);
  g_ptr_array_add (self->waiting, g_object_ref (task));
  answerable = take_answerable (self);
  g_mutex_unlock (&self->mutex);

  answer_all (answerable);
}

gboolean
asb_activity_gate_close_finish (AsbActivityGate *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static void
let_go (AsbActivityGate *self, gboolean seal)
{
  g_autoptr (GPtrArray) answerable = NULL;

  g_mutex_lock (&self->mutex);
  self->held = FALSE;
  self->sealed = self->sealed || seal;
  answerable = take_answerable (self);
  g_mutex_unlock (&self->mutex);

  answer_all (answerable);
}

void
asb_activity_gate_reopen (AsbActivityGate *self)
{
  let_go (self, FALSE);
}

void
asb_activity_gate_seal (AsbActivityGate *self)
{
  let_go (self, TRUE);
}

gboolean
asb_activity_gate_is_sealed (AsbActivityGate *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  return self->sealed;
}
