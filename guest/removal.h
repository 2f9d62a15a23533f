/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When somebody outside removes the files of the sandbox: who made its socket is told of it, or
 * what comes next finds them gone. Nobody could ever reach the guest again. */

#pragma once

#include "broker.h"

#include <stdbool.h>

/* False with errno set when the system has no room for it. */
bool removal_watch (Broker *broker);

void removal_unwatch (Broker *broker);

/* Lets everything end, as by guest.shutdown, if they are gone. */
void removal_check (Broker *broker);
