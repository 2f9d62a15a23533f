/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which names and which links an archive may hold: nothing may lead out of the folder. */

#pragma once

#include <limits.h>
#include <stdbool.h>

/* Copies the name of a member without “.” and empty segments; it is empty for the folder itself.
 * NULL when it may be used, otherwise why not. */
const char *archive_name_clean (const char *name, char clean[PATH_MAX]);

/* Where the symbolic link @name, a clean name, leads to. ".." is only good at the beginning: behind
 * the name of another link it would lead to somewhere else than one reads. NULL when it may be
 * made, otherwise why not. */
const char *archive_target_check (const char *name, const char *target);

/* Opens the folder @path, a clean name, below @root_fd, without following a link. −1 with errno
 * set. */
int archive_open_below (int root_fd, const char *path);

/* Splits a clean name at its last slash; *@directory is empty without one. */
const char *archive_name_split (const char *name, char directory[PATH_MAX]);
