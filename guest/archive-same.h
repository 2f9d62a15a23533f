/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether what would be put in place is what is there. */

#pragma once

#include "archive-folder.h"

/* Of the regular files or the links @name in both folders. What cannot be read, or not as long as
 * the caller goes on, is not the same. */
bool archive_is_same (const ArchiveCaller *caller, int from_fd, int to_fd, const char *name);
