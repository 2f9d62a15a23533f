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

#define DATE "[0-9]{4}-[0-9]{2}-[0-9]{2}"
#define MINUTE "[0-9]{2}:[0-9]{2}"
#define FRACTION ":[0-5][0-9]([.,][0-9]+)?"
#define ZONE "([Zz]|[-+]([01][0-9]|2[0-3]):?[0-5][0-9])?"

/* As pydantic reads one, which is less than ISO 8601 and a little more. */
static GDateTime *
parse (const char *text)
{
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  g_autofree char *upper = g_ascii_strup (text, -1);
  g_autofree char *whole = NULL;

  if (g_regex_match_simple ("^" DATE "$", text, 0, 0))
    whole = g_strconcat (text, "T00:00:00", NULL);
  else if (g_regex_match_simple ("^" DATE "[Tt _]" MINUTE ZONE "$", text, 0, 0))
    whole = g_strdup_printf ("%.16s:00%s", upper, upper + 16);
  else if (g_regex_match_simple ("^" DATE "[Tt _]" MINUTE FRACTION ZONE "$", text, 0, 0))
    whole = g_strdup (upper);
  else
    return NULL;
  whole[10] = 'T';
  return g_date_time_new_from_iso8601 (whole, utc);
}

/* A number is of seconds, or of milliseconds where that were too far away. */
static GDateTime *
from_number (double number)
{
  const double most = 2e10;
  double seconds = number > most || number < -most ? number / 1000 : number;
  g_autoptr (GDateTime) epoch = g_date_time_new_from_unix_utc (0);

  return g_date_time_add_seconds (epoch, seconds);
}

GDateTime *
lookalike_time_parse_node (JsonNode *node)
{
  const char *text;
  double number;
  char *end;

  if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    return NULL;
  if (json_node_get_value_type (node) != G_TYPE_STRING)
    return from_number (json_node_get_double (node));
  text = json_node_get_string (node);
  number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' ? from_number (number) : parse (text);
}
