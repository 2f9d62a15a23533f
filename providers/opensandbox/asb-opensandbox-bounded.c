/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-bounded.h"

#include <asb.h>

#define INPUT_KEY "asb-opensandbox-bounded-input"
#define FIRST_KEY "asb-opensandbox-bounded-first"
#define BOUND_PROPERTY "max-total-message-size"

/* The input. */

#define ASB_TYPE_OPENSANDBOX_BOUNDED_INPUT (asb_opensandbox_bounded_input_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxBoundedInput, asb_opensandbox_bounded_input, ASB,
                      OPENSANDBOX_BOUNDED_INPUT, GFilterInputStream)

struct _AsbOpensandboxBoundedInput
{
  GFilterInputStream parent_instance;

  gsize n_read; /* since the last message */
};

static void asb_opensandbox_bounded_input_pollable_init (GPollableInputStreamInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbOpensandboxBoundedInput, asb_opensandbox_bounded_input,
                               G_TYPE_FILTER_INPUT_STREAM,
                               G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_INPUT_STREAM,
                                                      asb_opensandbox_bounded_input_pollable_init))

static void
asb_opensandbox_bounded_input_class_init (AsbOpensandboxBoundedInputClass *klass)
{
}

static void
asb_opensandbox_bounded_input_init (AsbOpensandboxBoundedInput *self)
{
}

static GPollableInputStream *
get_base (gpointer stream)
{
  return G_POLLABLE_INPUT_STREAM (
      g_filter_input_stream_get_base_stream (G_FILTER_INPUT_STREAM (stream)));
}

static gboolean
asb_opensandbox_bounded_input_is_readable (GPollableInputStream *stream)
{
  return g_pollable_input_stream_is_readable (get_base (stream));
}

static GSource *
asb_opensandbox_bounded_input_create_source (GPollableInputStream *stream,
                                             GCancellable *cancellable)
{
  g_autoptr (GSource) base = g_pollable_input_stream_create_source (get_base (stream), NULL);

  return g_pollable_source_new_full (stream, base, cancellable);
}

static gssize
asb_opensandbox_bounded_input_read_nonblocking (GPollableInputStream *stream, void *buffer,
                                                gsize count, GError **error)
{
  AsbOpensandboxBoundedInput *self = ASB_OPENSANDBOX_BOUNDED_INPUT (stream);
  gssize n_read;

  if (self->n_read > ASB_OPENSANDBOX_BOUNDED_MAX_MESSAGE)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                   "the other side sends a message of more than %d MiB",
                   ASB_OPENSANDBOX_BOUNDED_MAX_MESSAGE / (1024 * 1024));
      return -1;
    }
  n_read = g_pollable_input_stream_read_nonblocking (get_base (stream), buffer, count, NULL, error);
  if (n_read > 0)
    self->n_read += (gsize)n_read;
  return n_read;
}

static void
asb_opensandbox_bounded_input_pollable_init (GPollableInputStreamInterface *iface)
{
  iface->is_readable = asb_opensandbox_bounded_input_is_readable;
  iface->create_source = asb_opensandbox_bounded_input_create_source;
  iface->read_nonblocking = asb_opensandbox_bounded_input_read_nonblocking;
}

/* The connection. */

/* libsoup closes the socket it finds. */
static GIOStream *
new_stream (SoupWebsocketConnection *connection, GInputStream *input, GIOStream *below)
{
  GOutputStream *output
      = g_io_stream_get_output_stream (soup_websocket_connection_get_io_stream (connection));
  g_autoptr (GIOStream) both = g_simple_io_stream_new (input, output);

  if (!below || !G_IS_SOCKET_CONNECTION (below))
    return g_steal_pointer (&both);
  return G_IO_STREAM (g_tcp_wrapper_connection_new (
      both, g_socket_connection_get_socket (G_SOCKET_CONNECTION (below))));
}

/* libsoup gives its stream to nobody else. So the connection that it has made stays, deaf, for as
 * long as another one uses its stream. */
SoupWebsocketConnection *
asb_opensandbox_bounded_new (SoupWebsocketConnection *connection, GIOStream *stream)
{
  GIOStream *own = soup_websocket_connection_get_io_stream (connection);
  GSource *listening
      = g_main_context_find_source_by_user_data (g_main_context_get_thread_default (), connection);
  g_autoptr (GInputStream) input = NULL;
  g_autoptr (GIOStream) bounded = NULL;
  SoupWebsocketConnection *instead;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (connection), BOUND_PROPERTY))
    {
      g_object_set (connection, BOUND_PROPERTY, (guint64)ASB_OPENSANDBOX_BOUNDED_MAX_MESSAGE, NULL);
      return connection;
    }
  g_return_val_if_fail (listening, connection);
  g_source_destroy (listening);
  input = g_object_new (ASB_TYPE_OPENSANDBOX_BOUNDED_INPUT, "base-stream",
                        g_io_stream_get_input_stream (own), "close-base-stream", FALSE, NULL);
  bounded = new_stream (connection, input, stream);
  instead = soup_websocket_connection_new (bounded, soup_websocket_connection_get_uri (connection),
                                           SOUP_WEBSOCKET_CONNECTION_CLIENT, NULL, NULL, NULL);
  g_object_set_data_full (G_OBJECT (instead), FIRST_KEY, connection, g_object_unref);
  g_object_set_data_full (G_OBJECT (instead), INPUT_KEY, g_steal_pointer (&input), g_object_unref);
  return instead;
}

void
asb_opensandbox_bounded_reset (SoupWebsocketConnection *connection)
{
  AsbOpensandboxBoundedInput *input = g_object_get_data (G_OBJECT (connection), INPUT_KEY);

  if (input)
    input->n_read = 0;
}
