/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-measured.h"

struct _AsbOpensandboxMeasured
{
  GFilterInputStream parent_instance;

  guint64 left;
};

G_DEFINE_FINAL_TYPE (AsbOpensandboxMeasured, asb_opensandbox_measured, G_TYPE_FILTER_INPUT_STREAM)

static GInputStream *
get_base (gpointer self)
{
  return g_filter_input_stream_get_base_stream (G_FILTER_INPUT_STREAM (self));
}

static gssize
take (AsbOpensandboxMeasured *self, gssize n_read, GError **error)
{
  if (n_read == 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                   "what was to be sent ended %" G_GUINT64_FORMAT " bytes early", self->left);
      return -1;
    }
  if (n_read > 0)
    self->left -= (guint64)n_read;
  return n_read;
}

static gssize
asb_opensandbox_measured_read (GInputStream *stream, void *buffer, gsize count,
                               GCancellable *cancellable, GError **error)
{
  AsbOpensandboxMeasured *self = ASB_OPENSANDBOX_MEASURED (stream);

  if (self->left == 0)
    return 0;
  return take (self,
               g_input_stream_read (get_base (self), buffer, (gsize)MIN (count, self->left),
                                    cancellable, error),
               error);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);
  GError *error = NULL;
  gssize n_read = g_input_stream_read_finish (G_INPUT_STREAM (source), result, &error);

  n_read = take (g_task_get_source_object (task), n_read, &error);
  if (n_read < 0)
    g_task_return_error (task, error);
  else
    g_task_return_int (task, n_read);
}

static void
asb_opensandbox_measured_read_async (GInputStream *stream, void *buffer, gsize count, int priority,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data)
{
  AsbOpensandboxMeasured *self = ASB_OPENSANDBOX_MEASURED (stream);
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, asb_opensandbox_measured_read_async);
  g_task_set_priority (task, priority);
  if (self->left == 0)
    g_task_return_int (task, 0);
  else
    g_input_stream_read_async (get_base (self), buffer, (gsize)MIN (count, self->left), priority,
                               cancellable, read_cb, g_steal_pointer (&task));
}

static gssize
asb_opensandbox_measured_read_finish (GInputStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_int (G_TASK (result), error);
}

static void
asb_opensandbox_measured_class_init (AsbOpensandboxMeasuredClass *klass)
{
  GInputStreamClass *stream_class = G_INPUT_STREAM_CLASS (klass);

  stream_class->read_fn = asb_opensandbox_measured_read;
  stream_class->read_async = asb_opensandbox_measured_read_async;
  stream_class->read_finish = asb_opensandbox_measured_read_finish;
}

static void
asb_opensandbox_measured_init (AsbOpensandboxMeasured *self)
{
}

GInputStream *
asb_opensandbox_measured_new (GInputStream *stream, guint64 size)
{
  AsbOpensandboxMeasured *self
      = g_object_new (ASB_TYPE_OPENSANDBOX_MEASURED, "base-stream", stream, NULL);

  self->left = size;
  return G_INPUT_STREAM (self);
}
