/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-event-text.h"

#include <string.h>

#define STDOUT_HEAD "{\"type\":\"stdout\",\"text\":\""
#define STDERR_HEAD "{\"type\":\"stderr\",\"text\":\""
#define HEAD_LENGTH (sizeof STDOUT_HEAD - 1)
#define TIMESTAMP "\",\"timestamp\":"
#define TIMESTAMP_LENGTH (sizeof TIMESTAMP - 1)
#define MAX_DIGITS 18

G_STATIC_ASSERT (sizeof STDOUT_HEAD == sizeof STDERR_HEAD);

/* The four digits behind “\u”; −1 for something else. */
static int
parse_unit (const char *at, const char *end)
{
  int unit = 0;

  if (end - at < 4)
    return -1;
  for (int i = 0; i < 4; i++)
    {
      int digit = g_ascii_xdigit_value (at[i]);

      if (digit < 0)
        return -1;
      unit = unit * 16 + digit;
    }
  return unit;
}

/* @at is behind “\u”. How much of it was read, 0 for what is no character. */
static gsize
append_unit (GString *text, const char *at, const char *end)
{
  int first = parse_unit (at, end);
  int second;

  if (first < 0)
    return 0;
  if (first < 0xd800 || first > 0xdfff)
    {
      if (first == 0)
        g_string_append_c (text, '\0');
      else
        g_string_append_unichar (text, (gunichar)first);
      return 4;
    }
  if (first > 0xdbff || end - at < 10 || at[4] != '\\' || at[5] != 'u')
    return 0;
  second = parse_unit (at + 6, end);
  if (second < 0xdc00 || second > 0xdfff)
    return 0;
  g_string_append_unichar (text,
                           0x10000u + ((guint)(first - 0xd800) << 10) + (guint)(second - 0xdc00));
  return 10;
}

/* @at is behind the backslash. */
static gsize
append_escape (GString *text, const char *at, const char *end)
{
  static const char names[] = "\"\\/bfnrt";
  static const char meant[] = "\"\\/\b\f\n\r\t";
  const char *name;
  gsize used;

  if (at == end)
    return 0;
  if (*at == 'u')
    {
      used = append_unit (text, at + 1, end);
      return used > 0 ? used + 1 : 0;
    }
  name = *at ? strchr (names, *at) : NULL;
  if (!name)
    return 0;
  g_string_append_c (text, meant[name - names]);
  return 1;
}

static const char *
find_special (const char *at, const char *end)
{
  while (at < end && *at != '"' && *at != '\\' && (guchar)*at >= 0x20)
    at++;
  return at;
}

/* Up to the quote that ends it, where *@at is then; FALSE for what is no text. */
static gboolean
read_text (GString *text, const char **at, const char *end)
{
  for (;;)
    {
      const char *special = find_special (*at, end);
      gsize used;

      g_string_append_len (text, *at, special - *at);
      *at = special;
      if (special == end || (guchar)*special < 0x20)
        return FALSE;
      if (*special == '"')
        return TRUE;
      used = append_escape (text, special + 1, end);
      if (used == 0)
        return FALSE;
      *at += used + 1;
    }
}

/* “","timestamp":123}” and nothing behind it. */
static gboolean
is_tail (const char *at, const char *end)
{
  gsize size = (gsize)(end - at);
  gsize n_digits = 0;

  if (size < TIMESTAMP_LENGTH + 2 || memcmp (at, TIMESTAMP, TIMESTAMP_LENGTH) != 0)
    return FALSE;
  at += TIMESTAMP_LENGTH;
  if (*at == '0')
    return FALSE;
  while (at < end && g_ascii_isdigit (*at) && n_digits++ < MAX_DIGITS)
    at++;
  return n_digits > 0 && n_digits <= MAX_DIGITS && end - at == 1 && *at == '}';
}

GString *
asb_opensandbox_event_text_parse (const char *line, gsize size, gboolean *is_stderr)
{
  const char *at = line + HEAD_LENGTH;
  const char *end = line + size;
  GString *text;

  if (size < HEAD_LENGTH)
    return NULL;
  *is_stderr = memcmp (line, STDERR_HEAD, HEAD_LENGTH) == 0;
  if (!*is_stderr && memcmp (line, STDOUT_HEAD, HEAD_LENGTH) != 0)
    return NULL;
  text = g_string_sized_new (size - HEAD_LENGTH);
  if (read_text (text, &at, end) && is_tail (at, end))
    return text;
  g_string_free (text, TRUE);
  return NULL;
}
