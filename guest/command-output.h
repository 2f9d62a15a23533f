/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One output pipe, or the terminal, of a command: to the client, to the record, and in the end to
 * nobody. */

#pragma once

#include "call.h"
#include "loop.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  Broker *broker;
  Call *call; /* NULL: what comes is dropped */
  unsigned channel;
  int fd; /* -1: at its end */
  LoopSource *source;
  LoopTimer end_timer;
  uint64_t total;
  bool is_terminal;
} CommandOutput;

void command_output_init (CommandOutput *output);

/* Reads from the terminal whose master is @fd, of which it takes a copy. False with errno set. */
bool command_output_open_terminal (CommandOutput *output, Call *call, unsigned channel, int fd);

/* Makes the pipe, which is not read before the first resume; its writing end, or -1 with errno
 * set. */
int command_output_open (CommandOutput *output, Call *call, unsigned channel);

/* Reads when the client can take more. */
void command_output_resume (CommandOutput *output);

/* Takes what stands in the pipe now into memory, on its way to the client and the record; from then
 * on what comes is dropped, so that processes in the background can go on writing. A terminal is
 * closed. */
void command_output_finish (CommandOutput *output);

void command_output_close (CommandOutput *output);
