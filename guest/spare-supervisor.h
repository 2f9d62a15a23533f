/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Supervisors for commands to come: one is always ready, so that a command need not wait until it
 * has been forked. */

#pragma once

#include "broker.h"

#include <stdbool.h>
#include <sys/types.h>

/* Sees to it that one is ready, at the end of this turn of the loop. */
void spare_supervisor_prepare (Broker *broker);

/* Takes the one that is ready, or with @fresh a new one in any case. False with errno set when
 * there is no room for another process. */
bool spare_supervisor_take (Broker *broker, bool fresh, pid_t *pid, int *socket_fd);

/* The process @pid has ended. */
void spare_supervisor_reaped (Broker *broker, pid_t pid);
