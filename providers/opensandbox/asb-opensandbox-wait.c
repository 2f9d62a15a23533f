/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-wait.h"

#include "asb-opensandbox-cancel.h"

#define FIRST_MS 50
#define LAST_MS 1000

typedef struct
{
  GSource *timer;
  AsbOpensandboxCancelWatch *cancelled;
} Wait;

static void
wait_clear (Wait *wait)
{
  asb_opensandbox_thread_clear_timer (&wait->timer);
  asb_opensandbox_cancel_unwatch (&wait->cancelled);
}

static void
wait_free (gpointer data)
{
  wait_clear (data);
  g_free (data);
}

/* Whichever comes first answers the task, which both hold, and ends the other. */
static void
settle (gpointer data)
{
  g_autoptr (GTask) task = data;

  wait_clear (g_task_get_task_data (task));
  if (!g_task_return_error_if_cancelled (task))
    g_task_return_boolean (task, TRUE);
}

static gboolean
timer_cb (gpointer data)
{
  settle (data);
  return G_SOURCE_REMOVE;
}

void
asb_opensandbox_wait_async (guint milliseconds, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, user_data);
  Wait *wait = g_new0 (Wait, 1);

  g_task_set_source_tag (task, asb_opensandbox_wait_async);
  g_task_set_task_data (task, wait, wait_free);
  wait->timer = asb_opensandbox_thread_add_timer (milliseconds, timer_cb, task);
  wait->cancelled = asb_opensandbox_cancel_watch (cancellable, settle, task);
}

gboolean
asb_opensandbox_wait_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

guint
asb_opensandbox_wait_next (guint *milliseconds)
{
  *milliseconds = *milliseconds == 0 ? FIRST_MS : MIN (*milliseconds * 3 / 2, LAST_MS);
  return *milliseconds;
}
