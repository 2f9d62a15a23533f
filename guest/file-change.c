/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.mkdir and file.move */

#include "file-operations.h"

#include "arguments.h"
#include "file-across.h"
#include "file-path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bits that mkdir () leaves out. */
#define SPECIAL_BITS (S_ISUID | S_ISGID)

static void
sync_directory (int directory_fd)
{
  int fd = openat (directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    return;
  fsync (fd);
  close (fd);
}

/* By its descriptor: its name may lead to something else by now, which is told by what it would not
 * be if it had just been made. */
static bool
set_special_mode (const FilePlace *place, mode_t mode)
{
  struct stat status;
  int fd = openat (place->directory_fd, place->name,
                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  bool done = false;
  int error;

  if (fd < 0)
    return false;
  errno = ESTALE;
  if (fstat (fd, &status) == 0 && status.st_uid == geteuid () && (status.st_mode & 0777) == 0700)
    done = fchmod (fd, mode) == 0;
  error = errno;
  close (fd);
  errno = error;
  return done;
}

static bool
make_in (const FilePlace *place, mode_t mode, bool *created)
{
  bool is_special = (mode & SPECIAL_BITS) != 0;

  *created = mkdirat (place->directory_fd, place->name, is_special ? 0700 : mode) == 0;
  return *created && (!is_special || set_special_mode (place, mode));
}

static bool
is_directory (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0 && S_ISDIR (status.st_mode);
}

/* An existing one is none of our business with @parents. */
static bool
make_directory (FileWorker *worker, const char *path, bool parents, mode_t mode, bool *created,
                Failure *failure)
{
  FilePlace place = { .directory_fd = -1 };
  bool done = (!parents || file_make_parents (path)) && file_place_open (&place, path);
  int error = errno;

  *created = false;
  if (done && !file_place_check_changeable (worker, &place, path, failure))
    done = false;
  else if (done)
    {
      done = make_in (&place, mode, created);
      error = errno;
    }
  file_place_close (&place);
  if (done || failure->code)
    return done;
  /* The directory that all is in has no place. */
  if (error == EISDIR)
    error = EEXIST;
  if (parents && error == EEXIST && is_directory (path))
    return true;
  return failure_set_errno (failure, error, "make the directory", path);
}

bool
file_mkdir (FileWorker *worker, FileResult *result, Failure *failure)
{
  char *path;
  bool parents;
  bool created = false;
  bool done;
  int64_t mode;

  if (!argument_boolean (worker->args, "parents", true, &parents, failure)
      || !argument_integer (worker->args, "mode", 0, 07777, 0755, &mode, failure)
      || !argument_path (worker->args, "path", &path, failure))
    return false;
  done = file_check_changeable (worker, path, failure)
         && make_directory (worker, path, parents, (mode_t)mode, &created, failure);
  free (path);
  if (done)
    result->result = json_pack ("{s:b}", "created", created);
  return done;
}

typedef struct
{
  char *from;
  char *to;
  bool overwrite;
  FilePlace from_place;
  FilePlace to_place;
} Moving;

static bool
exists (const FilePlace *place)
{
  struct stat status;

  return fstatat (place->directory_fd, place->name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool
rename_places (const Moving *moving)
{
  const FilePlace *from = &moving->from_place;
  const FilePlace *to = &moving->to_place;
  unsigned flags = moving->overwrite ? 0 : RENAME_NOREPLACE;

  if (renameat2 (from->directory_fd, from->name, to->directory_fd, to->name, flags) == 0)
    return true;
  if (flags == 0 || (errno != EINVAL && errno != ENOSYS))
    return false;
  /* EINVAL also says that a directory would go into itself; renameat () says it again. */
  if (exists (to))
    {
      errno = EEXIST;
      return false;
    }
  return renameat (from->directory_fd, from->name, to->directory_fd, to->name) == 0;
}

static bool
check_source (const FileWorker *worker, const Moving *moving, Failure *failure)
{
  struct stat status;

  if (fstatat (moving->from_place.directory_fd, moving->from_place.name, &status,
               AT_SYMLINK_NOFOLLOW)
      != 0)
    return failure_set_errno (failure, errno, "move", moving->from);
  if (!file_holds_history (worker, &status))
    return true;
  failure_set (failure, FAILURE_PATH_PROTECTED, "“%.256s” holds the history and is protected",
               moving->from);
  failure_add_path (failure, moving->from);
  return false;
}

static bool
move (FileWorker *worker, Moving *moving, Failure *failure)
{
  if (!file_place_open (&moving->from_place, moving->from))
    return failure_set_errno (failure, errno, "move", moving->from);
  if (!check_source (worker, moving, failure))
    return false;
  if (!file_place_open (&moving->to_place, moving->to))
    return failure_set_errno (failure, errno, "move to", moving->to);
  if (!rename_places (moving))
    return errno == EXDEV ? file_move_across (worker, &moving->from_place, moving->from, moving->to,
                                              moving->overwrite, failure)
                          : failure_set_errno (failure, errno, "move to", moving->to);
  sync_directory (moving->to_place.directory_fd);
  sync_directory (moving->from_place.directory_fd);
  return true;
}

bool
file_move (FileWorker *worker, FileResult *result, Failure *failure)
{
  Moving moving = { .from_place.directory_fd = -1, .to_place.directory_fd = -1 };
  bool done = argument_boolean (worker->args, "overwrite", false, &moving.overwrite, failure)
              && argument_path (worker->args, "from", &moving.from, failure)
              && argument_path (worker->args, "to", &moving.to, failure)
              && file_check_changeable (worker, moving.from, failure)
              && file_check_changeable (worker, moving.to, failure)
              && move (worker, &moving, failure);

  if (done)
    result->result = json_object ();
  file_place_close (&moving.from_place);
  file_place_close (&moving.to_place);
  free (moving.from);
  free (moving.to);
  return done;
}
