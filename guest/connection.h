/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A client's connection: HELLO, sequence numbers, acknowledgements, and what waits to be sent
 * (docs/guest-protocol.md §2 and §3). */

#pragma once

#include "broker.h"
#include "byte-stream.h"
#include "frames.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Connection Connection;

/* Takes @stream. */
void connection_open (Broker *broker, ByteStream *stream);

Broker *connection_broker (const Connection *connection);
List *connection_calls (Connection *connection);
unsigned connection_count_calls (const Connection *connection);

/* A call has begun (+1) or is over (−1). */
void connection_note_call (Connection *connection, int change);

/* Sends a numbered frame, which is taken. NULL, for want of memory, ends the connection. */
void connection_send (Connection *connection, OutFrame *frame);
void connection_send_json (Connection *connection, uint8_t type, uint32_t call, json_t *json);
void connection_send_credit (Connection *connection, uint32_t call, unsigned channel,
                             uint64_t count);

/* How many bytes of numbered frames there is room for before the client acknowledges some. */
size_t connection_room (const Connection *connection);

/* For the end of the guest: whether everything has been handed to the system, and then. */
bool connections_are_flushed (const Broker *broker);
void connections_close (Broker *broker);
