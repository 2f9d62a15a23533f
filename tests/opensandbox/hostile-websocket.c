/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hostile-websocket.h"

#include <string.h>

#define MAGIC "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
#define KEY "Sec-WebSocket-Key: "

void
hostile_websocket_send (HostileConnection *connection, guint8 first, const void *payload,
                        guint64 size)
{
  guint8 header[10] = { first };
  gsize length = 2;

  if (size < 126)
    header[1] = (guint8)size;
  else
    {
      header[1] = 127;
      for (guint i = 0; i < 8; i++)
        header[2 + i] = (guint8)(size >> (56 - 8 * i));
      length = 10;
    }
  hostile_connection_write_bytes (connection, header, length);
  if (payload)
    hostile_connection_write_bytes (connection, payload, size);
}

void
hostile_websocket_close (HostileConnection *connection, guint16 code, const char *reason)
{
  guint8 payload[125] = { (guint8)(code >> 8), (guint8)code };

  memcpy (payload + 2, reason, strlen (reason));
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_CLOSE, payload,
                          2 + strlen (reason));
}

void
hostile_websocket_accept (HostileConnection *connection, const char *head)
{
  const char *key = strstr (head, KEY) + strlen (KEY);
  g_autofree char *text = g_strdup_printf ("%.24s" MAGIC, key);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA1);
  guint8 digest[20];
  gsize size = sizeof digest;
  g_autofree char *accept = NULL;
  g_autofree char *answer = NULL;

  g_checksum_update (checksum, (const guchar *)text, -1);
  g_checksum_get_digest (checksum, digest, &size);
  accept = g_base64_encode (digest, size);
  answer = g_strdup_printf ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                            "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
                            accept);
  hostile_connection_write (connection, answer);
}
