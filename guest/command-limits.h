/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How much a command may take of what the system counts for each process or user. */

#pragma once

#include "failure.h"

#include <stdbool.h>
#include <stdint.h>

#define COMMAND_N_LIMITS 5

typedef struct
{
  uint64_t values[COMMAND_N_LIMITS]; /* 0: stays as it is */
} CommandLimits;

/* The member “limits” of @args. A limit above what the guest itself is held to is refused: a
 * privileged guest could set it, another could not, and both shall do the same. */
bool command_limits_parse (CommandLimits *limits, json_t *args, Failure *failure);

/* “NAME=NUMBER”, as an option of the guest, which may itself be held to less. Returns false if it
 * is none. */
bool command_limits_add (CommandLimits *limits, const char *text);

/* What @limits does not name becomes as in @most. One above that is refused. */
bool command_limits_bound (CommandLimits *limits, const CommandLimits *most, Failure *failure);

/* Sets them for this process, and for what it becomes, for good. Returns a negative number, or the
 * limit that cannot be set, with errno. Changes nothing else in memory. */
int command_limits_apply (const CommandLimits *limits);

/* Says that a limit could not be set for @program, and why. */
void command_limits_describe_fault (int limit, int error, const char *program, Failure *failure);
