/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-range.h"

#include <string.h>

static gboolean
parse_number (const char *text, gint64 *number)
{
  return g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, number, NULL);
}

static gboolean
parse_part (char *part, gint64 size, gint64 *start, gint64 *length)
{
  char *dash = strchr (part, '-');
  gint64 end;

  if (dash == NULL)
    return FALSE;
  *dash = '\0';
  part = g_strstrip (part);
  dash = g_strstrip (dash + 1);
  if (part[0] == '\0')
    {
      if (!parse_number (dash, &end))
        return FALSE;
      *length = MIN (end, size);
      *start = size - *length;
      return TRUE;
    }
  if (!parse_number (part, start))
    return FALSE;
  end = size - 1;
  if (dash[0] != '\0' && (!parse_number (dash, &end) || end < *start))
    return FALSE;
  *length = MIN (end, size - 1) - *start + 1;
  return TRUE;
}

LookalikeRange
lookalike_range_parse (const char *header, gint64 size, gint64 *start, gint64 *length)
{
  g_auto (GStrv) parts = NULL;
  LookalikeRange found = LOOKALIKE_RANGE_ABSENT;

  if (!g_str_has_prefix (header, "bytes="))
    return LOOKALIKE_RANGE_MALFORMED;
  parts = g_strsplit (header + strlen ("bytes="), ",", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      gint64 from, count;

      if (g_strstrip (parts[i])[0] == '\0')
        continue;
      if (!parse_part (parts[i], size, &from, &count))
        return LOOKALIKE_RANGE_MALFORMED;
      if (found == LOOKALIKE_RANGE_FOUND)
        continue;
      if (from >= size)
        {
          found = from == size && count == 0 && parts[i][0] == '\0' ? LOOKALIKE_RANGE_END
                                                                    : LOOKALIKE_RANGE_NONE;
          continue;
        }
      found = LOOKALIKE_RANGE_FOUND;
      *start = from;
      *length = count;
    }
  return found;
}
