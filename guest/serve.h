/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* “asb-guest serve” and “asb-guest connect” */

#pragma once

#include "command-limits.h"

#include <stdbool.h>

typedef struct
{
  int listen_fd;      /* −1: bind @socket_path */
  int liveness_fd;    /* −1: none */
  int environment_fd; /* −1: none */
  const char *socket_path;
  const char *history_dir;
  bool record_only;
  CommandLimits command_limits;
} ServeOptions;

/* Serves until it is told to end; the exit status. When somebody serves at the same path already
 * it is 0 at once. @ready_fd is closed when clients can connect, or never will; −1: none. */
int serve (const ServeOptions *options, int ready_fd);

/* Joins standard input and output to the socket of the one who serves there, who is started if
 * there is none; the exit status. */
int connect_to_guest (const ServeOptions *options);
