/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The members of an archive that comes as a stream: tar as it comes, also compressed by gzip, and
 * zip, whose list of contents is at its end, from a file without a name. */

#pragma once

#include "archive-folder.h"

#include <archive.h>
#include <archive_entry.h>

typedef struct ArchiveInput ArchiveInput;

typedef enum
{
  ARCHIVE_INPUT_MEMBER,
  ARCHIVE_INPUT_END, /* as a whole */
  ARCHIVE_INPUT_FAILED
} ArchiveInputStep;

/* Looks what it is. A zip is kept in @directory_fd meanwhile. NULL when it failed. */
ArchiveInput *archive_input_open (const ArchiveCaller *caller, const ArchiveBounds *bounds,
                                  int directory_fd, const char *path, Failure *failure);
void archive_input_free (ArchiveInput *input);

ArchiveInputStep archive_input_next (ArchiveInput *input, struct archive_entry **entry);

/* More of the member; end of it with *@size 0. False when it failed. */
bool archive_input_read (ArchiveInput *input, const void **bytes, size_t *size, int64_t *offset);

const char *archive_input_format (const ArchiveInput *input);
uint64_t archive_input_received (const ArchiveInput *input);

/* False, with the failure set, when @bytes are too many to come out of what has come in. */
bool archive_input_check_ratio (ArchiveInput *input, uint64_t bytes);

/* “Could not unpack “PATH”: the archive is damaged: WHY” */
bool archive_input_fail (ArchiveInput *input, const char *why);
