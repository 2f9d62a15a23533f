/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-glob.h"

#include <string.h>

#define MAX_PATTERN 4096

/* The end of what @open opens at @at; NULL when there is none. */
static const char *
find_end (const char *at, char open, char close)
{
  guint depth = 0;

  for (; *at != '\0'; at++)
    if (*at == '\\' && at[1] != '\0')
      at++;
    else if (*at == open)
      depth++;
    else if (*at == close && --depth == 0)
      return at;
  return NULL;
}

gboolean
lookalike_glob_is_valid (const char *pattern)
{
  if (strlen (pattern) > MAX_PATTERN)
    return FALSE;
  for (const char *at = pattern; *at != '\0'; at++)
    {
      if (*at == '\\' && *++at == '\0')
        return FALSE;
      if (*at == '[')
        {
          at = strchr (at + 1, ']');
          if (at == NULL)
            return FALSE;
        }
      else if (*at == '{' && find_end (at, '{', '}') == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
fits_class (const char *pattern, const char *end, gunichar character)
{
  gboolean negated = pattern[1] == '!' || pattern[1] == '^';
  gboolean found = FALSE;

  for (const char *at = pattern + 1 + negated; at < end;)
    {
      gunichar low = g_utf8_get_char (at);
      gunichar high = low;

      at = g_utf8_next_char (at);
      if (*at == '-' && at + 1 < end)
        {
          high = g_utf8_get_char (at + 1);
          at = g_utf8_next_char (at + 1);
        }
      found = found || (low <= character && character <= high);
    }
  return found != negated;
}

static gboolean
fits_choice (const char *pattern, const char *name)
{
  const char *end = find_end (pattern, '{', '}');
  const char *start = pattern + 1;
  guint depth = 0;

  for (const char *at = start; at <= end; at++)
    {
      if (*at == '{')
        depth++;
      else if (*at == '}' && at < end)
        depth--;
      if (depth > 0 || (*at != ',' && at != end))
        continue;
      g_autofree char *choice = g_strndup (start, (gsize)(at - start));
      g_autofree char *whole = g_strconcat (choice, end + 1, NULL);

      if (lookalike_glob_matches (whole, name))
        return TRUE;
      start = at + 1;
    }
  return FALSE;
}

gboolean
lookalike_glob_matches (const char *pattern, const char *name)
{
  for (; *pattern != '\0'; pattern = g_utf8_next_char (pattern), name = g_utf8_next_char (name))
    {
      if (*pattern == '*')
        {
          while (*pattern == '*')
            pattern++;
          for (; *name != '\0'; name = g_utf8_next_char (name))
            if (lookalike_glob_matches (pattern, name))
              return TRUE;
          return lookalike_glob_matches (pattern, "") || *pattern == '\0';
        }
      if (*pattern == '{')
        return fits_choice (pattern, name);
      if (*name == '\0')
        return FALSE;
      if (*pattern == '[')
        {
          const char *end = strchr (pattern + 1, ']');

          /* A comma of a choice can part it from its end. */
          if (end == NULL || !fits_class (pattern, end, g_utf8_get_char (name)))
            return FALSE;
          pattern = end;
          continue;
        }
      if (*pattern == '\\' && pattern[1] != '\0')
        pattern++;
      else if (*pattern == '?')
        continue;
      if (g_utf8_get_char (pattern) != g_utf8_get_char (name))
        return FALSE;
    }
  return *name == '\0';
}
