/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where clients come in by WebSockets: a port of the loopback interface, which anybody can reach
 * who is in the same network namespace, and a token that only those know who were told. */

#pragma once

#include "broker.h"

#include <jansson.h>

/* Opens it at @port, 0: at a free one. When it is open already that is enough if @port is 0 or its
 * own. False with errno set when it cannot be. */
bool websocket_door_open (Broker *broker, unsigned port);
void websocket_door_close (Broker *broker);

/* {"port", "token", "pid"}: what a client needs to come in, or without the token if it has one of
 * its own. NULL when memory is short. */
json_t *websocket_door_describe (const Broker *broker, bool with_token);

/* A socket that listens at @port of the loopback interface and tells which port that is. -1 with
 * errno set. */
int websocket_door_listen (unsigned *port);
