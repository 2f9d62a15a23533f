/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.delete, of trees of any depth with a few descriptors */

#include "file-operations.h"

#include "arguments.h"
#include "file-path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_RETRIES 100
#define OPEN_LEVEL (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* A directory on the way down. */
typedef struct
{
  char *name;
  dev_t device;
  ino_t inode;
  int n_retries;
} Level;

typedef struct
{
  FileWorker *worker;
  Failure *failure;
  const char *path; /* what shall be deleted */
  int top_fd;       /* the directory it is in */
  int fd;           /* the directory that is being emptied */
  Level *levels;    /* the first is what shall be deleted */
  size_t n_levels;
  size_t capacity;
} Deletion;

/* The path of the current directory, or of @name in it. */
static char *
describe (const Deletion *deletion, const char *name)
{
  size_t size = strlen (deletion->path) + (name ? strlen (name) + 1 : 0) + 1;
  char *text;
  char *end;

  for (size_t i = 1; i < deletion->n_levels; i++)
    size += strlen (deletion->levels[i].name) + 1;
  text = malloc (size);
  if (!text)
    return NULL;
  end = stpcpy (text, deletion->path);
  for (size_t i = 1; i < deletion->n_levels; i++)
    end += sprintf (end, "/%s", deletion->levels[i].name);
  if (name)
    sprintf (end, "/%s", name);
  return text;
}

static bool
fail (Deletion *deletion, const char *name, int error)
{
  char *path = describe (deletion, name);

  failure_set_errno (deletion->failure, error, "delete", path ? path : deletion->path);
  free (path);
  return false;
}

static bool
refuse_history (Deletion *deletion, const char *name)
{
  char *path = describe (deletion, name);

  failure_set (deletion->failure, FAILURE_PATH_PROTECTED,
               "“%.256s” belongs to the history and is protected", path ? path : deletion->path);
  failure_add_path (deletion->failure, path ? path : deletion->path);
  free (path);
  return false;
}

static bool
push (Deletion *deletion, const char *name, const struct stat *status)
{
  Level *level;

  if (deletion->n_levels == deletion->capacity)
    {
      size_t capacity = 2 * deletion->capacity + 16;
      Level *levels = realloc (deletion->levels, capacity * sizeof *levels);

      if (!levels)
        return false;
      deletion->levels = levels;
      deletion->capacity = capacity;
    }
  level = &deletion->levels[deletion->n_levels];
  *level = (Level){ strdup (name), status->st_dev, status->st_ino, 0 };
  if (!level->name)
    return false;
  deletion->n_levels++;
  return true;
}

static void
pop (Deletion *deletion)
{
  free (deletion->levels[--deletion->n_levels].name);
}

/* Goes into the directory @name of @parent_fd. */
static bool
descend (Deletion *deletion, int parent_fd, const char *name)
{
  struct stat status;
  int fd = openat (parent_fd, name, OPEN_LEVEL);

  /* Somebody else was faster, and what is there now will be seen. */
  if (fd < 0 && errno == ENOENT && deletion->n_levels > 0)
    return true;
  if (fd < 0 || fstat (fd, &status) != 0)
    fail (deletion, deletion->n_levels > 0 ? name : NULL, errno);
  else if (file_is_history (deletion->worker, &status))
    refuse_history (deletion, deletion->n_levels > 0 ? name : NULL);
  else if (!push (deletion, name, &status))
    fail (deletion, NULL, ENOMEM);
  else
    {
      if (deletion->fd >= 0)
        close (deletion->fd);
      deletion->fd = fd;
      return true;
    }
  if (fd >= 0)
    close (fd);
  return false;
}

static bool
is_directory (int directory_fd, const char *name)
{
  struct stat status;

  return fstatat (directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0
         && S_ISDIR (status.st_mode);
}

typedef enum
{
  DELETED,
  IS_FULL_DIRECTORY,
  FAILED
} Outcome;

static Outcome
delete_entry (Deletion *deletion, const struct dirent *entry)
{
  const char *name = entry->d_name;
  bool directory = entry->d_type == DT_DIR;

  if (!directory && unlinkat (deletion->fd, name, 0) == 0)
    return DELETED;
  if (!directory && (errno == EISDIR || errno == EPERM))
    {
      int error = errno;

      directory = is_directory (deletion->fd, name);
      errno = error;
    }
  if (directory && unlinkat (deletion->fd, name, AT_REMOVEDIR) == 0)
    return DELETED;
  if (errno == ENOENT)
    return DELETED;
  if (directory && (errno == ENOTEMPTY || errno == EEXIST))
    return IS_FULL_DIRECTORY;
  fail (deletion, name, errno);
  return FAILED;
}

/* Deletes what is in the directory up to the first that is a directory with something in it, whose
 * name goes to @below; an empty one when there is none. */
static bool
empty_until_directory (Deletion *deletion, DIR *directory, char below[NAME_MAX + 1])
{
  struct dirent *entry;

  below[0] = '\0';
  errno = 0;
  while ((entry = readdir (directory)))
    {
      Outcome outcome = DELETED;

      if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
        outcome = delete_entry (deletion, entry);
      if (outcome == FAILED)
        return false;
      if (outcome == IS_FULL_DIRECTORY)
        {
          snprintf (below, NAME_MAX + 1, "%s", entry->d_name);
          return true;
        }
      errno = 0;
    }
  return errno == 0 ? true : fail (deletion, NULL, errno);
}

static bool
empty_level (Deletion *deletion, char below[NAME_MAX + 1])
{
  int fd = openat (deletion->fd, ".", OPEN_LEVEL);
  DIR *directory = fd >= 0 ? fdopendir (fd) : NULL;
  bool done;

  if (!directory)
    {
      fail (deletion, NULL, errno);
      if (fd >= 0)
        close (fd);
      return false;
    }
  done = empty_until_directory (deletion, directory, below);
  closedir (directory);
  return done;
}

/* The directory above the current one, provided that nobody has moved that elsewhere. */
static int
open_above (const Deletion *deletion)
{
  const Level *above;
  struct stat status;
  int fd;

  if (deletion->n_levels == 1)
    return dup (deletion->top_fd);
  above = &deletion->levels[deletion->n_levels - 2];
  fd = openat (deletion->fd, "..", OPEN_LEVEL);
  if (fd >= 0 && fstat (fd, &status) == 0 && status.st_dev == above->device
      && status.st_ino == above->inode)
    return fd;
  if (fd >= 0)
    {
      close (fd);
      errno = EBUSY;
    }
  return -1;
}

/* Deletes the current directory, which is empty, and goes up. */
static bool
ascend (Deletion *deletion)
{
  Level *level = &deletion->levels[deletion->n_levels - 1];
  int fd = open_above (deletion);

  if (fd < 0)
    return fail (deletion, NULL, errno);
  if (unlinkat (fd, level->name, AT_REMOVEDIR) != 0 && errno != ENOENT)
    {
      int error = errno;

      close (fd);
      /* Somebody has put something there, or reading while deleting left it out. */
      if ((error == ENOTEMPTY || error == EEXIST) && level->n_retries++ < MAX_RETRIES)
        return true;
      return fail (deletion, NULL, error);
    }
  close (deletion->fd);
  deletion->fd = fd;
  pop (deletion);
  return true;
}

static bool
delete_tree (Deletion *deletion, const char *name)
{
  char below[NAME_MAX + 1];

  if (!descend (deletion, deletion->top_fd, name))
    return false;
  while (deletion->n_levels > 0)
    {
      if (!worker_goes_on (deletion->worker) || !empty_level (deletion, below))
        return false;
      if (*below ? !descend (deletion, deletion->fd, below) : !ascend (deletion))
        return false;
    }
  return true;
}

static bool
delete_whole_tree (FileWorker *worker, const FilePlace *place, const char *path, Failure *failure)
{
  Deletion deletion = {
    .worker = worker, .failure = failure, .path = path, .top_fd = place->directory_fd, .fd = -1
  };
  bool done = delete_tree (&deletion, place->name);

  if (deletion.fd >= 0)
    close (deletion.fd);
  while (deletion.n_levels > 0)
    pop (&deletion);
  free (deletion.levels);
  return done;
}

static bool
delete_path (FileWorker *worker, const char *path, bool recursive, Failure *failure)
{
  FilePlace place;
  struct stat status;
  bool directory;
  bool done = false;

  if (!file_place_open (&place, path)
      || fstatat (place.directory_fd, place.name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    failure_set_errno (failure, errno, "delete", path);
  else
    {
      directory = S_ISDIR (status.st_mode);
      done = unlinkat (place.directory_fd, place.name, directory ? AT_REMOVEDIR : 0) == 0;
      if (!done && directory && recursive && (errno == ENOTEMPTY || errno == EEXIST))
        done = delete_whole_tree (worker, &place, path, failure);
      else if (!done && directory && errno == EEXIST)
        failure_set_errno (failure, ENOTEMPTY, "delete", path);
      else if (!done)
        failure_set_errno (failure, errno, "delete", path);
    }
  file_place_close (&place);
  return done;
}

bool
file_delete (FileWorker *worker, FileResult *result, Failure *failure)
{
  char *path;
  bool recursive;
  bool done;

  if (!argument_boolean (worker->args, "recursive", false, &recursive, failure)
      || !argument_path (worker->args, "path", &path, failure))
    return false;
  done = file_check_changeable (worker, path, failure)
         && delete_path (worker, path, recursive, failure);
  if (done)
    result->result = json_object ();
  free (path);
  return done;
}
