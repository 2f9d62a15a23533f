/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-wire-json.h"

#include <stdlib.h>
#include <string.h>

#define SMALL_DUMP 1024

static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* jansson recurses once a level, so the depth is bounded before it sees the bytes. */
static bool
depth_is_bounded (const char *bytes, size_t size)
{
  size_t depth = 0;
  bool in_string = false;

  for (size_t i = 0; i < size; i++)
    {
      if (in_string && bytes[i] == '\\')
        i++;
      else if (bytes[i] == '"')
        in_string = !in_string;
      else if (!in_string && (bytes[i] == '{' || bytes[i] == '['))
        {
          if (++depth > ASB_WIRE_MAX_DEPTH)
            return false;
        }
      else if (!in_string && (bytes[i] == '}' || bytes[i] == ']') && depth > 0)
        depth--;
    }
  return true;
}

static bool
integers_are_bounded (const json_t *json)
{
  if (json_is_integer (json))
    {
      json_int_t value = json_integer_value (json);
      return value >= -ASB_WIRE_MAX_INTEGER && value <= ASB_WIRE_MAX_INTEGER;
    }
  if (json_is_array (json))
    {
      for (size_t i = 0; i < json_array_size (json); i++)
        if (!integers_are_bounded (json_array_get (json, i)))
          return false;
    }
  else if (json_is_object (json))
    {
      const char *key;
      json_t *value;

      json_object_foreach ((json_t *)json, key, value)
        if (!integers_are_bounded (value))
          return false;
    }
  return true;
}

json_t *
asb_wire_json_parse (const void *bytes, size_t size, const char **reason)
{
  json_error_t error;
  json_t *json;

  /* jansson overlooks a NUL after a number or a word. */
  if (size > 0 && memchr (bytes, '\0', size))
    {
      *reason = "JSON holds a NUL";
      return NULL;
    }
  if (!depth_is_bounded (bytes, size))
    {
      *reason = "JSON is nested too deeply";
      return NULL;
    }

  /* Without JSON_ALLOW_NUL jansson refuses an escaped NUL. */
  json = json_loadb (bytes, size, JSON_REJECT_DUPLICATES, &error);
  if (!json)
    *reason = "payload is not valid JSON";
  else if (!json_is_object (json))
    *reason = "payload is not a JSON object";
  else if (!integers_are_bounded (json))
    *reason = "JSON holds an integer out of range";
  else
    return json;

  json_decref (json);
  return NULL;
}

static bool
is_continuation (unsigned char byte)
{
  return (byte & 0xC0) == 0x80;
}

/* The length of the UTF-8 sequence at @bytes, 0 if it is none: shortest form only, no surrogates,
 * at most U+10FFFF. */
static size_t
sequence_length (const unsigned char *bytes, size_t size)
{
  unsigned char first = bytes[0];

  if (first >= 0x01 && first < 0x80)
    return 1;
  if (first >= 0xC2 && first <= 0xDF)
    return size >= 2 && is_continuation (bytes[1]) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF)
    {
      unsigned char low = first == 0xE0 ? 0xA0 : 0x80;
      unsigned char high = first == 0xED ? 0x9F : 0xBF;

      return size >= 3 && bytes[1] >= low && bytes[1] <= high && is_continuation (bytes[2]) ? 3 : 0;
    }
  if (first >= 0xF0 && first <= 0xF4)
    {
      unsigned char low = first == 0xF0 ? 0x90 : 0x80;
      unsigned char high = first == 0xF4 ? 0x8F : 0xBF;

      return size >= 4 && bytes[1] >= low && bytes[1] <= high && is_continuation (bytes[2])
                     && is_continuation (bytes[3])
                 ? 4
                 : 0;
    }
  return 0;
}

char *
asb_wire_json_dump (const json_t *json)
{
  char small[SMALL_DUMP];
  size_t size = json ? json_dumpb (json, small, sizeof small, JSON_COMPACT) : 0;
  char *text = size > 0 ? malloc (size + 1) : NULL;

  if (!text)
    return NULL;
  if (size <= sizeof small)
    memcpy (text, small, size);
  else if (json_dumpb (json, text, size, JSON_COMPACT) != size)
    {
      free (text);
      return NULL;
    }
  text[size] = '\0';
  return text;
}

bool
asb_wire_is_text (const char *bytes, size_t size)
{
  const unsigned char *at = (const unsigned char *)bytes;

  while (size > 0)
    {
      size_t length = sequence_length (at, size);

      if (length == 0)
        return false;
      at += length;
      size -= length;
    }
  return true;
}

json_t *
asb_wire_text_new (const char *bytes, size_t size)
{
  char *encoded;
  json_t *json;

  if (asb_wire_is_text (bytes, size))
    return json_stringn (bytes, size);

  encoded = asb_wire_base64_encode (bytes, size);
  if (!encoded)
    return NULL;
  json = json_pack ("{s:s}", "b64", encoded);
  free (encoded);
  return json;
}

static char *
dup_string (const json_t *json, size_t *size)
{
  size_t length = json_string_length (json);
  char *copy = malloc (length + 1);

  if (!copy)
    return NULL;
  memcpy (copy, json_string_value (json), length);
  copy[length] = '\0';
  *size = length;
  return copy;
}

char *
asb_wire_text_dup (const json_t *json, size_t max_size, size_t *size)
{
  const json_t *encoded = json_object_get (json, "b64");
  char *bytes = NULL;
  size_t length = 0;

  if (json_is_string (json))
    bytes = dup_string (json, &length);
  else if (json_is_string (encoded) && json_object_size (json) == 1)
    bytes = asb_wire_base64_decode (json_string_value (encoded), json_string_length (encoded),
                                    &length);

  if (!bytes || length > max_size || memchr (bytes, '\0', length))
    {
      free (bytes);
      return NULL;
    }
  if (size)
    *size = length;
  return bytes;
}

char *
asb_wire_base64_encode (const void *bytes, size_t size)
{
  const unsigned char *in = bytes;
  char *text = malloc ((size + 2) / 3 * 4 + 1);
  char *out = text;

  if (!text)
    return NULL;
  for (size_t i = 0; i < size; i += 3)
    {
      uint32_t group = (uint32_t)in[i] << 16;

      if (i + 1 < size)
        group |= (uint32_t)in[i + 1] << 8;
      if (i + 2 < size)
        group |= in[i + 2];
      *out++ = BASE64[group >> 18 & 63];
      *out++ = BASE64[group >> 12 & 63];
      *out++ = i + 1 < size ? BASE64[group >> 6 & 63] : '=';
      *out++ = i + 2 < size ? BASE64[group & 63] : '=';
    }
  *out = '\0';
  return text;
}

static int
digit_value (char digit)
{
  const char *found = digit ? strchr (BASE64, digit) : NULL;

  return found ? (int)(found - BASE64) : -1;
}

/* One group of four digits into at most three bytes: how many, or -1. Bits that are cut off must be
 * zero. */
static int
decode_group (const char *text, bool last, unsigned char *out)
{
  int padding = last ? (text[3] == '=') + (text[3] == '=' && text[2] == '=') : 0;
  uint32_t group = 0;

  for (int i = 0; i < 4; i++)
    {
      int value = i >= 4 - padding ? 0 : digit_value (text[i]);

      if (value < 0)
        return -1;
      group = group << 6 | (uint32_t)value;
    }
  if ((padding == 1 && group & 0xFF) || (padding == 2 && group & 0xFFFF))
    return -1;
  for (int i = 0; i < 3 - padding; i++)
    out[i] = (unsigned char)(group >> (16 - 8 * i));
  return 3 - padding;
}

void *
asb_wire_base64_decode (const char *text, size_t length, size_t *size)
{
  unsigned char *bytes;
  size_t used = 0;

  if (length % 4 != 0)
    return NULL;
  bytes = malloc (length / 4 * 3 + 1);
  if (!bytes)
    return NULL;
  for (size_t i = 0; i < length; i += 4)
    {
      int n = decode_group (text + i, i + 4 == length, bytes + used);

      if (n < 0)
        {
          free (bytes);
          return NULL;
        }
      used += (size_t)n;
    }
  bytes[used] = '\0';
  *size = used;
  return bytes;
}
