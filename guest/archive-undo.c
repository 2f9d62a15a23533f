/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-undo.h"

#include "archive-name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SIZE (64 * 1024 * 1024)
#define MAX_TRIES 1000

/* What has been done. */

bool
archive_moves_reserve (ArchiveMoves *moves, const char *path)
{
  size_t capacity = 2 * moves->capacity + 16;
  ArchiveMove *items;
  char *copy;

  errno = EFBIG;
  if (moves->size + strlen (path) + sizeof *items > MAX_SIZE)
    return false;
  if (moves->n_items == moves->capacity)
    {
      items = realloc (moves->items, capacity * sizeof *items);
      if (!items)
        return false;
      moves->items = items;
      moves->capacity = capacity;
      memset (items + moves->n_items, 0, (capacity - moves->n_items) * sizeof *items);
    }
  copy = strdup (path);
  if (!copy)
    return false;
  free (moves->items[moves->n_items].path);
  moves->items[moves->n_items].path = copy;
  return true;
}

void
archive_moves_add (ArchiveMoves *moves, const char *path, const struct stat *status,
                   bool is_replaced)
{
  ArchiveMove *move = &moves->items[moves->n_items++];

  move->device = status->st_dev;
  move->inode = status->st_ino;
  move->is_replaced = is_replaced;
  moves->size += strlen (path) + sizeof *move;
}

void
archive_moves_clear (ArchiveMoves *moves)
{
  for (size_t i = 0; i < moves->capacity; i++)
    free (moves->items[i].path);
  free (moves->items);
  *moves = (ArchiveMoves){ 0 };
}

/* Undoing it. */

static bool
is_ours (const ArchiveMove *move, int fd, const char *name)
{
  struct stat status;

  return fstatat (fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_dev == move->device
         && status.st_ino == move->inode;
}

static bool
take_back (const ArchiveMove *move, int from_fd, int to_fd, const char *name)
{
  if (!is_ours (move, to_fd, name))
    return true;
  if (move->is_replaced)
    return renameat (from_fd, name, to_fd, name) == 0;
  /* It may have been given a second name only. */
  if (is_ours (move, from_fd, name))
    return unlinkat (to_fd, name, 0) == 0;
  return renameat (to_fd, name, from_fd, name) == 0;
}

static bool
undo (const ArchiveMove *move, int staging_fd, int target_fd)
{
  char directory[PATH_MAX];
  const char *name = archive_name_split (move->path, directory);
  int from_fd = archive_open_below (staging_fd, directory);
  int to_fd = archive_open_below (target_fd, directory);
  bool done = from_fd >= 0 && to_fd >= 0 && take_back (move, from_fd, to_fd, name);

  if (from_fd >= 0)
    close (from_fd);
  if (to_fd >= 0)
    close (to_fd);
  return done;
}

bool
archive_moves_undo (const ArchiveMoves *moves, int staging_fd, int target_fd)
{
  bool done = true;

  for (size_t i = moves->n_items; i > 0; i--)
    done = undo (&moves->items[i - 1], staging_fd, target_fd) && done;
  return done;
}

/* Replacing. */

/* Gives what is there a second name in the private folder, or, where there are no second names, its
 * only one. */
static bool
set_aside (int from_fd, int to_fd, const char *name, char *aside, size_t size, bool *is_moved)
{
  for (int i = 0; i < MAX_TRIES; i++)
    {
      snprintf (aside, size, ".asb-replaced-%d", i);
      *is_moved = false;
      if (linkat (to_fd, name, from_fd, aside, 0) == 0)
        return true;
      if (errno == EEXIST)
        continue;
      *is_moved = true;
      return renameat2 (to_fd, name, from_fd, aside, RENAME_NOREPLACE) == 0;
    }
  return false;
}

bool
archive_replace_keeping (int from_fd, int to_fd, const char *name)
{
  char aside[32];
  bool is_moved;
  int error;

  if (!set_aside (from_fd, to_fd, name, aside, sizeof aside, &is_moved))
    return renameat2 (from_fd, name, to_fd, name, RENAME_EXCHANGE) == 0;
  if (renameat (from_fd, name, to_fd, name) == 0)
    return renameat (from_fd, aside, from_fd, name) == 0;
  error = errno;
  if (is_moved)
    renameat (from_fd, aside, to_fd, name);
  else
    unlinkat (from_fd, aside, 0);
  errno = error;
  return false;
}
