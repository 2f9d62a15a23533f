/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-sync-private.h"

static GMutex holds_mutex;
static GHashTable *holds; /* context → how often it is held */

/* Must hold the mutex. */
static guint
count_holds (GMainContext *context)
{
  return holds ? GPOINTER_TO_UINT (g_hash_table_lookup (holds, context)) : 0;
}

/* Must hold the mutex. */
static void
set_holds (GMainContext *context, guint n)
{
  if (!holds)
    holds = g_hash_table_new (NULL, NULL);
  if (n > 0)
    g_hash_table_insert (holds, context, GUINT_TO_POINTER (n));
  else
    g_hash_table_remove (holds, context);
}

void
asb_sync_hold_context (GMainContext *context)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&holds_mutex);

  set_holds (context, count_holds (context) + 1);
}

void
asb_sync_release_context (GMainContext *context)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&holds_mutex);

  set_holds (context, count_holds (context) - 1);
  g_main_context_wakeup (context);
}

gboolean
asb_sync_is_context_held (GMainContext *context)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&holds_mutex);

  return count_holds (context) > 0;
}

static gpointer
run_on (gpointer data)
{
  GMainContext *context = data;

  g_main_context_push_thread_default (context);
  while (asb_sync_is_context_held (context))
    g_main_context_iteration (context, TRUE);
  while (g_main_context_iteration (context, FALSE))
    ;
  g_main_context_pop_thread_default (context);
  g_main_context_unref (context);
  return NULL;
}

/* Without a thread the answer is lost, but nothing else is. Takes @context. */
static void
start_running_on (GMainContext *context)
{
  GThread *thread = g_thread_try_new ("asb-late", run_on, context, NULL);

  if (thread)
    g_thread_unref (thread);
  else
    g_main_context_unref (context);
}

static GPrivate innermost; /* AsbSync, on the stack of its thread */

void
asb_sync_begin (AsbSync *sync)
{
  sync->result = NULL;
  sync->outer = g_main_context_ref_thread_default ();
  sync->below = g_private_get (&innermost);
  sync->context = g_main_context_new ();
  g_main_context_push_thread_default (sync->context);
  g_private_set (&innermost, sync);
}

/* Nobody else runs it, that is. */
static gboolean
is_ours (GMainContext *context)
{
  if (g_main_context_is_owner (context))
    return TRUE;
  if (!g_main_context_acquire (context))
    return FALSE;
  g_main_context_release (context);
  return TRUE;
}

gboolean
asb_sync_blocks_context (GMainContext *context)
{
  for (AsbSync *sync = g_private_get (&innermost); sync; sync = sync->below)
    if (sync->outer == context && is_ours (context))
      return TRUE;
  return FALSE;
}

GMainContext *
asb_sync_ref_public_context (void)
{
  g_autoptr (GMainContext) context = g_main_context_ref_thread_default ();

  for (AsbSync *sync = g_private_get (&innermost); sync && sync->context == context;
       sync = sync->below)
    {
      g_main_context_unref (context);
      context = g_main_context_ref (sync->outer);
    }
  return g_steal_pointer (&context);
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
  g_private_set (&innermost, sync->below);
  g_clear_pointer (&sync->outer, g_main_context_unref);
  g_clear_object (&sync->result);
  if (asb_sync_is_context_held (sync->context))
    start_running_on (g_steal_pointer (&sync->context));
  g_clear_pointer (&sync->context, g_main_context_unref);
}
