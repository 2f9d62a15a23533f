/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-websocket.h"

#include <string.h>

#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
#define MAX_REASON 123

typedef struct
{
  GIOStream *stream;
  LookalikeAcceptedFunc accepted;
  gpointer user_data;
  char *head;
} Accept;

gboolean
lookalike_websocket_is_valid (LookalikeRequest *request)
{
  const char *key = lookalike_request_get_header (request, "Sec-WebSocket-Key");
  const char *version = lookalike_request_get_header (request, "Sec-WebSocket-Version");

  return lookalike_request_is_upgrade (request) && strcmp (request->method, "GET") == 0
         && key != NULL && version != NULL && strcmp (version, "13") == 0;
}

static char *
compute_accept (const char *key)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA1);
  guint8 digest[20];
  gsize length = sizeof digest;

  g_checksum_update (checksum, (const guchar *)key, -1);
  g_checksum_update (checksum, (const guchar *)GUID, -1);
  g_checksum_get_digest (checksum, digest, &length);
  return g_base64_encode (digest, length);
}

static void
head_written_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Accept *accept = user_data;
  gboolean ok = g_output_stream_write_all_finish (G_OUTPUT_STREAM (object), result, NULL, NULL);

  accept->accepted (ok ? accept->stream : NULL, accept->user_data);
  g_clear_object (&accept->stream);
  g_free (accept->head);
  g_free (accept);
}

void
lookalike_websocket_accept (LookalikeRequest *request, const char *protocol,
                            LookalikeAcceptedFunc accepted, gpointer user_data)
{
  const char *key = lookalike_request_get_header (request, "Sec-WebSocket-Key");
  g_autofree char *answer = compute_accept (key != NULL ? key : "");
  g_autofree char *protocol_line
      = protocol != NULL ? g_strdup_printf ("Sec-WebSocket-Protocol: %s\r\n", protocol)
                         : g_strdup ("");
  Accept *accept = g_new0 (Accept, 1);

  accept->head = g_strdup_printf ("HTTP/1.1 101 Switching Protocols\r\n"
                                  "Upgrade: websocket\r\n"
                                  "Connection: Upgrade\r\n"
                                  "Sec-WebSocket-Accept: %s\r\n%s\r\n",
                                  answer, protocol_line);
  accept->accepted = accepted;
  accept->user_data = user_data;
  accept->stream = lookalike_request_steal (request);
  if (accept->stream == NULL)
    {
      accepted (NULL, user_data);
      g_free (accept->head);
      g_free (accept);
      return;
    }
  g_output_stream_write_all_async (g_io_stream_get_output_stream (accept->stream), accept->head,
                                   strlen (accept->head), G_PRIORITY_DEFAULT, NULL, head_written_cb,
                                   accept);
}

typedef struct
{
  GIOStream *stream;
  GBytes *frame;
} Refusal;

static void
close_written_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Refusal *refusal = user_data;

  g_output_stream_write_all_finish (G_OUTPUT_STREAM (object), result, NULL, NULL);
  g_io_stream_close (refusal->stream, NULL, NULL);
  g_object_unref (refusal->stream);
  g_bytes_unref (refusal->frame);
  g_free (refusal);
}

static void
refuse_accepted_cb (GIOStream *stream, gpointer user_data)
{
  g_autoptr (GBytes) frame = user_data;
  Refusal *refusal;

  if (stream == NULL)
    return;
  refusal = g_new0 (Refusal, 1);
  refusal->stream = g_object_ref (stream);
  refusal->frame = g_steal_pointer (&frame);
  g_output_stream_write_all_async (
      g_io_stream_get_output_stream (stream), g_bytes_get_data (refusal->frame, NULL),
      g_bytes_get_size (refusal->frame), G_PRIORITY_DEFAULT, NULL, close_written_cb, refusal);
}

void
lookalike_websocket_refuse (LookalikeRequest *request, int code, const char *reason)
{
  lookalike_websocket_accept (request, NULL, refuse_accepted_cb,
                              lookalike_websocket_make_close (code, reason));
}

GBytes *
lookalike_websocket_make_close (int code, const char *reason)
{
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  gsize length = MIN (strlen (reason), MAX_REASON);
  const guint8 head[] = { 0x88, (guint8)(length + 2), (guint8)(code >> 8), (guint8)(code & 0xff) };

  g_byte_array_append (frame, head, sizeof head);
  g_byte_array_append (frame, (const guint8 *)reason, (guint)length);
  return g_byte_array_free_to_bytes (g_steal_pointer (&frame));
}

char *
lookalike_websocket_make_key (void)
{
  guint32 random[4] = { g_random_int (), g_random_int (), g_random_int (), g_random_int () };

  return g_base64_encode ((const guchar *)random, sizeof random);
}
