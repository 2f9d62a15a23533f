/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Commands that are longer than the system takes. */

#pragma once

#include "command-spec.h"
#include "environment.h"

/* What of it is too long, and where it can be put instead. @environment: what the command has
 * besides its own. */
void command_size_describe_fault (const CommandSpec *spec, const Environment *environment,
                                  Failure *failure);
