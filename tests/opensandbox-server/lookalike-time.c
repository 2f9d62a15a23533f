/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-time.h"

#include <string.h>

static char *
print (GDateTime *time, guint fraction, int digits, gboolean trim)
{
  g_autoptr (GDateTime) utc = g_date_time_to_utc (time);
  g_autofree char *seconds = g_date_time_format (utc, "%Y-%m-%dT%H:%M:%S");
  g_autofree char *part = g_strdup_printf ("%0*u", digits, fraction);

  if (fraction == 0)
    return g_strconcat (seconds, "Z", NULL);
  for (gsize length = strlen (part); trim && part[length - 1] == '0'; length--)
    part[length - 1] = '\0';
  return g_strconcat (seconds, ".", part, "Z", NULL);
}

char *
lookalike_time_print (GDateTime *time)
{
  return print (time, (guint)g_date_time_get_microsecond (time), 6, FALSE);
}

char *
lookalike_time_print_nano (GDateTime *time, guint nanoseconds)
{
  return print (time, (guint)g_date_time_get_microsecond (time) * 1000 + nanoseconds, 9, TRUE);
}

GDateTime *
lookalike_time_parse (const char *text)
{
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();

  return g_date_time_new_from_iso8601 (text, utc);
}
