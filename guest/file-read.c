/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.stat and file.read */

#include "file-operations.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "file-path.h"
#include "sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

bool
file_stat (FileWorker *worker, FileResult *result, Failure *failure)
{
  char target[PATH_MAX];
  struct stat status;
  char *path;
  bool follow;
  ssize_t n;

  if (!argument_boolean (worker->args, "follow", true, &follow, failure)
      || !argument_path (worker->args, "path", &path, failure))
    return false;
  if (fstatat (AT_FDCWD, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
    failure_set_errno (failure, errno, "look at", path);
  else
    {
      n = S_ISLNK (status.st_mode) ? readlink (path, target, sizeof target - 1) : -1;
      target[n > 0 ? n : 0] = '\0';
      result->result
          = json_pack ("{s:o}", "entry", file_entry_new (path, &status, n > 0 ? target : NULL));
    }
  free (path);
  return !failure->code;
}

typedef struct
{
  int64_t offset;
  int64_t length; /* −1: all */
  int64_t bytes;
  bool at_end;
  int error;
  Sha256 hash;
} Reading;

/* As much as there is room for, or all that is left. */
static size_t
read_piece (int fd, uint8_t *bytes, size_t size, Reading *reading)
{
  size_t n_read = 0;

  while (n_read < size && !reading->at_end && reading->error == 0)
    {
      ssize_t n = pread (fd, bytes + n_read, size - n_read,
                         reading->offset + reading->bytes + (int64_t)n_read);

      if (n < 0 && errno == EINTR)
        continue;
      reading->at_end = n == 0;
      reading->error = n < 0 ? errno : 0;
      n_read += n > 0 ? (size_t)n : 0;
    }
  return n_read;
}

static bool
is_over (const Reading *reading)
{
  return reading->at_end || (reading->length >= 0 && reading->bytes >= reading->length);
}

static bool
send_bytes (FileWorker *worker, int fd, Reading *reading)
{
  static uint8_t bytes[ASB_FRAME_MAX_DATA];

  while (!is_over (reading))
    {
      size_t wanted = sizeof bytes;
      size_t n;

      if (reading->length >= 0 && reading->length - reading->bytes < (int64_t)wanted)
        wanted = (size_t)(reading->length - reading->bytes);
      n = read_piece (fd, bytes, wanted, reading);
      sha256_add (&reading->hash, bytes, n);
      reading->bytes += (int64_t)n;
      if (!is_over (reading))
        worker_let_go (worker);
      if (!worker_send (worker, bytes, n) || reading->error != 0)
        return false;
    }
  return true;
}

static bool
read_file (FileWorker *worker, const char *path, int fd, struct stat *status, Reading *reading,
           FileResult *result, Failure *failure)
{
  char hash[SHA256_HEX_SIZE];
  bool whole;

  /* What a single piece holds goes with the reply, which comes at once. */
  worker_hold (worker);
  worker_send_event (worker, json_pack ("{s:s, s:o}", "event", "opened", "entry",
                                        file_entry_new (path, status, NULL)));
  sha256_begin (&reading->hash);
  if (!send_bytes (worker, fd, reading) && !worker->stopped)
    return reading->error == 0 ? false : failure_set_errno (failure, reading->error, "read", path);
  whole = reading->offset == 0 && !worker->stopped
          && (reading->at_end || (fstat (fd, status) == 0 && reading->bytes == status->st_size));
  sha256_end (&reading->hash, hash);
  result->result = json_pack ("{s:I, s:I, s:s*}", "bytes", (json_int_t)reading->bytes, "size",
                              (json_int_t)(whole ? reading->bytes : status->st_size), "hash",
                              whole ? hash : NULL);
  if (worker->recorded)
    result->recorded = json_pack ("{s:O*}", "size", json_object_get (result->result, "size"));
  return true;
}

bool
file_read (FileWorker *worker, FileResult *result, Failure *failure)
{
  Reading reading = { 0 };
  struct stat status;
  char *path;
  int fd;
  bool done = false;

  if (!argument_integer (worker->args, "offset", 0, ASB_WIRE_MAX_INTEGER, 0, &reading.offset,
                         failure)
      || !argument_integer (worker->args, "length", 0, ASB_WIRE_MAX_INTEGER, -1, &reading.length,
                            failure)
      || !argument_path (worker->args, "path", &path, failure))
    return false;
  fd = file_open_regular (path, "read", &status, failure);
  if (fd >= 0)
    {
      posix_fadvise (fd, 0, 0, POSIX_FADV_SEQUENTIAL);
      done = read_file (worker, path, fd, &status, &reading, result, failure);
      close (fd);
    }
  free (path);
  return done;
}
