/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "file-lines.h"

#include "asb-wire-json.h"
#include "file-path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All errors together have to fit into an answer. */
#define MAX_ERRORS 64
#define MAX_ERRORS_SIZE (512 * 1024)

void
file_lines_begin (FileLines *lines, FileWorker *worker)
{
  lines->worker = worker;
  lines->count = 0;
  lines->errors = json_array ();
  lines->error_count = 0;
  lines->errors_size = 0;
  lines->size = 0;
}

void
file_lines_clear (FileLines *lines)
{
  json_decref (lines->errors);
}

bool
file_lines_flush (FileLines *lines)
{
  size_t size = lines->size;

  lines->size = 0;
  return size == 0 || worker_send (lines->worker, lines->bytes, size);
}

bool
file_lines_add (FileLines *lines, json_t *json)
{
  char *line = asb_wire_json_dump (json);
  size_t length = line ? strlen (line) : 0;
  bool fits = line && length < sizeof lines->bytes;
  bool done = fits && (lines->size + length < sizeof lines->bytes || file_lines_flush (lines));

  if (done)
    {
      memcpy (lines->bytes + lines->size, line, length);
      lines->size += length;
      lines->bytes[lines->size++] = '\n';
    }
  free (line);
  json_decref (json);
  lines->count += done;
  return done;
}

/* A path may be told in six times as many bytes as it has. */
static void
keep_error (FileLines *lines, const Failure *failure, const char *path)
{
  json_t *error = json_pack ("{s:o, s:s, s:s}", "path", asb_wire_text_new (path, strlen (path)),
                             "code", failure->code, "message", failure->message);
  char *text = asb_wire_json_dump (error);
  size_t size = text ? strlen (text) : MAX_ERRORS_SIZE;

  free (text);
  if (size <= MAX_ERRORS_SIZE - lines->errors_size)
    {
      lines->errors_size += size;
      json_array_append (lines->errors, error);
    }
  json_decref (error);
}

void
file_lines_note_failure (FileLines *lines, Failure *failure, const char *path)
{
  lines->error_count++;
  if (json_array_size (lines->errors) < MAX_ERRORS)
    keep_error (lines, failure, path);
  failure_clear (failure);
}

void
file_lines_note_error (FileLines *lines, int error, const char *what, const char *path)
{
  Failure failure = { 0 };

  failure_set_errno (&failure, error, what, path);
  file_lines_note_failure (lines, &failure, path);
}

bool
file_lines_add_entry (FileLines *lines, int directory_fd, const char *name, const char *path)
{
  char target[PATH_MAX];
  struct stat status;
  ssize_t n = -1;

  if (fstatat (directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    {
      file_lines_note_error (lines, errno, "look at", path);
      return true;
    }
  if (S_ISLNK (status.st_mode))
    n = readlinkat (directory_fd, name, target, sizeof target - 1);
  target[n > 0 ? n : 0] = '\0';
  return file_lines_add (lines, file_entry_new (path, &status, n > 0 ? target : NULL));
}

json_t *
file_lines_result (const FileLines *lines)
{
  return json_pack ("{s:I, s:O, s:I}", "count", (json_int_t)lines->count, "errors", lines->errors,
                    "error_count", (json_int_t)lines->error_count);
}
