/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-json-check.h"

#include <math.h>
#include <string.h>

#include "asb-error-private.h"

/* More digits than any number of a server has; what strtod gets is copied to a buffer of this size.
 */
#define MAX_NUMBER_LENGTH 128

typedef struct
{
  const char *start;
  const char *at;
  const char *end;
  const char *fault; /* what is wrong at @at */
} AsbJsonCursor;

static gboolean
fail (AsbJsonCursor *cursor, const char *fault)
{
  cursor->fault = fault;
  return FALSE;
}

static char
peek (const AsbJsonCursor *cursor)
{
  /* NUL is no part of any JSON text, so it can stand for the end. */
  return cursor->at < cursor->end ? *cursor->at : '\0';
}

static void
skip_space (AsbJsonCursor *cursor)
{
  while (cursor->at < cursor->end && *cursor->at && strchr (" \t\r\n", *cursor->at))
    cursor->at++;
}

static gboolean
take (AsbJsonCursor *cursor, char wanted)
{
  if (peek (cursor) != wanted)
    return FALSE;
  cursor->at++;
  return TRUE;
}

static gboolean
check_word (AsbJsonCursor *cursor, const char *word)
{
  gsize length = strlen (word);

  if ((gsize)(cursor->end - cursor->at) < length || memcmp (cursor->at, word, length) != 0)
    return fail (cursor, "a value was expected");
  cursor->at += length;
  return TRUE;
}

/* Strings. */

static gboolean
read_hex (AsbJsonCursor *cursor, guint *unit)
{
  *unit = 0;
  for (int i = 0; i < 4; i++)
    {
      int digit = g_ascii_xdigit_value (peek (cursor));

      if (digit < 0)
        return fail (cursor, "an escape needs four hexadecimal digits");
      *unit = *unit << 4 | (guint)digit;
      cursor->at++;
    }
  return TRUE;
}

static gboolean
check_unicode_escape (AsbJsonCursor *cursor)
{
  guint unit;

  if (!read_hex (cursor, &unit))
    return FALSE;
  if (unit == 0)
    return fail (cursor, "a string must not hold an escaped NUL");
  if (unit >= 0xDC00 && unit <= 0xDFFF)
    return fail (cursor, "half a surrogate pair");
  if (unit < 0xD800 || unit > 0xDBFF)
    return TRUE;
  if (!take (cursor, '\\') || !take (cursor, 'u') || !read_hex (cursor, &unit))
    return fail (cursor, "half a surrogate pair");
  return unit >= 0xDC00 && unit <= 0xDFFF ? TRUE : fail (cursor, "half a surrogate pair");
}

static gboolean
check_escape (AsbJsonCursor *cursor)
{
  char kind = peek (cursor);

  if (kind == '\0' || !strchr ("\"\\/bfnrtu", kind))
    return fail (cursor, "an unknown escape");
  cursor->at++;
  return kind == 'u' ? check_unicode_escape (cursor) : TRUE;
}

static gboolean
check_string (AsbJsonCursor *cursor)
{
  if (!take (cursor, '"'))
    return fail (cursor, "a string was expected");
  while (cursor->at < cursor->end)
    {
      guchar byte = (guchar)*cursor->at++;

      if (byte == '"')
        return TRUE;
      if (byte < 0x20)
        return fail (cursor, "a string must not hold a control character");
      if (byte == '\\' && !check_escape (cursor))
        return FALSE;
    }
  return fail (cursor, "a string has no end");
}

/* Numbers. */

static gsize
skip_digits (AsbJsonCursor *cursor)
{
  const char *first = cursor->at;

  while (g_ascii_isdigit (peek (cursor)))
    cursor->at++;
  return (gsize)(cursor->at - first);
}

static gboolean
check_number_grammar (AsbJsonCursor *cursor, gboolean *is_integer)
{
  *is_integer = TRUE;
  take (cursor, '-');
  if (take (cursor, '0'))
    {
      if (g_ascii_isdigit (peek (cursor)))
        return fail (cursor, "a number must not begin with 0");
    }
  else if (skip_digits (cursor) == 0)
    return fail (cursor, "a value was expected");

  if (take (cursor, '.'))
    {
      *is_integer = FALSE;
      if (skip_digits (cursor) == 0)
        return fail (cursor, "digits must follow the point");
    }
  if (take (cursor, 'e') || take (cursor, 'E'))
    {
      *is_integer = FALSE;
      if (!take (cursor, '+'))
        take (cursor, '-');
      if (skip_digits (cursor) == 0)
        return fail (cursor, "an exponent needs digits");
    }
  return TRUE;
}

static gboolean
check_number (AsbJsonCursor *cursor)
{
  const char *first = cursor->at;
  char number[MAX_NUMBER_LENGTH + 1];
  gboolean is_integer;
  gsize length;
  gint64 integer;

  if (!check_number_grammar (cursor, &is_integer))
    return FALSE;
  length = (gsize)(cursor->at - first);
  if (length > MAX_NUMBER_LENGTH)
    return fail (cursor, "a number is too long");
  memcpy (number, first, length);
  number[length] = '\0';
  if (is_integer && !g_ascii_string_to_signed (number, 10, G_MININT64, G_MAXINT64, &integer, NULL)
      && !g_str_equal (number, "-0"))
    return fail (cursor, "an integer is out of range");
  if (!is_integer && !isfinite (g_ascii_strtod (number, NULL)))
    return fail (cursor, "a number is out of range");
  return TRUE;
}

/* Values: one level of arrays and objects a bit, no recursion. */

typedef struct
{
  guint depth;
  gboolean is_object[ASB_JSON_MAX_DEPTH];
} AsbJsonNesting;

static gboolean
check_scalar (AsbJsonCursor *cursor)
{
  switch (peek (cursor))
    {
    case '"':
      return check_string (cursor);
    case 't':
      return check_word (cursor, "true");
    case 'f':
      return check_word (cursor, "false");
    case 'n':
      return check_word (cursor, "null");
    default:
      return check_number (cursor);
    }
}

static gboolean
check_key (AsbJsonCursor *cursor)
{
  skip_space (cursor);
  if (!check_string (cursor))
    return FALSE;
  skip_space (cursor);
  return take (cursor, ':') ? TRUE : fail (cursor, "a colon was expected");
}

/* Goes into an array or object. *@is_empty: it was left again. */
static gboolean
enter (AsbJsonCursor *cursor, AsbJsonNesting *nesting, gboolean is_object, gboolean *is_empty)
{
  if (nesting->depth == ASB_JSON_MAX_DEPTH)
    return fail (cursor, "nested too deeply");
  cursor->at++;
  skip_space (cursor);
  *is_empty = take (cursor, is_object ? '}' : ']');
  if (*is_empty)
    return TRUE;
  nesting->is_object[nesting->depth++] = is_object;
  return is_object ? check_key (cursor) : TRUE;
}

/* After a value: leaves what ends here, and stands before the next value unless nothing is left. */
static gboolean
leave (AsbJsonCursor *cursor, AsbJsonNesting *nesting)
{
  while (nesting->depth > 0)
    {
      gboolean is_object = nesting->is_object[nesting->depth - 1];

      skip_space (cursor);
      if (take (cursor, ','))
        return is_object ? check_key (cursor) : TRUE;
      if (!take (cursor, is_object ? '}' : ']'))
        return fail (cursor, "a comma or the end of an array or object was expected");
      nesting->depth--;
    }
  return TRUE;
}

static gboolean
check_value (AsbJsonCursor *cursor)
{
  AsbJsonNesting nesting = { 0 };

  do
    {
      gboolean is_whole = TRUE;
      char first;

      skip_space (cursor);
      first = peek (cursor);
      if (first == '{' || first == '[')
        {
          if (!enter (cursor, &nesting, first == '{', &is_whole))
            return FALSE;
        }
      else if (!check_scalar (cursor))
        return FALSE;
      if (is_whole && !leave (cursor, &nesting))
        return FALSE;
    }
  while (nesting.depth > 0);
  return TRUE;
}

static gboolean
check_text (AsbJsonCursor *cursor)
{
  const char *invalid;

  if (!g_utf8_validate_len (cursor->at, (gsize)(cursor->end - cursor->at), &invalid))
    {
      cursor->at = invalid;
      return fail (cursor, "not valid UTF-8");
    }
  if (!check_value (cursor))
    return FALSE;
  skip_space (cursor);
  return cursor->at == cursor->end ? TRUE : fail (cursor, "something follows the value");
}

/**
 * asb_json_check:
 * @data: (array length=size) (element-type guint8): what a server sent
 * @size: its length in bytes, or −1 if it ends with NUL
 * @error: return location for an error
 *
 * Checks that bytes nobody has looked at yet are exactly one JSON value, as RFC 8259 has it, that a
 * parser can be given without harm: valid UTF-8, nested at most %ASB_JSON_MAX_DEPTH levels deep, no
 * comments, no escaped NUL, no half surrogate pairs, integers that fit 64 bits, other numbers
 * finite.
 *
 * How large the text may be is for the caller to bound, before reading it.
 *
 * Returns: whether it is; %ASB_ERROR_PROTOCOL with the position otherwise
 *
 * Since: 1.0
 */
gboolean
asb_json_check (const char *data, gssize size, GError **error)
{
  AsbJsonCursor cursor = { 0 };

  g_return_val_if_fail (data != NULL || size == 0, FALSE);

  cursor.start = cursor.at = data ? data : "";
  cursor.end = cursor.start + (size < 0 ? (gssize)strlen (data) : size);
  if (check_text (&cursor))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
               "The text is no JSON, at byte %" G_GSIZE_FORMAT ": %s",
               (gsize)(cursor.at - cursor.start), cursor.fault);
  return asb_error_info_note (error);
}
