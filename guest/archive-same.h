/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether what would be put in place is what is there. */

#pragma once

#include <stdbool.h>

/* Of the regular files or the links @name in both folders. What cannot be read is not the same. */
bool archive_is_same (int from_fd, int to_fd, const char *name);
