/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file that is packed while somebody may write to it, with its holes. */

#pragma once

#include <archive_entry.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* A file with more pieces is packed with zeros for the holes behind the last of them. */
#define ARCHIVE_FILE_MAX_PIECES 1024

#define ARCHIVE_FILE_BLOCK 65536

typedef struct
{
  int fd;
  struct stat status; /* as it was when it was opened */
  int error;          /* what reading met */
  struct
  {
    int64_t start;
    int64_t end;
  } pieces[ARCHIVE_FILE_MAX_PIECES]; /* of data between holes */
  int n_pieces;                      /* 0: there are no holes */
} ArchiveFile;

/* False with errno set; anything but a regular file is ENXIO. */
bool archive_file_open (ArchiveFile *file, int directory_fd, const char *name);
void archive_file_close (ArchiveFile *file);

void archive_file_find_holes (ArchiveFile *file, struct archive_entry *entry);

/* What is at @offset before the end, at least one byte, good until the next call; zeros where there
 * is nothing any more. */
const uint8_t *archive_file_read (ArchiveFile *file, int64_t offset, size_t *size);

/* Since it was opened. */
bool archive_file_has_changed (const ArchiveFile *file);
