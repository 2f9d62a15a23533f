/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When the guest ends by itself. */

#pragma once

#include "broker.h"

#include <stdbool.h>
#include <stdint.h>

/* Lets everything end as by guest.shutdown when @milliseconds have passed, those in which the
 * machine slept among them; 0: never. False with errno set when the system has no room for it. */
bool expiry_set (Broker *broker, int64_t milliseconds);

void expiry_clear (Broker *broker);
