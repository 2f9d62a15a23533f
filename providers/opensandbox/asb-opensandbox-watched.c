/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-watched.h"

struct _AsbOpensandboxWatched
{
  GInputStream parent_instance;

  GPollableInputStream *content;
  AsbOpensandboxWatch watch; /* (nullable) */
  gpointer data;
};

static void asb_opensandbox_watched_pollable_init (GPollableInputStreamInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbOpensandboxWatched, asb_opensandbox_watched, G_TYPE_INPUT_STREAM,
                               G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_INPUT_STREAM,
                                                      asb_opensandbox_watched_pollable_init))

static void
asb_opensandbox_watched_finalize (GObject *object)
{
  AsbOpensandboxWatched *self = ASB_OPENSANDBOX_WATCHED (object);

  g_object_unref (self->content);
  G_OBJECT_CLASS (asb_opensandbox_watched_parent_class)->finalize (object);
}

/* Returns what was read. */
static gssize
tell (AsbOpensandboxWatched *self, gssize size)
{
  if (self->watch && size >= 0)
    self->watch (TRUE, self->data);
  return size;
}

static void
tell_asked (AsbOpensandboxWatched *self)
{
  if (self->watch)
    self->watch (FALSE, self->data);
}

static gssize
asb_opensandbox_watched_read (GInputStream *stream, void *buffer, gsize count,
                              GCancellable *cancellable, GError **error)
{
  AsbOpensandboxWatched *self = ASB_OPENSANDBOX_WATCHED (stream);

  tell_asked (self);
  return tell (self, g_input_stream_read (G_INPUT_STREAM (self->content), buffer, count,
                                          cancellable, error));
}

static gssize
asb_opensandbox_watched_read_nonblocking (GPollableInputStream *stream, void *buffer, gsize count,
                                          GError **error)
{
  AsbOpensandboxWatched *self = ASB_OPENSANDBOX_WATCHED (stream);

  tell_asked (self);
  return tell (
      self, g_pollable_input_stream_read_nonblocking (self->content, buffer, count, NULL, error));
}

static gboolean
asb_opensandbox_watched_is_readable (GPollableInputStream *stream)
{
  return g_pollable_input_stream_is_readable (ASB_OPENSANDBOX_WATCHED (stream)->content);
}

static GSource *
asb_opensandbox_watched_create_source (GPollableInputStream *stream, GCancellable *cancellable)
{
  g_autoptr (GSource) readable
      = g_pollable_input_stream_create_source (ASB_OPENSANDBOX_WATCHED (stream)->content, NULL);

  return g_pollable_source_new_full (stream, readable, cancellable);
}

static void
asb_opensandbox_watched_pollable_init (GPollableInputStreamInterface *iface)
{
  iface->is_readable = asb_opensandbox_watched_is_readable;
  iface->create_source = asb_opensandbox_watched_create_source;
  iface->read_nonblocking = asb_opensandbox_watched_read_nonblocking;
}

static void
asb_opensandbox_watched_class_init (AsbOpensandboxWatchedClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_opensandbox_watched_finalize;
  G_INPUT_STREAM_CLASS (klass)->read_fn = asb_opensandbox_watched_read;
}

static void
asb_opensandbox_watched_init (AsbOpensandboxWatched *self)
{
}

AsbOpensandboxWatched *
asb_opensandbox_watched_new (GInputStream *content, AsbOpensandboxWatch watch, gpointer data)
{
  AsbOpensandboxWatched *self = g_object_new (ASB_TYPE_OPENSANDBOX_WATCHED, NULL);

  self->content = G_POLLABLE_INPUT_STREAM (g_object_ref (content));
  self->watch = watch;
  self->data = data;
  return self;
}

void
asb_opensandbox_watched_leave (AsbOpensandboxWatched *self)
{
  self->watch = NULL;
}
