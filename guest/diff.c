/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "diff.h"

#include "asb-wire-json.h"
#include "history-memory.h"
#include "history-text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT 3

/* Beyond these the middle of the texts is given as one replaced block: what is kept of a diff is
 * bounded anyway. */
#define MAX_EDITS 1024
#define MAX_COMPARISONS 20000000

static const char TRUNCATION_MARK[] = "\n... [diff truncated]\n";

typedef struct
{
  const char *text;
  size_t size;
  uint64_t hash;
} Line;

typedef struct
{
  Line *lines;
  bool *changed;
  size_t n_lines;
} Side;

typedef struct
{
  HistoryBuffer text;
  size_t characters;
  size_t max_characters;
  bool truncated;
} Output;

/* The lines of both sides from @start on that are still to be compared. */
typedef struct
{
  const Side *before;
  const Side *after;
  size_t start;
  int n_before;
  int n_after;
  long comparisons;
} Search;

static uint64_t
hash_line (const char *text, size_t size)
{
  uint64_t hash = 14695981039346656037u;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
  return hash;
}

static size_t
line_size (const char *text, size_t size)
{
  const char *newline = memchr (text, '\n', size);

  return newline ? (size_t)(newline - text) + 1 : size;
}

static size_t
count_lines (const char *text, size_t size)
{
  size_t n = 0;

  for (size_t used = 0; used < size; n++)
    used += line_size (text + used, size - used);
  return n;
}

static void
side_init (Side *side, const char *text, size_t size)
{
  side->n_lines = count_lines (text, size);
  side->lines = history_allocate (side->n_lines, sizeof (Line));
  side->changed = history_allocate (side->n_lines, sizeof (bool));
  for (size_t i = 0; i < side->n_lines; i++)
    {
      size_t length = line_size (text, size);

      side->lines[i] = (Line){ text, length, hash_line (text, length) };
      text += length;
      size -= length;
    }
}

static void
side_clear (Side *side)
{
  free (side->lines);
  free (side->changed);
}

static bool
lines_equal (const Line *a, const Line *b)
{
  return a->hash == b->hash && a->size == b->size && memcmp (a->text, b->text, a->size) == 0;
}

static bool
search_matches (Search *search, int x, int y)
{
  search->comparisons++;
  return lines_equal (&search->before->lines[search->start + (size_t)x],
                      &search->after->lines[search->start + (size_t)y]);
}

static int
follow_snake (Search *search, int x, int k)
{
  while (x < search->n_before && x - k < search->n_after && search_matches (search, x, x - k))
    x++;
  return x;
}

static bool
step_is_insertion (const int *reached, int d, int k)
{
  return k == -d || (k != d && reached[k - 1] < reached[k + 1]);
}

/* One round of Myers' greedy algorithm: the furthest @reached on each diagonal with @d edits. */
static bool
search_round (Search *search, int *reached, int d)
{
  for (int k = -d; k <= d; k += 2)
    {
      int x = step_is_insertion (reached, d, k) ? reached[k + 1] : reached[k - 1] + 1;

      reached[k] = follow_snake (search, x, k);
      if (reached[k] >= search->n_before && reached[k] - k >= search->n_after)
        return true;
    }
  return false;
}

/* Marks the edits backwards; @trace holds what was reached before each round, round d from -d-1 to
 * d+1. */
static void
mark_edits (const Search *search, int **trace, int d)
{
  int x = search->n_before;
  int y = search->n_after;

  for (; d > 0; d--)
    {
      const int *reached = trace[d] + d + 1;
      int k = x - y;
      bool insertion = step_is_insertion (reached, d, k);
      int previous_k = insertion ? k + 1 : k - 1;

      x = reached[previous_k];
      y = x - previous_k;
      if (insertion)
        search->after->changed[search->start + (size_t)y] = true;
      else
        search->before->changed[search->start + (size_t)x] = true;
    }
}

static int *
copy_reached (const int *reached, int d)
{
  size_t n = 2 * (size_t)d + 3;
  int *copy = history_allocate (n, sizeof (int));

  memcpy (copy, reached - d - 1, n * sizeof (int));
  return copy;
}

static bool
find_edits (Search *search)
{
  int *space = history_allocate (2 * MAX_EDITS + 5, sizeof (int));
  int *reached = space + MAX_EDITS + 2;
  int **trace = history_allocate (MAX_EDITS + 1, sizeof (int *));
  bool found = false;

  for (int d = 0; !found && d <= MAX_EDITS && search->comparisons < MAX_COMPARISONS; d++)
    {
      trace[d] = copy_reached (reached, d);
      found = search_round (search, reached, d);
      if (found)
        mark_edits (search, trace, d);
    }
  for (int d = 0; d <= MAX_EDITS; d++)
    free (trace[d]);
  free (trace);
  free (space);
  return found;
}

static void
mark_everything (const Search *search)
{
  memset (search->before->changed + search->start, true, (size_t)search->n_before);
  memset (search->after->changed + search->start, true, (size_t)search->n_after);
}

static void
compare (Side *before, Side *after)
{
  size_t shorter = before->n_lines < after->n_lines ? before->n_lines : after->n_lines;
  size_t start = 0;
  size_t end = 0;
  Search search = { before, after };

  while (start < shorter && lines_equal (&before->lines[start], &after->lines[start]))
    start++;
  while (end < shorter - start
         && lines_equal (&before->lines[before->n_lines - 1 - end],
                         &after->lines[after->n_lines - 1 - end]))
    end++;
  search.start = start;
  search.n_before = (int)(before->n_lines - end - start);
  search.n_after = (int)(after->n_lines - end - start);
  if (!find_edits (&search))
    mark_everything (&search);
}

static size_t
cut_characters (const char *text, size_t size, size_t characters)
{
  size_t i = 0;

  for (; i < size; i++)
    if (((unsigned char)text[i] & 0xC0) != 0x80 && characters-- == 0)
      break;
  return i;
}

static void
output_append (Output *output, const char *text, size_t size)
{
  size_t characters = history_text_length (text, size);
  size_t room = output->max_characters - output->characters;

  if (output->truncated)
    return;
  output->truncated = characters > room;
  if (output->truncated)
    {
      size = cut_characters (text, size, room);
      characters = room;
    }
  history_buffer_append (&output->text, text, size);
  output->characters += characters;
  if (output->truncated)
    history_buffer_append_text (&output->text, TRUNCATION_MARK);
}

static void
output_append_line (Output *output, char sign, const Line *line)
{
  output_append (output, &sign, 1);
  output_append (output, line->text, line->size);
  if (line->size == 0 || line->text[line->size - 1] != '\n')
    output_append (output, "\n", 1);
}

static void
output_append_label (Output *output, const char *sign, const char *path, const char *label)
{
  output_append (output, sign, strlen (sign));
  output_append (output, path, strlen (path));
  output_append (output, label, strlen (label));
}

/* As difflib writes it: an empty range is named by the line before it, and a length of one is left
 * out. */
static void
format_range (char *text, size_t size, size_t start, size_t end)
{
  size_t length = end - start;

  if (length == 1)
    snprintf (text, size, "%zu", start + 1);
  else
    snprintf (text, size, "%zu,%zu", length ? start + 1 : start, length);
}

static bool
is_changed (const Side *side, size_t line)
{
  return line < side->n_lines && side->changed[line];
}

/* The number of unchanged lines from here to the next change, or to the end. */
static size_t
count_unchanged (const Side *before, const Side *after, size_t i, size_t j, bool *at_end)
{
  size_t n = 0;

  while (i + n < before->n_lines && !is_changed (before, i + n) && !is_changed (after, j + n))
    n++;
  *at_end = i + n >= before->n_lines && j + n >= after->n_lines;
  return n;
}

static void
skip_changes (const Side *side, size_t *line)
{
  while (is_changed (side, *line))
    ++*line;
}

/* From the first change at @i, @j to the end of the last one that lies within two contexts of the
 * one before it. */
static void
find_hunk_end (const Side *before, const Side *after, size_t *i, size_t *j)
{
  bool at_end = false;
  size_t unchanged = 0;

  while (!at_end && unchanged <= 2 * CONTEXT)
    {
      *i += unchanged;
      *j += unchanged;
      skip_changes (before, i);
      skip_changes (after, j);
      unchanged = count_unchanged (before, after, *i, *j, &at_end);
    }
}

static void
write_hunk_header (Output *output, size_t i, size_t i_end, size_t j, size_t j_end)
{
  char before_range[48];
  char after_range[48];
  char header[128];

  format_range (before_range, sizeof before_range, i, i_end);
  format_range (after_range, sizeof after_range, j, j_end);
  snprintf (header, sizeof header, "@@ -%s +%s @@\n", before_range, after_range);
  output_append (output, header, strlen (header));
}

static void
write_hunk (Output *output, const Side *before, const Side *after, size_t i, size_t i_end, size_t j,
            size_t j_end)
{
  write_hunk_header (output, i, i_end, j, j_end);
  while (!output->truncated && (i < i_end || j < j_end))
    {
      if (i < i_end && is_changed (before, i))
        output_append_line (output, '-', &before->lines[i++]);
      else if (j < j_end && is_changed (after, j))
        output_append_line (output, '+', &after->lines[j++]);
      else
        {
          output_append_line (output, ' ', &before->lines[i++]);
          j++;
        }
    }
}

static void
write_hunks (Output *output, const Side *before, const Side *after)
{
  size_t i = 0;
  size_t j = 0;
  bool at_end;
  size_t unchanged = count_unchanged (before, after, i, j, &at_end);

  while (!at_end && !output->truncated)
    {
      size_t lead = unchanged < CONTEXT ? unchanged : CONTEXT;
      size_t i_start = i + unchanged - lead;
      size_t j_start = j + unchanged - lead;
      size_t tail;

      i += unchanged;
      j += unchanged;
      find_hunk_end (before, after, &i, &j);
      unchanged = count_unchanged (before, after, i, j, &at_end);
      tail = unchanged < CONTEXT ? unchanged : CONTEXT;
      write_hunk (output, before, after, i_start, i + tail, j_start, j + tail);
    }
}

static char *
write_diff (const char *path, const Side *before, const Side *after, size_t max_size,
            bool *truncated)
{
  Output output = { .max_characters = max_size };
  char *label = history_text_replace (path, strlen (path), NULL);

  output_append_label (&output, "--- ", label, " (before)\n");
  output_append_label (&output, "+++ ", label, " (after)\n");
  write_hunks (&output, before, after);
  free (label);
  history_buffer_append (&output.text, "", 1);
  *truncated = output.truncated;
  return output.text.data;
}

static bool
sizes_are_bounded (size_t before_size, size_t after_size)
{
  return before_size <= INT32_MAX / 2 && after_size <= INT32_MAX / 2;
}

char *
guest_unified_diff (const char *path, const void *before, size_t before_size, const void *after,
                    size_t after_size, size_t max_size, bool *truncated)
{
  Side before_side;
  Side after_side;
  char *text;

  *truncated = false;
  if (!sizes_are_bounded (before_size, after_size) || !asb_wire_is_text (before, before_size)
      || !asb_wire_is_text (after, after_size))
    return NULL;
  if (before_size == after_size && (before_size == 0 || memcmp (before, after, before_size) == 0))
    return NULL;

  side_init (&before_side, before, before_size);
  side_init (&after_side, after, after_size);
  compare (&before_side, &after_side);
  text = write_diff (path, &before_side, &after_side, max_size, truncated);
  side_clear (&before_side);
  side_clear (&after_side);
  return text;
}
