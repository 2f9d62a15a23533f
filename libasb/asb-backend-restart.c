/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-restart-private.h"

#include "asb-backend-pause-private.h"
#include "asb-error-private.h"
#include "asb-guest-placement-private.h"
#include "asb-guest-transport.h"
#include "asb-sync-private.h"
#include "asb-task-wait-private.h"

/* As long as a guest may take to say hello: then two attempts are better than none. */
#define WAIT_MS 30000

typedef struct
{
  gboolean leads;          /* the others wait for this one */
  AsbTransport *transport; /* (nullable): opened, and not in use yet */
} Restart;

static void
restart_free (gpointer data)
{
  Restart *restart = data;

  g_clear_object (&restart->transport);
  g_free (restart);
}

gboolean
asb_backend_needs_restart (AsbBackend *self)
{
  return self->guest_is_placed
         && asb_transport_get_state (g_atomic_pointer_get (&self->transport))
                == ASB_TRANSPORT_STATE_CLOSED;
}

/* Who has borrowed the one before keeps it, and calls on it may still be on their way. */
static void
install (AsbBackend *self, AsbTransport *transport)
{
  g_mutex_lock (&self->mutex);
  g_ptr_array_add (self->past_transports, self->transport);
  g_atomic_pointer_set (&self->transport, g_object_ref (transport));
  g_mutex_unlock (&self->mutex);
  asb_backend_watch_pauses (self, transport);
  g_object_notify (G_OBJECT (self), "transport");
}

/* What those who have waited do next; a failure that is shared is an error instead. */
typedef enum
{
  NEXT_GO_ON,
  NEXT_LOOK_AGAIN,
  NEXT_GO_ALONE
} Next;

static void
answer_waiting (GPtrArray *waiting, const GError *error)
{
  for (guint i = 0; i < waiting->len; i++)
    /* That somebody has cancelled his own says nothing to the others. */
    if (error && !asb_error_is_cancelled (error))
      g_task_return_error (waiting->pdata[i], g_error_copy (error));
    else
      g_task_return_int (waiting->pdata[i], error ? NEXT_LOOK_AGAIN : NEXT_GO_ON);
}

/* Takes @error (nullable). */
static void
end (GTask *task, GError *error)
{
  AsbBackend *self = g_task_get_source_object (task);
  const Restart *restart = g_task_get_task_data (task);
  g_autoptr (GPtrArray) waiting = g_ptr_array_new_with_free_func (g_object_unref);

  if (restart->leads)
    {
      g_mutex_lock (&self->mutex);
      g_clear_pointer (&self->restart_context, g_main_context_unref);
      g_ptr_array_extend_and_steal (waiting, g_steal_pointer (&self->restart_waiting));
      self->restart_waiting = g_ptr_array_new_with_free_func (g_object_unref);
      g_mutex_unlock (&self->mutex);
    }
  answer_waiting (waiting, error);
  if (error)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

static void
store_opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  AsbBackend *self = g_task_get_source_object (task);
  const Restart *restart = g_task_get_task_data (task);
  GError *error = NULL;
  gboolean opened = asb_history_store_open_finish (ASB_HISTORY_STORE (source), result, &error);

  if (!opened
      && asb_history_config_get_consistency (self->history_config)
             == ASB_HISTORY_CONSISTENCY_STRICT_START)
    {
      end (task, error);
      return;
    }
  if (!opened)
    g_debug ("The record was not opened again: %s", error->message);
  g_clear_error (&error);
  install (self, restart->transport);
  end (task, NULL);
}

static void
transport_opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  AsbBackend *self = g_task_get_source_object (task);
  Restart *restart = g_task_get_task_data (task);
  GError *error = NULL;

  restart->transport = asb_guest_placement_open_finish (ASB_PROVIDER (source), result, &error);
  if (!restart->transport)
    {
      end (task, error);
      return;
    }
  if (self->store && asb_history_store_get_records_in_place (self->store))
    {
      asb_history_store_open_async (self->store, restart->transport, self->ref,
                                    self->history_config, g_task_get_cancellable (task),
                                    store_opened_cb, g_object_ref (task));
      return;
    }
  install (self, restart->transport);
  end (task, NULL);
}

/* Takes @task. */
static void
ask_for_guest (GTask *task)
{
  AsbBackend *self = g_task_get_source_object (task);

  asb_guest_placement_open_async (self->provider, ASB_BACKEND_SANDBOX_ID (self),
                                  self->reconnect_seconds, g_task_get_cancellable (task),
                                  transport_opened_cb, task);
}

/* Waiting for another one. */

/* FALSE if it has been answered. */
static gboolean
stop_waiting (GTask *wait)
{
  AsbBackend *self = g_task_get_source_object (wait);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  return g_ptr_array_remove_fast (self->restart_waiting, wait);
}

static gboolean
wait_timeout_cb (gpointer user_data)
{
  g_autoptr (GTask) wait = g_object_ref (user_data);

  if (stop_waiting (wait))
    g_task_return_int (wait, NEXT_GO_ALONE);
  return G_SOURCE_REMOVE;
}

static gboolean
wait_cancelled_cb (gpointer user_data)
{
  g_autoptr (GTask) wait = g_object_ref (user_data);

  if (stop_waiting (wait))
    g_task_return_error_if_cancelled (wait);
  return G_SOURCE_REMOVE;
}

static void lead_or_wait (GTask *task);

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  Next next = (Next)g_task_propagate_int (G_TASK (result), &error);

  if (error)
    g_task_return_error (task, error);
  else if (next == NEXT_GO_ON)
    g_task_return_boolean (task, TRUE);
  else if (next == NEXT_GO_ALONE)
    ask_for_guest (g_steal_pointer (&task));
  else
    lead_or_wait (g_steal_pointer (&task));
}

/* With the mutex, so that it is not answered before. Takes @task. */
static void
begin_waiting (AsbBackend *self, GTask *task)
{
  GTask *wait = g_task_new (self, g_task_get_cancellable (task), waited_cb, task);

  g_task_set_source_tag (wait, begin_waiting);
  g_task_set_check_cancellable (wait, FALSE);
  asb_task_wait_begin (wait, WAIT_MS, wait_timeout_cb, wait_cancelled_cb);
  g_ptr_array_add (self->restart_waiting, wait);
}

/* Takes @task. */
static void
lead_or_wait (GTask *task)
{
  g_autoptr (AsbBackend) self = g_object_ref (g_task_get_source_object (task));
  Restart *restart = g_task_get_task_data (task);

  g_mutex_lock (&self->mutex);
  restart->leads = !self->restart_context;
  if (restart->leads)
    self->restart_context = g_main_context_ref (g_task_get_context (task));
  /* What this thread itself holds up is not waited for: that would be for ever. */
  else if (!asb_sync_blocks_context (self->restart_context))
    begin_waiting (self, g_steal_pointer (&task));
  g_mutex_unlock (&self->mutex);
  if (!task)
    return;
  if (asb_backend_needs_restart (self))
    ask_for_guest (task);
  else
    {
      end (task, NULL);
      g_object_unref (task);
    }
}

void
asb_backend_restart_async (AsbBackend *self, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, asb_backend_restart_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, g_new0 (Restart, 1), restart_free);
  lead_or_wait (task);
}

gboolean
asb_backend_restart_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
