/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "file-across.h"

#include "file-writing.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  const FilePlace *from;
  const char *from_path;
  int fd;
  struct stat status;
  Writing writing;
} Crossing;

static bool
refuse (const Crossing *crossing)
{
  Failure *failure = crossing->writing.failure;

  failure_set (failure, FAILURE_NOT_REGULAR_FILE,
               "Could not move “%.256s” to another file system: only a regular file can be, copy "
               "it with a command",
               crossing->from_path);
  failure_add_path (failure, crossing->from_path);
  return false;
}

static bool
fail (const Crossing *crossing)
{
  return failure_set_errno (crossing->writing.failure, errno, "move", crossing->from_path);
}

static bool
open_source (Crossing *crossing)
{
  const FilePlace *from = crossing->from;

  if (fstatat (from->directory_fd, from->name, &crossing->status, AT_SYMLINK_NOFOLLOW) != 0)
    return fail (crossing);
  if (!S_ISREG (crossing->status.st_mode))
    return refuse (crossing);
  crossing->fd = openat (from->directory_fd, from->name,
                         O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
  if (crossing->fd < 0 || fstat (crossing->fd, &crossing->status) != 0)
    return fail (crossing);
  return S_ISREG (crossing->status.st_mode) ? true : refuse (crossing);
}

/* Where data begin at or after @at; the end when there are none. */
static off_t
find_data (const Crossing *crossing, off_t at)
{
  off_t data = lseek (crossing->fd, at, SEEK_DATA);

  if (data >= 0)
    return data;
  return errno == ENXIO ? crossing->status.st_size : at;
}

/* Holes stay holes: otherwise what takes no room here could fill the disk there. What is added
 * meanwhile is not followed, since it could go on for ever. */
static bool
copy_content (Crossing *crossing)
{
  static uint8_t bytes[ASB_FRAME_MAX_DATA];
  Writing *writing = &crossing->writing;
  off_t size = crossing->status.st_size;
  off_t at = 0;

  while ((at = find_data (crossing, at)) < size)
    {
      size_t wanted = size - at < (off_t)sizeof bytes ? (size_t)(size - at) : sizeof bytes;
      ssize_t n = pread (crossing->fd, bytes, wanted, at);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0 || lseek (writing->fd, at, SEEK_SET) < 0)
        return fail (crossing);
      if (!worker_goes_on (writing->worker) || !writing_add (writing, bytes, (size_t)n))
        return false;
      if (n == 0)
        break;
      at += n;
    }
  if (ftruncate (writing->fd, size) != 0)
    return writing_fail (writing, errno);
  writing->size = (uint64_t)size;
  return true;
}

/* The owner where that is allowed. */
static bool
copy_attributes (Crossing *crossing)
{
  const struct stat *status = &crossing->status;
  struct timespec times[2] = { status->st_atim, status->st_mtim };
  mode_t mode = status->st_mode & 07777;
  int fd = crossing->writing.fd;

  if (!writing_copy_owner (&crossing->writing, status, &mode))
    return fail (crossing);
  if (fchmod (fd, mode) != 0 || futimens (fd, times) != 0)
    return fail (crossing);
  return writing_sync (&crossing->writing);
}

static bool
check_unchanged (Crossing *crossing)
{
  struct stat now;

  if (fstat (crossing->fd, &now) == 0 && now.st_size == crossing->status.st_size
      && (uint64_t)now.st_size == crossing->writing.size
      && now.st_mtim.tv_sec == crossing->status.st_mtim.tv_sec
      && now.st_mtim.tv_nsec == crossing->status.st_mtim.tv_nsec)
    return true;
  failure_set (crossing->writing.failure, FAILURE_CONCURRENT_MODIFICATION,
               "“%.256s” has changed while it was moved", crossing->from_path);
  failure_add_path (crossing->writing.failure, crossing->from_path);
  return false;
}

static bool
put_in_place (Crossing *crossing)
{
  Writing *writing = &crossing->writing;
  const FilePlace *from = crossing->from;

  if (!writing_lock (writing) || !writing_look (writing) || !check_unchanged (crossing)
      || !writing_put_in_place (writing))
    return false;
  if (unlinkat (from->directory_fd, from->name, 0) == 0)
    return true;
  failure_set_errno (writing->failure, errno, "delete, once it had been copied,",
                     crossing->from_path);
  return false;
}

static bool
cross (Crossing *crossing)
{
  Writing *writing = &crossing->writing;

  if (!open_source (crossing))
    return false;
  if (!file_place_open (&writing->place, writing->path))
    return writing_fail (writing, errno);
  return writing_look (writing) && writing_open_temporary (writing) && copy_content (crossing)
         && copy_attributes (crossing) && put_in_place (crossing);
}

bool
file_move_across (FileWorker *worker, const FilePlace *from, const char *from_path,
                  const char *to_path, bool overwrite, Failure *failure)
{
  Crossing crossing = { .from = from, .from_path = from_path, .fd = -1 };
  bool done;

  writing_begin (&crossing.writing, worker, failure);
  crossing.writing.create_only = !overwrite;
  crossing.writing.path = strdup (to_path);
  done = crossing.writing.path ? cross (&crossing)
                               : failure_set_errno (failure, ENOMEM, "move", from_path);
  if (crossing.fd >= 0)
    close (crossing.fd);
  writing_clear (&crossing.writing);
  return done;
}
