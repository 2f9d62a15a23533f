/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.set_attributes */

#include "file-operations.h"

#include "arguments.h"
#include "file-path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct
{
  char *path;
  bool follow;
  int64_t mode; /* −1: as it is; so the others */
  int64_t uid;
  int64_t gid;
  FilePlace place;
  int fd; /* of the file itself, whatever gets its name meanwhile */
  struct stat status;
} Attributes;

static bool
parse (Attributes *attributes, json_t *args, Failure *failure)
{
  if (!argument_boolean (args, "follow", true, &attributes->follow, failure)
      || !argument_integer (args, "mode", 0, 07777, -1, &attributes->mode, failure)
      || !argument_integer (args, "uid", 0, UINT32_MAX - 1, -1, &attributes->uid, failure)
      || !argument_integer (args, "gid", 0, UINT32_MAX - 1, -1, &attributes->gid, failure)
      || !argument_path (args, "path", &attributes->path, failure))
    return false;
  if (attributes->mode < 0 && attributes->uid < 0 && attributes->gid < 0)
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "None of “mode”, “uid” and “gid” is there: nothing would change");
  return true;
}

static bool
find (FileWorker *worker, Attributes *attributes, Failure *failure)
{
  const char *path = attributes->path;

  if (!file_check_changeable (worker, path, failure))
    return false;
  if (!(attributes->follow ? file_place_follow (&attributes->place, path)
                           : file_place_open (&attributes->place, path)))
    return failure_set_errno (failure, errno, "change", path);
  if (!file_place_check_changeable (worker, &attributes->place, path, failure))
    return false;
  attributes->fd = openat (attributes->place.directory_fd, attributes->place.name,
                           O_PATH | O_NOFOLLOW | O_CLOEXEC);
  return attributes->fd >= 0 || failure_set_errno (failure, errno, "change", path);
}

static bool
look (FileWorker *worker, Attributes *attributes, Failure *failure)
{
  if (fstat (attributes->fd, &attributes->status) != 0)
    return failure_set_errno (failure, errno, "change", attributes->path);
  if (!file_is_history (worker, &attributes->status))
    return true;
  failure_set (failure, FAILURE_PATH_PROTECTED, "“%.256s” belongs to the history and is protected",
               attributes->path);
  failure_add_path (failure, attributes->path);
  return false;
}

/* A descriptor that is of the file alone changes no mode, but its name in /proc does. */
static bool
change_mode (const Attributes *attributes)
{
  char link[32];

  snprintf (link, sizeof link, "/proc/self/fd/%d", attributes->fd);
  if (chmod (link, (mode_t)attributes->mode) == 0)
    return true;
  return (errno == ENOENT || errno == ENOTDIR)
         && fchmodat (attributes->place.directory_fd, attributes->place.name,
                      (mode_t)attributes->mode, 0)
                == 0;
}

/* The owner first: changing it may take bits of the mode away. */
static bool
change (const Attributes *attributes, Failure *failure)
{
  if (attributes->mode >= 0 && S_ISLNK (attributes->status.st_mode))
    return failure_set (failure, FAILURE_INVALID_ARGUMENT, "A symbolic link has no mode to change");
  if ((attributes->uid >= 0 || attributes->gid >= 0)
      && fchownat (attributes->fd, "", (uid_t)attributes->uid, (gid_t)attributes->gid,
                   AT_EMPTY_PATH)
             != 0)
    return failure_set_errno (failure, errno, "change the owner of", attributes->path);
  if (attributes->mode >= 0 && !change_mode (attributes))
    return failure_set_errno (failure, errno, "change the mode of", attributes->path);
  return true;
}

bool
file_set_attributes (FileWorker *worker, FileResult *result, Failure *failure)
{
  Attributes attributes = { .place.directory_fd = -1, .fd = -1 };
  bool done = parse (&attributes, worker->args, failure) && find (worker, &attributes, failure)
              && look (worker, &attributes, failure) && change (&attributes, failure)
              && look (worker, &attributes, failure);

  if (done)
    result->result
        = json_pack ("{s:o}", "entry", file_entry_new (attributes.path, &attributes.status, NULL));
  if (attributes.fd >= 0)
    close (attributes.fd);
  file_place_close (&attributes.place);
  free (attributes.path);
  return done;
}
