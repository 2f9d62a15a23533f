/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-thread.h"

#include <signal.h>

typedef struct
{
  GMainContext *context;
  GThread *thread;
} IoThread;

typedef struct
{
  AsbOpensandboxThreadFunc function;
  gpointer data;
} Message;

typedef struct
{
  GTask *task;
  AsbOpensandboxTaskFunc function;
} TaskCall;

static gpointer
run (gpointer data)
{
  GMainContext *context = data;
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);

  g_main_context_push_thread_default (context);
  g_main_loop_run (loop);
  return NULL;
}

/* Signals are for the threads of the program, and a socket that is closed on the other side must
 * not end it. */
static IoThread *
thread_new (void)
{
  IoThread *self = g_new0 (IoThread, 1);
  sigset_t all;
  sigset_t before;

  self->context = g_main_context_new ();
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  self->thread = g_thread_new ("asb-opensandbox", run, self->context);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return self;
}

static IoThread *
get_thread (void)
{
  static IoThread *the_thread;

  if (g_once_init_enter (&the_thread))
    g_once_init_leave (&the_thread, thread_new ());
  return the_thread;
}

GMainContext *
asb_opensandbox_thread_get_context (void)
{
  return get_thread ()->context;
}

gboolean
asb_opensandbox_thread_is_current (void)
{
  return get_thread ()->thread == g_thread_self ();
}

static gboolean
message_run (gpointer data)
{
  Message *message = data;

  message->function (message->data);
  return G_SOURCE_REMOVE;
}

void
asb_opensandbox_thread_post (AsbOpensandboxThreadFunc function, gpointer data)
{
  g_autoptr (GSource) source = g_idle_source_new ();
  Message *message = g_new (Message, 1);

  message->function = function;
  message->data = data;
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "asb-opensandbox message");
  g_source_set_callback (source, message_run, message, g_free);
  g_source_attach (source, get_thread ()->context);
}

static void
call_task (gpointer data)
{
  g_autofree TaskCall *call = data;
  g_autoptr (GTask) task = call->task;

  call->function (task);
}

void
asb_opensandbox_thread_run (GTask *task, AsbOpensandboxTaskFunc function)
{
  TaskCall *call = g_new (TaskCall, 1);

  call->task = g_object_ref (task);
  call->function = function;
  asb_opensandbox_thread_post (call_task, call);
}

void
asb_opensandbox_thread_unref (gpointer object)
{
  if (!object)
    return;
  if (asb_opensandbox_thread_is_current ())
    g_object_unref (object);
  else
    asb_opensandbox_thread_post (g_object_unref, object);
}

GSource *
asb_opensandbox_thread_add_timer (guint milliseconds, GSourceFunc function, gpointer data)
{
  GSource *source = g_timeout_source_new (milliseconds);

  g_source_set_static_name (source, "asb-opensandbox timer");
  g_source_set_callback (source, function, data, NULL);
  g_source_attach (source, get_thread ()->context);
  return source;
}

void
asb_opensandbox_thread_clear_timer (GSource **timer)
{
  g_autoptr (GSource) source = g_steal_pointer (timer);

  if (source)
    g_source_destroy (source);
}
