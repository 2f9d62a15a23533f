/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The opening of a WebSocket: from the TCP connection to the answer to its request. */

#pragma once

#include "broker.h"

/* Takes @fd, which must not block. When the client has asked for a WebSocket in time and in order
 * it becomes a connection. */
void websocket_opening_begin (Broker *broker, int fd);

/* Gives up those that go on. */
void websocket_openings_close (Broker *broker);
