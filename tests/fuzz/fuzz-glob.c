/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Patterns of paths, from whoever asks for a search. The first byte says whether case counts; a
 * pattern and a path follow, each up to a newline. What matches also does so by a matcher that
 * tries everything, as long as that has the patience; and a directory that holds a match is gone
 * into. */

#include "fuzz.h"

#include "glob.h"
#include "stand-ins.h"

#include <limits.h>

#define MAX_EXPANDED 2048
#define MAX_TRIES 20000

static unsigned tries;
static bool ignores_case;
static bool has_braces; /* the pattern that is looked at */

static uint8_t
fold (uint8_t byte)
{
  return ignores_case && byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* A class of plain characters at @at, which is left behind it. */
static bool
is_in_class (const char **at, uint8_t byte)
{
  const char *p = *at + 1;
  bool negated = *p == '!' || *p == '^';
  bool found = false;

  p += negated;
  do
    {
      uint8_t first = (uint8_t)(*p == '\\' ? *++p : *p);
      uint8_t last = first;

      p++;
      if (p[0] == '-' && p[1] != ']')
        {
          p++;
          last = (uint8_t)(*p == '\\' ? *++p : *p);
          p++;
        }
      for (unsigned c = first; c <= last; c++)
        found = found || c == byte || fold ((uint8_t)c) == fold (byte);
    }
  while (*p != ']');
  *at = p + 1;
  return found != negated && byte != '/';
}

static bool try_match (const char *start, const char *pattern, const char *path);

static bool
try_stars (const char *start, const char *pattern, const char *path)
{
  bool whole = (pattern == start || pattern[-1] == '/') && pattern[1] == '*'
               && (pattern[2] == '/' || pattern[2] == '\0');

  if (whole && pattern[2] == '\0')
    return *path != '\0';
  if (whole)
    {
      for (; path; path = strchr (path, '/'), path = path ? path + 1 : NULL)
        if (try_match (start, pattern + 3, path))
          return true;
      return false;
    }
  pattern += strspn (pattern, "*");
  do
    if (try_match (start, pattern, path))
      return true;
  while (*path && *path++ != '/');
  return false;
}

static bool
try_match (const char *start, const char *pattern, const char *path)
{
  if (tries++ >= MAX_TRIES)
    return false;
  switch (*pattern)
    {
    case '\0':
      return *path == '\0';
    case '*':
      return try_stars (start, pattern, path);
    case '?':
      return *path && *path != '/' && try_match (start, pattern + 1, path + 1);
    case '[':
      return *path && is_in_class (&pattern, (uint8_t)*path)
             && try_match (start, pattern, path + 1);
    default:
      pattern += *pattern == '\\';
      return fold ((uint8_t)*pattern) == fold ((uint8_t)*path)
             && try_match (start, pattern + 1, path + 1);
    }
}

/* Where the first "{" is, and the "}" that belongs to it. */
static const char *
find_braces (const char *pattern, const char **end)
{
  const char *open = strchr (pattern, '{');
  int depth = 0;

  for (const char *p = open; p && *p; p++)
    {
      depth += (*p == '{') - (*p == '}');
      *end = p;
      if (depth == 0)
        break;
    }
  return open;
}

/* Whether “*” of braces and “*” beside them have become what is more than both; “**” itself stands
 * in no pattern with braces, but before one without a slash. */
static bool
makes_stars (const char *expanded)
{
  bool is_anywhere = strncmp (expanded, "**/", 3) == 0;

  return has_braces && strstr (is_anywhere ? expanded + 3 : expanded, "**");
}

/* Each alternative of the first braces in their place. */
static bool
try_alternatives (const char *pattern, const char *path)
{
  const char *end = NULL;
  const char *open = find_braces (pattern, &end);
  const char *from = open ? open + 1 : NULL;
  int depth = 0;

  if (!open && makes_stars (pattern))
    tries = MAX_TRIES;
  if (!open)
    return tries < MAX_TRIES && try_match (pattern, pattern, path);
  for (const char *p = from; p <= end; p++)
    {
      char expanded[MAX_EXPANDED];

      depth += (*p == '{') - (*p == '}');
      if (depth > 0 || (depth == 0 && *p != ','))
        continue;
      snprintf (expanded, sizeof expanded, "%.*s%.*s%s", (int)(open - pattern), pattern,
                (int)(p - from), from, end + 1);
      if (tries < MAX_TRIES && try_alternatives (expanded, path))
        return true;
      from = p + 1;
    }
  return false;
}

/* What the slow matcher leaves out: bytes that are parts of characters, backslashes where they
 * would have to be told from braces and slashes, and segments that say nothing. */
static bool
is_plain (const char *pattern, const char *path)
{
  static const char *const LEFT_OUT[]
      = { "//", "./", "/}", "/,", "{/", ",/", "\\", "{**", "**}", "**,", ",**" };
  bool braces = strchr (pattern, '{') != NULL;

  for (const char *p = pattern; *p; p++)
    if ((uint8_t)*p >= 0x80)
      return false;
  for (const char *p = path; *p; p++)
    if ((uint8_t)*p >= 0x80)
      return false;
  for (size_t i = 0; i < sizeof LEFT_OUT / sizeof *LEFT_OUT; i++)
    if (strstr (pattern, LEFT_OUT[i]) && (braces || i < 2))
      return false;
  if (braces && (strchr (pattern, '[') || strstr (pattern, "**")))
    return false;
  return *pattern != '/' && pattern[strlen (pattern) - 1] != '/' && !strstr (pattern, "\\/");
}

static void
compare (const char *pattern, const char *path, bool matches)
{
  char whole[MAX_EXPANDED];
  bool expected;

  if (!is_plain (pattern, path))
    return;
  snprintf (whole, sizeof whole, "%s%s", strchr (pattern, '/') ? "" : "**/", pattern);
  has_braces = strchr (pattern, '{') != NULL;
  tries = 0;
  expected = try_alternatives (whole, path);
  if (tries < MAX_TRIES)
    FUZZ_CHECK (expected == matches);
}

/* Without empty segments. */
static void
make_relative (char *path)
{
  char *end = path;

  for (char *at = path; *at; at++)
    if (*at != '/' || (end > path && end[-1] != '/'))
      *end++ = *at;
  while (end > path && end[-1] == '/')
    end--;
  *end = '\0';
}

static void
check_above (Glob *glob, char *path)
{
  for (char *slash = strrchr (path, '/'); slash; slash = strrchr (path, '/'))
    {
      *slash = '\0';
      FUZZ_CHECK (glob_match (glob, path).goes_on);
    }
}

/* Up to a newline, or the end. */
static void
take_line (FuzzInput *input, char *line, size_t size)
{
  size_t n = 0;

  while (fuzz_left (input) > 0)
    {
      char byte = (char)fuzz_take_byte (input);

      if (byte == '\n')
        break;
      if (byte != '\0' && n + 1 < size)
        line[n++] = byte;
    }
  line[n] = '\0';
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  char pattern[GLOB_MAX_PATTERN + 2];
  char path[PATH_MAX];
  Failure failure = { 0 };
  GlobMatch match;
  Glob *glob;

  stand_ins_reset ();
  ignores_case = fuzz_take_byte (&input) & 1;
  take_line (&input, pattern, sizeof pattern);
  take_line (&input, path, sizeof path);
  make_relative (path);
  glob = glob_new (pattern, ignores_case, &failure);
  FUZZ_CHECK (!glob == !!failure.code);
  if (glob && *path)
    {
      match = glob_match (glob, path);
      compare (pattern, path, match.matches);
      if (match.matches)
        check_above (glob, path);
    }
  glob_free (glob);
  failure_clear (&failure);
  return 0;
}
