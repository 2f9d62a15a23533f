/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-task-wait-private.h"

#include "asb-cancel-source-private.h"

static void
destroy_source (gpointer data)
{
  g_source_destroy (data);
  g_source_unref (data);
}

/* The sources hold the task, and the task (as data) holds the sources until it is answered. */
static void
completed_cb (GTask *task, GParamSpec *pspec, gpointer user_data)
{
  g_task_set_task_data (task, NULL, NULL);
}

void
asb_task_wait_begin (GTask *task, guint timeout_ms, GSourceFunc timed_out, GSourceFunc cancelled)
{
  GPtrArray *sources = g_ptr_array_new_with_free_func (destroy_source);
  GCancellable *cancellable = g_task_get_cancellable (task);
  GSource *timeout = g_timeout_source_new (timeout_ms);

  g_task_set_task_data (task, sources, (GDestroyNotify)g_ptr_array_unref);
  g_signal_connect (task, "notify::completed", G_CALLBACK (completed_cb), NULL);

  g_task_attach_source (task, timeout, timed_out);
  g_ptr_array_add (sources, timeout);
  if (cancellable)
    {
      GSource *source = asb_cancel_source_new (cancellable);

      g_task_attach_source (task, source, cancelled);
      g_ptr_array_add (sources, source);
    }
}
