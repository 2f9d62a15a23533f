/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each message is parsed on its way through several processes. jansson reads byte by byte, so what
 * nearly all JSON consists of is read here, and the rest of strings and numbers given to jansson, a
 * token at a time. */

#include "asb-wire-json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Longer ones are rare, and are copied. */
#define SHORT_KEY 64

/* Any number of so many digits fits. */
#define SAFE_DIGITS 15

static const char INVALID[] = "payload is not valid JSON";

typedef struct
{
  const char *at;
  const char *end;
  const char *reason;
} Parser;

static json_t *parse_value (Parser *self, unsigned depth);

static json_t *
fail (Parser *self, const char *reason)
{
  if (!self->reason)
    self->reason = reason;
  return NULL;
}

static void
skip_space (Parser *self)
{
  while (self->at < self->end
         && (*self->at == ' ' || *self->at == '\n' || *self->at == '\r' || *self->at == '\t'))
    self->at++;
}

/* Steps over @byte, and the space around it. */
static bool
take (Parser *self, char byte)
{
  skip_space (self);
  if (self->at == self->end || *self->at != byte)
    return false;
  self->at++;
  skip_space (self);
  return true;
}

/* What is between @start and where we are. */
static json_t *
ask_jansson (Parser *self, const char *start)
{
  json_error_t error;
  json_t *json = json_loadb (start, (size_t)(self->at - start), JSON_DECODE_ANY, &error);

  return json ? json : fail (self, INVALID);
}

/* Steps over a string; false where it does not end, or holds what no string may. */
static bool
skip_string (Parser *self, bool *is_plain)
{
  *is_plain = true;
  for (self->at++; self->at < self->end && *self->at != '"'; self->at++)
    {
      if ((unsigned char)*self->at < 0x20)
        return false;
      if (*self->at != '\\')
        continue;
      if (++self->at == self->end)
        return false;
      *is_plain = false;
    }
  if (self->at == self->end)
    return false;
  self->at++;
  return true;
}

static json_t *
parse_string (Parser *self)
{
  const char *start = self->at;
  bool is_plain;
  size_t size;

  if (!skip_string (self, &is_plain))
    return fail (self, INVALID);
  if (!is_plain)
    return ask_jansson (self, start);
  size = (size_t)(self->at - start) - 2;
  if (!asb_wire_is_text (start + 1, size))
    return fail (self, INVALID);
  return json_stringn_nocheck (start + 1, size);
}

static bool
is_of_number (char byte)
{
  return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.' || byte == 'e'
         || byte == 'E';
}

static json_t *
check_range (Parser *self, json_t *number)
{
  json_int_t value = json_integer_value (number);

  if (value >= -ASB_WIRE_MAX_INTEGER && value <= ASB_WIRE_MAX_INTEGER)
    return number;
  json_decref (number);
  return fail (self, "JSON holds an integer out of range");
}

static json_t *
parse_number (Parser *self)
{
  const char *start = self->at;
  const char *digits = start + (*start == '-');
  json_int_t value = 0;
  bool is_plain = true;
  json_t *number;

  for (; self->at < self->end && is_of_number (*self->at); self->at++)
    {
      if (self->at < digits)
        continue;
      is_plain
          = is_plain && *self->at >= '0' && *self->at <= '9' && self->at - digits < SAFE_DIGITS;
      value = is_plain ? value * 10 + (*self->at - '0') : 0;
    }
  is_plain = is_plain && self->at > digits && (*digits != '0' || self->at == digits + 1);
  if (is_plain)
    return json_integer (digits > start ? -value : value);
  number = ask_jansson (self, start);
  return number ? check_range (self, number) : NULL;
}

static json_t *
parse_word (Parser *self)
{
  static const char *const WORDS[] = { "null", "true", "false" };
  size_t left = (size_t)(self->end - self->at);

  for (int i = 0; i < 3; i++)
    {
      size_t length = strlen (WORDS[i]);

      if (left < length || memcmp (self->at, WORDS[i], length) != 0)
        continue;
      self->at += length;
      return i == 0 ? json_null () : json_boolean (i == 1);
    }
  return fail (self, INVALID);
}

static json_t *
parse_array (Parser *self, unsigned depth)
{
  json_t *array = json_array ();
  bool done = take (self, '[');

  if (take (self, ']'))
    return array;
  do
    {
      json_t *value = parse_value (self, depth);

      done = value && json_array_append_new (array, value) == 0;
    }
  while (done && take (self, ','));
  if (done && take (self, ']'))
    return array;
  json_decref (array);
  return fail (self, INVALID);
}

static bool
add_value (Parser *self, json_t *object, const char *key, unsigned depth)
{
  json_t *value;

  if (json_object_get (object, key) || !take (self, ':'))
    return false;
  value = parse_value (self, depth);
  return value && json_object_set_new_nocheck (object, key, value) == 0;
}

static bool
parse_member (Parser *self, json_t *object, unsigned depth)
{
  char key[SHORT_KEY];
  const char *start = self->at;
  json_t *text;
  size_t size;
  bool is_plain;
  bool done;

  if (self->at == self->end || *self->at != '"' || !skip_string (self, &is_plain))
    return false;
  size = (size_t)(self->at - start) - 2;
  if (is_plain && size < sizeof key && asb_wire_is_text (start + 1, size))
    {
      memcpy (key, start + 1, size);
      key[size] = '\0';
      return add_value (self, object, key, depth);
    }
  text = ask_jansson (self, start);
  done = text && add_value (self, object, json_string_value (text), depth);
  json_decref (text);
  return done;
}

static json_t *
parse_object (Parser *self, unsigned depth)
{
  json_t *object = json_object ();
  bool done = take (self, '{');

  if (take (self, '}'))
    return object;
  do
    done = parse_member (self, object, depth);
  while (done && take (self, ','));
  if (done && take (self, '}'))
    return object;
  json_decref (object);
  return fail (self, INVALID);
}

static json_t *
parse_value (Parser *self, unsigned depth)
{
  char first = self->at < self->end ? *self->at : '\0';

  if ((first == '{' || first == '[') && depth == ASB_WIRE_MAX_DEPTH)
    return fail (self, "JSON is nested too deeply");
  if (first == '{')
    return parse_object (self, depth + 1);
  if (first == '[')
    return parse_array (self, depth + 1);
  if (first == '"')
    return parse_string (self);
  return first == '-' || (first >= '0' && first <= '9') ? parse_number (self) : parse_word (self);
}

static json_t *
parse_all (Parser *self)
{
  json_t *json;

  skip_space (self);
  if (self->at == self->end || (*self->at != '{' && *self->at != '['))
    return fail (self, INVALID);
  json = parse_value (self, 0);
  skip_space (self);
  if (json && self->at == self->end)
    return json;
  json_decref (json);
  return fail (self, INVALID);
}

json_t *
asb_wire_json_parse (const void *bytes, size_t size, const char **reason)
{
  Parser self = { .at = bytes, .end = (const char *)bytes + size };
  json_t *json;

  /* jansson overlooks a NUL after a number or a word. */
  if (size > 0 && memchr (bytes, '\0', size))
    {
      *reason = "JSON holds a NUL";
      return NULL;
    }
  json = size > 0 ? parse_all (&self) : fail (&self, INVALID);
  if (json_is_object (json))
    return json;
  if (json)
    *reason = "payload is not a JSON object";
  else
    *reason = self.reason ? self.reason : INVALID;
  json_decref (json);
  return NULL;
}
