/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What has been put into a folder, so that it can be taken out again when the rest does not get
 * there, and what it took the place of put back. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

typedef struct
{
  char *path;
  dev_t device; /* of what was put there */
  ino_t inode;
  bool is_replaced; /* what was there before has its name in the private folder */
} ArchiveMove;

typedef struct
{
  ArchiveMove *items;
  size_t n_items;
  size_t capacity;
  size_t size; /* of all paths */
} ArchiveMoves;

/* Before something is moved. False when that is more than is kept, with errno set. */
bool archive_moves_reserve (ArchiveMoves *moves, const char *path);

/* It has been moved: what was reserved last. @status: of what was put there */
void archive_moves_add (ArchiveMoves *moves, const char *path, const struct stat *status,
                        bool is_replaced);

/* The last first. What somebody else has put in its place since is left alone. False when
 * something could not be put back. */
bool archive_moves_undo (const ArchiveMoves *moves, int staging_fd, int target_fd);
void archive_moves_clear (ArchiveMoves *moves);

/* Puts @name of @from_fd in the place of that of @to_fd, which gets the name that becomes free:
 * nobody ever finds none. False with errno set, and nothing changed. */
bool archive_replace_keeping (int from_fd, int to_fd, const char *name);
