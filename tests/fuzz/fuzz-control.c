/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Control payloads, and the texts in them. */

#include "fuzz.h"

#include "asb-wire-json.h"
#include "stand-ins.h"

#define MAX_TEXT 1000
#define MAX_FAILING 8

static void check_value (const json_t *json, unsigned depth);

/* What was decoded is the same when it comes back. */
static void
check_text (const json_t *json)
{
  size_t size = MAX_TEXT + 1;
  char *bytes = asb_wire_text_dup (json, MAX_TEXT, &size);
  size_t back_size = 0;
  json_t *again;
  char *back;

  if (!bytes)
    return;
  FUZZ_CHECK (size <= MAX_TEXT && strlen (bytes) == size);
  again = asb_wire_text_new (bytes, size);
  FUZZ_CHECK (again && json_is_string (again) == asb_wire_is_text (bytes, size));
  back = asb_wire_text_dup (again, MAX_TEXT, &back_size);
  FUZZ_CHECK (back && back_size == size && memcmp (back, bytes, size) == 0);
  FUZZ_CHECK (json_is_string (again) || json_equal (json, again));
  json_decref (again);
  free (back);
  free (bytes);
}

static void
check_base64 (const char *text, size_t length)
{
  size_t size = 0;
  void *bytes = asb_wire_base64_decode (text, length, &size);
  char *again;

  if (!bytes)
    return;
  again = asb_wire_base64_encode (bytes, size);
  FUZZ_CHECK (strlen (again) == length && memcmp (again, text, length) == 0);
  free (again);
  free (bytes);
}

static void
check_object (const json_t *json, unsigned depth)
{
  const char *key;
  json_t *value;

  json_object_foreach ((json_t *)json, key, value)
    {
      FUZZ_CHECK (asb_wire_is_text (key, strlen (key)));
      check_value (value, depth);
    }
}

static void
check_value (const json_t *json, unsigned depth)
{
  if (json_is_object (json) || json_is_array (json))
    FUZZ_CHECK (depth <= ASB_WIRE_MAX_DEPTH);
  if (json_is_integer (json))
    FUZZ_CHECK (json_integer_value (json) >= -ASB_WIRE_MAX_INTEGER
                && json_integer_value (json) <= ASB_WIRE_MAX_INTEGER);
  if (json_is_string (json))
    {
      FUZZ_CHECK (asb_wire_is_text (json_string_value (json), json_string_length (json)));
      check_base64 (json_string_value (json), json_string_length (json));
    }
  for (size_t i = 0; i < json_array_size (json); i++)
    check_value (json_array_get (json, i), depth + 1);
  if (json_is_object (json))
    check_object (json, depth + 1);
  check_text (json);
}

static void
check_round_trip (const json_t *json)
{
  const char *reason = NULL;
  char *text = asb_wire_json_dump (json);
  json_t *again = asb_wire_json_parse (text, strlen (text), &reason);

  FUZZ_CHECK (again && json_equal (json, again));
  json_decref (again);
  /* Without memory there is all or nothing. */
  for (unsigned i = 1; i <= MAX_FAILING; i++)
    {
      char *less;

      stand_ins.failing_allocation = i;
      less = asb_wire_json_dump (json);
      stand_ins.failing_allocation = 0;
      FUZZ_CHECK (!less || strcmp (less, text) == 0);
      free (less);
    }
  free (text);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *reason = NULL;
  json_t *json;

  stand_ins_reset ();
  json = asb_wire_json_parse (data, size, &reason);

  FUZZ_CHECK ((json == NULL) == (reason != NULL));
  if (json)
    {
      FUZZ_CHECK (json_is_object (json) && !memchr (data, '\0', size));
      check_value (json, 1);
      check_round_trip (json);
    }
  json_decref (json);

  check_base64 ((const char *)data, size);
  return 0;
}
