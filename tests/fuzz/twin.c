/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "twin.h"

#include <jansson.h>

Twin *
twin_parse (const char *text, size_t size)
{
  return json_loadb (text, size, JSON_DECODE_ANY, NULL);
}

void
twin_free (Twin *twin)
{
  json_decref (twin);
}

TwinKind
twin_kind (const Twin *twin)
{
  switch (json_typeof (twin))
    {
    case JSON_OBJECT:
      return TWIN_OBJECT;
    case JSON_ARRAY:
      return TWIN_ARRAY;
    case JSON_STRING:
      return TWIN_STRING;
    case JSON_INTEGER:
      return TWIN_INTEGER;
    case JSON_REAL:
      return TWIN_REAL;
    case JSON_NULL:
      return TWIN_NULL;
    default:
      return TWIN_BOOLEAN;
    }
}

bool
twin_boolean (const Twin *twin)
{
  return json_is_true (twin);
}

int64_t
twin_integer (const Twin *twin)
{
  return json_integer_value (twin);
}

double
twin_real (const Twin *twin)
{
  return json_real_value (twin);
}

const char *
twin_string (const Twin *twin)
{
  return json_string_value (twin);
}

size_t
twin_size (const Twin *twin)
{
  return json_is_object (twin) ? json_object_size (twin) : json_array_size (twin);
}

const Twin *
twin_item (const Twin *twin, size_t index)
{
  return json_array_get (twin, index);
}

const Twin *
twin_member (const Twin *twin, const char *name)
{
  return json_object_get (twin, name);
}
