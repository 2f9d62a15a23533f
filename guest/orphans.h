/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Processes that fell to the broker because the supervisor of their command was killed. */

#pragma once

#include "broker.h"

void orphans_init (Broker *broker);

/* Ends all that descends from the broker, except its own processes and what descends from them, and
 * goes on until nothing is left that can be ended. */
void orphans_kill (Broker *broker);
