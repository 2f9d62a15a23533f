/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a control payload may hold (docs/guest-protocol.md §1). */

#include <glib.h>
#include <jansson.h>
#include <string.h>

#include "asb-wire-json.h"

typedef struct
{
  const char *name;
  const char *json;
  gsize size; /* 0: up to the NUL */
} Case;

#define BYTES(literal) literal, sizeof literal - 1

static const Case ACCEPTED[] = {
  { "empty", "{}" },
  { "space", " \t\r\n{ \t\r\n} \t\r\n" },
  { "values",
    "{\"a\":null,\"b\":true,\"c\":false,\"d\":1,\"e\":1.5,\"f\":\"\",\"g\":[],\"h\":{}}" },
  { "largest", "{\"a\":9007199254740991}" },
  { "smallest", "{\"a\":-9007199254740991}" },
  { "largest-inside", "{\"a\":[{\"b\":[9007199254740991,-9007199254740991]}]}" },
  { "minus-zero", "{\"a\":-0}" },
  { "real", "{\"a\":1e308,\"b\":-1.5E-3}" },
  { "underflow", "{\"a\":1e-400}" },
  { "empty-key", "{\"\":1}" },
  { "escapes", "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0001\\u00e9\\u20ac\\ud83d\\ude00\"}" },
  { "utf-8", "{\"a\":\"gr\xC3\xBCn \xE2\x82\xAC \xF0\x9F\x98\x80\"}" },
  { "same-key-on-another-level", "{\"a\":{\"a\":1},\"b\":[{\"a\":1},{\"a\":2}]}" },
  { "brackets-in-a-string",
    "{\"a\":\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{\"}" },
  { "quotes-and-brackets-in-a-string",
    "{\"a\":\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\\\"}" },
};

static const Case REFUSED[] = {
  { "nothing", "", 0 },
  { "space-alone", "  " },
  { "array", "[]" },
  { "string", "\"a\"" },
  { "number", "1" },
  { "null", "null" },
  { "byte-order-mark", "\xEF\xBB\xBF{}" },
  { "two-objects", "{}{}" },
  { "rest", "{} x" },
  { "comment", "{/**/}" },
  { "comma-at-the-end", "{\"a\":1,}" },
  { "no-comma", "{\"a\":1 \"b\":2}" },
  { "no-colon", "{\"a\" 1}" },
  { "single-quotes", "{'a':1}" },
  { "bare-key", "{a:1}" },
  { "number-as-key", "{1:1}" },
  { "capitals", "{\"a\":True}" },
  { "not-a-number", "{\"a\":NaN}" },
  { "infinity", "{\"a\":Infinity}" },
  { "leading-zero", "{\"a\":01}" },
  { "plus", "{\"a\":+1}" },
  { "hexadecimal", "{\"a\":0x10}" },
  { "point-at-the-end", "{\"a\":1.}" },
  { "point-at-the-start", "{\"a\":.5}" },
  { "overflow", "{\"a\":1e400}" },
  { "too-large", "{\"a\":9007199254740992}" },
  { "too-small", "{\"a\":-9007199254740992}" },
  { "too-large-in-an-array", "{\"a\":[1,[9007199254740992]]}" },
  { "too-large-in-an-object", "{\"a\":{\"b\":{\"c\":-9007199254740992}}}" },
  { "64-bits", "{\"a\":9223372036854775807}" },
  { "beyond-64-bits", "{\"a\":9223372036854775808}" },
  { "beyond-everything", "{\"a\":100000000000000000000000000000000000000000}" },
  { "duplicate-key", "{\"a\":1,\"a\":1}" },
  { "duplicate-key-inside", "{\"x\":[{\"a\":1,\"b\":2,\"a\":3}]}" },
  { "duplicate-key-by-an-escape", "{\"a\":1,\"\\u0061\":2}" },
  { "duplicate-empty-key", "{\"\":1,\"\":2}" },
  { "escaped-nul", "{\"a\":\"x\\u0000y\"}" },
  { "escaped-nul-in-a-key", "{\"x\\u0000y\":1}" },
  { "nul-in-a-string", BYTES ("{\"a\":\"x\0y\"}") },
  { "nul-in-a-key", BYTES ("{\"x\0y\":1}") },
  { "nul-after", BYTES ("{}\0") },
  { "nul-before", BYTES ("\0{}") },
  { "nul-between", BYTES ("{\0}") },
  { "nul-after-an-integer", BYTES ("{\"a\":1\0}") },
  { "nul-after-a-real", BYTES ("{\"a\":1.5\0,\"b\":2}") },
  { "nul-after-a-word", BYTES ("{\"a\":true\0}") },
  { "control-character", "{\"a\":\"x\ny\"}" },
  { "unknown-escape", "{\"a\":\"\\x41\"}" },
  { "short-escape", "{\"a\":\"\\u12\"}" },
  { "high-surrogate", "{\"a\":\"\\ud83d\"}" },
  { "high-surrogate-and-text", "{\"a\":\"\\ud83dx\"}" },
  { "high-surrogates", "{\"a\":\"\\ud83d\\ud83d\"}" },
  { "low-surrogate", "{\"a\":\"\\ude00\"}" },
  { "surrogates-in-utf-8", "{\"a\":\"\xED\xA0\xBD\xED\xB8\x80\"}" },
  { "latin-1", "{\"a\":\"\xFC\"}" },
  { "overlong", "{\"a\":\"\xC0\xAF\"}" },
  { "half-a-character", "{\"a\":\"\xE2\x82\"}" },
  { "latin-1-in-a-key", "{\"\xFC\":1}" },
  { "latin-1-outside", "{\"a\":1\xFC}" },
  { "backslash-outside", "\\{\"a\":1}" },
  { "utf-16", BYTES ("{\0\"\0a\0\"\0:\0001\0}\0") },
};

/* In a block of its own size, so that a checker of memory sees who reads on. */
static json_t *
parse (const char *json, gsize size)
{
  g_autofree char *copy = g_memdup2 (json, size);
  const char *reason = NULL;
  json_t *parsed = asb_wire_json_parse (copy, size, &reason);

  g_assert_cmpint (parsed == NULL, ==, reason != NULL);
  g_assert_true (!parsed || json_is_object (parsed));
  return parsed;
}

static gboolean
is_accepted (const char *json, gsize size)
{
  json_t *parsed = parse (json, size);
  gboolean accepted = parsed != NULL;

  json_decref (parsed);
  return accepted;
}

static gsize
size_of (const Case *test)
{
  return test->size > 0 ? test->size : strlen (test->json);
}

static void
test_accepted (gconstpointer data)
{
  const Case *test = data;

  g_assert_true (is_accepted (test->json, size_of (test)));
}

static void
test_refused (gconstpointer data)
{
  const Case *test = data;

  g_assert_false (is_accepted (test->json, size_of (test)));
}

/* Up to the last brace no beginning of an object is one. */
static void
test_truncated (gconstpointer data)
{
  const Case *test = data;
  gsize whole = (gsize)(strrchr (test->json, '}') - test->json);

  for (gsize cut = 0; cut <= whole; cut++)
    g_assert_false (is_accepted (test->json, cut));
}

/* {"a":[[…1…]]} or {"a":{"a":…1…}} of so many levels. */
static char *
nested (gsize depth, gboolean arrays)
{
  GString *json = g_string_new ("{\"a\":");

  for (gsize i = 1; i < depth; i++)
    g_string_append (json, arrays ? "[" : "{\"a\":");
  g_string_append_c (json, '1');
  for (gsize i = 1; i < depth; i++)
    g_string_append_c (json, arrays ? ']' : '}');
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}

static void
test_depth (void)
{
  for (int arrays = 0; arrays <= 1; arrays++)
    {
      g_autofree char *allowed = nested (ASB_WIRE_MAX_DEPTH, arrays);
      g_autofree char *refused = nested (ASB_WIRE_MAX_DEPTH + 1, arrays);

      g_assert_cmpint (ASB_WIRE_MAX_DEPTH, ==, 32);
      g_assert_true (is_accepted (allowed, strlen (allowed)));
      g_assert_false (is_accepted (refused, strlen (refused)));
    }
}

/* Levels that have ended do not count. */
static void
test_breadth (void)
{
  GString *json = g_string_new ("{\"a\":[");

  for (int i = 0; i < 1000; i++)
    g_string_append (json, "[[]],");
  g_string_append (json, "[]]}");
  g_assert_true (is_accepted (json->str, json->len));
  g_string_free (json, TRUE);
}

static void
test_a_tower_of_brackets (void)
{
  const gsize size = 1024 * 1024;
  g_autofree char *json = g_malloc (size);

  memset (json, '[', size);
  g_assert_false (is_accepted (json, size));
  memset (json, '{', size);
  g_assert_false (is_accepted (json, size));
  memset (json, '"', size);
  g_assert_false (is_accepted (json, size));
  memset (json, '\\', size);
  g_assert_false (is_accepted (json, size));
}

static void
test_values_arrive (void)
{
  const char *text = "{\"i\":-9007199254740991,\"r\":0.5,\"t\":true,\"s\":\"\\u00e9\\n\"}";
  json_t *json = parse (text, strlen (text));

  g_assert_nonnull (json);
  g_assert_cmpint (json_integer_value (json_object_get (json, "i")), ==, -ASB_WIRE_MAX_INTEGER);
  g_assert_cmpfloat (json_real_value (json_object_get (json, "r")), ==, 0.5);
  g_assert_true (json_is_true (json_object_get (json, "t")));
  g_assert_cmpstr (json_string_value (json_object_get (json, "s")), ==, "\xC3\xA9\n");
  json_decref (json);
}

static void
add_cases (const char *name, const Case *cases, gsize n, GTestDataFunc test)
{
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("/wire-json/%s/%s", name, cases[i].name);

      g_test_add_data_func (path, &cases[i], test);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ("accepted", ACCEPTED, G_N_ELEMENTS (ACCEPTED), test_accepted);
  add_cases ("truncated", ACCEPTED, G_N_ELEMENTS (ACCEPTED), test_truncated);
  add_cases ("refused", REFUSED, G_N_ELEMENTS (REFUSED), test_refused);
  g_test_add_func ("/wire-json/depth", test_depth);
  g_test_add_func ("/wire-json/breadth", test_breadth);
  g_test_add_func ("/wire-json/tower", test_a_tower_of_brackets);
  g_test_add_func ("/wire-json/values", test_values_arrive);
  return g_test_run ();
}
