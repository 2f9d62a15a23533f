/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stream of bytes within the binary messages of a WebSocket. */

#pragma once

#include "byte-stream.h"
#include "loop.h"

/* The largest message that is sent: it fits into what the usual clients take by default. */
#define WEBSOCKET_MAX_MESSAGE 65536

/* The socket @fd, whose opening is over, is taken. NULL when memory is short. */
ByteStream *websocket_stream_new (Loop *loop, int fd);
