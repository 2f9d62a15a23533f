/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-staging.h"

#include "archive-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
#define MAX_TRIES 16
#define KEPT_PREFIX ".asb-kept-"

static bool
is_dots (const char *name)
{
  return strcmp (name, ".") == 0 || strcmp (name, "..") == 0;
}

static DIR *
open_folder (int directory_fd, const char *name)
{
  int fd = openat (directory_fd, name, OPEN_FOLDER);
  DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;

  if (!folder && fd >= 0)
    close (fd);
  return folder;
}

/* What is deeper than anything that is unpacked was put there by somebody else, and stays. */
static void
remove_tree (int directory_fd, const char *name, int depth)
{
  DIR *folder;
  struct dirent *entry;

  if (unlinkat (directory_fd, name, 0) == 0 || depth > ARCHIVE_MAX_DEPTH + 1)
    return;
  folder = open_folder (directory_fd, name);
  if (!folder)
    return;
  while ((entry = readdir (folder)))
    if (!is_dots (entry->d_name))
      remove_tree (dirfd (folder), entry->d_name, depth + 1);
  closedir (folder);
  unlinkat (directory_fd, name, AT_REMOVEDIR);
}

static bool
is_there (const ArchiveStaging *staging)
{
  struct stat here;
  struct stat there;

  return fstat (staging->fd, &here) == 0
         && fstatat (staging->base_fd, staging->name, &there, AT_SYMLINK_NOFOLLOW) == 0
         && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* −1, or its descriptor, by which it is locked. One of somebody else is his. */
static int
lock_abandoned (int base_fd, const char *name)
{
  struct stat status;
  int fd = openat (base_fd, name, OPEN_FOLDER);

  if (fd < 0)
    return -1;
  if (fstat (fd, &status) == 0 && status.st_uid == geteuid () && flock (fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  close (fd);
  return -1;
}

static void
remove_abandoned (int base_fd, const char *name)
{
  int fd = lock_abandoned (base_fd, name);

  if (fd < 0)
    return;
  remove_tree (base_fd, name, 0);
  close (fd);
}

static void
note_kept (ArchiveCounts *counts, int base_fd, const char *name)
{
  int fd = counts->n_kept < ARCHIVE_MAX_KEPT && strlen (name) < sizeof counts->kept[0]
               ? lock_abandoned (base_fd, name)
               : -1;

  if (fd < 0)
    return;
  strcpy (counts->kept[counts->n_kept++], name);
  close (fd);
}

static bool
begins_with (const char *name, const char *prefix)
{
  return strncmp (name, prefix, strlen (prefix)) == 0;
}

static void
look_at_abandoned (int base_fd, ArchiveCounts *counts)
{
  DIR *folder = open_folder (base_fd, ".");
  struct dirent *entry;

  while (folder && (entry = readdir (folder)))
    if (begins_with (entry->d_name, ARCHIVE_STAGING_PREFIX))
      remove_abandoned (base_fd, entry->d_name);
    else if (begins_with (entry->d_name, KEPT_PREFIX))
      note_kept (counts, base_fd, entry->d_name);
  if (folder)
    closedir (folder);
}

/* False with errno set; EAGAIN when somebody took it for an abandoned one. */
static bool
make (ArchiveStaging *staging)
{
  uint64_t number;

  if (getrandom (&number, sizeof number, 0) != sizeof number)
    return false;
  snprintf (staging->name, sizeof staging->name, ARCHIVE_STAGING_PREFIX "%016llx",
            (unsigned long long)number);
  if (mkdirat (staging->base_fd, staging->name, 0700) != 0)
    return false;
  staging->fd = openat (staging->base_fd, staging->name, OPEN_FOLDER);
  if (staging->fd >= 0 && flock (staging->fd, LOCK_EX | LOCK_NB) == 0 && is_there (staging))
    return true;
  archive_staging_end (staging);
  errno = EAGAIN;
  return false;
}

bool
archive_staging_begin (ArchiveStaging *staging, int base_fd, const char *path,
                       ArchiveCounts *counts, Failure *failure)
{
  *staging = (ArchiveStaging){ .base_fd = base_fd, .fd = -1 };
  look_at_abandoned (base_fd, counts);
  for (int i = 0; i < MAX_TRIES; i++)
    {
      if (make (staging))
        return true;
      if (errno != EAGAIN && errno != EEXIST)
        break;
    }
  return failure_set_errno (failure, errno, "unpack into", path);
}

void
archive_staging_release (ArchiveStaging *staging)
{
  if (staging->fd >= 0)
    close (staging->fd);
  staging->fd = -1;
}

bool
archive_staging_guard (ArchiveStaging *staging, const char *path, Failure *failure)
{
  char name[sizeof staging->name];

  snprintf (name, sizeof name, KEPT_PREFIX "%s", staging->name + strlen (ARCHIVE_STAGING_PREFIX));
  if (renameat (staging->base_fd, staging->name, staging->base_fd, name) != 0)
    return failure_set_errno (failure, errno, "unpack into", path);
  memcpy (staging->name, name, sizeof name);
  return true;
}

static void
add_place (Failure *failure, const char *what, const char *path, const char *name)
{
  size_t length = strlen (failure->message);

  snprintf (failure->message + length, sizeof failure->message - length, "; %s “%s/%s”", what,
            strcmp (path, "/") == 0 ? "" : path, name);
}

void
archive_staging_keep (ArchiveStaging *staging, const char *path, Failure *failure)
{
  add_place (failure, "what could not be put back is in", path, staging->name);
  archive_staging_release (staging);
}

void
archive_staging_name_kept (const ArchiveCounts *counts, const char *path, Failure *failure)
{
  if (counts->n_kept > 0 && failure->code)
    add_place (failure, "what an earlier one that was killed had not finished is in", path,
               counts->kept[0]);
}

void
archive_staging_end (ArchiveStaging *staging)
{
  if (staging->fd < 0)
    return;
  remove_tree (staging->base_fd, staging->name, 0);
  archive_staging_release (staging);
}
