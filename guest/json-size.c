/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json-size.h"

#include <string.h>

/* Of jansson 2.14 on machines of 64 bits, with what malloc () adds. */
#define SIZE_OF_NUMBER 32
#define SIZE_OF_STRING 64
#define SIZE_OF_ARRAY 128
#define SIZE_OF_OBJECT 256
#define SIZE_OF_ITEM (2 * sizeof (json_t *))
#define SIZE_OF_MEMBER 112

static size_t
size_of_array (const json_t *array)
{
  size_t size = SIZE_OF_ARRAY + json_array_size (array) * SIZE_OF_ITEM;

  for (size_t i = 0; i < json_array_size (array); i++)
    size += json_size (json_array_get (array, i));
  return size;
}

static size_t
size_of_object (const json_t *object)
{
  size_t size = SIZE_OF_OBJECT;
  const char *name;
  size_t length;
  json_t *value;

  json_object_keylen_foreach ((json_t *)object, name, length, value) size
      += SIZE_OF_MEMBER + length + json_size (value);
  return size;
}

size_t
json_size (const json_t *json)
{
  switch (json ? json_typeof (json) : JSON_NULL)
    {
    case JSON_OBJECT:
      return size_of_object (json);
    case JSON_ARRAY:
      return size_of_array (json);
    case JSON_STRING:
      return SIZE_OF_STRING + json_string_length (json);
    case JSON_INTEGER:
    case JSON_REAL:
      return SIZE_OF_NUMBER;
    default:
      return 0;
    }
}
