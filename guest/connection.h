/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A client's connection: HELLO, acknowledgements, and how frames come and go
 * (docs/guest-protocol.md §2 and §3). What has a number is its session's. */

#pragma once

#include "asb-frame.h"
#include "broker.h"
#include "byte-stream.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Connection Connection;

/* Takes @stream. */
void connection_open (Broker *broker, ByteStream *stream);

/* Takes the socket @fd, which must not block. */
void connection_open_socket (Broker *broker, int fd);

/* Likewise, if the other end belongs to the user of the guest, or to root. */
void connection_open_local (Broker *broker, int fd);

/* For its session. Frames without a number overtake the others. */
void connection_send_urgent (Connection *connection, const AsbFrameHeader *header,
                             const void *payload);
/* There may be something to send. */
void connection_touch (Connection *connection);
/* What there is to be sent may wait for more, as long as an ACK that is due may. */
void connection_hold (Connection *connection);
/* It ends when nothing on the stack needs it any more. */
void connection_lose (Connection *connection);
/* Likewise, and the session is no longer its own. */
void connection_abandon (Connection *connection);

/* For the end of the guest: whether everything has been handed to the system, and then. */
bool connections_are_flushed (const Broker *broker);
/* With all sessions. */
void connections_close (Broker *broker);
