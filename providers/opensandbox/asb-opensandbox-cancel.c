/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-cancel.h"

#include "asb-opensandbox-thread.h"

#define DATA_KEY "asb-opensandbox-cancel"

typedef struct
{
  GCancellable *outer;
  gulong handler_id;
} Watch;

static void
cancel_in_thread (gpointer data)
{
  g_autoptr (GCancellable) inner = data;

  g_cancellable_cancel (inner);
}

static void
cancelled_cb (GCancellable *outer, gpointer inner)
{
  asb_opensandbox_thread_post (cancel_in_thread, g_object_ref (inner));
}

static void
watch_free (gpointer data)
{
  g_autofree Watch *watch = data;

  /* Not g_cancellable_disconnect (), which would wait for itself where the emission ends the task.
   */
  g_signal_handler_disconnect (watch->outer, watch->handler_id);
  g_object_unref (watch->outer);
}

GCancellable *
asb_opensandbox_cancel_new (GTask *task)
{
  GCancellable *outer = g_task_get_cancellable (task);
  GCancellable *inner = g_cancellable_new ();
  Watch *watch;

  if (!outer)
    return inner;
  watch = g_new0 (Watch, 1);
  watch->outer = g_object_ref (outer);
  watch->handler_id
      = g_signal_connect_data (outer, "cancelled", G_CALLBACK (cancelled_cb), g_object_ref (inner),
                               (GClosureNotify)g_object_unref, 0);
  g_object_set_data_full (G_OBJECT (task), DATA_KEY, watch, watch_free);
  if (g_cancellable_is_cancelled (outer))
    g_cancellable_cancel (inner);
  return inner;
}
