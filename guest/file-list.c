/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.list */

#include "file-operations.h"

#include "arguments.h"
#include "file-lines.h"
#include "file-path.h"
#include "name-list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  int directory_fd;
  const char *path;
  FileLines lines;
} Listing;

/* False when there is no point in going on. */
static bool
list_name (Listing *listing, const char *name)
{
  char path[PATH_MAX + NAME_MAX + 2];

  snprintf (path, sizeof path, "%s/%s", strcmp (listing->path, "/") == 0 ? "" : listing->path,
            name);
  return file_lines_add_entry (&listing->lines, listing->directory_fd, name, path);
}

static bool
list_names (Listing *listing, const NameList *names)
{
  for (size_t i = 0; i < names->n_names; i++)
    if (!list_name (listing, names->sorted[i]))
      return false;
  return file_lines_flush (&listing->lines);
}

static bool
list_directory (FileWorker *worker, const char *path, DIR *directory, FileResult *result,
                Failure *failure)
{
  static Listing listing;
  NameList names = { 0 };
  bool done = name_list_read (&names, directory, SIZE_MAX) == NAMES_READ && name_list_sort (&names);

  listing.directory_fd = dirfd (directory);
  listing.path = path;
  file_lines_begin (&listing.lines, worker);
  if (!done)
    failure_set_errno (failure, errno, "list", path);
  else
    done = list_names (&listing, &names) || worker->stopped;
  if (!done && !failure->code && worker_goes_on (worker))
    failure_set_errno (failure, ENOMEM, "list", path);
  name_list_clear (&names);
  result->result = file_lines_result (&listing.lines);
  if (worker->recorded)
    result->recorded = json_pack ("{s:I}", "count", (json_int_t)listing.lines.count);
  file_lines_clear (&listing.lines);
  return done;
}

static bool
list_path (FileWorker *worker, const char *path, FileResult *result, Failure *failure)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
  DIR *directory = fd >= 0 ? fdopendir (fd) : NULL;
  bool done;

  if (!directory)
    {
      failure_set_errno (failure, errno, "list", path);
      if (fd >= 0)
        close (fd);
      return false;
    }
  done = list_directory (worker, path, directory, result, failure);
  closedir (directory);
  return done;
}

bool
file_list (FileWorker *worker, FileResult *result, Failure *failure)
{
  char *path;
  bool done;

  if (!argument_path (worker->args, "path", &path, failure))
    return false;
  done = list_path (worker, path, result, failure);
  free (path);
  return done;
}
