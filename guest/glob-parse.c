/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "glob-program.h"

#include "asb-wire-json.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 8

typedef struct
{
  Glob *glob;
  const char *at;
  const char *problem;
  bool at_start; /* of a segment */
  unsigned depth;
} Parser;

static bool
refuse (Parser *parser, const char *problem)
{
  if (!parser->problem)
    parser->problem = problem;
  return false;
}

/* What comes out is checked at the end, not at each step. */
static uint32_t
add (Parser *parser, GlobStepType type, uint32_t first, uint32_t second)
{
  Glob *glob = parser->glob;

  if (glob->n_steps == glob->capacity)
    {
      uint32_t capacity = 2 * glob->capacity + 64;
      GlobStep *steps = realloc (glob->steps, capacity * sizeof *steps);

      if (!steps)
        {
          refuse (parser, "there is not enough memory");
          return 0;
        }
      glob->steps = steps;
      glob->capacity = capacity;
    }
  glob->steps[glob->n_steps] = (GlobStep){ type, first, second };
  return glob->n_steps++;
}

static uint32_t
next_step (const Parser *parser)
{
  return parser->glob->n_steps;
}

static bool
add_range (Parser *parser, uint32_t first, uint32_t last)
{
  Glob *glob = parser->glob;

  if (first > last)
    return refuse (parser, "a range ends before it begins");
  if (glob->n_ranges == glob->range_capacity)
    {
      uint32_t capacity = 2 * glob->range_capacity + 16;
      GlobRange *ranges = realloc (glob->ranges, capacity * sizeof *ranges);

      if (!ranges)
        return refuse (parser, "there is not enough memory");
      glob->ranges = ranges;
      glob->range_capacity = capacity;
    }
  glob->ranges[glob->n_ranges++] = (GlobRange){ first, last };
  return true;
}

/* One character that stands for itself, behind a backslash or not. */
static bool
take_literal (Parser *parser, uint32_t *character)
{
  if (*parser->at == '\\')
    parser->at++;
  if (*parser->at == '\0')
    return refuse (parser, "it ends within “[” or behind “\\”");
  *character = glob_take_character (&parser->at);
  return true;
}

static bool
take_range (Parser *parser)
{
  uint32_t first;
  uint32_t last;

  if (strncmp (parser->at, "[:", 2) == 0)
    return refuse (parser, "classes by name are not known");
  if (!take_literal (parser, &first))
    return false;
  last = first;
  if (parser->at[0] == '-' && parser->at[1] != ']' && parser->at[1] != '\0')
    {
      parser->at++;
      if (!take_literal (parser, &last))
        return false;
    }
  return add_range (parser, first, last);
}

/* Behind the “[”. A “]” that comes first is one of the characters. */
static bool
take_class (Parser *parser)
{
  uint32_t first = parser->glob->n_ranges;
  bool negated = *parser->at == '!' || *parser->at == '^';

  parser->at += negated;
  do
    if (!take_range (parser))
      return false;
  while (*parser->at != ']');
  parser->at++;
  add (parser, negated ? GLOB_NO_CLASS : GLOB_CLASS, first, parser->glob->n_ranges - first);
  return true;
}

static void
add_star (Parser *parser)
{
  uint32_t start = add (parser, GLOB_SPLIT, next_step (parser) + 1, next_step (parser) + 3);

  add (parser, GLOB_ANY, 0, 0);
  add (parser, GLOB_JUMP, start, 0);
}

/* “**” and a slash: any number of whole segments. */
static void
add_segments (Parser *parser)
{
  uint32_t start = add (parser, GLOB_SPLIT, next_step (parser) + 1, next_step (parser) + 5);

  add (parser, GLOB_ANY, 0, 0);
  add (parser, GLOB_SPLIT, start + 1, start + 3);
  add (parser, GLOB_CHARACTER, '/', 0);
  add (parser, GLOB_JUMP, start, 0);
}

/* “**” at the end: everything below. */
static void
add_everything (Parser *parser)
{
  uint32_t start = add (parser, GLOB_EVERY, 0, 0);

  add (parser, GLOB_SPLIT, start, start + 2);
}

/* Empty segments and “.” say nothing. */
static void
skip_empty_segments (Parser *parser)
{
  while (parser->at_start && (*parser->at == '/' || strncmp (parser->at, "./", 2) == 0))
    parser->at += *parser->at == '/' ? 1 : 2;
}

/* Behind the first “*”. */
static bool
take_stars (Parser *parser)
{
  size_t more = strspn (parser->at, "*");
  bool whole = parser->at_start && more == 1 && (parser->at[1] == '/' || parser->at[1] == '\0');

  parser->at += more;
  parser->at_start = whole && *parser->at == '/';
  if (parser->at_start)
    {
      parser->at++;
      add_segments (parser);
      skip_empty_segments (parser);
    }
  else if (whole)
    add_everything (parser);
  else
    add_star (parser);
  return true;
}

static bool take_sequence (Parser *parser);

/* Behind the “{”. Each alternative ends with a jump behind the last; until that place is known
 * the jumps are a chain, by their own numbers. */
static bool
take_alternatives (Parser *parser)
{
  Glob *glob = parser->glob;
  bool at_start = parser->at_start;
  bool ends_at_start = true;
  uint32_t chain = 0;

  for (bool is_last = false; !is_last;)
    {
      uint32_t split = add (parser, GLOB_SPLIT, next_step (parser) + 1, 0);

      parser->at_start = at_start;
      if (!take_sequence (parser))
        return false;
      if (*parser->at == '\0')
        return refuse (parser, "it ends within “{”");
      is_last = *parser->at++ == '}';
      ends_at_start = ends_at_start && parser->at_start;
      chain = add (parser, GLOB_JUMP, chain, 0);
      if (parser->problem)
        return false;
      glob->steps[split].second = is_last ? split + 1 : next_step (parser);
    }
  while (chain != 0)
    {
      uint32_t before = glob->steps[chain].first;

      glob->steps[chain].first = next_step (parser);
      chain = before;
    }
  parser->at_start = ends_at_start;
  return true;
}

static bool
take_braces (Parser *parser)
{
  bool done;

  if (parser->depth == MAX_DEPTH)
    return refuse (parser, "“{” stands more than 8 deep");
  parser->at++;
  parser->depth++;
  done = take_alternatives (parser);
  parser->depth--;
  return done;
}

static bool
take_character (Parser *parser)
{
  bool is_slash = *parser->at == '/';
  uint32_t character;

  if (!take_literal (parser, &character))
    return false;
  add (parser, GLOB_CHARACTER, parser->glob->ignore_case ? glob_fold (character) : character, 0);
  parser->at_start = is_slash;
  skip_empty_segments (parser);
  return true;
}

static bool
take_one (Parser *parser)
{
  if (*parser->at == '{')
    return take_braces (parser);
  if (*parser->at == '*')
    {
      parser->at++;
      return take_stars (parser);
    }
  if (*parser->at != '?' && *parser->at != '[')
    return take_character (parser);
  parser->at_start = false;
  if (*parser->at++ == '[')
    return take_class (parser);
  add (parser, GLOB_ANY, 0, 0);
  return true;
}

/* Up to the end of the pattern, or of an alternative. */
static bool
take_sequence (Parser *parser)
{
  skip_empty_segments (parser);
  while (*parser->at && (parser->depth == 0 || (*parser->at != ',' && *parser->at != '}')))
    if (!take_one (parser) || parser->problem)
      return false;
  return true;
}

/* A segment “..” would lead out of where the search begins. */
static bool
leads_out (const char *pattern)
{
  static const char *const BEFORE = "/{,";
  static const char *const BEHIND = "/},";

  for (const char *dots = strstr (pattern, ".."); dots; dots = strstr (dots + 1, ".."))
    if ((dots == pattern || strchr (BEFORE, dots[-1])) && (!dots[2] || strchr (BEHIND, dots[2])))
      return true;
  return false;
}

static bool
allocate_states (Parser *parser)
{
  Glob *glob = parser->glob;
  size_t n = glob->n_steps;

  glob->marks = calloc (n, sizeof *glob->marks);
  /* Each step is left twice at most. */
  glob->stack = calloc (2 * n + 1, sizeof *glob->stack);
  for (int i = 0; i < 2; i++)
    glob->states[i].steps = calloc (n, sizeof *glob->states[i].steps);
  return (glob->marks && glob->stack && glob->states[0].steps && glob->states[1].steps)
         || refuse (parser, "there is not enough memory");
}

static bool
parse (Parser *parser, const char *pattern)
{
  char text[GLOB_MAX_PATTERN + 1];
  size_t length = strlen (pattern);

  if (length == 0)
    return refuse (parser, "it is empty");
  if (length > GLOB_MAX_PATTERN)
    return refuse (parser, "it is longer than 1,024 bytes");
  if (leads_out (pattern))
    return refuse (parser, "“..” leads out of the directory that is searched");
  strcpy (text, pattern);
  while (length > 1 && text[length - 1] == '/' && text[length - 2] != '\\')
    {
      text[--length] = '\0';
      parser->glob->wants_directory = true;
    }
  parser->at = text;
  parser->at_start = true;
  /* Without a slash it is about names, wherever they are. */
  if (!strchr (text, '/'))
    add_segments (parser);
  if (!take_sequence (parser))
    return false;
  add (parser, GLOB_END, 0, 0);
  return !parser->problem && allocate_states (parser);
}

Glob *
glob_new (const char *pattern, bool ignore_case, Failure *failure)
{
  Parser parser = { .glob = calloc (1, sizeof *parser.glob) };

  if (!parser.glob)
    {
      failure_set (failure, FAILURE_INTERNAL, "There is not enough memory");
      return NULL;
    }
  parser.glob->ignore_case = ignore_case;
  if (parse (&parser, pattern))
    return parser.glob;
  glob_free (parser.glob);
  failure_set (failure, FAILURE_INVALID_ARGUMENT, "The pattern “%.256s” makes no sense: %s",
               pattern, parser.problem);
  return NULL;
}

void
glob_free (Glob *glob)
{
  if (!glob)
    return;
  for (int i = 0; i < 2; i++)
    free (glob->states[i].steps);
  free (glob->marks);
  free (glob->stack);
  free (glob->ranges);
  free (glob->steps);
  free (glob);
}
