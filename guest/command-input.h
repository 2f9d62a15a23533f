/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pipe, or the terminal, to a command's standard input. */

#pragma once

#include "call.h"
#include "loop.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  Call *call;
  int fd; /* -1: closed */
  LoopSource *source;
  size_t offset; /* of the payload of the first frame that waits in the call's inlet */
  uint64_t written;
  bool is_terminal;
  bool ended;
  unsigned n_ends; /* characters that end the input, to be written */
  bool in_line;    /* something was typed since the last end of a line */
} CommandInput;

/* Writes to the terminal whose master is @fd, of which it takes a copy. False with errno set. */
bool command_input_open_terminal (CommandInput *input, Call *call, int fd);

/* Makes the pipe; its reading end, or -1 with errno set. */
int command_input_open (CommandInput *input, Call *call);

/* Writes what waits in the inlet of the call, and from then on notices when nobody reads it. */
void command_input_write (CommandInput *input);

void command_input_close (CommandInput *input);
