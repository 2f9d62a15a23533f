/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-wait.h"

typedef struct
{
  GSource *timer;
  GSource *cancelled;
} Wait;

static void
clear_source (GSource **source)
{
  if (*source)
    g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

static void
wait_free (gpointer data)
{
  Wait *wait = data;

  clear_source (&wait->timer);
  clear_source (&wait->cancelled);
  g_free (wait);
}

/* The task is held by both sources. Whichever comes first answers it and ends the other. */
static void
settle (GTask *task)
{
  Wait *wait = g_task_get_task_data (task);
  g_autoptr (GTask) held = g_object_ref (task);

  clear_source (&wait->timer);
  clear_source (&wait->cancelled);
  if (!g_task_return_error_if_cancelled (held))
    g_task_return_boolean (held, TRUE);
}

static gboolean
timer_cb (gpointer user_data)
{
  settle (user_data);
  return G_SOURCE_REMOVE;
}

static gboolean
cancelled_cb (GCancellable *cancellable, gpointer user_data)
{
  settle (user_data);
  return G_SOURCE_REMOVE;
}

static void
attach (GSource *source, GTask *task, GSourceFunc function)
{
  g_source_set_callback (source, function, g_object_ref (task), g_object_unref);
  g_source_attach (source, g_task_get_context (task));
}

void
asb_opensandbox_wait_async (guint milliseconds, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Wait *wait = g_new0 (Wait, 1);

  g_task_set_source_tag (task, asb_opensandbox_wait_async);
  g_task_set_task_data (task, wait, wait_free);
  wait->timer = g_timeout_source_new (milliseconds);
  attach (wait->timer, task, timer_cb);
  if (!cancellable)
    return;
  wait->cancelled = g_cancellable_source_new (cancellable);
  attach (wait->cancelled, task, G_SOURCE_FUNC (cancelled_cb));
}

gboolean
asb_opensandbox_wait_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
