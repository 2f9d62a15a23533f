/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-body.h"

#include <string.h>

#include "asb-opensandbox-error.h"

#define BUFFER_SIZE 4096
/* libsoup reads the lines between chunks into what it is given to fill, and fails if that is tiny.
 */
#define MIN_READ 256

typedef enum
{
  FRAMING_NONE,   /* there is no body */
  FRAMING_LENGTH, /* Content-Length says how long it is */
  FRAMING_CHUNKS,
  FRAMING_END /* it ends with the connection */
} Framing;

struct _AsbOpensandboxBody
{
  GInputStream parent_instance;

  GInputStream *stream;
  SoupMessage *message;
  AsbOpensandboxRequest *request;
  GObject *owner;
  AsbOpensandboxBodyFunc ended;
  Framing framing;
  gint64 length;
  gint64 received;
  gboolean at_end;
  guint8 *buffer; /* for small reads */
  gsize buffered;
  gsize taken;
};

G_DEFINE_FINAL_TYPE (AsbOpensandboxBody, asb_opensandbox_body, G_TYPE_INPUT_STREAM)

static void
asb_opensandbox_body_finalize (GObject *object)
{
  AsbOpensandboxBody *self = ASB_OPENSANDBOX_BODY (object);

  g_clear_pointer (&self->buffer, g_free);
  g_clear_object (&self->stream);
  g_clear_object (&self->message);
  g_clear_pointer (&self->request, asb_opensandbox_request_unref);
  /* The session may go with it, so this is the last. */
  g_clear_object (&self->owner);
  G_OBJECT_CLASS (asb_opensandbox_body_parent_class)->finalize (object);
}

static void
asb_opensandbox_body_init (AsbOpensandboxBody *self)
{
}

static Framing
get_framing (SoupMessage *message)
{
  guint status = soup_message_get_status (message);

  if (soup_message_get_method (message) == SOUP_METHOD_HEAD || status == SOUP_STATUS_NO_CONTENT
      || status == SOUP_STATUS_NOT_MODIFIED)
    return FRAMING_NONE;
  switch (soup_message_headers_get_encoding (soup_message_get_response_headers (message)))
    {
    case SOUP_ENCODING_CONTENT_LENGTH:
      return FRAMING_LENGTH;
    case SOUP_ENCODING_CHUNKED:
      return FRAMING_CHUNKS;
    default:
      return FRAMING_END;
    }
}

GInputStream *
asb_opensandbox_body_new (GInputStream *stream, SoupMessage *message,
                          AsbOpensandboxRequest *request, AsbOpensandboxBodyFunc ended,
                          GObject *owner)
{
  AsbOpensandboxBody *self = g_object_new (ASB_TYPE_OPENSANDBOX_BODY, NULL);

  self->stream = g_object_ref (stream);
  self->message = g_object_ref (message);
  self->request = asb_opensandbox_request_ref (request);
  self->ended = ended;
  self->owner = g_object_ref (owner);
  self->framing = get_framing (message);
  if (self->framing == FRAMING_LENGTH)
    self->length
        = soup_message_headers_get_content_length (soup_message_get_response_headers (message));
  return G_INPUT_STREAM (self);
}

/* libsoup 3.2 takes a connection that ends between two chunks for the end of the body. Its stream
 * of the body knows better: after the last chunk it asks the connection for nothing more. So it is
 * asked once more while the connection's stream refuses to be read. */
static gboolean
is_cut_between_chunks (AsbOpensandboxBody *self)
{
  GInputStream *body;
  GInputStream *connection;
  char buffer[MIN_READ];
  gssize n_read;

  if (!G_IS_FILTER_INPUT_STREAM (self->stream))
    return FALSE;
  body = g_filter_input_stream_get_base_stream (G_FILTER_INPUT_STREAM (self->stream));
  if (!G_IS_FILTER_INPUT_STREAM (body))
    return FALSE;
  connection = g_filter_input_stream_get_base_stream (G_FILTER_INPUT_STREAM (body));
  if (!g_input_stream_set_pending (connection, NULL))
    return TRUE;
  n_read = g_input_stream_read (body, buffer, sizeof buffer, NULL, NULL);
  g_input_stream_clear_pending (connection);
  return n_read != 0;
}

static gboolean
is_cut (AsbOpensandboxBody *self)
{
  switch (self->framing)
    {
    case FRAMING_LENGTH:
      return self->received != self->length;
    case FRAMING_CHUNKS:
      return is_cut_between_chunks (self);
    case FRAMING_END:
      /* A head that was cut in the middle looks like this: libsoup takes what there is of it. */
      return self->received == 0;
    default:
      return FALSE;
    }
}

static GError *
make_error (AsbOpensandboxBody *self, const GError *cause)
{
  return asb_opensandbox_error_from_transport (cause,
                                               asb_opensandbox_request_get_endpoint (self->request),
                                               asb_opensandbox_request_get_what (self->request));
}

/* The connection is free for others before anybody closes this. */
static gboolean
end (AsbOpensandboxBody *self, GError **error)
{
  g_autoptr (GError) cut = NULL;

  if (is_cut (self))
    {
      cut = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT, "the answer was cut short");
      g_propagate_error (error, make_error (self, cut));
      return FALSE;
    }
  self->at_end = TRUE;
  g_input_stream_close_async (self->stream, G_PRIORITY_DEFAULT, NULL, NULL, NULL);
  if (self->ended)
    self->ended (self->message, self->owner);
  return TRUE;
}

/* How much a read gave: −1 with an error, or 0 at the end. */
static gssize
take_result (AsbOpensandboxBody *self, gssize n_read, GError *cause, GError **error)
{
  if (n_read < 0)
    {
      g_propagate_error (error, make_error (self, cause));
      return -1;
    }
  self->received += n_read;
  if (n_read == 0 && !self->at_end && !end (self, error))
    return -1;
  return n_read;
}

typedef struct
{
  guint8 *data;
  gsize size;
} Target;

static gssize
take_buffered (AsbOpensandboxBody *self, guint8 *data, gsize size)
{
  gsize n_taken = MIN (size, self->buffered - self->taken);

  memcpy (data, self->buffer + self->taken, n_taken);
  self->taken += n_taken;
  return (gssize)n_taken;
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);
  AsbOpensandboxBody *self = g_task_get_source_object (task);
  Target *target = g_task_get_task_data (task);
  g_autoptr (GError) cause = NULL;
  GError *error = NULL;
  gssize n_read = g_input_stream_read_finish (G_INPUT_STREAM (source), result, &cause);

  n_read = take_result (self, n_read, cause, &error);
  if (error)
    {
      g_task_return_error (task, error);
      return;
    }
  if (target->size < MIN_READ)
    {
      self->buffered = (gsize)n_read;
      self->taken = 0;
      n_read = take_buffered (self, target->data, target->size);
    }
  g_task_return_int (task, n_read);
}

static void
asb_opensandbox_body_read_async (GInputStream *stream, void *buffer, gsize count, int priority,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  AsbOpensandboxBody *self = ASB_OPENSANDBOX_BODY (stream);
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);
  Target *target = g_new (Target, 1);

  target->data = buffer;
  target->size = count;
  g_task_set_source_tag (task, asb_opensandbox_body_read_async);
  g_task_set_priority (task, priority);
  g_task_set_task_data (task, target, g_free);
  if (self->taken < self->buffered)
    {
      g_task_return_int (task, take_buffered (self, buffer, count));
      return;
    }
  if (self->at_end)
    {
      g_task_return_int (task, 0);
      return;
    }
  if (count < MIN_READ && !self->buffer)
    self->buffer = g_malloc (BUFFER_SIZE);
  g_input_stream_read_async (self->stream, count < MIN_READ ? self->buffer : buffer,
                             count < MIN_READ ? BUFFER_SIZE : count, priority, cancellable, read_cb,
                             g_steal_pointer (&task));
}

static gssize
asb_opensandbox_body_read_finish (GInputStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_int (G_TASK (result), error);
}

/* For who drains a small rest; it blocks. */
static gssize
asb_opensandbox_body_read (GInputStream *stream, void *buffer, gsize count,
                           GCancellable *cancellable, GError **error)
{
  AsbOpensandboxBody *self = ASB_OPENSANDBOX_BODY (stream);
  g_autoptr (GError) cause = NULL;
  gssize n_read;

  if (self->taken < self->buffered)
    return take_buffered (self, buffer, count);
  if (self->at_end)
    return 0;
  if (!self->buffer)
    self->buffer = g_malloc (BUFFER_SIZE);
  n_read = g_input_stream_read (self->stream, self->buffer, BUFFER_SIZE, cancellable, &cause);
  n_read = take_result (self, n_read, cause, error);
  if (n_read <= 0)
    return n_read;
  self->buffered = (gsize)n_read;
  self->taken = 0;
  return take_buffered (self, buffer, count);
}

static void
closed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);

  /* What a server does after its reply is of no interest. */
  g_input_stream_close_finish (G_INPUT_STREAM (source), result, NULL);
  g_task_return_boolean (task, TRUE);
}

static void
asb_opensandbox_body_close_async (GInputStream *stream, int priority, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data)
{
  AsbOpensandboxBody *self = ASB_OPENSANDBOX_BODY (stream);
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, asb_opensandbox_body_close_async);
  g_task_set_priority (task, priority);
  if (self->at_end)
    g_task_return_boolean (task, TRUE);
  else
    g_input_stream_close_async (self->stream, priority, NULL, closed_cb, g_steal_pointer (&task));
}

static gboolean
asb_opensandbox_body_close_finish (GInputStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static gboolean
asb_opensandbox_body_close (GInputStream *stream, GCancellable *cancellable, GError **error)
{
  AsbOpensandboxBody *self = ASB_OPENSANDBOX_BODY (stream);

  if (!self->at_end)
    g_input_stream_close (self->stream, NULL, NULL);
  return TRUE;
}

static void
asb_opensandbox_body_class_init (AsbOpensandboxBodyClass *klass)
{
  GInputStreamClass *stream_class = G_INPUT_STREAM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = asb_opensandbox_body_finalize;
  stream_class->read_fn = asb_opensandbox_body_read;
  stream_class->read_async = asb_opensandbox_body_read_async;
  stream_class->read_finish = asb_opensandbox_body_read_finish;
  stream_class->close_fn = asb_opensandbox_body_close;
  stream_class->close_async = asb_opensandbox_body_close_async;
  stream_class->close_finish = asb_opensandbox_body_close_finish;
}
