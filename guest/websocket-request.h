/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The HTTP request that opens a WebSocket, and the answer to it (RFC 6455 §4.2). */

#pragma once

#include <stddef.h>

/* All of the request, to the empty line at its end. */
#define WEBSOCKET_MAX_REQUEST 8192
#define WEBSOCKET_MAX_HEADERS 64

#define WEBSOCKET_KEY_LENGTH 24
#define WEBSOCKET_MAX_ANSWER 512

typedef struct
{
  char key[WEBSOCKET_KEY_LENGTH + 1];
} WebsocketRequest;

/* 101: the request is whole and in order. 0: the end of it has not come. Otherwise the HTTP status
 * it deserves. */
int websocket_request_parse (const char *bytes, size_t size, WebsocketRequest *request);

/* Writes the answer that goes with @status; how long it is. */
size_t websocket_answer (int status, const WebsocketRequest *request,
                         char answer[WEBSOCKET_MAX_ANSWER]);
