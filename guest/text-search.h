/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Looks for text in the lines of one file, of any size, with a few buffers. */

#pragma once

#include "text-pattern.h"

#include <stdint.h>
#include <sys/types.h>

/* Longer lines are searched in pieces of this size. Each begins with the end of the one before, so
 * that what lies across is found where it is no longer than TEXT_SEARCH_OVERLAP; beyond that
 * TEXT_SEARCH_BEHIND bytes are there for what looks back. */
#define TEXT_SEARCH_PIECE (1024 * 1024)
#define TEXT_SEARCH_OVERLAP TEXT_PATTERN_MAX_SIZE
#define TEXT_SEARCH_BEHIND 1024

/* What is told of a longer line is what is around the match. */
#define TEXT_SEARCH_SHOWN 4096

#define TEXT_SEARCH_MAX_CONTEXT 100

typedef struct
{
  int64_t number;
  size_t column; /* where the match begins */
  size_t from;   /* where @bytes begins in the line */
  const char *bytes;
  size_t size;
  bool truncated;
  bool context; /* it stands beside a match */
} TextLine;

typedef enum
{
  TEXT_SEARCH_DONE,
  TEXT_SEARCH_BINARY, /* there is a NUL in its first 64 KiB */
  TEXT_SEARCH_ENDED,  /* by one of the functions */
  TEXT_SEARCH_FAILED  /* with errno set */
} TextSearchOutcome;

typedef struct
{
  TextPattern *pattern;
  int64_t context_lines;
  /* One more match is to be told. Each false ends the search. */
  bool (*claim) (void *data);
  bool (*tell) (void *data, const TextLine *line);
  bool (*goes_on) (void *data);
  /* Called once for a file that has such a line. */
  void (*gave_up) (void *data);
  void *data;
} TextSearch;

TextSearchOutcome text_search (const TextSearch *search, int fd);
