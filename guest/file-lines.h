/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What lists and searches bring: one JSON object a line on channel 1, many to a frame, and beside
 * it what could not be looked at. */

#pragma once

#include "worker.h"

typedef struct
{
  FileWorker *worker;
  int64_t count;
  json_t *errors;
  int64_t error_count;
  size_t errors_size; /* as they are told */
  size_t size;
  char bytes[ASB_FRAME_MAX_DATA];
} FileLines;

void file_lines_begin (FileLines *lines, FileWorker *worker);
void file_lines_clear (FileLines *lines);

/* Takes @json. False when there is no point in going on: nobody wants more, or memory is short. */
bool file_lines_add (FileLines *lines, json_t *json);
bool file_lines_flush (FileLines *lines);

/* The entry of @name in a directory, of a link itself. When it cannot be looked at that is noted.
 */
bool file_lines_add_entry (FileLines *lines, int directory_fd, const char *name, const char *path);

/* What could not be done to @path, which does not fail the call. */
void file_lines_note_error (FileLines *lines, int error, const char *what, const char *path);

/* The same with another reason, which is cleared. */
void file_lines_note_failure (FileLines *lines, Failure *failure, const char *path);

/* {"count", "errors", "error_count"} */
json_t *file_lines_result (const FileLines *lines);
