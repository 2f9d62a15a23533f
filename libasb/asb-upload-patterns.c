/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-patterns-private.h"

#include <string.h>

typedef struct
{
  char **segments;
  gboolean takes_back;
  gboolean only_directories;
} Pattern;

struct _AsbUploadPatterns
{
  GPtrArray *patterns; /* of Pattern */
  gboolean takes_back; /* one of them does */
};

static void
pattern_free (gpointer data)
{
  Pattern *pattern = data;

  g_strfreev (pattern->segments);
  g_free (pattern);
}

AsbUploadPatterns *
asb_upload_patterns_new (void)
{
  AsbUploadPatterns *self = g_new0 (AsbUploadPatterns, 1);

  self->patterns = g_ptr_array_new_with_free_func (pattern_free);
  return self;
}

void
asb_upload_patterns_free (AsbUploadPatterns *self)
{
  g_ptr_array_unref (self->patterns);
  g_free (self);
}

gboolean
asb_upload_patterns_are_plain (const AsbUploadPatterns *self)
{
  return !self->takes_back;
}

/* Reading them. */

/* Spaces at the end mean nothing unless a backslash stands before them. */
static char *
dup_trimmed (const char *line)
{
  gsize length = strcspn (line, "\n");
  gsize n_escapes = 0;

  if (length > 0 && line[length - 1] == '\r')
    length--;

  while (length > 0 && line[length - 1] == ' ')
    {
      n_escapes = 0;
      while (n_escapes + 1 < length && line[length - 2 - n_escapes] == '\\')
        n_escapes++;
      if (n_escapes % 2 == 1)
        break;
      length--;
    }
  return g_strndup (line, length);
}

/* One without a slash but at its end is about names anywhere. */
static char **
split (char *text)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) parts = NULL;

  if (!strchr (text, '/'))
    g_strv_builder_add (builder, "**");
  parts = g_strsplit (text, "/", -1);
  for (gsize i = 0; parts[i]; i++)
    if (*parts[i])
      g_strv_builder_add (builder, parts[i]);
  return g_strv_builder_end (builder);
}

static void
add_line (AsbUploadPatterns *self, const char *line)
{
  g_autofree char *text = dup_trimmed (line);
  gboolean takes_back = *text == '!';
  char *start = text + takes_back;
  gsize length = strlen (start);
  Pattern *pattern;

  if (length == 0 || *text == '#')
    return;
  pattern = g_new0 (Pattern, 1);
  pattern->takes_back = takes_back;
  pattern->only_directories = start[length - 1] == '/';
  while (length > 1 && start[length - 1] == '/')
    start[--length] = '\0';
  pattern->segments = split (start);
  self->takes_back = self->takes_back || takes_back;
  g_ptr_array_add (self->patterns, pattern);
}

void
asb_upload_patterns_add_all (AsbUploadPatterns *self, const char *const *lines)
{
  for (gsize i = 0; lines && lines[i]; i++)
    add_line (self, lines[i]);
}

/* Characters. Bytes that are not UTF-8 are characters of their own. */

static const char *
next_character (const char *at, const char *end)
{
  gunichar character = g_utf8_get_char_validated (at, end - at);

  return character < (gunichar)-2 ? at + g_utf8_skip[(guchar)*at] : at + 1;
}

static gunichar
get_character (const char *at, const char *end)
{
  gunichar character = g_utf8_get_char_validated (at, end - at);

  return character < (gunichar)-2 ? character : 0x110000U + (guchar)*at;
}

typedef struct
{
  const char *name;
  GAsciiType types;
} Kind;

/* As the C locale has them. */
static const Kind kinds[]
    = { { "alnum", G_ASCII_ALNUM }, { "alpha", G_ASCII_ALPHA },  { "cntrl", G_ASCII_CNTRL },
        { "digit", G_ASCII_DIGIT }, { "graph", G_ASCII_GRAPH },  { "lower", G_ASCII_LOWER },
        { "print", G_ASCII_PRINT }, { "punct", G_ASCII_PUNCT },  { "space", G_ASCII_SPACE },
        { "upper", G_ASCII_UPPER }, { "xdigit", G_ASCII_XDIGIT } };

static gboolean
is_of_kind (const char *name, gsize length, gunichar character)
{
  if (length == strlen ("blank") && memcmp (name, "blank", length) == 0)
    return character == ' ' || character == '\t';
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (length == strlen (kinds[i].name) && memcmp (name, kinds[i].name, length) == 0)
      return character < 128 && (g_ascii_table[character] & kinds[i].types) != 0;
  return FALSE;
}

/* What stands behind “[:NAME:]” at @at; NULL when it is something else. */
static const char *
match_kind (const char *at, const char *end, gunichar character, gboolean *found)
{
  const char *name = at + 2;
  const char *name_end;

  if (end - at < 2 || at[0] != '[' || at[1] != ':')
    return NULL;
  for (name_end = name; name_end < end && g_ascii_islower (*name_end); name_end++)
    ;
  if (end - name_end < 2 || name_end[0] != ':' || name_end[1] != ']')
    return NULL;
  *found = *found || is_of_kind (name, (gsize)(name_end - name), character);
  return name_end + 2;
}

/* What stands behind the class at @at, which begins with “[”; NULL when it does not end. */
static const char *
match_class (const char *at, const char *end, gunichar character, gboolean *matches)
{
  gboolean inverted = at + 1 < end && (at[1] == '!' || at[1] == '^');
  const char *first = at + 1 + inverted;
  const char *here = first;
  gboolean found = FALSE;

  while (here < end && (*here != ']' || here == first))
    {
      const char *behind = match_kind (here, end, character, &found);
      gunichar from;
      gunichar to;

      if (behind)
        {
          here = behind;
          continue;
        }
      if (*here == '\\' && here + 1 < end)
        here++;
      from = to = get_character (here, end);
      here = next_character (here, end);
      if (here + 1 < end && here[0] == '-' && here[1] != ']')
        {
          here++;
          if (*here == '\\' && here + 1 < end)
            here++;
          to = get_character (here, end);
          here = next_character (here, end);
        }
      found = found || (character >= from && character <= to);
    }
  if (here >= end)
    return NULL;
  *matches = found != inverted;
  return here + 1;
}

/* Whether the character at @text is what stands at *@at, but for “*”. */
static gboolean
match_one (const char **at, const char *end, const char *text, const char *text_end)
{
  gunichar character = get_character (text, text_end);
  const char *behind = NULL;
  gboolean matches = FALSE;

  if (**at == '[')
    behind = match_class (*at, end, character, &matches);
  if (!behind)
    {
      const char *literal = *at;
      gboolean is_any = *literal == '?';

      if (*literal == '\\' && literal + 1 < end)
        literal++;
      matches = is_any || get_character (literal, end) == character;
      behind = next_character (literal, end);
    }
  if (matches)
    *at = behind;
  return matches;
}

/* Only the last “*” is ever gone back to, which is enough. */
static gboolean
match_segment (const char *pattern, const char *text)
{
  const char *end = pattern + strlen (pattern);
  const char *text_end = text + strlen (text);
  const char *star = NULL;
  const char *resumed = NULL;

  while (text < text_end)
    {
      if (pattern < end && *pattern == '*')
        {
          star = ++pattern;
          resumed = text;
        }
      else if (pattern < end && match_one (&pattern, end, text, text_end))
        text = next_character (text, text_end);
      else if (star)
        {
          pattern = star;
          text = resumed = next_character (resumed, text_end);
        }
      else
        return FALSE;
    }
  while (pattern < end && *pattern == '*')
    pattern++;
  return pattern == end;
}

/* Segments, in the same way. At the end “**” stands for something. */
static gboolean
match_segments (char **pattern, char **path, gsize n_path)
{
  char **star = NULL;
  gsize resumed = 0;
  gsize i = 0;

  while (i < n_path)
    {
      if (*pattern && g_str_equal (*pattern, "**"))
        {
          star = ++pattern;
          resumed = i;
          if (!*star)
            return TRUE;
        }
      else if (*pattern && match_segment (*pattern, path[i]))
        {
          pattern++;
          i++;
        }
      else if (star)
        {
          pattern = star;
          i = ++resumed;
        }
      else
        return FALSE;
    }
  return !*pattern;
}

/* The path itself, or a directory that it is in. */
static gboolean
pattern_match (const Pattern *pattern, char **path, gsize n_path, gboolean is_directory)
{
  for (gsize n = 1; n <= n_path; n++)
    if ((!pattern->only_directories || n < n_path || is_directory)
        && match_segments (pattern->segments, path, n))
      return TRUE;
  return FALSE;
}

gboolean
asb_upload_patterns_match (const AsbUploadPatterns *self, const char *path, gboolean is_directory)
{
  g_auto (GStrv) segments = g_strsplit (path, "/", -1);
  gsize n_segments = g_strv_length (segments);

  for (guint i = self->patterns->len; i > 0; i--)
    {
      const Pattern *pattern = self->patterns->pdata[i - 1];

      if (pattern_match (pattern, segments, n_segments, is_directory))
        return !pattern->takes_back;
    }
  return FALSE;
}
