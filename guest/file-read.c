/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.stat, file.list and file.read */

#include "file-operations.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "file-path.h"
#include "sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LISTED_ERRORS 64
#define MANY_NAMES 10000

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

/* The names of a directory, one after the other in one block of memory. */
typedef struct
{
  char *text;
  size_t size;
  size_t capacity;
  size_t n_names;
  const char **sorted;
} NameList;

static bool
name_list_add (NameList *names, const char *name)
{
  size_t length = strlen (name) + 1;

  if (names->size + length > names->capacity)
    {
      size_t capacity = 2 * names->capacity + 4096;
      char *text = realloc (names->text, capacity);

      if (!text)
        return false;
      names->text = text;
      names->capacity = capacity;
    }
  memcpy (names->text + names->size, name, length);
  names->size += length;
  names->n_names++;
  return true;
}

static int
compare_names (const void *a, const void *b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static bool
name_list_sort (NameList *names)
{
  const char *at = names->text;

  names->sorted = malloc ((names->n_names + 1) * sizeof *names->sorted);
  if (!names->sorted)
    return false;
  for (size_t i = 0; i < names->n_names; i++)
    {
      names->sorted[i] = at;
      at += strlen (at) + 1;
    }
  qsort (names->sorted, names->n_names, sizeof *names->sorted, compare_names);
  return true;
}

static bool
name_list_read (NameList *names, DIR *directory)
{
  struct dirent *entry;

  errno = 0;
  while ((entry = readdir (directory)))
    {
      if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0
          && !name_list_add (names, entry->d_name))
        {
          errno = ENOMEM;
          return false;
        }
      errno = 0;
    }
  return errno == 0 && name_list_sort (names);
}

static void
name_list_clear (NameList *names)
{
  size_t n = names->n_names;

  free (names->text);
  free (names->sorted);
  if (n > MANY_NAMES)
    malloc_trim (0);
}

/* Lines on their way, so that many go into one frame. */
typedef struct
{
  FileWorker *worker;
  size_t size;
  char bytes[ASB_FRAME_MAX_DATA];
} LineBuffer;

static bool
flush_lines (LineBuffer *buffer)
{
  size_t size = buffer->size;

  buffer->size = 0;
  return size == 0 || worker_send (buffer->worker, buffer->bytes, size);
}

static bool
add_line (LineBuffer *buffer, json_t *json)
{
  char *line = json ? json_dumps (json, JSON_COMPACT) : NULL;
  size_t length = line ? strlen (line) : 0;
  bool fits = line && length < sizeof buffer->bytes;
  bool done = fits && (buffer->size + length < sizeof buffer->bytes || flush_lines (buffer));

  if (done)
    {
      memcpy (buffer->bytes + buffer->size, line, length);
      buffer->size += length;
      buffer->bytes[buffer->size++] = '\n';
    }
  free (line);
  return done;
}

typedef struct
{
  FileWorker *worker;
  int directory_fd;
  const char *path;
  LineBuffer *buffer;
  size_t count;
  json_t *errors;
  size_t error_count;
} Listing;

static void
note_error (Listing *listing, const char *path, int error)
{
  Failure failure = { 0 };

  listing->error_count++;
  if (json_array_size (listing->errors) >= MAX_LISTED_ERRORS)
    return;
  failure_set_errno (&failure, error, "look at", path);
  json_array_append_new (listing->errors,
                         json_pack ("{s:o, s:s, s:s}", "path",
                                    asb_wire_text_new (path, strlen (path)), "code", failure.code,
                                    "message", failure.message));
  failure_clear (&failure);
}

/* False when there is no point in going on. */
static bool
list_name (Listing *listing, const char *name)
{
  char path[PATH_MAX + NAME_MAX + 2];
  char target[PATH_MAX] = "";
  struct stat status;
  json_t *entry;
  bool done;

  snprintf (path, sizeof path, "%s/%s", strcmp (listing->path, "/") == 0 ? "" : listing->path,
            name);
  if (fstatat (listing->directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    {
      note_error (listing, path, errno);
      return true;
    }
  if (S_ISLNK (status.st_mode)
      && readlinkat (listing->directory_fd, name, target, sizeof target - 1) < 0)
    target[0] = '\0';
  entry = file_entry_new (path, &status, *target ? target : NULL);
  done = add_line (listing->buffer, entry);
  json_decref (entry);
  listing->count += done;
  return done;
}

static bool
list_names (Listing *listing, const NameList *names)
{
  for (size_t i = 0; i < names->n_names; i++)
    if (!list_name (listing, names->sorted[i]))
      return false;
  return flush_lines (listing->buffer);
}

static bool
list_directory (FileWorker *worker, const char *path, DIR *directory, FileResult *result,
                Failure *failure)
{
  LineBuffer buffer = { .worker = worker };
  Listing listing = { .worker = worker,
                      .directory_fd = dirfd (directory),
                      .path = path,
                      .buffer = &buffer,
                      .errors = json_array () };
  NameList names = { 0 };
  bool done = name_list_read (&names, directory);

  if (!done)
    failure_set_errno (failure, errno, "list", path);
  else
    done = list_names (&listing, &names) || worker->stopped;
  if (!done && !failure->code && worker_goes_on (worker))
    failure_set_errno (failure, ENOMEM, "list", path);
  name_list_clear (&names);
  result->result = json_pack ("{s:I, s:O, s:I}", "count", (json_int_t)listing.count, "errors",
                              listing.errors, "error_count", (json_int_t)listing.error_count);
  if (worker->recorded)
    result->recorded = json_pack ("{s:I}", "count", (json_int_t)listing.count);
  json_decref (listing.errors);
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

/* Only looks first: opening a FIFO, a terminal or a device does something to it. */
static int
open_regular (const char *path, struct stat *status, Failure *failure)
{
  int fd;

  if (stat (path, status) != 0)
    {
      failure_set_errno (failure, errno, "read", path);
      return -1;
    }
  if (!file_check_regular (status, "read", path, failure))
    return -1;
  fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 || fstat (fd, status) != 0)
    failure_set_errno (failure, errno, "read", path);
  else if (file_check_regular (status, "read", path, failure))
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
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

static bool
send_bytes (FileWorker *worker, int fd, Reading *reading)
{
  static uint8_t bytes[ASB_FRAME_MAX_DATA];

  while (reading->length < 0 || reading->bytes < reading->length)
    {
      size_t wanted = sizeof bytes;
      ssize_t n;

      if (reading->length >= 0 && reading->length - reading->bytes < (int64_t)wanted)
        wanted = (size_t)(reading->length - reading->bytes);
      n = pread (fd, bytes, wanted, reading->offset + reading->bytes);
      if (n < 0 && errno == EINTR)
        continue;
      reading->at_end = n == 0;
      reading->error = n < 0 ? errno : 0;
      if (n <= 0)
        return n == 0;
      sha256_add (&reading->hash, bytes, (size_t)n);
      reading->bytes += n;
      if (!worker_send (worker, bytes, (size_t)n))
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
  fd = open_regular (path, &status, failure);
  if (fd >= 0)
    {
      posix_fadvise (fd, 0, 0, POSIX_FADV_SEQUENTIAL);
      done = read_file (worker, path, fd, &status, &reading, result, failure);
      close (fd);
    }
  free (path);
  return done;
}
