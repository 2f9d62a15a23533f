/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-websocket-stream.h"

struct _AsbOpensandboxWebsocketStream
{
  GIOStream parent_instance;

  AsbOpensandboxWebsocketLink *link;
  GInputStream *input;
  GOutputStream *output;
};

G_DEFINE_FINAL_TYPE (AsbOpensandboxWebsocketStream, asb_opensandbox_websocket_stream,
                     G_TYPE_IO_STREAM)

static void
asb_opensandbox_websocket_stream_finalize (GObject *object)
{
  AsbOpensandboxWebsocketStream *self = ASB_OPENSANDBOX_WEBSOCKET_STREAM (object);

  g_clear_object (&self->input);
  g_clear_object (&self->output);
  g_clear_pointer (&self->link, asb_opensandbox_websocket_link_unref);

  G_OBJECT_CLASS (asb_opensandbox_websocket_stream_parent_class)->finalize (object);
}

static GInputStream *
asb_opensandbox_websocket_stream_get_input_stream (GIOStream *stream)
{
  return ASB_OPENSANDBOX_WEBSOCKET_STREAM (stream)->input;
}

static GOutputStream *
asb_opensandbox_websocket_stream_get_output_stream (GIOStream *stream)
{
  return ASB_OPENSANDBOX_WEBSOCKET_STREAM (stream)->output;
}

/* Neither end waits for anything. */
static gboolean
asb_opensandbox_websocket_stream_close (GIOStream *stream, GCancellable *cancellable,
                                        GError **error)
{
  AsbOpensandboxWebsocketStream *self = ASB_OPENSANDBOX_WEBSOCKET_STREAM (stream);

  g_input_stream_close (self->input, NULL, NULL);
  g_output_stream_close (self->output, NULL, NULL);
  return TRUE;
}

static void
asb_opensandbox_websocket_stream_close_async (GIOStream *stream, int io_priority,
                                              GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (stream, cancellable, callback, user_data);

  g_task_set_source_tag (task, asb_opensandbox_websocket_stream_close_async);
  g_task_set_priority (task, io_priority);
  asb_opensandbox_websocket_stream_close (stream, NULL, NULL);
  g_task_return_boolean (task, TRUE);
}

static gboolean
asb_opensandbox_websocket_stream_close_finish (GIOStream *stream, GAsyncResult *result,
                                               GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static void
asb_opensandbox_websocket_stream_class_init (AsbOpensandboxWebsocketStreamClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GIOStreamClass *stream_class = G_IO_STREAM_CLASS (klass);

  object_class->finalize = asb_opensandbox_websocket_stream_finalize;
  stream_class->get_input_stream = asb_opensandbox_websocket_stream_get_input_stream;
  stream_class->get_output_stream = asb_opensandbox_websocket_stream_get_output_stream;
  stream_class->close_fn = asb_opensandbox_websocket_stream_close;
  stream_class->close_async = asb_opensandbox_websocket_stream_close_async;
  stream_class->close_finish = asb_opensandbox_websocket_stream_close_finish;
}

static void
asb_opensandbox_websocket_stream_init (AsbOpensandboxWebsocketStream *self)
{
}

AsbOpensandboxWebsocketLink *
asb_opensandbox_websocket_stream_get_link (AsbOpensandboxWebsocketStream *self)
{
  return self->link;
}

GIOStream *
asb_opensandbox_websocket_stream_new (AsbOpensandboxWebsocketLink *link)
{
  AsbOpensandboxWebsocketStream *self = g_object_new (ASB_TYPE_OPENSANDBOX_WEBSOCKET_STREAM, NULL);

  self->link = asb_opensandbox_websocket_link_ref (link);
  self->input
      = asb_pipe_create_input_stream (asb_opensandbox_websocket_link_get_input (link), NULL);
  self->output = asb_pipe_create_output_stream (asb_opensandbox_websocket_link_get_output (link),
                                                ASB_PIPE_CLOSE_AT_ONCE, NULL);
  return G_IO_STREAM (self);
}
