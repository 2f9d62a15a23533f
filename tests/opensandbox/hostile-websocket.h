/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The other side of a WebSocket, which says what it likes. */

#pragma once

#include "hostile-server.h"

/* The first byte of a frame. */
#define HOSTILE_WEBSOCKET_FIN 0x80
#define HOSTILE_WEBSOCKET_CONTINUATION 0
#define HOSTILE_WEBSOCKET_TEXT 1
#define HOSTILE_WEBSOCKET_BINARY 2
#define HOSTILE_WEBSOCKET_CLOSE 8
#define HOSTILE_WEBSOCKET_PING 9

/* Agrees to what the request with this @head asks for. */
void hostile_websocket_accept (HostileConnection *connection, const char *head);

/* A frame that says it has @size bytes; without a @payload (NULL) they do not come. */
void hostile_websocket_send (HostileConnection *connection, guint8 first, const void *payload,
                             guint64 size);
void hostile_websocket_close (HostileConnection *connection, guint16 code, const char *reason);
