/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "text-search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BINARY_SIZE (64 * 1024)
#define SHOWN_BEFORE 1024
#define LOOK_INTERVAL 1024

/* A line that may turn out to stand before a match. */
typedef struct
{
  int64_t number;
  size_t size;
  bool truncated;
  char *bytes; /* room for TEXT_SEARCH_SHOWN; NULL until it is used */
} Kept;

typedef struct
{
  const TextSearch *search;
  char *buffer;
  size_t filled;
  bool at_end;
  int64_t number;      /* of the line that begins the buffer */
  size_t piece_offset; /* of the buffer in that line */
  size_t behind;       /* so much of it has been searched */
  bool is_told;        /* the line has matched in an earlier piece */
  bool has_given_up;
  int64_t told;                             /* the last line told */
  int64_t tail;                             /* lines still to be told behind a match */
  Kept before[TEXT_SEARCH_MAX_CONTEXT + 1]; /* and the line itself, when it has pieces */
  size_t n_seen;
} Scanner;

static bool
tell (Scanner *scanner, const TextLine *line)
{
  scanner->told = line->number;
  return scanner->search->tell (scanner->search->data, line);
}

/* The part of a line that is shown. */
static void
cut_line (TextLine *line, const char *bytes, size_t size, size_t column)
{
  size_t from = 0;

  if (size > TEXT_SEARCH_SHOWN && column > SHOWN_BEFORE)
    from = column - SHOWN_BEFORE;
  if (from > 0 && size - from < TEXT_SEARCH_SHOWN)
    from = size - TEXT_SEARCH_SHOWN;
  line->from = from;
  line->bytes = bytes + from;
  line->size = size - from < TEXT_SEARCH_SHOWN ? size - from : TEXT_SEARCH_SHOWN;
  line->truncated = line->size < size;
}

static size_t
n_kept (const Scanner *scanner)
{
  return (size_t)scanner->search->context_lines + 1;
}

static void
keep_before (Scanner *scanner, const char *bytes, size_t size)
{
  Kept *kept;

  if (scanner->search->context_lines == 0)
    return;
  kept = &scanner->before[scanner->n_seen++ % n_kept (scanner)];
  if (!kept->bytes)
    kept->bytes = malloc (TEXT_SEARCH_SHOWN);
  kept->number = scanner->number;
  kept->size = size < TEXT_SEARCH_SHOWN ? size : TEXT_SEARCH_SHOWN;
  kept->truncated = kept->size < size;
  if (kept->bytes)
    memcpy (kept->bytes, bytes, kept->size);
}

static bool
tell_kept (Scanner *scanner, const Kept *kept)
{
  TextLine line = { .number = kept->number,
                    .bytes = kept->bytes,
                    .size = kept->size,
                    .truncated = kept->truncated,
                    .context = true };

  return !kept->bytes || tell (scanner, &line);
}

/* What is kept of the line itself is no line before it. */
static bool
is_before (const Scanner *scanner, const Kept *kept)
{
  return kept->number > scanner->told && kept->number < scanner->number
         && kept->number >= scanner->number - scanner->search->context_lines;
}

static bool
tell_before (Scanner *scanner)
{
  size_t n = n_kept (scanner);
  size_t first = scanner->n_seen > n ? scanner->n_seen - n : 0;

  for (size_t i = first; i < scanner->n_seen; i++)
    {
      const Kept *kept = &scanner->before[i % n];

      if (is_before (scanner, kept) && !tell_kept (scanner, kept))
        return false;
    }
  return true;
}

static bool
tell_match (Scanner *scanner, const char *bytes, size_t size, size_t column, bool is_piece)
{
  TextLine line = { .number = scanner->number };

  if (!scanner->search->claim (scanner->search->data) || !tell_before (scanner))
    return false;
  cut_line (&line, bytes, size, column);
  line.column = scanner->piece_offset + column;
  line.from += scanner->piece_offset;
  line.truncated = line.truncated || is_piece;
  scanner->is_told = true;
  scanner->tail = scanner->search->context_lines;
  return tell (scanner, &line);
}

static bool
tell_behind (Scanner *scanner, const char *bytes, size_t size)
{
  TextLine line = { .number = scanner->number, .context = true };

  cut_line (&line, bytes, size, 0);
  scanner->tail--;
  return tell (scanner, &line);
}

/* A line of several pieces, of which the first was kept. */
static bool
tell_behind_kept (Scanner *scanner)
{
  scanner->tail--;
  return tell_kept (scanner, &scanner->before[(scanner->n_seen - 1) % n_kept (scanner)]);
}

static bool
has_match (Scanner *scanner, const TextSpan *span, size_t *column)
{
  TextOutcome outcome = text_pattern_find (scanner->search->pattern, span, column);

  if (outcome == TEXT_GAVE_UP && !scanner->has_given_up)
    {
      scanner->has_given_up = true;
      scanner->search->gave_up (scanner->search->data);
    }
  /* What begins near the end may be another thing when the rest is there. */
  return outcome == TEXT_FOUND && (!span->is_cut || *column < span->size - TEXT_SEARCH_OVERLAP);
}

/* A line without its end, or a piece of one. */
static bool
scan_line (Scanner *scanner, const char *bytes, size_t size, bool is_piece)
{
  bool is_first = scanner->piece_offset == 0;
  TextSpan span = { .bytes = bytes, .is_continued = !is_first, .is_cut = is_piece };
  size_t column;

  if (!is_piece && size > 0 && bytes[size - 1] == '\r')
    size--;
  span.size = size;
  span.from = scanner->behind;
  if (!scanner->is_told && has_match (scanner, &span, &column))
    return tell_match (scanner, bytes, size, column, is_piece || !is_first);
  if (scanner->is_told)
    return true;
  /* Only its end shows that a line does not match. */
  if (scanner->tail > 0 && !is_piece)
    return is_first ? tell_behind (scanner, bytes, size) : tell_behind_kept (scanner);
  if (is_first)
    keep_before (scanner, bytes, size);
  return true;
}

static void
begin_next_line (Scanner *scanner)
{
  scanner->number++;
  scanner->piece_offset = 0;
  scanner->behind = 0;
  scanner->is_told = false;
}

static void
count_lines (Scanner *scanner, const char *bytes, size_t size)
{
  const char *end = bytes + size;

  while ((bytes = memchr (bytes, '\n', (size_t)(end - bytes))))
    {
      begin_next_line (scanner);
      bytes++;
    }
}

/* Looks through the whole lines of the buffer. */
static bool
scan_lines (Scanner *scanner, size_t size)
{
  const char *at = scanner->buffer;
  const char *end = at + size;

  if (scanner->search->context_lines == 0
      && text_pattern_is_absent (scanner->search->pattern, at, size))
    {
      count_lines (scanner, at, size);
      return true;
    }
  while (at < end)
    {
      const char *newline = memchr (at, '\n', (size_t)(end - at));

      if (scanner->number % LOOK_INTERVAL == 0 && !scanner->search->goes_on (scanner->search->data))
        return false;
      if (!scan_line (scanner, at, (size_t)(newline - at), false))
        return false;
      begin_next_line (scanner);
      at = newline + 1;
    }
  return true;
}

/* What is left at the end of the file, or the piece of a line that fills the buffer. */
static bool
scan_rest (Scanner *scanner)
{
  size_t size = scanner->filled;
  size_t kept = TEXT_SEARCH_BEHIND + TEXT_SEARCH_OVERLAP;

  if (scanner->at_end)
    return size == 0 || scan_line (scanner, scanner->buffer, size, false);
  if (!scan_line (scanner, scanner->buffer, size, true))
    return false;
  memmove (scanner->buffer, scanner->buffer + size - kept, kept);
  scanner->piece_offset += size - kept;
  scanner->filled = kept;
  scanner->behind = TEXT_SEARCH_BEHIND;
  return true;
}

static bool
scan_buffer (Scanner *scanner)
{
  const char *last = memrchr (scanner->buffer, '\n', scanner->filled);
  size_t whole = last ? (size_t)(last + 1 - scanner->buffer) : 0;

  if (!scanner->search->goes_on (scanner->search->data) || !scan_lines (scanner, whole))
    return false;
  scanner->filled -= whole;
  memmove (scanner->buffer, scanner->buffer + whole, scanner->filled);
  if (scanner->at_end || scanner->filled == TEXT_SEARCH_PIECE)
    return scan_rest (scanner);
  return true;
}

static bool
fill_buffer (Scanner *scanner, int fd)
{
  while (scanner->filled < TEXT_SEARCH_PIECE && !scanner->at_end)
    {
      ssize_t n = read (fd, scanner->buffer + scanner->filled, TEXT_SEARCH_PIECE - scanner->filled);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return false;
      scanner->at_end = n == 0;
      scanner->filled += (size_t)n;
    }
  return true;
}

static bool
is_binary (const Scanner *scanner)
{
  size_t size = scanner->filled < BINARY_SIZE ? scanner->filled : BINARY_SIZE;

  return memchr (scanner->buffer, '\0', size) != NULL;
}

static TextSearchOutcome
scan (Scanner *scanner, int fd)
{
  for (bool is_first = true; !scanner->at_end; is_first = false)
    {
      if (!fill_buffer (scanner, fd))
        return TEXT_SEARCH_FAILED;
      if (is_first && is_binary (scanner))
        return TEXT_SEARCH_BINARY;
      if (!scan_buffer (scanner))
        return TEXT_SEARCH_ENDED;
    }
  return TEXT_SEARCH_DONE;
}

TextSearchOutcome
text_search (const TextSearch *search, int fd)
{
  static char buffer[TEXT_SEARCH_PIECE];
  Scanner scanner = { .search = search, .buffer = buffer, .number = 1 };
  TextSearchOutcome outcome = scan (&scanner, fd);
  int error = errno;

  for (size_t i = 0; i <= TEXT_SEARCH_MAX_CONTEXT; i++)
    free (scanner.before[i].bytes);
  errno = error;
  return outcome;
}
