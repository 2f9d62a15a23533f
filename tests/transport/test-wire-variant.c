/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "peer.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const char *name;
  const char *variant;
  const char *json; /* NULL: refused */
  const char *back; /* NULL: the same as variant */
} Case;

static const Case CASES[] = {
  { "empty", "@a{sv} {}", "{}", NULL },
  { "string", "{'a': <'grün'>}", "{\"a\":\"grün\"}", NULL },
  { "empty-string", "{'a': <''>}", "{\"a\":\"\"}", NULL },
  { "integers",
    "{'y': <byte 0x07>, 'n': <int16 -8>, 'q': <uint16 9>, 'i': <-10>, 'u': <uint32 11>,"
    " 'x': <int64 -12>, 't': <uint64 13>}",
    "{\"y\":7,\"n\":-8,\"q\":9,\"i\":-10,\"u\":11,\"x\":-12,\"t\":13}",
    "{'y': <int64 7>, 'n': <int64 -8>, 'q': <int64 9>, 'i': <int64 -10>, 'u': <int64 11>,"
    " 'x': <int64 -12>, 't': <int64 13>}" },
  { "largest", "{'a': <int64 9007199254740991>, 'b': <int64 -9007199254740991>}",
    "{\"a\":9007199254740991,\"b\":-9007199254740991}", NULL },
  { "too-large", "{'a': <int64 9007199254740992>}", NULL, NULL },
  { "too-small", "{'a': <int64 -9007199254740992>}", NULL, NULL },
  { "unsigned-too-large", "{'a': <uint64 18446744073709551615>}", NULL, NULL },
  { "double", "{'a': <1.5>, 'b': <2.0>}", "{\"a\":1.5,\"b\":2.0}", NULL },
  { "boolean", "{'a': <true>, 'b': <false>}", "{\"a\":true,\"b\":false}", NULL },
  { "bytes", "{'a': <[byte 0x00, 0xff]>, 'b': <@ay []>}",
    "{\"a\":{\"b64\":\"AP8=\"},\"b\":{\"b64\":\"\"}}", NULL },
  { "null", "{'a': <@mv nothing>}", "{\"a\":null}", NULL },
  { "just", "{'a': <@ms 'x'>}", "{\"a\":\"x\"}", "{'a': <'x'>}" },
  { "strings", "{'a': <['x', 'y']>}", "{\"a\":[\"x\",\"y\"]}", "{'a': <[<'x'>, <'y'>]>}" },
  { "array", "{'a': <[<'x'>, <int64 1>, <@mv nothing>]>}", "{\"a\":[\"x\",1,null]}", NULL },
  { "empty-array", "{'a': <@av []>}", "{\"a\":[]}", NULL },
  { "map", "{'a': <{'k': 'v'}>}", "{\"a\":{\"k\":\"v\"}}", "{'a': <{'k': <'v'>}>}" },
  { "nested", "{'a': <{'b': <{'c': <int64 1>}>}>}", "{\"a\":{\"b\":{\"c\":1}}}", NULL },
  { "variants", "{'a': <<<'x'>>>}", "{\"a\":\"x\"}", "{'a': <'x'>}" },
  { "path", "{'a': <objectpath '/x'>}", "{\"a\":\"/x\"}", "{'a': <'/x'>}" },
  { "tuple", "{'a': <('x', 'y')>}", NULL, NULL },
  { "handle", "{'a': <handle 1>}", NULL, NULL },
  { "numbers-as-keys", "{'a': <{1: 'x'}>}", NULL, NULL },
  { "refused-inside", "{'a': <[<{'b': <('x',)>}>]>}", NULL, NULL },
};

static char *
dump (const json_t *json)
{
  char *text = json_dumps (json, JSON_COMPACT);
  char *copy = g_strdup (text);

  free (text);
  return copy;
}

static void
test_case (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) variant = g_variant_parse (NULL, test->variant, NULL, NULL, &error);
  g_autoptr (GVariant) expected = NULL;
  g_autoptr (GVariant) back = NULL;
  g_autoptr (json_t) json = NULL;
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  json = asb_wire_variant_to_json (variant, &error);
  if (!test->json)
    {
      g_assert_null (json);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      return;
    }
  g_assert_no_error (error);
  text = dump (json);
  g_assert_cmpstr (text, ==, test->json);

  expected = g_variant_parse (NULL, test->back ? test->back : test->variant, NULL, NULL, &error);
  g_assert_no_error (error);
  back = g_variant_ref_sink (asb_wire_variant_from_json (json, &error));
  g_assert_no_error (error);
  g_assert_true (g_variant_is_of_type (back, G_VARIANT_TYPE_VARDICT));
  g_assert_true (g_variant_equal (back, expected));
}

static void
test_not_finite (void)
{
  static const double numbers[] = { NAN, INFINITY, -INFINITY };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (GVariant) variant = g_variant_ref_sink (g_variant_new_double (numbers[i]));
      g_autoptr (GError) error = NULL;

      g_assert_null (asb_wire_variant_to_json (variant, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
}

static GVariant *
nested_variant (guint depth)
{
  GVariant *variant = g_variant_new_int64 (1);

  for (guint i = 0; i < depth; i++)
    variant = g_variant_new_parsed ("{'a': %v}", variant);
  return g_variant_ref_sink (variant);
}

static json_t *
nested_json (guint depth, gboolean array)
{
  json_t *json = json_integer (1);

  for (guint i = 0; i < depth; i++)
    json = array ? json_pack ("[o]", json) : json_pack ("{s:o}", "a", json);
  return json;
}

static void
test_depth (void)
{
  guint most = ASB_WIRE_VARIANT_MAX_DEPTH - 1;
  g_autoptr (GVariant) deep = nested_variant (most);
  g_autoptr (GVariant) deeper = nested_variant (most + 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) json = asb_wire_variant_to_json (deep, &error);

  g_assert_no_error (error);
  g_assert_null (asb_wire_variant_to_json (deeper, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);

  for (int array = 0; array < 2; array++)
    {
      g_autoptr (json_t) allowed = nested_json (most, array);
      g_autoptr (json_t) refused = nested_json (most + 1, array);
      g_autoptr (GVariant) variant = NULL;
      g_autoptr (GVariant) copy = NULL;

      g_clear_error (&error);
      variant = g_variant_ref_sink (asb_wire_variant_from_json (allowed, &error));
      g_assert_no_error (error);
      /* GLib can take it apart again, to the last level. */
      copy = g_variant_get_normal_form (variant);
      g_assert_true (g_variant_equal (copy, variant));
      g_assert_null (asb_wire_variant_from_json (refused, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
    }
}

/* Variants in variants are no levels. */
static void
test_wrapped (void)
{
  GVariant *variant = g_variant_new_string ("x");
  g_autoptr (GVariant) wrapped = NULL;
  g_autoptr (json_t) json = NULL;

  for (int i = 0; i < 60; i++)
    variant = g_variant_new_variant (variant);
  wrapped = g_variant_ref_sink (variant);
  json = asb_wire_variant_to_json (wrapped, NULL);
  g_assert_cmpstr (json_string_value (json), ==, "x");
}

static void
test_size (void)
{
  g_autoptr (json_t) json = json_array ();
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < ASB_WIRE_VARIANT_MAX_NODES - 1; i++)
    json_array_append_new (json, json_true ());
  variant = g_variant_ref_sink (asb_wire_variant_from_json (json, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (g_variant_n_children (variant), ==, ASB_WIRE_VARIANT_MAX_NODES - 1);
  json_array_append_new (json, json_true ());
  g_assert_null (asb_wire_variant_from_json (json, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

/* An object that only looks like bytes stays an object, and so does the one at the top. */
static void
test_not_bytes (void)
{
  static const char *const texts[] = {
    "{\"a\":{\"b64\":\"A\"}}",
    "{\"a\":{\"b64\":1}}",
    "{\"a\":{\"b64\":\"AA==\",\"c\":1}}",
    "{\"b64\":\"AA==\"}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (json_t) json = json_loads (texts[i], 0, NULL);
      g_autoptr (GVariant) variant = g_variant_ref_sink (asb_wire_variant_from_json (json, NULL));
      g_autoptr (json_t) back = asb_wire_variant_to_json (variant, NULL);

      g_assert_true (g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT));
      g_assert_true (json_equal (json, back));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (CASES); i++)
    {
      g_autofree char *path = g_strdup_printf ("/wire-variant/case/%s", CASES[i].name);

      g_test_add_data_func (path, &CASES[i], test_case);
    }
  g_test_add_func ("/wire-variant/not-finite", test_not_finite);
  g_test_add_func ("/wire-variant/depth", test_depth);
  g_test_add_func ("/wire-variant/wrapped", test_wrapped);
  g_test_add_func ("/wire-variant/size", test_size);
  g_test_add_func ("/wire-variant/not-bytes", test_not_bytes);

  return g_test_run ();
}
