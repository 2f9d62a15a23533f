/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-io-thread-private.h"

#include <pthread.h>
#include <signal.h>

typedef struct
{
  AsbIoFunc function;
  gpointer data;
} Message;

typedef struct
{
  GMainContext *context;
  GThread *thread;
  GSource *inbox;
  GMutex lock;
  GArray *messages;
  GArray *spare; /* emptied by the thread, to be filled next */
} IoThread;

static gpointer
run (gpointer data)
{
  GMainContext *context = data;
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);

  g_main_context_push_thread_default (context);
  g_main_loop_run (loop);
  return NULL;
}

/* Signals are for the threads of the program. SIGPIPE of a pipe to a guest becomes an error. */
static GThread *
start_without_signals (GMainContext *context)
{
  GThread *thread;
  sigset_t all;
  sigset_t before;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  thread = g_thread_new ("asb-io", run, context);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return thread;
}

static IoThread *get_thread (void);

static GArray *
take_messages (IoThread *self)
{
  GArray *messages;

  g_mutex_lock (&self->lock);
  messages = self->messages;
  self->messages = self->spare;
  self->spare = NULL;
  g_mutex_unlock (&self->lock);
  return messages;
}

static void
give_back (IoThread *self, GArray *messages)
{
  g_array_set_size (messages, 0);
  g_mutex_lock (&self->lock);
  self->spare = messages;
  g_mutex_unlock (&self->lock);
}

static gboolean
inbox_dispatch (GSource *source, GSourceFunc callback, gpointer user_data)
{
  IoThread *self = get_thread ();
  GArray *messages;

  g_source_set_ready_time (source, -1);
  messages = take_messages (self);
  for (guint i = 0; i < messages->len; i++)
    {
      Message *message = &g_array_index (messages, Message, i);

      message->function (message->data);
    }
  give_back (self, messages);
  return G_SOURCE_CONTINUE;
}

static GSourceFuncs inbox_funcs = { .dispatch = inbox_dispatch };

static int is_lost; /* atomic */

/* In the child, which has only the thread that forked. */
static void
lose_thread (void)
{
  g_atomic_int_set (&is_lost, TRUE);
}

gboolean
asb_io_thread_is_lost (void)
{
  return g_atomic_int_get (&is_lost);
}

static IoThread *
thread_new (void)
{
  IoThread *self = g_new0 (IoThread, 1);

  g_mutex_init (&self->lock);
  self->messages = g_array_new (FALSE, FALSE, sizeof (Message));
  self->spare = g_array_new (FALSE, FALSE, sizeof (Message));
  self->context = g_main_context_new ();
  self->inbox = g_source_new (&inbox_funcs, sizeof (GSource));
  g_source_set_static_name (self->inbox, "asb inbox");
  g_source_attach (self->inbox, self->context);
  self->thread = start_without_signals (self->context);
  pthread_atfork (NULL, NULL, lose_thread);
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
asb_io_thread_get_context (void)
{
  return get_thread ()->context;
}

void
asb_io_thread_post (AsbIoFunc function, gpointer data)
{
  IoThread *self = get_thread ();
  Message message = { function, data };
  gboolean was_empty;

  g_mutex_lock (&self->lock);
  was_empty = self->messages->len == 0;
  g_array_append_val (self->messages, message);
  g_mutex_unlock (&self->lock);
  if (was_empty)
    g_source_set_ready_time (self->inbox, 0);
}
