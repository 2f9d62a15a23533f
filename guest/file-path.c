/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "file-path.h"

#include "asb-wire-json.h"
#include "wire-time.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINKS 40
#define MAX_DEPTH 10000
#define OPEN_DIRECTORY (O_PATH | O_DIRECTORY | O_CLOEXEC)

static bool
split_path (char *path, const char **directory, const char **name)
{
  char *slash = strrchr (path, '/');

  *name = slash ? slash + 1 : path;
  *directory = slash == path ? "/" : path;
  if (!slash)
    *directory = ".";
  else if (slash != path)
    *slash = '\0';
  if (**name == '\0' || strcmp (*name, ".") == 0 || strcmp (*name, "..") == 0)
    {
      errno = EISDIR;
      return false;
    }
  if (strlen (*name) > NAME_MAX)
    {
      errno = ENAMETOOLONG;
      return false;
    }
  return true;
}

static bool
copy_path (char copy[PATH_MAX], const char *path)
{
  if (strlen (path) < PATH_MAX)
    {
      strcpy (copy, path);
      return true;
    }
  errno = ENAMETOOLONG;
  return false;
}

bool
file_place_open (FilePlace *place, const char *path)
{
  char copy[PATH_MAX];
  const char *directory;
  const char *name;

  place->directory_fd = -1;
  if (!copy_path (copy, path) || !split_path (copy, &directory, &name))
    return false;
  strcpy (place->name, name);
  place->directory_fd = open (directory, OPEN_DIRECTORY);
  return place->directory_fd >= 0;
}

void
file_place_close (FilePlace *place)
{
  if (place->directory_fd >= 0)
    close (place->directory_fd);
  place->directory_fd = -1;
}

/* The text of the link at @place; 0 when it is no link. */
static size_t
read_link (const FilePlace *place, char target[PATH_MAX])
{
  ssize_t n = readlinkat (place->directory_fd, place->name, target, PATH_MAX - 1);
  size_t length = n > 0 ? (size_t)n : 0;

  while (length > 1 && target[length - 1] == '/')
    length--;
  target[length] = '\0';
  return length;
}

/* Replaces the last segment of @path by what the link says. */
static bool
follow_link (char path[PATH_MAX], const char *target)
{
  char *slash = strrchr (path, '/');
  size_t kept = *target == '/' || !slash ? 0 : (size_t)(slash + 1 - path);

  if (kept + strlen (target) >= PATH_MAX)
    {
      errno = ENAMETOOLONG;
      return false;
    }
  strcpy (path + kept, target);
  return true;
}

bool
file_place_follow (FilePlace *place, const char *path)
{
  char current[PATH_MAX];
  char target[PATH_MAX];

  place->directory_fd = -1;
  if (!copy_path (current, path))
    return false;
  for (int i = 0; i < MAX_LINKS; i++)
    {
      if (!file_place_open (place, current))
        return false;
      if (read_link (place, target) == 0)
        return true;
      file_place_close (place);
      if (!follow_link (current, target))
        return false;
    }
  errno = ELOOP;
  return false;
}

static bool
is_same (const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool
file_is_history (const FileWorker *worker, const struct stat *status)
{
  struct stat history;

  return S_ISDIR (status->st_mode) && stat (worker->history_dir, &history) == 0
         && is_same (status, &history);
}

/* Goes up from the directory @fd, which is closed, looking for @wanted. */
static bool
is_below (int fd, const struct stat *wanted)
{
  struct stat status;
  struct stat before = { 0 };
  bool found = false;

  for (int depth = 0; fd >= 0 && depth < MAX_DEPTH && !found; depth++)
    {
      int up;

      if (fstat (fd, &status) != 0 || (depth > 0 && is_same (&status, &before)))
        break;
      found = is_same (&status, wanted);
      before = status;
      up = openat (fd, "..", OPEN_DIRECTORY);
      close (fd);
      fd = up;
    }
  if (fd >= 0)
    close (fd);
  return found;
}

bool
file_holds_history (const FileWorker *worker, const struct stat *status)
{
  return S_ISDIR (status->st_mode) && is_below (open (worker->history_dir, OPEN_DIRECTORY), status);
}

static bool
is_in_history (const FileWorker *worker, int directory_fd)
{
  struct stat history;

  return stat (worker->history_dir, &history) == 0
         && is_below (openat (directory_fd, ".", OPEN_DIRECTORY), &history);
}

static bool
is_named_in_history (const FileWorker *worker, const char *path)
{
  size_t length = strlen (worker->history_dir);

  return strncmp (path, worker->history_dir, length) == 0
         && (path[length] == '/' || path[length] == '\0');
}

static bool
refuse (const char *path, Failure *failure)
{
  failure_set (failure, FAILURE_PATH_PROTECTED, "“%.256s” belongs to the history and is protected",
               path);
  failure_add_path (failure, path);
  return false;
}

/* The directory above @path that is there, -1 when there is none. */
static int
open_directory_above (const char *path)
{
  char copy[PATH_MAX];
  int fd = -1;

  if (!copy_path (copy, path))
    return -1;
  while (fd < 0)
    {
      char *slash = strrchr (copy, '/');

      if (!slash || slash == copy)
        return open ("/", OPEN_DIRECTORY);
      *slash = '\0';
      fd = open (copy, OPEN_DIRECTORY);
    }
  return fd;
}

bool
file_check_changeable (const FileWorker *worker, const char *path, Failure *failure)
{
  struct stat status;
  int fd;
  bool is_protected;

  if (is_named_in_history (worker, path))
    return refuse (path, failure);
  fd = open_directory_above (path);
  is_protected = fd >= 0 && is_in_history (worker, fd);
  if (fd >= 0)
    close (fd);
  if (!is_protected && lstat (path, &status) == 0)
    is_protected = file_is_history (worker, &status);
  return is_protected ? refuse (path, failure) : true;
}

bool
file_place_check_changeable (const FileWorker *worker, const FilePlace *place, const char *path,
                             Failure *failure)
{
  return is_in_history (worker, place->directory_fd) ? refuse (path, failure) : true;
}

bool
file_check_regular (const struct stat *status, const char *what, const char *path, Failure *failure)
{
  if (S_ISREG (status->st_mode))
    return true;
  if (S_ISDIR (status->st_mode))
    return failure_set_errno (failure, EISDIR, what, path);
  failure_set (failure, FAILURE_NOT_REGULAR_FILE, "Could not %s “%.256s”: Not a regular file", what,
               path);
  failure_add_path (failure, path);
  return false;
}

int
file_open_regular (const char *path, const char *what, struct stat *status, Failure *failure)
{
  int fd;

  if (stat (path, status) != 0)
    {
      failure_set_errno (failure, errno, what, path);
      return -1;
    }
  if (!file_check_regular (status, what, path, failure))
    return -1;
  fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 || fstat (fd, status) != 0)
    failure_set_errno (failure, errno, what, path);
  else if (file_check_regular (status, what, path, failure))
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

static const char *
kind_of (mode_t mode)
{
  if (S_ISREG (mode))
    return "file";
  if (S_ISDIR (mode))
    return "directory";
  return S_ISLNK (mode) ? "symlink" : "other";
}

json_t *
file_entry_new (const char *path, const struct stat *status, const char *target)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash && slash[1] ? slash + 1 : path;
  json_t *entry = json_pack (
      "{s:o, s:o, s:s, s:I, s:i, s:I, s:I, s:o}", "name", asb_wire_text_new (name, strlen (name)),
      "path", asb_wire_text_new (path, strlen (path)), "kind", kind_of (status->st_mode), "size",
      (json_int_t)status->st_size, "mode", (int)(status->st_mode & 07777), "uid",
      (json_int_t)status->st_uid, "gid", (json_int_t)status->st_gid, "mtime",
      wire_time_new (&status->st_mtim));

  if (entry && target)
    json_object_set_new (entry, "target", asb_wire_text_new (target, strlen (target)));
  return entry;
}

bool
file_make_parents (const char *path)
{
  char copy[PATH_MAX];

  if (!copy_path (copy, path))
    return false;
  for (char *slash = strchr (copy + 1, '/'); slash; slash = strchr (slash + 1, '/'))
    {
      struct stat status;
      int error;

      *slash = '\0';
      if (mkdir (copy, 0755) != 0 && errno != EEXIST)
        {
          error = errno;
          if (stat (copy, &status) != 0 || !S_ISDIR (status.st_mode))
            {
              errno = error;
              return false;
            }
        }
      *slash = '/';
    }
  return true;
}
