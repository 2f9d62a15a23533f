/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The opening of a connection (docs/guest-protocol.md §2). */

#pragma once

#include "session.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The code of the GOODBYE that @hello deserves, with *@reason for people, or NULL. @broker: whose
 * token it must carry; NULL: none. */
const char *hello_check (const json_t *hello, const Broker *broker, const char **reason);

/* For how long the session is kept when its connection is lost, in nanoseconds. */
int64_t hello_linger (const json_t *hello);

/* Whether it comes from a newer guest that begins to serve beside this one. */
bool hello_asks_to_drain (const json_t *hello);

/* What the guest says of itself in answer to @hello; NULL when memory is short. @resumed, which is
 * taken, is NULL for a new session. */
json_t *hello_answer (const Session *session, const json_t *hello, json_t *resumed);
