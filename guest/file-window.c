/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.read_lines */

#include "file-operations.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "file-path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BYTES (16 * 1024 * 1024)

typedef struct
{
  FileWorker *worker;
  char *path;
  int64_t offset; /* lines before the window */
  int64_t limit;
  int64_t max_bytes;

  int64_t line; /* that the next byte belongs to, from 0 on */
  int64_t bytes;
  bool in_line;    /* the line has begun */
  bool has_text;   /* the window has more than white space */
  bool is_cut;     /* by max_bytes */
  bool has_more;   /* there is something behind the window */
  bool at_end;     /* the whole file has been seen */
  int64_t n_lines; /* of the window */
} Window;

static bool
parse (Window *window, json_t *args, Failure *failure)
{
  return argument_integer (args, "offset", 0, ASB_WIRE_MAX_INTEGER, 0, &window->offset, failure)
         && argument_integer (args, "limit", 0, ASB_WIRE_MAX_INTEGER, ASB_WIRE_MAX_INTEGER,
                              &window->limit, failure)
         && argument_integer (args, "max_bytes", 1, MAX_BYTES, MAX_BYTES, &window->max_bytes,
                              failure)
         && argument_path (args, "path", &window->path, failure);
}

static bool
is_in_window (const Window *window)
{
  return window->line >= window->offset && window->line - window->offset < window->limit;
}

static bool
is_blank (const char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (!strchr (" \t\r\n\v\f", bytes[i]) || bytes[i] == '\0')
      return false;
  return true;
}

/* Bytes of one line, its end included where it has come. False when nothing more is wanted. */
static bool
take (Window *window, const char *bytes, size_t size)
{
  size_t room = (size_t)(window->max_bytes - window->bytes);

  if (window->line >= window->offset && !is_in_window (window))
    window->has_more = true;
  if (window->has_more || !is_in_window (window))
    return !window->has_more;
  window->n_lines += !window->in_line;
  if (size > room)
    {
      window->is_cut = true;
      window->has_more = true;
      size = room;
    }
  window->bytes += (int64_t)size;
  window->has_text = window->has_text || !is_blank (bytes, size);
  return worker_send (window->worker, bytes, size) && !window->is_cut;
}

static bool
take_all (Window *window, const char *bytes, size_t size)
{
  const char *end = bytes + size;

  while (bytes < end)
    {
      const char *newline = memchr (bytes, '\n', (size_t)(end - bytes));
      const char *line_end = newline ? newline + 1 : end;

      if (!take (window, bytes, (size_t)(line_end - bytes)))
        return false;
      window->in_line = !newline;
      window->line += newline != NULL;
      bytes = line_end;
    }
  return worker_goes_on (window->worker);
}

/* False when the call was cancelled, or with @failure set. */
static bool
read_window (Window *window, int fd, Failure *failure)
{
  static char bytes[ASB_FRAME_MAX_DATA];
  ssize_t n;

  while ((n = read (fd, bytes, sizeof bytes)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return failure_set_errno (failure, errno, "read", window->path);
      if (!take_all (window, bytes, (size_t)n))
        return window->has_more || window->worker->stopped;
    }
  window->at_end = true;
  return true;
}

/* What looks the same in the bytes is told apart. */
static const char *
describe (const Window *window)
{
  if (window->at_end && window->line == 0 && !window->in_line)
    return "empty_file";
  if (window->n_lines > 0)
    return window->has_text ? "lines" : "blank";
  return window->at_end && window->line + window->in_line <= window->offset ? "past_end"
                                                                            : "nothing";
}

static json_t *
make_result (const Window *window, const struct stat *status)
{
  json_t *result = json_pack ("{s:s, s:I, s:I, s:b, s:b, s:I}", "state", describe (window), "lines",
                              (json_int_t)window->n_lines, "bytes", (json_int_t)window->bytes,
                              "more", window->has_more, "truncated", window->is_cut, "size",
                              (json_int_t)status->st_size);

  if (window->at_end)
    json_object_set_new (result, "total_lines",
                         json_integer ((json_int_t)(window->line + window->in_line)));
  return result;
}

bool
file_read_lines (FileWorker *worker, FileResult *result, Failure *failure)
{
  Window window = { .worker = worker };
  struct stat status;
  bool done = false;
  int fd = -1;

  if (parse (&window, worker->args, failure))
    fd = file_open_regular (window.path, "read", &status, failure);
  if (fd >= 0)
    {
      done = read_window (&window, fd, failure);
      close (fd);
    }
  if (done)
    result->result = make_result (&window, &status);
  if (done && worker->recorded)
    result->recorded = json_pack ("{s:I}", "size", (json_int_t)window.bytes);
  free (window.path);
  return done;
}
