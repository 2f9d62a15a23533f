/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The modes and times that folders get when all is in them: before, they might not be writable, and
 * their time would change again. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

typedef struct
{
  char *path;
  size_t order; /* of two with the same path, the later counts */
  mode_t mode;
  struct timespec mtime; /* UTIME_OMIT as nanoseconds: not told */
} ArchiveAttributes;

typedef struct
{
  ArchiveAttributes *items;
  size_t n_items;
  size_t capacity;
  size_t size; /* of all paths */
  bool is_sorted;
} ArchiveAttributesList;

/* False when that is more than is kept, with errno set. */
bool archive_attributes_add (ArchiveAttributesList *list, const char *path, mode_t mode,
                             struct timespec mtime);

/* The folder was there before and keeps its own. */
void archive_attributes_forget (ArchiveAttributesList *list, const char *path);

/* Gives them to the folders below @root_fd that are there. */
void archive_attributes_apply (ArchiveAttributesList *list, int root_fd);
void archive_attributes_clear (ArchiveAttributesList *list);
