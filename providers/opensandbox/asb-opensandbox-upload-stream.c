/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-upload-stream.h"

#include <json-glib/json-glib.h>
#include <string.h>

struct _AsbOpensandboxUploadStream
{
  GInputStream parent_instance;

  char *boundary;
  GBytes *head;
  GBytes *tail;
  gsize at; /* in the head, or in the tail behind the content */
  GPollableInputStream *content;
  gboolean content_ended;
  gint64 size;
  guint64 total;
  GChecksum *checksum;
};

static void asb_opensandbox_upload_stream_pollable_init (GPollableInputStreamInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbOpensandboxUploadStream, asb_opensandbox_upload_stream,
                               G_TYPE_INPUT_STREAM,
                               G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_INPUT_STREAM,
                                                      asb_opensandbox_upload_stream_pollable_init))

static void
asb_opensandbox_upload_stream_finalize (GObject *object)
{
  AsbOpensandboxUploadStream *self = ASB_OPENSANDBOX_UPLOAD_STREAM (object);

  g_free (self->boundary);
  g_bytes_unref (self->head);
  g_bytes_unref (self->tail);
  g_object_unref (self->content);
  g_checksum_free (self->checksum);
  G_OBJECT_CLASS (asb_opensandbox_upload_stream_parent_class)->finalize (object);
}

/* −1: the frame is not where we are. */
static gssize
read_frame (AsbOpensandboxUploadStream *self, void *buffer, gsize count)
{
  gboolean in_head = self->at < g_bytes_get_size (self->head);
  GBytes *frame = in_head ? self->head : self->tail;
  gsize start = in_head ? self->at : self->at - g_bytes_get_size (self->head);
  gsize size;

  if (!in_head && !self->content_ended)
    return -1;
  size = MIN (count, g_bytes_get_size (frame) - start);
  memcpy (buffer, (const char *)g_bytes_get_data (frame, NULL) + start, size);
  self->at += size;
  return (gssize)size;
}

static gssize
take_content (AsbOpensandboxUploadStream *self, void *buffer, gsize count, gssize size)
{
  if (size > 0)
    {
      g_checksum_update (self->checksum, buffer, size);
      self->total += (guint64)size;
    }
  if (size != 0)
    return size;
  self->content_ended = TRUE;
  return read_frame (self, buffer, count);
}

static gssize
asb_opensandbox_upload_stream_read (GInputStream *stream, void *buffer, gsize count,
                                    GCancellable *cancellable, GError **error)
{
  AsbOpensandboxUploadStream *self = ASB_OPENSANDBOX_UPLOAD_STREAM (stream);
  gssize size = read_frame (self, buffer, count);

  if (size < 0)
    size = take_content (
        self, buffer, count,
        g_input_stream_read (G_INPUT_STREAM (self->content), buffer, count, cancellable, error));
  return size;
}

static gssize
asb_opensandbox_upload_stream_read_nonblocking (GPollableInputStream *stream, void *buffer,
                                                gsize count, GError **error)
{
  AsbOpensandboxUploadStream *self = ASB_OPENSANDBOX_UPLOAD_STREAM (stream);
  gssize size = read_frame (self, buffer, count);

  if (size < 0)
    size = take_content (
        self, buffer, count,
        g_pollable_input_stream_read_nonblocking (self->content, buffer, count, NULL, error));
  return size;
}

static gboolean
is_in_content (AsbOpensandboxUploadStream *self)
{
  return self->at >= g_bytes_get_size (self->head) && !self->content_ended;
}

static gboolean
asb_opensandbox_upload_stream_is_readable (GPollableInputStream *stream)
{
  AsbOpensandboxUploadStream *self = ASB_OPENSANDBOX_UPLOAD_STREAM (stream);

  return !is_in_content (self) || g_pollable_input_stream_is_readable (self->content);
}

static GSource *
asb_opensandbox_upload_stream_create_source (GPollableInputStream *stream,
                                             GCancellable *cancellable)
{
  AsbOpensandboxUploadStream *self = ASB_OPENSANDBOX_UPLOAD_STREAM (stream);
  g_autoptr (GSource) readable = is_in_content (self)
                                     ? g_pollable_input_stream_create_source (self->content, NULL)
                                     : g_timeout_source_new (0);

  return g_pollable_source_new_full (stream, readable, cancellable);
}

static void
asb_opensandbox_upload_stream_pollable_init (GPollableInputStreamInterface *iface)
{
  iface->is_readable = asb_opensandbox_upload_stream_is_readable;
  iface->create_source = asb_opensandbox_upload_stream_create_source;
  iface->read_nonblocking = asb_opensandbox_upload_stream_read_nonblocking;
}

static void
asb_opensandbox_upload_stream_class_init (AsbOpensandboxUploadStreamClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_opensandbox_upload_stream_finalize;
  G_INPUT_STREAM_CLASS (klass)->read_fn = asb_opensandbox_upload_stream_read;
}

static void
asb_opensandbox_upload_stream_init (AsbOpensandboxUploadStream *self)
{
  self->checksum = g_checksum_new (G_CHECKSUM_SHA256);
}

/* 0644 is the number 644 there. */
static gint64
decimal_mode (guint mode)
{
  return (mode >> 6 & 7) * 100 + (mode >> 3 & 7) * 10 + (mode & 7);
}

static char *
new_metadata (const char *path, guint mode)
{
  g_autoptr (JsonObject) object = json_object_new ();
  g_autoptr (JsonNode) node = json_node_alloc ();

  json_object_set_string_member (object, "path", path);
  if (mode != 0)
    json_object_set_int_member (object, "mode", decimal_mode (mode));
  json_node_init_object (node, object);
  return json_to_string (node, FALSE);
}

char *
asb_opensandbox_upload_stream_frame (const char *boundary, gboolean first, const char *path,
                                     guint mode)
{
  g_autofree char *metadata = new_metadata (path, mode);

  return g_strdup_printf (
      "%s--%s\r\nContent-Disposition: form-data; name=\"metadata\"; filename=\"metadata\"\r\n"
      "Content-Type: application/json\r\n\r\n%s\r\n"
      "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n"
      "Content-Type: application/octet-stream\r\n\r\n",
      first ? "" : "\r\n", boundary, metadata, boundary);
}

char *
asb_opensandbox_upload_stream_type (const char *boundary)
{
  return g_strconcat ("multipart/form-data; boundary=", boundary, NULL);
}

/* A boundary that nobody can guess is in no file. */
AsbOpensandboxUploadStream *
asb_opensandbox_upload_stream_new (const char *path, guint mode, GInputStream *content, gint64 size)
{
  AsbOpensandboxUploadStream *self = g_object_new (ASB_TYPE_OPENSANDBOX_UPLOAD_STREAM, NULL);
  g_autofree char *uuid = g_uuid_string_random ();
  char *head;
  char *tail;

  self->boundary = g_strconcat ("asb-", uuid, NULL);
  self->content = G_POLLABLE_INPUT_STREAM (g_object_ref (content));
  self->size = size;
  head = asb_opensandbox_upload_stream_frame (self->boundary, TRUE, path, mode);
  tail = g_strdup_printf ("\r\n--%s--\r\n", self->boundary);
  self->head = g_bytes_new_take (head, strlen (head));
  self->tail = g_bytes_new_take (tail, strlen (tail));
  return self;
}

char *
asb_opensandbox_upload_stream_dup_type (AsbOpensandboxUploadStream *self)
{
  return asb_opensandbox_upload_stream_type (self->boundary);
}

gint64
asb_opensandbox_upload_stream_get_size (AsbOpensandboxUploadStream *self)
{
  if (self->size < 0)
    return -1;
  return self->size + (gint64)g_bytes_get_size (self->head) + (gint64)g_bytes_get_size (self->tail);
}

guint64
asb_opensandbox_upload_stream_get_total (AsbOpensandboxUploadStream *self)
{
  return self->total;
}

const char *
asb_opensandbox_upload_stream_get_hash (AsbOpensandboxUploadStream *self)
{
  return g_checksum_get_string (self->checksum);
}
