/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-headers.h"

#include <libsoup/soup.h>
#include <string.h>

static guint
hash_name (gconstpointer name)
{
  guint hash = 5381;

  for (const char *at = name; *at; at++)
    hash = hash * 33 + (guchar)g_ascii_tolower (*at);
  return hash;
}

static gboolean
equal_name (gconstpointer first, gconstpointer second)
{
  return g_ascii_strcasecmp (first, second) == 0;
}

GHashTable *
asb_opensandbox_headers_new (void)
{
  return g_hash_table_new_full (hash_name, equal_name, g_free, g_free);
}

gboolean
asb_opensandbox_headers_equal_name (const char *first, const char *second)
{
  return equal_name (first, second);
}

gboolean
asb_opensandbox_headers_is_name (const char *name)
{
  for (const char *at = name; *at; at++)
    if (!g_ascii_isalnum (*at) && !strchr ("!#$%&'*+-.^_`|~", *at))
      return FALSE;
  return *name != '\0';
}

gboolean
asb_opensandbox_headers_is_value (const char *value)
{
  gsize length = strlen (value);

  for (const char *at = value; *at; at++)
    if ((guchar)*at < 0x20 || *at == 0x7f)
      return FALSE;
  return length == 0 || (*value != ' ' && value[length - 1] != ' ');
}

gboolean
asb_opensandbox_headers_is_settable (const char *name)
{
  static const char *const ours[] = { "Accept-Encoding", "Connection",        "Content-Encoding",
                                      "Content-Length",  "Content-Type",      "Expect",
                                      "Keep-Alive",      "Proxy-Connection",  "TE",
                                      "Trailer",         "Transfer-Encoding", "Upgrade" };

  for (gsize i = 0; i < G_N_ELEMENTS (ours); i++)
    if (equal_name (name, ours[i]))
      return FALSE;
  return g_ascii_strncasecmp (name, "Sec-WebSocket-", strlen ("Sec-WebSocket-")) != 0;
}

gboolean
asb_opensandbox_headers_is_for_all (const char *name)
{
  static const char *const others[] = { "Host",
                                        "Proxy-Authorization",
                                        "Range",
                                        "If-Range",
                                        "If-Match",
                                        "If-None-Match",
                                        "If-Modified-Since",
                                        "If-Unmodified-Since" };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (equal_name (name, others[i]))
      return FALSE;
  return TRUE;
}

/* Digits and nothing else, to the end or to @end. */
static gboolean
parse_number (const char *text, const char *end, gint64 *number)
{
  g_autofree char *digits = end ? g_strndup (text, (gsize)(end - text)) : g_strdup (text);
  guint64 value;

  if (!g_ascii_string_to_unsigned (digits, 10, 0, G_MAXINT64, &value, NULL))
    return FALSE;
  *number = (gint64)value;
  return TRUE;
}

gint64
asb_opensandbox_headers_parse_date (const char *value)
{
  g_autoptr (GDateTime) time = NULL;
  gint64 seconds;

  /* Longer than any of the three forms of RFC 9110 with room to spare. */
  if (!value || strlen (value) > 64)
    return -1;
  time = soup_date_time_new_from_http_string (value);
  if (!time)
    return -1;
  seconds = g_date_time_to_unix (time);
  return seconds < 0 ? -1 : seconds * G_USEC_PER_SEC;
}

gint64
asb_opensandbox_headers_parse_retry_after (const char *value, gint64 now)
{
  gint64 seconds;
  gint64 date;

  if (!value || *value == '\0')
    return -1;
  if (parse_number (value, NULL, &seconds))
    return seconds;
  if (value[strspn (value, "0123456789")] == '\0')
    return G_MAXINT64;
  date = asb_opensandbox_headers_parse_date (value);
  if (date < 0)
    return -1;
  return date <= now ? 0 : (date - now + G_USEC_PER_SEC - 1) / G_USEC_PER_SEC;
}

static gboolean
parse_range (const char *text, const char *slash, gint64 *start, gint64 *end)
{
  const char *dash;

  if (slash - text == 1 && *text == '*')
    return TRUE;
  dash = memchr (text, '-', (gsize)(slash - text));
  return dash && parse_number (text, dash, start) && parse_number (dash + 1, slash, end)
         && *start <= *end;
}

gboolean
asb_opensandbox_headers_parse_content_range (const char *value, gint64 *start, gint64 *end,
                                             gint64 *total)
{
  const char *text;
  const char *slash;

  *start = *end = *total = -1;
  if (!value || g_ascii_strncasecmp (value, "bytes ", 6) != 0)
    return FALSE;
  text = value + 6;
  slash = strchr (text, '/');
  if (!slash || !parse_range (text, slash, start, end))
    return FALSE;
  if (strcmp (slash + 1, "*") == 0)
    return *start >= 0;
  return parse_number (slash + 1, NULL, total) && *end < *total;
}
