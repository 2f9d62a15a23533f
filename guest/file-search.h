/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What all searches in trees have in common: where they begin, how far they go, and that they say
 * when a limit has cut them short. */

#pragma once

#include "failure.h"
#include "walk.h"

typedef struct
{
  FileWorker *worker;
  char *path;
  int64_t max_depth;
  bool hidden;
  int64_t max_results; /* 0: no limit */
  int64_t n_results;
  int64_t deadline; /* as of a Walk */
  const char *cut;  /* NULL: it is complete */
} FileSearch;

bool file_search_parse (FileSearch *search, FileWorker *worker, Failure *failure);
void file_search_clear (FileSearch *search);

/* One more result; false when there are as many as may be. */
bool file_search_count (FileSearch *search);

/* False when the time is up. */
bool file_search_has_time (FileSearch *search);

/* False when nothing could be searched, or the call was cancelled. @what is for the failure. */
bool file_search_walk (FileSearch *search, WalkNext (*visit) (void *data, const WalkEntry *entry),
                       void (*error) (void *data, int error, const char *path), void *data,
                       const char *what, Failure *failure);

/* Adds "cut" to @json, where it was. */
void file_search_describe (const FileSearch *search, json_t *json);

/* The bit of a kind of file, DT_DIR and so on, in what argument_kinds () gives. */
unsigned file_kind_bit (unsigned char type);

/* An array of the kinds of entries; absent: all. */
bool argument_kinds (json_t *args, const char *name, unsigned *kinds, Failure *failure);
