/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The private folder in which an archive is unpacked before anything of it is seen. It is locked
 * as long as somebody unpacks into it; one that nobody has locked was left by a process that was
 * killed, and goes when the next comes to the same place. */

#pragma once

#include "archive-folder.h"
#include "failure.h"

#include <stdbool.h>

typedef struct
{
  int base_fd; /* the folder it is in */
  int fd;      /* −1: there is none */
  char name[ARCHIVE_STAGING_NAME_SIZE];
} ArchiveStaging;

/* @path is for messages. @counts: is told of those that were guarded by who was killed. */
bool archive_staging_begin (ArchiveStaging *staging, int base_fd, const char *path,
                            ArchiveCounts *counts, Failure *failure);

/* Names them in the message of @failure: they may be why. */
void archive_staging_name_kept (const ArchiveCounts *counts, const char *path, Failure *failure);

/* From now on it holds what there is nowhere else: it gets a name that nobody takes for an
 * abandoned one. False with the failure set. */
bool archive_staging_guard (ArchiveStaging *staging, const char *path, Failure *failure);

/* It has been renamed to what it was for. */
void archive_staging_release (ArchiveStaging *staging);

/* Leaves it where it is, guarded, and says so in the message of @failure. */
void archive_staging_keep (ArchiveStaging *staging, const char *path, Failure *failure);

/* Removes it with all that is in it. */
void archive_staging_end (ArchiveStaging *staging);
