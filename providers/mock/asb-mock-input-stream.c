/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-stream.h"

struct _AsbMockInputStream
{
  GInputStream parent_instance;

  AsbMockPipe *pipe;
};

static gboolean
asb_mock_input_stream_is_readable (GPollableInputStream *stream)
{
  return asb_mock_pipe_is_readable (ASB_MOCK_INPUT_STREAM (stream)->pipe);
}

static GSource *
asb_mock_input_stream_create_source (GPollableInputStream *stream, GCancellable *cancellable)
{
  g_autoptr (GSource) base = asb_mock_pipe_source_new (ASB_MOCK_INPUT_STREAM (stream)->pipe, FALSE);

  return g_pollable_source_new_full (stream, base, cancellable);
}

static gssize
asb_mock_input_stream_read_nonblocking (GPollableInputStream *stream, void *buffer, gsize count,
                                        GError **error)
{
  return asb_mock_pipe_read (ASB_MOCK_INPUT_STREAM (stream)->pipe, buffer, count, FALSE, NULL,
                             error);
}

static void
asb_mock_input_stream_pollable_init (GPollableInputStreamInterface *iface)
{
  iface->is_readable = asb_mock_input_stream_is_readable;
  iface->create_source = asb_mock_input_stream_create_source;
  iface->read_nonblocking = asb_mock_input_stream_read_nonblocking;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbMockInputStream, asb_mock_input_stream, G_TYPE_INPUT_STREAM,
                               G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_INPUT_STREAM,
                                                      asb_mock_input_stream_pollable_init))

static gssize
asb_mock_input_stream_read (GInputStream *stream, void *buffer, gsize count,
                            GCancellable *cancellable, GError **error)
{
  return asb_mock_pipe_read (ASB_MOCK_INPUT_STREAM (stream)->pipe, buffer, count, TRUE, cancellable,
                             error);
}

/* Natively: the default of the parent would use a thread. */
static void
asb_mock_input_stream_close_async (GInputStream *stream, int priority, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (stream, cancellable, callback, user_data);

  g_task_set_source_tag (task, asb_mock_input_stream_close_async);
  g_task_return_boolean (task, TRUE);
}

static gboolean
asb_mock_input_stream_close_finish (GInputStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static void
asb_mock_input_stream_finalize (GObject *object)
{
  AsbMockInputStream *self = ASB_MOCK_INPUT_STREAM (object);

  g_clear_pointer (&self->pipe, asb_mock_pipe_unref);

  G_OBJECT_CLASS (asb_mock_input_stream_parent_class)->finalize (object);
}

static void
asb_mock_input_stream_class_init (AsbMockInputStreamClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_mock_input_stream_finalize;
  G_INPUT_STREAM_CLASS (klass)->read_fn = asb_mock_input_stream_read;
  G_INPUT_STREAM_CLASS (klass)->close_async = asb_mock_input_stream_close_async;
  G_INPUT_STREAM_CLASS (klass)->close_finish = asb_mock_input_stream_close_finish;
}

static void
asb_mock_input_stream_init (AsbMockInputStream *self)
{
}

GInputStream *
asb_mock_input_stream_new (AsbMockPipe *pipe)
{
  AsbMockInputStream *self = g_object_new (ASB_TYPE_MOCK_INPUT_STREAM, NULL);

  self->pipe = asb_mock_pipe_ref (pipe);
  return G_INPUT_STREAM (self);
}
