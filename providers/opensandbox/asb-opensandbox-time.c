/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-json.h"

#include <string.h>

#define USEC_DIGITS 6
#define MAX_TIME_LENGTH 64

/* Exactly @count digits. */
static gboolean
take_number (const char **at, guint count, int *number)
{
  *number = 0;
  for (guint i = 0; i < count; i++)
    {
      if (!g_ascii_isdigit ((*at)[i]))
        return FALSE;
      *number = *number * 10 + ((*at)[i] - '0');
    }
  *at += count;
  return TRUE;
}

static gboolean
take_char (const char **at, const char *allowed)
{
  if (**at == '\0' || !strchr (allowed, **at))
    return FALSE;
  (*at)++;
  return TRUE;
}

/* What is finer than microseconds is cut. */
static gboolean
take_fraction (const char **at, int *microseconds)
{
  guint n_digits = 0;

  *microseconds = 0;
  if (!take_char (at, ".,"))
    return TRUE;
  for (; g_ascii_isdigit (**at); (*at)++, n_digits++)
    if (n_digits < USEC_DIGITS)
      *microseconds = *microseconds * 10 + (**at - '0');
  for (guint i = n_digits; i < USEC_DIGITS; i++)
    *microseconds *= 10;
  return n_digits > 0;
}

/* Nothing is UTC: a server that means its local time cannot be told apart from one that does not.
 */
static gboolean
take_zone (const char **at, int *offset_minutes)
{
  gboolean is_west = **at == '-';
  int hours;
  int minutes;

  *offset_minutes = 0;
  if (**at == '\0' || take_char (at, "Zz"))
    return TRUE;
  if (!take_char (at, "+-") || !take_number (at, 2, &hours))
    return FALSE;
  take_char (at, ":");
  if (!take_number (at, 2, &minutes) || hours > 23 || minutes > 59)
    return FALSE;
  *offset_minutes = (hours * 60 + minutes) * (is_west ? -1 : 1);
  return TRUE;
}

GDateTime *
asb_opensandbox_json_parse_time (const char *text)
{
  const char *at = text;
  int year, month, day, hour, minute, second, microseconds, offset_minutes;
  g_autoptr (GDateTime) time = NULL;

  if (strlen (text) > MAX_TIME_LENGTH || !take_number (&at, 4, &year) || !take_char (&at, "-")
      || !take_number (&at, 2, &month) || !take_char (&at, "-") || !take_number (&at, 2, &day)
      || !take_char (&at, "Tt ") || !take_number (&at, 2, &hour) || !take_char (&at, ":")
      || !take_number (&at, 2, &minute) || !take_char (&at, ":") || !take_number (&at, 2, &second)
      || !take_fraction (&at, &microseconds) || !take_zone (&at, &offset_minutes) || *at != '\0')
    return NULL;
  /* A leap second is the last one of its minute here. */
  time = g_date_time_new_utc (year, month, day, hour, minute, MIN (second, 59));
  if (!time || second > 60)
    return NULL;
  return g_date_time_add (time, microseconds - offset_minutes * (GTimeSpan)G_TIME_SPAN_MINUTE);
}
