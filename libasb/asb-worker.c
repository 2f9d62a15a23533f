/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-worker-private.h"

#include <pthread.h>
#include <signal.h>

#include "asb-sync-private.h"

struct _AsbWorker
{
  gatomicrefcount references;
  GMainContext *context;
  int quits; /* atomic */
};

static void
worker_unref (AsbWorker *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_main_context_unref (self->context);
  g_free (self);
}

static gpointer
run (gpointer data)
{
  AsbWorker *self = data;

  g_main_context_push_thread_default (self->context);
  while (!g_atomic_int_get (&self->quits) || asb_sync_is_context_held (self->context))
    g_main_context_iteration (self->context, TRUE);
  while (g_main_context_iteration (self->context, FALSE))
    ;
  g_main_context_pop_thread_default (self->context);
  worker_unref (self);
  return NULL;
}

/* Signals are for the threads of the program. */
static GThread *
start_without_signals (const char *name, AsbWorker *self, GError **error)
{
  GThread *thread;
  sigset_t all;
  sigset_t before;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  thread = g_thread_try_new (name, run, self, error);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return thread;
}

AsbWorker *
asb_worker_new (const char *name, GError **error)
{
  AsbWorker *self = g_new0 (AsbWorker, 1);
  GThread *thread;

  g_atomic_ref_count_init (&self->references);
  g_atomic_ref_count_inc (&self->references);
  self->context = g_main_context_new ();
  thread = start_without_signals (name, self, error);
  if (thread)
    {
      g_thread_unref (thread);
      return self;
    }
  worker_unref (self);
  worker_unref (self);
  return NULL;
}

GMainContext *
asb_worker_get_context (AsbWorker *self)
{
  return self->context;
}

void
asb_worker_quit (AsbWorker *self)
{
  g_atomic_int_set (&self->quits, TRUE);
  g_main_context_wakeup (self->context);
  worker_unref (self);
}
