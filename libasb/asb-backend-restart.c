/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-restart-private.h"

#include "asb-backend-pause-private.h"
#include "asb-guest-placement-private.h"
#include "asb-guest-transport.h"

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

static void
store_opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  AsbBackend *self = g_task_get_source_object (task);
  GError *error = NULL;
  gboolean opened = asb_history_store_open_finish (ASB_HISTORY_STORE (source), result, &error);

  if (!opened
      && asb_history_config_get_consistency (self->history_config)
             == ASB_HISTORY_CONSISTENCY_STRICT_START)
    {
      g_task_return_error (task, error);
      return;
    }
  if (!opened)
    g_debug ("The record was not opened again: %s", error->message);
  g_clear_error (&error);
  install (self, g_task_get_task_data (task));
  g_task_return_boolean (task, TRUE);
}

static void
transport_opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  AsbBackend *self = g_task_get_source_object (task);
  GError *error = NULL;
  AsbTransport *transport = asb_guest_placement_open_finish (ASB_PROVIDER (source), result, &error);

  if (!transport)
    {
      g_task_return_error (task, error);
      return;
    }
  g_task_set_task_data (task, transport, g_object_unref);
  if (self->store && asb_history_store_get_records_in_place (self->store))
    {
      asb_history_store_open_async (self->store, transport, self->ref, self->history_config,
                                    g_task_get_cancellable (task), store_opened_cb,
                                    g_object_ref (task));
      return;
    }
  install (self, transport);
  g_task_return_boolean (task, TRUE);
}

void
asb_backend_restart_async (AsbBackend *self, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, asb_backend_restart_async);
  g_task_set_check_cancellable (task, FALSE);
  asb_guest_placement_open_async (self->provider, ASB_BACKEND_SANDBOX_ID (self),
                                  self->reconnect_seconds, cancellable, transport_opened_cb, task);
}

gboolean
asb_backend_restart_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
