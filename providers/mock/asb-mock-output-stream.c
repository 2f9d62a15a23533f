/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-stream.h"

struct _AsbMockOutputStream
{
  GOutputStream parent_instance;

  AsbMockPipe *pipe;
  AsbMockClosed closed;
  gpointer data;
  GDestroyNotify destroy;
};

static gboolean
asb_mock_output_stream_is_writable (GPollableOutputStream *stream)
{
  return asb_mock_pipe_is_writable (ASB_MOCK_OUTPUT_STREAM (stream)->pipe);
}

static GSource *
asb_mock_output_stream_create_source (GPollableOutputStream *stream, GCancellable *cancellable)
{
  g_autoptr (GSource) base = asb_mock_pipe_source_new (ASB_MOCK_OUTPUT_STREAM (stream)->pipe, TRUE);

  return g_pollable_source_new_full (stream, base, cancellable);
}

static gssize
asb_mock_output_stream_write_nonblocking (GPollableOutputStream *stream, const void *buffer,
                                          gsize count, GError **error)
{
  return asb_mock_pipe_write (ASB_MOCK_OUTPUT_STREAM (stream)->pipe, buffer, count, FALSE, NULL,
                              error);
}

static void
asb_mock_output_stream_pollable_init (GPollableOutputStreamInterface *iface)
{
  iface->is_writable = asb_mock_output_stream_is_writable;
  iface->create_source = asb_mock_output_stream_create_source;
  iface->write_nonblocking = asb_mock_output_stream_write_nonblocking;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbMockOutputStream, asb_mock_output_stream, G_TYPE_OUTPUT_STREAM,
                               G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_OUTPUT_STREAM,
                                                      asb_mock_output_stream_pollable_init))

static gssize
asb_mock_output_stream_write (GOutputStream *stream, const void *buffer, gsize count,
                              GCancellable *cancellable, GError **error)
{
  return asb_mock_pipe_write (ASB_MOCK_OUTPUT_STREAM (stream)->pipe, buffer, count, TRUE,
                              cancellable, error);
}

static gboolean
tell_closed (AsbMockOutputStream *self, gboolean dropped, GError **error)
{
  AsbMockClosed closed = self->closed;

  self->closed = NULL;
  return !closed || closed (self->pipe, dropped, self->data, error);
}

static gboolean
asb_mock_output_stream_close (GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    {
      tell_closed (ASB_MOCK_OUTPUT_STREAM (stream), TRUE, NULL);
      return FALSE;
    }
  return tell_closed (ASB_MOCK_OUTPUT_STREAM (stream), FALSE, error);
}

/* Natively: the default of the parent would use a thread. */
static void
asb_mock_output_stream_close_async (GOutputStream *stream, int priority, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (stream, cancellable, callback, user_data);
  GError *error = NULL;

  g_task_set_source_tag (task, asb_mock_output_stream_close_async);
  g_task_set_check_cancellable (task, FALSE);
  if (asb_mock_output_stream_close (stream, cancellable, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static gboolean
asb_mock_output_stream_close_finish (GOutputStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

/* Before the parent closes what was dropped open. */
static void
asb_mock_output_stream_dispose (GObject *object)
{
  AsbMockOutputStream *self = ASB_MOCK_OUTPUT_STREAM (object);

  if (!g_output_stream_is_closed (G_OUTPUT_STREAM (self)))
    tell_closed (self, TRUE, NULL);

  G_OBJECT_CLASS (asb_mock_output_stream_parent_class)->dispose (object);
}

static void
asb_mock_output_stream_finalize (GObject *object)
{
  AsbMockOutputStream *self = ASB_MOCK_OUTPUT_STREAM (object);

  if (self->destroy)
    self->destroy (self->data);
  g_clear_pointer (&self->pipe, asb_mock_pipe_unref);

  G_OBJECT_CLASS (asb_mock_output_stream_parent_class)->finalize (object);
}

static void
asb_mock_output_stream_class_init (AsbMockOutputStreamClass *klass)
{
  GOutputStreamClass *stream_class = G_OUTPUT_STREAM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = asb_mock_output_stream_dispose;
  G_OBJECT_CLASS (klass)->finalize = asb_mock_output_stream_finalize;
  stream_class->write_fn = asb_mock_output_stream_write;
  stream_class->close_fn = asb_mock_output_stream_close;
  stream_class->close_async = asb_mock_output_stream_close_async;
  stream_class->close_finish = asb_mock_output_stream_close_finish;
}

static void
asb_mock_output_stream_init (AsbMockOutputStream *self)
{
}

GOutputStream *
asb_mock_output_stream_new (AsbMockPipe *pipe, AsbMockClosed closed, gpointer data,
                            GDestroyNotify destroy)
{
  AsbMockOutputStream *self = g_object_new (ASB_TYPE_MOCK_OUTPUT_STREAM, NULL);

  self->pipe = asb_mock_pipe_ref (pipe);
  self->closed = closed;
  self->data = data;
  self->destroy = destroy;
  return G_OUTPUT_STREAM (self);
}
