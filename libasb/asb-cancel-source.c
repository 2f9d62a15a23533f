/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-cancel-source-private.h"

/* What the handler knows, which may still run in another thread when the source is gone. Counted.
 */
typedef struct
{
  GMutex mutex;
  GSource *source; /* NULL: it is gone */
} Link;

typedef struct
{
  GSource source;
  GCancellable *cancellable;
  gulong handler;
  Link *link;
} CancelSource;

static void
link_clear (gpointer data)
{
  Link *link = data;

  g_mutex_clear (&link->mutex);
}

static void
link_unref (gpointer link)
{
  g_atomic_rc_box_release_full (link, link_clear);
}

static void
cancelled_cb (GCancellable *cancellable, gpointer user_data)
{
  Link *link = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&link->mutex);

  if (link->source)
    g_source_set_ready_time (link->source, 0);
}

static gboolean
cancel_source_dispatch (GSource *source, GSourceFunc callback, gpointer user_data)
{
  g_source_set_ready_time (source, -1);
  return callback (user_data);
}

/* For a child source, whose parent is called as well. */
static gboolean
nothing_cb (gpointer user_data)
{
  return G_SOURCE_REMOVE;
}

static void
cancel_source_dispose (GSource *source)
{
  CancelSource *self = (CancelSource *)source;

  g_mutex_lock (&self->link->mutex);
  self->link->source = NULL;
  g_mutex_unlock (&self->link->mutex);
  /* Not g_cancellable_disconnect (): that waits for the handlers, and this may be in one. */
  if (self->handler)
    g_signal_handler_disconnect (self->cancellable, self->handler);
  g_clear_pointer (&self->link, link_unref);
  g_clear_object (&self->cancellable);
}

GSource *
asb_cancel_source_new (GCancellable *cancellable)
{
  static GSourceFuncs funcs = { .dispatch = cancel_source_dispatch };
  GSource *source = g_source_new (&funcs, sizeof (CancelSource));
  CancelSource *self = (CancelSource *)source;

  g_source_set_static_name (source, "AsbCancelSource");
  g_source_set_callback (source, nothing_cb, NULL, NULL);
  g_source_set_dispose_function (source, cancel_source_dispose);
  self->cancellable = g_object_ref (cancellable);
  self->link = g_atomic_rc_box_new0 (Link);
  g_mutex_init (&self->link->mutex);
  self->link->source = source;
  self->handler = g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb),
                                         g_atomic_rc_box_acquire (self->link), link_unref);
  return source;
}
