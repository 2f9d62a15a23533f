/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Processes that are so many that those who should end them get no turn at the processor. The
 * broker can do it all the same where it may stop all there is for a moment. It does that in a
 * namespace of processes, as containers and sandboxes are, not to a whole machine. */

#pragma once

#include "broker.h"
#include "process-tree.h"

#include <stddef.h>

/* Kills all that descends from @root but not what is @spared, if so many wait for a processor that
 * it takes this, and if there are @least of them. How many there were, 0 when they were left alone.
 */
size_t crowd_kill (Broker *broker, pid_t root, const ProcessTreeSpared *spared, size_t least);

/* The same when a supervisor has begun already, and everything waits to go on. */
size_t crowd_kill_stopped (Broker *broker, pid_t root, size_t least);
