/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The broker's own processes: supervisors, file workers, the historian. A command can stop them, as
 * whatever is of its user; they go on soon. */

#pragma once

#include "broker.h"

typedef struct
{
  pid_t *pids;
  size_t n;
} Helpers;

/* All there are, for helpers_clear (); false when memory is short. */
bool helpers_list (const Broker *broker, Helpers *helpers);
void helpers_clear (Helpers *helpers);

void helpers_init (Broker *broker);

/* To be called when a child has ended, or stopped. */
void helpers_look (Broker *broker);
