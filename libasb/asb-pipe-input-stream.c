/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pipe-stream-private.h"

struct _AsbPipeInputStream
{
  GInputStream parent_instance;

  AsbPipe *pipe;
  GObject *owner;
};

static void asb_pipe_input_stream_pollable_init (GPollableInputStreamInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbPipeInputStream, asb_pipe_input_stream, G_TYPE_INPUT_STREAM,
                               G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_INPUT_STREAM,
                                                      asb_pipe_input_stream_pollable_init))

static void
asb_pipe_input_stream_finalize (GObject *object)
{
  AsbPipeInputStream *self = ASB_PIPE_INPUT_STREAM (object);

  g_clear_pointer (&self->pipe, asb_pipe_unref);
  g_clear_object (&self->owner);

  G_OBJECT_CLASS (asb_pipe_input_stream_parent_class)->finalize (object);
}

static gssize
asb_pipe_input_stream_read (GInputStream *stream, void *buffer, gsize count,
                            GCancellable *cancellable, GError **error)
{
  AsbPipeInputStream *self = ASB_PIPE_INPUT_STREAM (stream);

  return asb_pipe_read (self->pipe, buffer, count, TRUE, cancellable, error);
}

static gboolean
asb_pipe_input_stream_close (GInputStream *stream, GCancellable *cancellable, GError **error)
{
  asb_pipe_close_reader (ASB_PIPE_INPUT_STREAM (stream)->pipe);
  return TRUE;
}

static void
asb_pipe_input_stream_close_async (GInputStream *stream, int io_priority, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (stream, cancellable, callback, user_data);

  g_task_set_source_tag (task, asb_pipe_input_stream_close_async);
  g_task_set_priority (task, io_priority);
  asb_pipe_close_reader (ASB_PIPE_INPUT_STREAM (stream)->pipe);
  g_task_return_boolean (task, TRUE);
}

static gboolean
asb_pipe_input_stream_close_finish (GInputStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static gboolean
asb_pipe_input_stream_is_readable (GPollableInputStream *stream)
{
  return asb_pipe_check (ASB_PIPE_INPUT_STREAM (stream)->pipe, ASB_PIPE_CONDITION_READABLE);
}

static GSource *
asb_pipe_input_stream_create_source (GPollableInputStream *stream, GCancellable *cancellable)
{
  AsbPipeInputStream *self = ASB_PIPE_INPUT_STREAM (stream);
  g_autoptr (GSource) readable = asb_pipe_create_source (self->pipe, ASB_PIPE_CONDITION_READABLE);

  return g_pollable_source_new_full (stream, readable, cancellable);
}

static gssize
asb_pipe_input_stream_read_nonblocking (GPollableInputStream *stream, void *buffer, gsize count,
                                        GError **error)
{
  AsbPipeInputStream *self = ASB_PIPE_INPUT_STREAM (stream);

  return asb_pipe_read (self->pipe, buffer, count, FALSE, NULL, error);
}

static void
asb_pipe_input_stream_pollable_init (GPollableInputStreamInterface *iface)
{
  iface->is_readable = asb_pipe_input_stream_is_readable;
  iface->create_source = asb_pipe_input_stream_create_source;
  iface->read_nonblocking = asb_pipe_input_stream_read_nonblocking;
}

static void
asb_pipe_input_stream_class_init (AsbPipeInputStreamClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GInputStreamClass *stream_class = G_INPUT_STREAM_CLASS (klass);

  object_class->finalize = asb_pipe_input_stream_finalize;
  stream_class->read_fn = asb_pipe_input_stream_read;
  stream_class->close_fn = asb_pipe_input_stream_close;
  stream_class->close_async = asb_pipe_input_stream_close_async;
  stream_class->close_finish = asb_pipe_input_stream_close_finish;
}

static void
asb_pipe_input_stream_init (AsbPipeInputStream *self)
{
}

GInputStream *
asb_pipe_input_stream_new (AsbPipe *pipe, GObject *owner)
{
  AsbPipeInputStream *self = g_object_new (ASB_TYPE_PIPE_INPUT_STREAM, NULL);

  self->pipe = asb_pipe_ref (pipe);
  self->owner = owner ? g_object_ref (owner) : NULL;
  return G_INPUT_STREAM (self);
}
