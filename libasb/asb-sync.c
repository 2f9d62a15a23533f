/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-sync-private.h"

void
asb_sync_begin (AsbSync *sync)
{
  sync->result = NULL;
  sync->context = g_main_context_new ();
  g_main_context_push_thread_default (sync->context);
}

void
asb_sync_ready_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbSync *sync = user_data;

  sync->result = g_object_ref (result);
}

GAsyncResult *
asb_sync_wait (AsbSync *sync)
{
  while (!sync->result)
    g_main_context_iteration (sync->context, TRUE);
  return sync->result;
}

void
asb_sync_end (AsbSync *sync)
{
  if (!sync->context)
    return;
  /* What the operation still has to tell this context, such as the end of its streams, is told
   * before it goes. */
  while (g_main_context_iteration (sync->context, FALSE))
    ;
  g_main_context_pop_thread_default (sync->context);
  g_clear_pointer (&sync->context, g_main_context_unref);
  g_clear_object (&sync->result);
}
