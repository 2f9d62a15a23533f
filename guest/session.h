/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A client's session: the numbers, what is not acknowledged, and the calls. It outlives the
 * connection that carries it for a while (docs/guest-protocol.md §2.1). */

#pragma once

#include "broker.h"
#include "frames.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Connection Connection;

typedef struct
{
  List link; /* of the broker; those that are interrupted stand in the order in which they were */
  Broker *broker;
  Connection *connection; /* NULL: interrupted */
  char id[BROKER_ID_SIZE];
  char secret[BROKER_ID_SIZE];
  int64_t linger;
  LoopTimer linger_timer;
  LoopTask end_task;
  bool is_over; /* it ends with its connection, or soon, and cannot be resumed */

  uint64_t received; /* highest sequence number */

  /* Numbered frames: first those that wait for ACK, then, from unsent on, those not yet sent. */
  OutFrame *oldest;
  OutFrame *unsent;
  OutFrame *newest;
  size_t unsent_offset;
  size_t sent_size; /* unacknowledged */
  size_t total_size;
  uint64_t last_sequence; /* given to a frame */
  uint64_t sent_sequence; /* sent as a whole */

  List calls;
  unsigned n_calls;
  uint64_t worker_turn; /* of the pool of workers, when it last saw that one of them has a call */
} Session;

/* NULL when memory is short. */
Session *session_new (Broker *broker, Connection *connection, int64_t linger);

/* Whether there is room for another. An interrupted one gives way if need be. */
bool session_make_room (Broker *broker);

/* What @resume, of a HELLO, means: NULL if there is none, or the secret is not its own. */
Session *session_find (Broker *broker, const json_t *resume);

/* It belongs to @connection now; the one it had is closed. False when the client cannot have
 * received that much, or so little; then it ends. */
bool session_resume (Session *self, Connection *connection, uint64_t received, int64_t linger);

/* Once the client has been greeted: sends again what it has not received. */
void session_go_on (Session *self, uint64_t received);

/* The connection is gone: waits for another, or ends. */
void session_lose_connection (Session *self);

/* No session is left. */
void sessions_end (Broker *broker);

/* What comes. The answer says which rule of the protocol was broken, or is NULL. */
const char *session_receive (Session *self, const AsbFrameHeader *header, const uint8_t *payload);
const char *session_acknowledge (Session *self, uint64_t sequence);

/* Sends a numbered frame, which is taken. NULL, for want of memory, ends the session. */
void session_send (Session *self, OutFrame *frame);
/* What is to be sent waits a moment for more of the same, if all of it is of that call. */
void session_hold (Session *self, uint32_t call);

void session_send_json (Session *self, uint8_t type, uint32_t call, json_t *json);
void session_send_credit (Session *self, uint32_t call, unsigned channel, uint64_t count);

/* How many bytes of numbered frames there is room for before the client acknowledges some. */
size_t session_room (const Session *self);

/* A call has begun (+1) or is over (−1). */
void session_note_call (Session *self, int change);

/* For the connection. What is left of a frame that has begun; none: 0. */
int session_gather_rest (const Session *self, struct iovec *vectors);
/* As many frames after that as the client may leave unacknowledged, of at most @max_size. */
int session_gather (const Session *self, size_t max_size, struct iovec *vectors, int n_vectors);
/* Moves on over @written bytes of frames, at most to the end of the first when @one. How many of
 * them are left. */
size_t session_advance (Session *self, size_t written, bool one);
