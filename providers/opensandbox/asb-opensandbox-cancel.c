/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-cancel.h"

#define DATA_KEY "asb-opensandbox-cancel"

struct _AsbOpensandboxCancelWatch
{
  gatomicrefcount references;
  GCancellable *cancellable;
  gulong handler_id;
  AsbOpensandboxThreadFunc function; /* [io] NULL: it was called, or the watch has ended */
  gpointer data;
};

static AsbOpensandboxCancelWatch *
watch_ref (AsbOpensandboxCancelWatch *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

static void
watch_unref (AsbOpensandboxCancelWatch *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_object_unref (self->cancellable);
  g_free (self);
}

static void
tell_in_thread (gpointer data)
{
  AsbOpensandboxCancelWatch *self = data;
  AsbOpensandboxThreadFunc function = self->function;

  self->function = NULL;
  if (function)
    function (self->data);
  watch_unref (self);
}

static void
cancelled_cb (GCancellable *cancellable, gpointer data)
{
  asb_opensandbox_thread_post (tell_in_thread, watch_ref (data));
}

static void
closure_gone (gpointer data, GClosure *closure)
{
  watch_unref (data);
}

AsbOpensandboxCancelWatch *
asb_opensandbox_cancel_watch (GCancellable *cancellable, AsbOpensandboxThreadFunc function,
                              gpointer data)
{
  AsbOpensandboxCancelWatch *self;

  if (!cancellable)
    return NULL;
  self = g_new0 (AsbOpensandboxCancelWatch, 1);
  g_atomic_ref_count_init (&self->references);
  self->cancellable = g_object_ref (cancellable);
  self->function = function;
  self->data = data;
  self->handler_id = g_signal_connect_data (cancellable, "cancelled", G_CALLBACK (cancelled_cb),
                                            watch_ref (self), closure_gone, 0);
  if (g_cancellable_is_cancelled (cancellable))
    cancelled_cb (cancellable, self);
  return self;
}

void
asb_opensandbox_cancel_unwatch (AsbOpensandboxCancelWatch **watch)
{
  AsbOpensandboxCancelWatch *self = g_steal_pointer (watch);

  if (!self)
    return;
  self->function = NULL;
  /* Not g_cancellable_disconnect (), which waits for the emission, and that may end the watch. */
  g_signal_handler_disconnect (self->cancellable, self->handler_id);
  watch_unref (self);
}

/* A watch of a task. */

static void
cancel_in_thread (gpointer inner)
{
  g_cancellable_cancel (inner);
}

typedef struct
{
  AsbOpensandboxCancelWatch *watch;
  GCancellable *inner;
} Chain;

static void
chain_end (gpointer data)
{
  g_autofree Chain *chain = data;

  asb_opensandbox_cancel_unwatch (&chain->watch);
  g_object_unref (chain->inner);
}

/* Tasks are let go of anywhere. */
static void
chain_free (gpointer data)
{
  if (asb_opensandbox_thread_is_current ())
    chain_end (data);
  else
    asb_opensandbox_thread_post (chain_end, data);
}

GCancellable *
asb_opensandbox_cancel_new (GTask *task)
{
  GCancellable *outer = g_task_get_cancellable (task);
  GCancellable *inner = g_cancellable_new ();
  Chain *chain;

  if (!outer)
    return inner;
  chain = g_new0 (Chain, 1);
  chain->inner = g_object_ref (inner);
  chain->watch = asb_opensandbox_cancel_watch (outer, cancel_in_thread, inner);
  g_object_set_data_full (G_OBJECT (task), DATA_KEY, chain, chain_free);
  if (g_cancellable_is_cancelled (outer))
    g_cancellable_cancel (inner);
  return inner;
}
