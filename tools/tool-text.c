/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-text.h"

#include <asb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void
append_escape (GString *text, gunichar character)
{
  static const char letters[] = "abtnvfr"; /* from \a, 7 */

  if (character >= 7 && character <= 13)
    g_string_append_printf (text, "\\%c", letters[character - 7]);
  else if (character < 0x80)
    g_string_append_printf (text, "\\x%02x", character);
  else
    g_string_append_printf (text, "\\u{%x}", character);
}

char *
tool_text_dup_printable (const char *bytes, gssize length)
{
  const char *end = bytes + (length < 0 ? strlen (bytes) : (gsize)length);
  GString *text = g_string_sized_new (end - bytes);

  while (bytes < end)
    {
      const gunichar character = g_utf8_get_char_validated (bytes, end - bytes);

      if (character == (gunichar)-1 || character == (gunichar)-2)
        {
          g_string_append_printf (text, "\\x%02x", (guchar)*bytes++);
          continue;
        }
      if (g_unichar_isprint (character))
        g_string_append_unichar (text, character);
      else
        append_escape (text, character);
      bytes = g_utf8_next_char (bytes);
    }
  return g_string_free (text, FALSE);
}

gboolean
tool_text_is_plain (const char *name)
{
  static const char special[] = " \t\n\\'\"`$&|;<>()[]{}*?!^=#";

  if (*name == '\0' || *name == '~' || !g_utf8_validate (name, -1, NULL))
    return FALSE;
  for (const char *at = name; *at; at = g_utf8_next_char (at))
    if (strchr (special, *at) || !g_unichar_isprint (g_utf8_get_char (at)))
      return FALSE;
  return TRUE;
}

/* The bytes from @at that can be shown: 0 when the next one cannot. */
static gsize
get_shown (const char *at)
{
  const gunichar character = g_utf8_get_char_validated (at, -1);

  if (character == (gunichar)-1 || character == (gunichar)-2 || !g_unichar_isprint (character))
    return 0;
  return g_utf8_next_char (at) - at;
}

/* A piece of a quoted name: $'…' for bytes that cannot be shown, otherwise within '…'. */
static const char *
append_quoted (GString *text, const char *at)
{
  static const char letters[] = "abtnvfr";

  if (get_shown (at) > 0)
    {
      g_string_append_c (text, '\'');
      for (gsize shown; *at && (shown = get_shown (at)) > 0; at += shown)
        if (*at == '\'')
          g_string_append (text, "'\\''");
        else
          g_string_append_len (text, at, shown);
    }
  else
    {
      g_string_append (text, "$'");
      for (; *at && get_shown (at) == 0; at++)
        if (*at >= 7 && *at <= 13)
          g_string_append_printf (text, "\\%c", letters[*at - 7]);
        else
          g_string_append_printf (text, "\\%03o", (guchar)*at);
    }
  g_string_append_c (text, '\'');
  return at;
}

char *
tool_text_dup_quoted (const char *name)
{
  GString *text;

  if (tool_text_is_plain (name))
    return g_strdup (name);
  if (*name == '\0')
    return g_strdup ("''");
  text = g_string_new (NULL);
  while (*name)
    name = append_quoted (text, name);
  return g_string_free (text, FALSE);
}

static guint
get_character_width (gunichar character)
{
  if (g_unichar_iszerowidth (character))
    return 0;
  return g_unichar_iswide (character) ? 2 : 1;
}

guint
tool_text_get_width (const char *text)
{
  guint width = 0;

  for (; *text; text = g_utf8_next_char (text))
    width += get_character_width (g_utf8_get_char (text));
  return width;
}

char *
tool_text_dup_cut (const char *text, guint width)
{
  GString *cut;
  guint used = 0;

  if (tool_text_get_width (text) <= width)
    return g_strdup (text);
  if (width == 0)
    return g_strdup ("");
  cut = g_string_new (NULL);
  for (; *text; text = g_utf8_next_char (text))
    {
      const gunichar character = g_utf8_get_char (text);

      used += get_character_width (character);
      if (used + 1 > width)
        break;
      g_string_append_unichar (cut, character);
    }
  g_string_append (cut, "…");
  return g_string_free (cut, FALSE);
}

static void
fill_paragraph (GString *filled, const char *paragraph, guint indent, guint width)
{
  g_auto (GStrv) words = g_strsplit_set (paragraph, " \n", -1);
  guint used = 0;

  for (gsize i = 0; words[i]; i++)
    {
      const guint word_width = tool_text_get_width (words[i]);

      if (*words[i] == '\0')
        continue;
      if (used > 0 && used + 1 + word_width > width)
        {
          g_string_append_c (filled, '\n');
          used = 0;
        }
      g_string_append_printf (filled, "%*s%s", used == 0 ? (int)indent : 1, "", words[i]);
      used += (used == 0 ? indent : 1) + word_width;
    }
  g_string_append_c (filled, '\n');
}

char *
tool_text_dup_filled (const char *text, guint indent, guint width)
{
  g_auto (GStrv) paragraphs = g_strsplit (text, "\n\n", -1);
  GString *filled = g_string_new (NULL);

  for (gsize i = 0; paragraphs[i]; i++)
    {
      if (i > 0)
        g_string_append_c (filled, '\n');
      if (*paragraphs[i] == ' ')
        g_string_append_printf (filled, "%*s%s\n", (int)indent, "", paragraphs[i]);
      else
        fill_paragraph (filled, paragraphs[i], indent, width);
    }
  return g_string_free (filled, FALSE);
}

void
tool_text_append_entry (GString *text, int width, const char *title, const char *value)
{
  g_autofree char *printable = value ? tool_text_dup_printable (value, -1) : NULL;

  if (printable && *printable)
    g_string_append_printf (text, "%-*s%s\n", width, title, printable);
}

char *
tool_text_dup_size (guint64 bytes)
{
  static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
  double value = bytes;
  gsize unit = 0;

  if (bytes < 1024)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " B", bytes);
  for (value /= 1024; value >= 1023.95 && unit + 1 < G_N_ELEMENTS (units); value /= 1024)
    unit++;
  return g_strdup_printf ("%.1f %s", value, units[unit]);
}

char *
tool_text_dup_duration (gint64 microseconds)
{
  const gint64 seconds = microseconds / G_USEC_PER_SEC;

  if (microseconds < 1000)
    return g_strdup_printf ("%.1f ms", microseconds / 1000.0);
  if (seconds < 1)
    return g_strdup_printf ("%" G_GINT64_FORMAT " ms", microseconds / 1000);
  if (seconds < 60)
    return g_strdup_printf ("%.1f s", (double)microseconds / G_USEC_PER_SEC);
  if (seconds < 3600)
    return g_strdup_printf ("%" G_GINT64_FORMAT " min %" G_GINT64_FORMAT " s", seconds / 60,
                            seconds % 60);
  return g_strdup_printf ("%" G_GINT64_FORMAT " h %" G_GINT64_FORMAT " min", seconds / 3600,
                          seconds / 60 % 60);
}

char *
tool_text_dup_age (GDateTime *since)
{
  static const struct
  {
    gint64 seconds;
    const char *unit;
  } units[] = { { 86400, "day" }, { 3600, "hour" }, { 60, "minute" }, { 1, "second" } };
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  const gint64 age = since ? MAX (g_date_time_difference (now, since) / G_USEC_PER_SEC, 0) : 0;

  if (!since)
    return g_strdup ("");
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (age >= units[i].seconds)
      return g_strdup_printf ("%" G_GINT64_FORMAT " %s%s", age / units[i].seconds, units[i].unit,
                              age / units[i].seconds == 1 ? "" : "s");
  return g_strdup ("now");
}

char *
tool_text_dup_time (GDateTime *time)
{
  g_autoptr (GDateTime) local = time ? g_date_time_to_local (time) : NULL;

  return local ? g_date_time_format (local, "%Y-%m-%d %H:%M:%S") : g_strdup ("");
}

gboolean
tool_text_parse_duration (const char *text, guint64 *milliseconds, GError **error)
{
  static const char units[] = "smhd";
  static const double seconds[] = { 1, 60, 3600, 86400 };
  char *end = NULL;
  const double number = g_ascii_strtod (text, &end);
  const char *unit = *end ? strchr (units, *end) : units;
  const double result = unit ? number * seconds[unit - units] * 1000 : 0;

  if (g_ascii_isdigit (*text) && unit && (*end == '\0' || end[1] == '\0') && result >= 1
      && result <= (double)(G_GUINT64_CONSTANT (1) << 53) - 1)
    {
      *milliseconds = (guint64)result;
      return TRUE;
    }
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "“%s” is no length of time; give seconds, or a number with s, m, h or d", text);
  return FALSE;
}

gboolean
tool_text_is_terminal (int fd)
{
  return isatty (fd) != 0;
}

guint
tool_text_get_columns (int fd)
{
  struct winsize size = { 0 };
  const char *columns = g_getenv ("COLUMNS");

  if (!tool_text_is_terminal (fd))
    return 0;
  if (ioctl (fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return columns && atoi (columns) > 0 ? (guint)atoi (columns) : 80;
}

gboolean
tool_text_has_colours (void)
{
  const char *no_colour = g_getenv ("NO_COLOR");
  const char *terminal = g_getenv ("TERM");

  return (!no_colour || !*no_colour) && g_strcmp0 (terminal, "dumb") != 0
         && tool_text_is_terminal (STDOUT_FILENO);
}
