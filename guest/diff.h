/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The unified diff that is kept of an edit. */

#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The difference as a unified diff with three lines of context and the labels "PATH (before)" and
 * "PATH (after)", every line ended by a newline. After @max_size characters the text is cut,
 * *@truncated set, and a line that says so added. NULL when the two are equal, or when one is not
 * UTF-8 text without NUL. To be freed with free (). */
char *guest_unified_diff (const char *path, const void *before, size_t before_size,
                          const void *after, size_t after_size, size_t max_size, bool *truncated);
