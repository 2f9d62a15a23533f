/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-json.h"

#include "asb-wire-json.h"
#include "history-text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 17
#define MAX_TEXT (1024 * 1024)

static const char *
short_escape (unsigned char byte)
{
  switch (byte)
    {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return NULL;
    }
}

static void
append_string (HistoryBuffer *buffer, const char *text, size_t size)
{
  size_t start = 0;

  history_buffer_append (buffer, "\"", 1);
  for (size_t i = 0; i < size; i++)
    {
      unsigned char byte = (unsigned char)text[i];
      const char *escape = short_escape (byte);
      char code[8];

      if (!escape && byte >= 0x20)
        continue;
      snprintf (code, sizeof code, "\\u%04x", byte);
      history_buffer_append (buffer, text + start, i - start);
      history_buffer_append_text (buffer, escape ? escape : code);
      start = i + 1;
    }
  history_buffer_append (buffer, text + start, size - start);
  history_buffer_append (buffer, "\"", 1);
}

/* The fewest digits that read back as @value: "d.ddde±xx" into @digits without the point, and the
 * exponent. */
static int
shortest_digits (double value, char digits[MAX_DIGITS + 1])
{
  char text[40];
  size_t n = 0;

  for (int precision = 0; precision < MAX_DIGITS; precision++)
    {
      snprintf (text, sizeof text, "%.*e", precision, value);
      if (strtod (text, NULL) == value)
        break;
    }
  for (const char *at = text; *at != 'e'; at++)
    if (*at != '.')
      digits[n++] = *at;
  while (n > 1 && digits[n - 1] == '0')
    n--;
  digits[n] = '\0';
  return atoi (strchr (text, 'e') + 1);
}

static void
append_zeros (HistoryBuffer *buffer, int n)
{
  for (int i = 0; i < n; i++)
    history_buffer_append (buffer, "0", 1);
}

static void
append_fixed (HistoryBuffer *buffer, const char *digits, int exponent)
{
  int n = (int)strlen (digits);
  int whole = exponent + 1;

  if (whole <= 0)
    {
      history_buffer_append_text (buffer, "0.");
      append_zeros (buffer, -whole);
      history_buffer_append_text (buffer, digits);
    }
  else if (n <= whole)
    {
      history_buffer_append_text (buffer, digits);
      append_zeros (buffer, whole - n);
      history_buffer_append_text (buffer, ".0");
    }
  else
    {
      history_buffer_append (buffer, digits, (size_t)whole);
      history_buffer_append_text (buffer, ".");
      history_buffer_append_text (buffer, digits + whole);
    }
}

static void
append_scientific (HistoryBuffer *buffer, const char *digits, int exponent)
{
  char text[16];

  history_buffer_append (buffer, digits, 1);
  if (digits[1])
    history_buffer_append_text (buffer, ".");
  history_buffer_append_text (buffer, digits + 1);
  snprintf (text, sizeof text, "e%+03d", exponent);
  history_buffer_append_text (buffer, text);
}

static void
append_real (HistoryBuffer *buffer, double value)
{
  char digits[MAX_DIGITS + 1];
  int exponent = shortest_digits (fabs (value), digits);

  if (signbit (value))
    history_buffer_append_text (buffer, "-");
  if (exponent >= -4 && exponent < 16)
    append_fixed (buffer, digits, exponent);
  else
    append_scientific (buffer, digits, exponent);
}

static int
compare_keys (const void *a, const void *b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
append_object (HistoryBuffer *buffer, const json_t *object)
{
  size_t n = json_object_size (object);
  const char **keys = history_allocate (n, sizeof (char *));
  size_t i = 0;

  for (void *at = json_object_iter ((json_t *)object); at;
       at = json_object_iter_next ((json_t *)object, at))
    keys[i++] = json_object_iter_key (at);
  qsort (keys, n, sizeof (char *), compare_keys);

  history_buffer_append (buffer, "{", 1);
  for (i = 0; i < n; i++)
    {
      if (i > 0)
        history_buffer_append (buffer, ",", 1);
      append_string (buffer, keys[i], strlen (keys[i]));
      history_buffer_append (buffer, ":", 1);
      history_json_append (buffer, json_object_get (object, keys[i]));
    }
  history_buffer_append (buffer, "}", 1);
  free (keys);
}

static void
append_array (HistoryBuffer *buffer, const json_t *array)
{
  history_buffer_append (buffer, "[", 1);
  for (size_t i = 0; i < json_array_size (array); i++)
    {
      if (i > 0)
        history_buffer_append (buffer, ",", 1);
      history_json_append (buffer, json_array_get (array, i));
    }
  history_buffer_append (buffer, "]", 1);
}

static void
append_integer (HistoryBuffer *buffer, json_int_t value)
{
  char text[32];

  snprintf (text, sizeof text, "%" JSON_INTEGER_FORMAT, value);
  history_buffer_append_text (buffer, text);
}

void
history_json_append (HistoryBuffer *buffer, const json_t *json)
{
  switch (json ? json_typeof (json) : JSON_NULL)
    {
    case JSON_OBJECT:
      append_object (buffer, json);
      break;
    case JSON_ARRAY:
      append_array (buffer, json);
      break;
    case JSON_STRING:
      append_string (buffer, json_string_value (json), json_string_length (json));
      break;
    case JSON_INTEGER:
      append_integer (buffer, json_integer_value (json));
      break;
    case JSON_REAL:
      append_real (buffer, json_real_value (json));
      break;
    case JSON_TRUE:
      history_buffer_append_text (buffer, "true");
      break;
    case JSON_FALSE:
      history_buffer_append_text (buffer, "false");
      break;
    default:
      history_buffer_append_text (buffer, "null");
    }
}

char *
history_json_canonical (const json_t *json)
{
  HistoryBuffer buffer = { 0 };

  history_json_append (&buffer, json);
  history_buffer_append (&buffer, "", 1);
  return buffer.data;
}

json_t *
history_json_text (const char *text)
{
  char *valid = history_text_replace (text, strlen (text), NULL);
  json_t *json = json_string (valid);

  free (valid);
  return json;
}

static bool
is_absent (const json_t *value)
{
  return !value || json_is_null (value);
}

static bool
missing (const char *name, HistoryError *error)
{
  return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” is missing", name);
}

bool
history_json_get_text (const json_t *object, const char *name, bool required, size_t max_characters,
                       const char **text, HistoryError *error)
{
  const json_t *value = json_object_get (object, name);

  *text = NULL;
  if (is_absent (value))
    return required ? missing (name, error) : true;
  if (!json_is_string (value))
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must be a string", name);
  if (required && json_string_length (value) == 0)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must not be empty", name);
  if (history_text_length (json_string_value (value), json_string_length (value)) > max_characters)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” is longer than %zu characters",
                              name, max_characters);
  *text = json_string_value (value);
  return true;
}

bool
history_json_get_integer (const json_t *object, const char *name, int64_t minimum, int64_t maximum,
                          int64_t *value, HistoryError *error)
{
  const json_t *member = json_object_get (object, name);
  int64_t given;

  if (is_absent (member))
    return true;
  if (!json_is_integer (member))
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must be an integer", name);
  given = json_integer_value (member);
  if (given < minimum || given > maximum)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must be between %lld and %lld",
                              name, (long long)minimum, (long long)maximum);
  *value = given;
  return true;
}

bool
history_json_get_object (const json_t *object, const char *name, bool required,
                         const json_t **value, HistoryError *error)
{
  const json_t *member = json_object_get (object, name);

  *value = NULL;
  if (is_absent (member))
    return required ? missing (name, error) : true;
  if (!json_is_object (member))
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must be an object", name);
  *value = member;
  return true;
}

bool
history_json_get_bytes (const json_t *object, const char *name, HistoryText *text,
                        HistoryError *error)
{
  const json_t *value = json_object_get (object, name);
  size_t size = 0;
  char *bytes = is_absent (value) ? NULL : asb_wire_text_dup (value, MAX_TEXT, &size);

  *text = (HistoryText){ 0 };
  if (is_absent (value))
    return missing (name, error);
  if (!bytes)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must be a text", name);
  if (asb_wire_is_text (bytes, size))
    {
      text->text = bytes;
      return true;
    }
  text->text = history_text_replace (bytes, size, NULL);
  text->raw = bytes;
  text->raw_size = size;
  return true;
}

void
history_text_clear (HistoryText *text)
{
  free (text->text);
  free (text->raw);
  *text = (HistoryText){ 0 };
}
