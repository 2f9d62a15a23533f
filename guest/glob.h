/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Patterns of paths (docs/guest-protocol.md §4.2). One is made into a machine whose states are
 * followed side by side, so that no pattern takes longer than its length times that of the path. */

#pragma once

#include "failure.h"

#include <stdbool.h>

#define GLOB_MAX_PATTERN 1024

typedef struct Glob Glob;

typedef struct
{
  bool matches;
  bool goes_on; /* something below the path may match */
} GlobMatch;

/* NULL with @failure set when @pattern is none. */
Glob *glob_new (const char *pattern, bool ignore_case, Failure *failure);
void glob_free (Glob *glob);

/* @path is relative, without empty segments. */
GlobMatch glob_match (Glob *glob, const char *path);

/* The pattern ends with a slash. */
bool glob_wants_directory (const Glob *glob);
