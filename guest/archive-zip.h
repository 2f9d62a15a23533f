/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The list of contents at the end of a zip, before libarchive reads all of it into memory. */

#pragma once

#include <stdint.h>

typedef enum
{
  ARCHIVE_ZIP_GOOD,
  ARCHIVE_ZIP_EMPTY,
  ARCHIVE_ZIP_TOO_MANY,
  ARCHIVE_ZIP_DAMAGED
} ArchiveZip;

/* Goes through the list as libarchive will, and takes the mark off the members that says that
 * their names are UTF-8: they stay the bytes they are then. */
ArchiveZip archive_zip_prepare (int fd, int64_t size, int64_t max_members);
