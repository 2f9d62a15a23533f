/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What commands find in their environment. */

#pragma once

#include "arguments.h"

#include <stdbool.h>
#include <sys/types.h>

#define ENVIRONMENT_DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

typedef struct
{
  char **entries; /* NAME=value */
  size_t n_entries;
} Environment;

/* Takes the variables in @variables, and after them the records, NAME=value and NUL, that are read
 * from @fd to its end unless it is -1. HOME and PATH are added where they are missing. False with
 * *@reason set when the records are not in order. */
bool environment_load (Environment *environment, char *const *variables, int fd,
                       const char **reason);

void environment_clear (Environment *environment);

/* The environment without the names in @unset and with the entries in @set, for execve (). The
 * strings are borrowed; the array is to be freed with free (). NULL when memory is short. */
char **environment_merge (const Environment *environment, const TextList *unset,
                          const TextList *set);

/* The value in the NULL-terminated @entries, or NULL. */
const char *environment_get (char *const *entries, const char *name);

/* The home directory: HOME, else what /etc/passwd says, else “/”. */
const char *environment_home (const Environment *environment);
