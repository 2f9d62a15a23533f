/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* “asb-guest serve” and “asb-guest connect” */

#pragma once

#include "command-limits.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  int listen_fd;        /* −1: bind @socket_path */
  int liveness_fd;      /* −1: none */
  int removal_fd;       /* −1: none */
  int environment_fd;   /* −1: none */
  int token_fd;         /* −1: a random token */
  int ready_fd;         /* −1: none */
  int64_t expire_after; /* milliseconds; 0: never */
  const char *socket_path;
  const char *history_dir;
  bool record_only;
  CommandLimits command_limits;
  bool listens;       /* for WebSockets */
  unsigned port;      /* 0: a free one */
  bool goes_on_alone; /* --daemon */
} ServeOptions;

/* What a guest in the background says first when clients can connect, and not an error; and all
 * that @ready_fd is told. */
#define SERVE_IS_READY '+'

/* Serves until it is told to end; the exit status. When somebody serves at the same path already
 * it is 0 at once. When clients can connect, one line of JSON says on standard output where those
 * can who come by WebSockets, if they may, and standard output is closed. @in_background: that
 * line, after SERVE_IS_READY and always, goes to standard error, which is closed. */
int serve (const ServeOptions *options, bool in_background);

/* Joins standard input and output to the socket of the one who serves there, who is started if
 * there is none; the exit status. */
int connect_to_guest (const ServeOptions *options);
