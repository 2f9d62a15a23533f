/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The opening of a connection (docs/guest-protocol.md §2). */

#pragma once

#include "broker.h"

#include <jansson.h>
#include <stdbool.h>

/* The code of the GOODBYE that @hello deserves, with *@reason for people, or NULL. @full: there is
 * no room for another connection. */
const char *hello_check (json_t *hello, bool full, const char **reason);

/* What the guest says of itself; NULL when memory is short. */
json_t *hello_answer (const Broker *broker);
