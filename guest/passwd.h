/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What /etc/passwd says of a user, without the services that a C library would ask. */

#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define PASSWD_MAX_LINE 4096

typedef struct
{
  gid_t gid;
  char home[PASSWD_MAX_LINE]; /* an absolute path, or empty */
} Passwd;

/* Whether there is a line for @uid. Never waits, whatever the file is. */
bool passwd_find (uid_t uid, Passwd *found);
