/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "walk.h"

#include "kernel-files.h"
#include "name-list.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
#define LOOK_INTERVAL 256
#define SECOND 1000000000

/* A directory on the way down. */
typedef struct
{
  NameList directories; /* in it, still to be gone into from @next on */
  size_t next;
  dev_t device;
  ino_t inode;
  size_t path_length;
} Level;

typedef struct
{
  const Walk *walk;
  int fd; /* of the directory of the last level */
  char path[PATH_MAX];
  size_t root_length;
  Level *levels;
  size_t n_levels;
  size_t capacity;
  NameList names;
  unsigned n_seen;
  WalkOutcome outcome;
} Walker;

int64_t
walk_clock (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static bool
end (Walker *walker, WalkOutcome outcome)
{
  walker->outcome = outcome;
  return false;
}

static Level *
last_level (const Walker *walker)
{
  return &walker->levels[walker->n_levels - 1];
}

/* False when there is no time left, or the call was cancelled. */
static bool
look_up (Walker *walker)
{
  if (!worker_goes_on (walker->walk->worker))
    return end (walker, WALK_ENDED);
  if (walker->walk->deadline != 0 && walk_clock () > walker->walk->deadline)
    return end (walker, WALK_TIMED_OUT);
  return true;
}

/* Puts @name behind the path of the level. */
static bool
set_path (Walker *walker, const char *name)
{
  size_t length = last_level (walker)->path_length;
  size_t name_length = strlen (name);

  if (length + 1 + name_length >= sizeof walker->path)
    return false;
  walker->path[length] = '/';
  memcpy (walker->path + length + 1, name, name_length + 1);
  return true;
}

static void
cut_path (Walker *walker)
{
  walker->path[last_level (walker)->path_length] = '\0';
}

/* What went away meanwhile does not count. */
static void
tell_error (Walker *walker, int error)
{
  if (error != ENOENT)
    walker->walk->error (walker->walk->data, error, *walker->path ? walker->path : "/");
}

static unsigned char
type_of (const Walker *walker, const char *name)
{
  unsigned char type = name_list_type (name);
  struct stat status;

  if (type == DT_UNKNOWN && fstatat (walker->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
    type = IFTODT (status.st_mode);
  return type;
}

static bool
visit (Walker *walker, const char *name)
{
  const Walk *walk = walker->walk;
  WalkEntry entry = { .directory_fd = walker->fd, .name = name, .type = type_of (walker, name) };
  WalkNext next;

  if (++walker->n_seen % LOOK_INTERVAL == 0 && !look_up (walker))
    return false;
  if (*name == '.' && !walk->hidden)
    return true;
  if (!set_path (walker, name))
    {
      cut_path (walker);
      tell_error (walker, ENAMETOOLONG);
      return true;
    }
  entry.path = walker->path;
  entry.relative = walker->path + walker->root_length + 1;
  next = walk->visit (walk->data, &entry);
  cut_path (walker);
  if (next == WALK_END)
    return end (walker, WALK_ENDED);
  if (next == WALK_PAST || entry.type != DT_DIR || (int64_t)walker->n_levels >= walk->max_depth
      || name_list_add (&last_level (walker)->directories, name, DT_DIR))
    return true;
  if (errno != EFBIG)
    return end (walker, WALK_FAILED);
  set_path (walker, name);
  tell_error (walker, EFBIG);
  cut_path (walker);
  return true;
}

static bool
visit_block (Walker *walker)
{
  if (!name_list_sort (&walker->names))
    return end (walker, WALK_FAILED);
  for (size_t i = 0; i < walker->names.n_names; i++)
    if (!visit (walker, walker->names.sorted[i]))
      return false;
  return true;
}

static bool
visit_all (Walker *walker, DIR *directory)
{
  NamesOutcome outcome;

  do
    {
      name_list_empty (&walker->names);
      outcome = name_list_read (&walker->names, directory, WALK_BLOCK);
      if (outcome == NAMES_FAILED)
        tell_error (walker, errno);
      if (!visit_block (walker))
        return false;
    }
  while (outcome == NAMES_LEFT);
  if (last_level (walker)->directories.n_names == 0
      || name_list_sort (&last_level (walker)->directories))
    return true;
  return end (walker, WALK_FAILED);
}

static bool
visit_directory (Walker *walker)
{
  /* Not by its name “.”, for which it takes more than the right to read. */
  int fd = fcntl (walker->fd, F_DUPFD_CLOEXEC, 0);
  DIR *directory = fd >= 0 ? fdopendir (fd) : NULL;
  bool done;

  if (!directory)
    {
      tell_error (walker, errno);
      if (fd >= 0)
        close (fd);
      return true;
    }
  done = visit_all (walker, directory);
  closedir (directory);
  return done;
}

/* Goes into the directory @fd, whose path stands in walker->path. */
static bool
push (Walker *walker, int fd, const struct stat *status)
{
  if (walker->n_levels == walker->capacity)
    {
      size_t capacity = 2 * walker->capacity + 16;
      Level *levels = realloc (walker->levels, capacity * sizeof *levels);

      if (!levels)
        return end (walker, WALK_FAILED);
      walker->levels = levels;
      walker->capacity = capacity;
    }
  walker->levels[walker->n_levels++] = (Level){ .device = status->st_dev,
                                                .inode = status->st_ino,
                                                .path_length = strlen (walker->path) };
  if (walker->fd >= 0)
    close (walker->fd);
  walker->fd = fd;
  return look_up (walker) && visit_directory (walker);
}

static bool
descend (Walker *walker, const char *name)
{
  struct stat status;
  int fd = openat (walker->fd, name, OPEN_DIRECTORY | O_NOFOLLOW);
  bool done;

  set_path (walker, name);
  if (fd < 0 || fstat (fd, &status) != 0)
    tell_error (walker, errno);
  else if (status.st_dev == last_level (walker)->device || !is_kernel_files (fd))
    {
      done = push (walker, fd, &status);
      if (walker->fd != fd)
        close (fd);
      return done;
    }
  cut_path (walker);
  if (fd >= 0)
    close (fd);
  return true;
}

static void
pop (Walker *walker)
{
  name_list_clear (&walker->levels[--walker->n_levels].directories);
}

static bool
is_level (int fd, const Level *level)
{
  struct stat status;

  return fd >= 0 && fstat (fd, &status) == 0 && status.st_dev == level->device
         && status.st_ino == level->inode;
}

/* The directory above, provided that nobody has moved the one below elsewhere. */
static bool
open_level (Walker *walker)
{
  int fd = openat (walker->fd, "..", OPEN_DIRECTORY);

  if (!is_level (fd, last_level (walker)))
    {
      if (fd >= 0)
        close (fd);
      fd = open (*walker->path ? walker->path : "/", OPEN_DIRECTORY);
    }
  if (!is_level (fd, last_level (walker)))
    {
      if (fd >= 0)
        close (fd);
      return false;
    }
  close (walker->fd);
  walker->fd = fd;
  return true;
}

static void
ascend (Walker *walker)
{
  pop (walker);
  while (walker->n_levels > 0)
    {
      Level *level = last_level (walker);

      cut_path (walker);
      if (level->next == level->directories.n_names)
        pop (walker);
      else if (open_level (walker))
        return;
      else
        {
          tell_error (walker, ESTALE);
          level->next = level->directories.n_names;
        }
    }
}

static bool
go_on (Walker *walker)
{
  Level *level = last_level (walker);

  if (level->next == level->directories.n_names)
    {
      ascend (walker);
      return true;
    }
  return descend (walker, level->directories.sorted[level->next++]);
}

static bool
begin (Walker *walker)
{
  const Walk *walk = walker->walk;
  struct stat status;
  int fd = open (walk->path, OPEN_DIRECTORY);

  if (fd < 0 || fstat (fd, &status) != 0)
    {
      if (fd >= 0)
        close (fd);
      return end (walker, WALK_FAILED);
    }
  snprintf (walker->path, sizeof walker->path, "%s",
            strcmp (walk->path, "/") == 0 ? "" : walk->path);
  walker->root_length = strlen (walker->path);
  if (push (walker, fd, &status))
    return true;
  if (walker->fd != fd)
    close (fd);
  return false;
}

WalkOutcome
walk_tree (const Walk *walk)
{
  static Walker walker;
  int error;

  walker = (Walker){ .walk = walk, .fd = -1 };
  if (begin (&walker))
    while (walker.n_levels > 0 && go_on (&walker))
      ;
  error = errno;
  while (walker.n_levels > 0)
    pop (&walker);
  name_list_clear (&walker.names);
  free (walker.levels);
  if (walker.fd >= 0)
    close (walker.fd);
  errno = error;
  return walker.outcome;
}
