/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pipe to a command's standard input. */

#pragma once

#include "call.h"
#include "loop.h"

#include <stdint.h>

typedef struct
{
  Call *call;
  int fd; /* -1: closed */
  LoopSource *source;
  size_t offset; /* of the payload of the first frame that waits in the call's inlet */
  uint64_t written;
} CommandInput;

/* Makes the pipe; its reading end, or -1 with errno set. */
int command_input_open (CommandInput *input, Call *call);

/* Writes what waits in the inlet of the call, and from then on notices when nobody reads it. */
void command_input_write (CommandInput *input);

void command_input_close (CommandInput *input);
