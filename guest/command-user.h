/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The user a command runs as, when that is not the guest's own. */

#pragma once

#include "failure.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct
{
  int64_t uid; /* -1: the guest's own */
  int64_t gid; /* -1: that of the user, or the guest's own */
  bool keeps_home;
} CommandUser;

/* The members “uid” and “gid” of @args. */
bool command_user_parse (CommandUser *user, json_t *args, Failure *failure);

/* Lets the user open again, by /dev/stdout and the like, the pipe @fd, which is the guest's. */
void command_user_give (const CommandUser *user, int fd);

/* Looks up what was left open: the group, and HOME in @environment unless it was given. In a
 * process of the command's own; what is put there stays as long as that. */
void command_user_resolve (CommandUser *user, char **environment);

/* Makes this process one of the user, for good. Returns 0, or what cannot be done with errno.
 * Changes nothing else in memory. */
int command_user_become (const CommandUser *user);

/* Says that @program could not be run as @user, and why. */
void command_user_describe_fault (const CommandUser *user, int fault, int error,
                                  const char *program, Failure *failure);
