/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The commands as the broker sees them: their pipes, their supervisors, their results. */

#pragma once

#include "broker.h"

#include <stdbool.h>
#include <sys/types.h>

/* Ends all that commands have started, also what they left in the background. */
void command_cancel_all (Broker *broker);

/* Gives the results of those that have not ended. */
void command_give_up_all (Broker *broker);

/* Forgets them all, at the very end. */
void command_free_all (Broker *broker);

/* How many there are, and the processes of their supervisors, for which @pids has as much room. */
size_t command_count (const Broker *broker);
size_t command_list_supervisors (const Broker *broker, pid_t *pids);

/* The process @pid has ended. */
void command_reaped (Broker *broker, pid_t pid);
