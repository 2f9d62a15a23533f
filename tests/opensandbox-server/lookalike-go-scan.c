/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-go-json.h"

#include <string.h>

#define MAX_DEPTH 10000

typedef enum
{
  EXPECT_VALUE,
  EXPECT_VALUE_OR_END,
  EXPECT_KEY,
  EXPECT_KEY_OR_END,
  EXPECT_COLON,
  EXPECT_AFTER,
} Expect;

typedef struct
{
  const char *at;
  const char *end;
  GByteArray *open; /* '{' and '[' */
  Expect expect;
  GError **error;
} Scan;

static char *
quote (guint8 byte)
{
  const char *const short_ones = "\a\b\f\n\r\t\v\\'";
  const char *const letters = "abfnrtv\\'";
  const char *found = byte != '\0' ? strchr (short_ones, byte) : NULL;

  if (found != NULL)
    return g_strdup_printf ("'\\%c'", letters[found - short_ones]);
  if (byte < 0x20 || byte == 0x7f)
    return g_strdup_printf ("'\\x%02x'", byte);
  if ((byte >= 0x80 && byte <= 0xa0) || byte == 0xad)
    return g_strdup_printf ("'\\u%04x'", byte);
  if (byte > 0x7f)
    return g_strdup_printf ("'%c%c'", 0xc0 | byte >> 6, 0x80 | (byte & 0x3f));
  return g_strdup_printf ("'%c'", byte);
}

/* FALSE always: there is more, and it is wrong, or there is no more. */
static gboolean
refuse (Scan *scan, const char *where)
{
  g_autofree char *character = scan->at < scan->end ? quote ((guint8)*scan->at) : NULL;

  if (character == NULL)
    g_set_error_literal (scan->error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT, "unexpected EOF");
  else
    g_set_error (scan->error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "invalid character %s %s",
                 character, where);
  return FALSE;
}

static gboolean
scan_escape (Scan *scan)
{
  if (scan->at == scan->end || strchr ("bfnrt\\/\"u", *scan->at) == NULL || *scan->at == '\0')
    return refuse (scan, "in string escape code");
  if (*scan->at++ != 'u')
    return TRUE;
  for (guint i = 0; i < 4; i++, scan->at++)
    if (scan->at == scan->end || !g_ascii_isxdigit (*scan->at))
      return refuse (scan, "in \\u hexadecimal character escape");
  return TRUE;
}

static gboolean
scan_string (Scan *scan)
{
  for (scan->at++; scan->at < scan->end && *scan->at != '"';)
    if ((guint8)*scan->at < 0x20)
      return refuse (scan, "in string literal");
    else if (*scan->at++ == '\\' && !scan_escape (scan))
      return FALSE;
  if (scan->at == scan->end)
    return refuse (scan, "");
  scan->at++;
  return TRUE;
}

static gboolean
scan_digits (Scan *scan, const char *where)
{
  if (scan->at == scan->end || !g_ascii_isdigit (*scan->at))
    return refuse (scan, where);
  while (scan->at < scan->end && g_ascii_isdigit (*scan->at))
    scan->at++;
  return TRUE;
}

static gboolean
scan_number (Scan *scan)
{
  if (*scan->at == '-')
    scan->at++;
  if (scan->at < scan->end && *scan->at == '0')
    scan->at++;
  else if (!scan_digits (scan, "in numeric literal"))
    return FALSE;
  if (scan->at < scan->end && *scan->at == '.')
    {
      scan->at++;
      if (!scan_digits (scan, "after decimal point in numeric literal"))
        return FALSE;
    }
  if (scan->at == scan->end || (*scan->at != 'e' && *scan->at != 'E'))
    return TRUE;
  scan->at++;
  if (scan->at < scan->end && (*scan->at == '+' || *scan->at == '-'))
    scan->at++;
  return scan_digits (scan, "in exponent of numeric literal");
}

static gboolean
scan_literal (Scan *scan, const char *word)
{
  for (const char *letter = word; *letter != '\0'; letter++, scan->at++)
    if (scan->at == scan->end || *scan->at != *letter)
      {
        g_autofree char *where = g_strdup_printf ("in literal %s (expecting '%c')", word, *letter);

        return refuse (scan, where);
      }
  return TRUE;
}

static gboolean
scan_scalar (Scan *scan)
{
  char first = *scan->at;

  scan->expect = EXPECT_AFTER;
  if (first == '"')
    return scan_string (scan);
  if (first == '-' || g_ascii_isdigit (first))
    return scan_number (scan);
  if (first == 't' || first == 'f' || first == 'n')
    return scan_literal (scan, first == 't' ? "true" : first == 'f' ? "false" : "null");
  return refuse (scan, "looking for beginning of value");
}

static gboolean
scan_value (Scan *scan)
{
  guint8 first = (guint8)*scan->at;

  if (first == ']' && scan->expect == EXPECT_VALUE_OR_END)
    {
      g_byte_array_set_size (scan->open, scan->open->len - 1);
      scan->expect = EXPECT_AFTER;
      scan->at++;
      return TRUE;
    }
  if (first != '{' && first != '[')
    return scan_scalar (scan);
  if (scan->open->len == MAX_DEPTH)
    return refuse (scan, "exceeded max depth");
  g_byte_array_append (scan->open, &first, 1);
  scan->expect = first == '{' ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
  scan->at++;
  return TRUE;
}

static gboolean
scan_key (Scan *scan)
{
  if (*scan->at == '}' && scan->expect == EXPECT_KEY_OR_END)
    {
      g_byte_array_set_size (scan->open, scan->open->len - 1);
      scan->expect = EXPECT_AFTER;
      scan->at++;
      return TRUE;
    }
  if (*scan->at != '"')
    return refuse (scan, "looking for beginning of object key string");
  scan->expect = EXPECT_COLON;
  return scan_string (scan);
}

static gboolean
scan_after (Scan *scan)
{
  gboolean in_object = scan->open->data[scan->open->len - 1] == '{';

  if (*scan->at == ',')
    scan->expect = in_object ? EXPECT_KEY : EXPECT_VALUE;
  else if (*scan->at == (in_object ? '}' : ']'))
    g_byte_array_set_size (scan->open, scan->open->len - 1);
  else
    return refuse (scan, in_object ? "after object key:value pair" : "after array element");
  scan->at++;
  return TRUE;
}

static gboolean
scan_next (Scan *scan)
{
  if (scan->at == scan->end)
    return refuse (scan, "");
  switch (scan->expect)
    {
    case EXPECT_VALUE:
    case EXPECT_VALUE_OR_END:
      return scan_value (scan);
    case EXPECT_KEY:
    case EXPECT_KEY_OR_END:
      return scan_key (scan);
    case EXPECT_COLON:
      if (*scan->at != ':')
        return refuse (scan, "after object key");
      scan->expect = EXPECT_VALUE;
      scan->at++;
      return TRUE;
    case EXPECT_AFTER:
    default:
      return scan_after (scan);
    }
}

static void
skip_space (Scan *scan)
{
  while (scan->at < scan->end && *scan->at != '\0' && strchr (" \t\r\n", *scan->at) != NULL)
    scan->at++;
}

const char *
lookalike_go_scan (const char *data, const char *end, gboolean whole, GError **error)
{
  g_autoptr (GByteArray) open = g_byte_array_new ();
  Scan scan = { .at = data, .end = end, .open = open, .expect = EXPECT_VALUE, .error = error };
  const char *value_end;

  skip_space (&scan);
  if (scan.at == end)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "EOF");
      return NULL;
    }
  while (scan.expect != EXPECT_AFTER || open->len > 0)
    {
      skip_space (&scan);
      if (!scan_next (&scan))
        return NULL;
    }
  value_end = scan.at;
  skip_space (&scan);
  if (whole && scan.at < end)
    {
      refuse (&scan, "after top-level value");
      return NULL;
    }
  return value_end;
}
