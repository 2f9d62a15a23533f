/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Supervisors for commands to come, so that a command need not wait until one has been forked: one
 * is ready at the beginning and soon after a command has taken it, and those whose command has
 * ended without a trace serve the next. Of many that are left from a busy time all but one end
 * soon. */

#pragma once

#include "broker.h"

#include <stdbool.h>
#include <sys/types.h>

void spare_supervisors_init (Broker *broker);

/* Sees to it that one is ready, at the end of this turn of the loop. */
void spare_supervisor_prepare (Broker *broker);

/* The same, unless a command that runs now ends first. */
void spare_supervisor_prepare_later (Broker *broker);

/* Takes one that is ready, or with @fresh a new one in any case. False with errno set when
 * there is no room for another process. */
bool spare_supervisor_take (Broker *broker, bool fresh, pid_t *pid, int *socket_fd);

/* Takes back one that is idle, or ends it by closing its socket. */
void spare_supervisor_return (Broker *broker, pid_t pid, int socket_fd);

/* Ends all. */
void spare_supervisors_dismiss (Broker *broker);

/* The process @pid has ended. */
void spare_supervisor_reaped (Broker *broker, pid_t pid);

/* Their processes, at most BROKER_MAX_SPARES. */
size_t spare_supervisors_list (const Broker *broker, pid_t *pids);
