/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A command on its way from the broker to a supervisor: bytes in a file in memory, since a long
 * command and its environment fit no message. */

#pragma once

#include "command-spec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct
{
  char *const *argv; /* NULL when there is a shell text */
  const char *shell;
  const char *cwd; /* NULL: stay */
  char **environment;
  int64_t deadline; /* nanoseconds; 0: none */
  CommandLimits limits;
  CommandUser user;
  bool has_terminal;

  /* What all this points into. */
  void *bytes;
  size_t size;
} CommandJob;

/* A descriptor of the file, or -1 with errno set. */
int command_job_write (const CommandSpec *spec, char *const *environment);

/* Whether a supervisor has taken the job, so that it must not be given to another. */
bool command_job_is_taken (int fd);

/* Notes that the calling process is about to become the command, in memory that is shared with
 * whoever has the file. Without it an end that nobody sees is taken for one before the beginning.
 */
void command_job_mark_begun (const CommandJob *job);

/* The process that did so; 0: none. It may have failed since. */
pid_t command_job_get_begun (int fd);

/* Takes what was written. To be released also when it fails. */
bool command_job_take (int fd, CommandJob *job);
void command_job_release (CommandJob *job);
