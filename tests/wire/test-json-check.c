/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* asb_json_check () against RFC 8259: what has to be taken, what has to be refused, and how it
 * decides where the RFC leaves that open. */

#include <asb.h>
#include <string.h>

typedef struct
{
  const char *name;
  const char *json;
  gsize size; /* 0: up to the NUL */
} Case;

#define BYTES(literal) literal, sizeof literal - 1

static const Case ACCEPTED[] = {
  /* Structure. */
  { "array-empty", "[]" },
  { "array-empty-string", "[\"\"]" },
  { "array-of-arrays", "[[],[[]],[[],[]]]" },
  { "array-heterogeneous", "[null, 1, \"1\", {}, 1.5, true, false]" },
  { "array-with-nulls", "[1,null,null,null,2]" },
  { "array-spaces", " [ \t\n\r] " },
  { "array-value-spaces", "[ 1 , 2 ]" },
  { "object-empty", "{}" },
  { "object-empty-key", "{\"\":0}" },
  { "object-duplicate-key", "{\"a\":\"b\",\"a\":\"c\"}" },
  { "object-spaces", " { \"a\" : 1 , \"b\" : { } } " },
  { "object-escaped-key", "{\"\\u0061\\n\":1}" },
  { "object-long", "{\"x\":[{\"id\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}]}" },
  { "object-with-newlines", "{\n\"a\":\n\"b\"\n}" },
  { "alone-string", "\"asd\"" },
  { "alone-empty-string", "\"\"" },
  { "alone-integer", "42" },
  { "alone-negative", "-0.1" },
  { "alone-null", "null" },
  { "alone-true", "true" },
  { "alone-false", "false" },
  { "newline-after", "[\"a\"]\n" },
  { "all-spaces", "\t\r\n []\t\r\n " },
  /* Numbers. */
  { "number-zero", "[0]" },
  { "number-minus-zero", "[-0]" },
  { "number-zero-e1", "[0e1]" },
  { "number-zero-e-plus-1", "[0e+1]" },
  { "number-int-with-exponent", "[20e1]" },
  { "number-exponent-capital", "[1E22]" },
  { "number-exponent-negative", "[1E-2]" },
  { "number-exponent-positive", "[1E+2]" },
  { "number-fraction-exponent", "[123.456e78]" },
  { "number-close-to-zero",
    "[-0.000000000000000000000000000000000000000000000000000000000000001]" },
  { "number-after-space", "[ 4]" },
  { "number-negative-one", "[-1]" },
  { "number-largest", "[9223372036854775807]" },
  { "number-smallest", "[-9223372036854775808]" },
  { "number-largest-double", "[1.7976931348623157e308]" },
  { "number-underflow", "[123e-10000000]" },
  { "number-huge-negative-exponent", "[0.4e-99999999999999999999999999999999]" },
  { "number-minus-zero-real", "[-0.0]" },
  { "number-128-digits",
    "[0.12345678901234567890123456789012345678901234567890123456789012345678901234567890123456"
    "7890123456789012345678901234567890123456]" },
  /* Strings. */
  { "string-allowed-escapes", "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]" },
  { "string-double-escape", "[\"\\\\a\"]" },
  { "string-escaped-backslash-u", "[\"\\\\u0000\"]" },
  { "string-escaped-quote", "[\"\\\"\"]" },
  { "string-escaped-control", "[\"\\u0012\"]" },
  { "string-escaped-noncharacter", "[\"\\uFFFF\"]" },
  { "string-escaped-space", "[\"\\u0020\"]" },
  { "string-escaped-u+0001", "[\"\\u0001\"]" },
  { "string-surrogates", "[\"\\uD801\\udc37\"]" },
  { "string-surrogates-twice", "[\"\\ud83d\\ude39\\ud83d\\udc8d\"]" },
  { "string-first-surrogates", "[\"\\ud800\\udc00\"]" },
  { "string-last-surrogates", "[\"\\udbff\\udfff\"]" },
  { "string-lowercase-hex", "[\"\\uabcd\"]" },
  { "string-mixed-hex", "[\"\\uAbCd\"]" },
  { "string-below-surrogates", "[\"\\ud7ff\"]" },
  { "string-above-surrogates", "[\"\\ue000\"]" },
  { "string-del", "[\"\x7F\"]" },
  { "string-utf-8", "[\"\xE2\x82\xAC\xF0\x9D\x84\x9E\"]" },
  { "string-u+2028", "[\"\xE2\x80\xA8\"]" },
  { "string-u+10ffff", "[\"\xF4\x8F\xBF\xBF\"]" },
  { "string-byte-order-mark-inside", "[\"\xEF\xBB\xBF\"]" },
  { "string-comments", "[\"a/*b*/c//d\"]" },
  { "string-brackets", "[\"[[[{{{\"]" },
};

static const Case REFUSED[] = {
  /* Structure. */
  { "nothing", "" },
  { "space-alone", " " },
  { "newline-alone", "\n" },
  { "byte-order-mark", "\xEF\xBB\xBF[]" },
  { "byte-order-mark-alone", "\xEF\xBB\xBF" },
  { "utf-16", BYTES ("[\0\"\0\"\0]\0") },
  { "form-feed", "[\f]" },
  { "vertical-tab", "[\v]" },
  { "non-breaking-space", "[\xC2\xA0]" },
  { "word-joiner", "[\xE2\x81\xA0]" },
  { "nul-alone", BYTES ("\0") },
  { "nul-after", BYTES ("[]\0") },
  { "nul-inside", BYTES ("[1,\0 2]") },
  { "nul-in-a-string", BYTES ("[\"a\0b\"]") },
  { "nul-in-a-number", BYTES ("[1\0 2]") },
  { "nul-in-a-word", BYTES ("[tr\0ue]") },
  { "two-values", "[] []" },
  { "two-numbers", "1 2" },
  { "array-and-x", "[1]x" },
  { "array-1-true-without-comma", "[1 true]" },
  { "array-colon", "[\"\": 1]" },
  { "array-comma-after", "[\"\"]," },
  { "array-comma-alone", "[,]" },
  { "array-comma-first", "[,1]" },
  { "array-comma-last", "[1,]" },
  { "array-commas-last", "[1,,]" },
  { "array-double-comma", "[1,,2]" },
  { "array-extra-close", "[\"x\"]]" },
  { "array-unclosed", "[\"\"" },
  { "array-unclosed-comma", "[1," },
  { "array-unclosed-newlines", "[\"a\",\n4\n,1," },
  { "array-closed-as-object", "[1}" },
  { "object-closed-as-array", "{\"a\":1]" },
  { "close-alone", "]" },
  { "close-object-alone", "}" },
  { "open-alone", "[" },
  { "open-object-alone", "{" },
  { "open-object-comma", "{," },
  { "open-object-string", "{\"a" },
  { "array-of-open-object", "[{" },
  { "star", "*" },
  { "angle-brackets", "<.>" },
  { "object-bare-key", "{a: \"b\"}" },
  { "object-single-quotes", "{'a':0}" },
  { "object-key-null", "{null:null}" },
  { "object-key-number", "{1:1}" },
  { "object-key-object", "{{}:1}" },
  { "object-comma-for-colon", "{\"x\", null}" },
  { "object-double-colon", "{\"x\"::\"b\"}" },
  { "object-missing-colon", "{\"a\" b}" },
  { "object-missing-key", "{:\"b\"}" },
  { "object-missing-value", "{\"a\":" },
  { "object-missing-value-closed", "{\"a\":}" },
  { "object-no-value", "{\"a\"}" },
  { "object-comma-last", "{\"id\":0,}" },
  { "object-commas-last", "{\"id\":0,,,,,}" },
  { "object-comma-first", "{,\"id\":0}" },
  { "object-two-commas", "{\"a\":\"b\",,\"c\":\"d\"}" },
  { "object-comment-after", "{\"a\":\"b\"}/**/" },
  { "object-line-comment-after", "{\"a\":\"b\"}//" },
  { "object-comment-inside", "{\"a\":/*x*/\"b\"}" },
  { "object-hash-after", "{\"a\":\"b\"}#" },
  { "object-with-string-after", "{\"a\":\"a\" 123}" },
  /* Words. */
  { "word-capital-true", "[True]" },
  { "word-incomplete-true", "[tru]" },
  { "word-incomplete-false", "[fals]" },
  { "word-incomplete-null", "[nul]" },
  { "word-cut", "nul" },
  { "word-longer", "[truex]" },
  { "word-undefined", "[undefined]" },
  { "word-nan", "[NaN]" },
  { "word-nan-lower", "[nan]" },
  { "word-minus-nan", "[-NaN]" },
  { "word-infinity", "[Infinity]" },
  { "word-inf", "[inf]" },
  { "word-minus-infinity", "[-Infinity]" },
  /* Numbers. */
  { "number-plus", "[+1]" },
  { "number-double-plus", "[++1234]" },
  { "number-minus", "[-]" },
  { "number-minus-space", "[- 1]" },
  { "number-double-minus", "[--1]" },
  { "number-minus-x", "[-x]" },
  { "number-minus-point", "[-.1]" },
  { "number-leading-zero", "[012]" },
  { "number-octal", "[017]" },
  { "number-minus-leading-zero", "[-012]" },
  { "number-minus-double-zero", "[-00]" },
  { "number-double-zero", "[00]" },
  { "number-point-first", "[.123]" },
  { "number-point-last", "[1.]" },
  { "number-point-minus", "[2.-3]" },
  { "number-point-exponent", "[2.e3]" },
  { "number-minus-point-last", "[-2.]" },
  { "number-point-minus-exponent", "[0.1.2]" },
  { "number-exponent-alone", "[1e]" },
  { "number-exponent-plus-alone", "[1e+]" },
  { "number-exponent-minus-alone", "[1E-]" },
  { "number-exponent-twice", "[1eE2]" },
  { "number-exponent-fraction", "[1e1.5]" },
  { "number-exponent-plus-minus", "[0e+-1]" },
  { "number-zero-exponent-alone", "[0.3e]" },
  { "number-space-inside", "[1 000.0]" },
  { "number-hexadecimal", "[0x42]" },
  { "number-with-letter", "[1a]" },
  { "number-with-letter-after-exponent", "[1ea]" },
  { "number-full-width", "[\xEF\xBC\x91]" },
  { "number-expression", "[1+2]" },
  { "number-with-invalid-utf-8", "[123\xE5]" },
  { "number-one-too-large", "[9223372036854775808]" },
  { "number-one-too-small", "[-9223372036854775809]" },
  { "number-2-to-64-minus-1", "[18446744073709551615]" },
  { "number-2-to-64", "[18446744073709551616]" },
  { "number-very-large", "[100000000000000000000000000000000000000000000]" },
  { "number-overflow", "[1e309]" },
  { "number-minus-overflow", "[-1e309]" },
  { "number-huge-exponent", "[0.4e00669999999999999999999999999999999999999999999999999999999]" },
  { "number-129-characters",
    "[0.123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
    "8901234567890123456789012345678901234567]" },
  /* Strings. */
  { "string-unclosed", "[\"a]" },
  { "string-quote-alone", "\"" },
  { "string-escape-at-the-end", "[\"\\" },
  { "string-escaped-quote-at-the-end", "[\"\\\"" },
  { "string-escaped-backslash-quote", "[\"\\\\\\\"]" },
  { "string-escape-x", "[\"\\x00\"]" },
  { "string-escape-octal", "[\"\\012\"]" },
  { "string-escape-a", "[\"\\a\"]" },
  { "string-escape-capital-u", "[\"\\U0041\"]" },
  { "string-escape-quote", "[\"\\'\"]" },
  { "string-escape-newline", "[\"\\\n\"]" },
  { "string-escape-emoji", "[\"\\\xF0\x9F\x8C\x80\"]" },
  { "string-escape-nul", BYTES ("[\"\\\0\"]") },
  { "string-escape-u-nothing", "[\"\\u\"]" },
  { "string-escape-u-one", "[\"\\u0\"]" },
  { "string-escape-u-three", "[\"\\u00A\"]" },
  { "string-escape-u-bad-hex", "[\"\\u00G0\"]" },
  { "string-escape-u-space", "[\"\\u 041\"]" },
  { "string-escape-u-sign", "[\"\\u+041\"]" },
  { "string-escaped-nul", "[\"\\u0000\"]" },
  { "string-escaped-nul-inside", "[\"a\\u0000b\"]" },
  { "string-escaped-nul-in-a-key", "{\"a\\u0000b\":1}" },
  { "string-high-surrogate", "[\"\\uDADA\"]" },
  { "string-high-surrogate-first", "[\"\\ud800\"]" },
  { "string-high-surrogate-last", "[\"\\uDBFF\"]" },
  { "string-high-surrogate-and-text", "[\"\\ud800abc\"]" },
  { "string-high-surrogate-and-newline", "[\"\\uD800\\n\"]" },
  { "string-high-surrogate-and-character", "[\"\\uD800\\u0061\"]" },
  { "string-high-surrogates", "[\"\\uD800\\uD800\\uDC00\"]" },
  { "string-high-surrogate-and-high", "[\"\\uD888\\uDBFF\"]" },
  { "string-high-surrogate-and-above", "[\"\\uD888\\uE000\"]" },
  { "string-high-surrogate-cut", "[\"\\uD834\\" },
  { "string-high-surrogate-cut-u", "[\"\\uD834\\u" },
  { "string-high-surrogate-cut-hex", "[\"\\uD834\\uDd" },
  { "string-low-surrogate", "[\"\\uDFAA\"]" },
  { "string-low-surrogate-first", "[\"\\udc00\"]" },
  { "string-surrogates-reversed", "[\"\\uDd1e\\uD834\"]" },
  { "string-surrogate-in-a-key", "{\"\\uDFAA\":0}" },
  { "string-newline", "[\"new\nline\"]" },
  { "string-tab", "[\"\t\"]" },
  { "string-u+001f", "[\"\x1F\"]" },
  { "string-single-quotes", "['a']" },
  { "string-bare", "[abc]" },
  { "string-backslash-before", "[\\n]" },
  { "string-smart-quotes", "[\xE2\x80\x9Cx\xE2\x80\x9D]" },
  { "string-invalid-utf-8", "[\"\xFF\"]" },
  { "string-latin-1", "[\"\xE9\"]" },
  { "string-overlong-two", "[\"\xC0\xAF\"]" },
  { "string-overlong-nul", "[\"\xC0\x80\"]" },
  { "string-overlong-six", "[\"\xFC\x83\xBF\xBF\xBF\xBF\"]" },
  { "string-utf-8-surrogate", "[\"\xED\xA0\x80\"]" },
  { "string-utf-8-beyond", "[\"\xF4\xBF\xBF\xBF\"]" },
  { "string-continuation-alone", "[\"\x81\"]" },
  { "string-truncated-utf-8", "[\"\xE0\xFF\"]" },
  { "invalid-utf-8-outside", "[\xE5]" },
  { "invalid-utf-8-after", "[]\xE5" },
};

/* In a block of its own size, so that a checker of memory sees who reads on. */
static gboolean
is_accepted (const char *json, gsize size)
{
  g_autofree char *copy = g_memdup2 (json, size);
  g_autoptr (GError) error = NULL;
  gboolean accepted = asb_json_check (copy, (gssize)size, &error);

  if (accepted)
    g_assert_no_error (error);
  else
    g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
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
  g_assert_true (asb_json_check (test->json, -1, NULL));
}

static void
test_refused (gconstpointer data)
{
  const Case *test = data;

  g_assert_false (is_accepted (test->json, size_of (test)));
  if (test->size == 0)
    g_assert_false (asb_json_check (test->json, -1, NULL));
}

/* No beginning of an array, object or string is whole, and of a word neither. */
static void
test_truncated (gconstpointer data)
{
  const Case *test = data;
  g_autofree char *json = g_strstrip (g_strdup (test->json));
  gboolean is_number = g_ascii_isdigit (*json) || *json == '-';

  for (gsize cut = 0; cut < strlen (json); cut++)
    if (!is_number || cut == 0)
      g_assert_false (is_accepted (json, cut));
}

/* Whatever stands behind it, it is not the value alone any more. */
static void
test_followed (gconstpointer data)
{
  const Case *test = data;
  static const char *const rests[] = { "x", "]", "}", ",", ":", "\"", "/", "#", "\x01", "\xEF" };

  for (gsize i = 0; i < G_N_ELEMENTS (rests); i++)
    {
      g_autofree char *json = g_strconcat (test->json, rests[i], NULL);

      g_assert_false (is_accepted (json, strlen (json)));
    }
}

static char *
tower (gsize depth, const char *open, const char *inside, char close)
{
  GString *json = g_string_new (NULL);

  for (gsize i = 0; i < depth; i++)
    g_string_append (json, open);
  g_string_append (json, inside);
  for (gsize i = 0; i < depth; i++)
    g_string_append_c (json, close);
  return g_string_free (json, FALSE);
}

static gboolean
is_tower_accepted (gsize depth, const char *open, const char *inside, char close)
{
  g_autofree char *json = tower (depth, open, inside, close);

  return is_accepted (json, strlen (json));
}

static void
test_depth (void)
{
  g_assert_cmpint (ASB_JSON_MAX_DEPTH, ==, 64);
  g_assert_true (is_tower_accepted (64, "[", "", ']'));
  g_assert_false (is_tower_accepted (65, "[", "", ']'));
  g_assert_true (is_tower_accepted (64, "[", "1", ']'));
  g_assert_false (is_tower_accepted (65, "[", "1", ']'));
  g_assert_true (is_tower_accepted (64, "{\"a\":", "1", '}'));
  g_assert_false (is_tower_accepted (65, "{\"a\":", "1", '}'));
  g_assert_true (is_tower_accepted (63, "{\"a\":", "{}", '}'));
  g_assert_false (is_tower_accepted (64, "{\"a\":", "{}", '}'));
  g_assert_false (is_tower_accepted (64, "[", "[]", ']'));
}

static void
test_mixed_depth (void)
{
  g_autofree char *inside = tower (32, "{\"a\":", "1", '}');

  g_assert_true (is_tower_accepted (32, "[", inside, ']'));
  g_assert_false (is_tower_accepted (33, "[", inside, ']'));
}

/* Each bracket is closed by its own kind, on every level. */
static void
test_crossed_brackets (void)
{
  for (gsize depth = 1; depth <= ASB_JSON_MAX_DEPTH; depth++)
    {
      g_autofree char *json = tower (depth, "[", "", ']');

      json[strlen (json) - 1] = '}';
      g_assert_false (is_accepted (json, strlen (json)));
      json[strlen (json) - 1] = ']';
      json[depth] = '}';
      g_assert_false (is_accepted (json, strlen (json)));
    }
}

static void
test_100000_brackets (void)
{
  g_assert_false (is_tower_accepted (100000, "[", "", ']'));
  g_assert_false (is_tower_accepted (100000, "{\"a\":", "1", '}'));
  g_assert_false (is_tower_accepted (100000, "[", "", ' '));
  g_assert_false (is_tower_accepted (100000, "]", "", '['));
}

static void
test_breadth (void)
{
  GString *json = g_string_new ("[0");

  for (int i = 0; i < 100000; i++)
    g_string_append (json, ",[[]],{\"a\":{}}");
  g_assert_false (is_accepted (json->str, json->len));
  g_string_append_c (json, ']');
  g_assert_true (is_accepted (json->str, json->len));
  g_string_free (json, TRUE);
}

static void
test_long_texts (void)
{
  const gsize size = 1024 * 1024;
  g_autofree char *json = g_malloc (size);

  memset (json, 'a', size);
  json[0] = '"';
  g_assert_false (is_accepted (json, size));
  json[size - 1] = '"';
  g_assert_true (is_accepted (json, size));

  memset (json, '1', size);
  g_assert_false (is_accepted (json, size));
  json[1] = '.';
  g_assert_false (is_accepted (json, size));

  memset (json, ' ', size);
  g_assert_false (is_accepted (json, size));
  json[size / 2] = '7';
  g_assert_true (is_accepted (json, size));
}

/* Each control character by itself in a string, and outside one. */
static void
test_control_characters (void)
{
  for (guint byte = 0; byte < 0x20; byte++)
    {
      char inside[] = "[\"x\"]";
      char outside[] = "[1 ]";
      gboolean is_space = byte == '\t' || byte == '\n' || byte == '\r';

      inside[2] = (char)byte;
      outside[2] = (char)byte;
      g_assert_false (is_accepted (inside, 5));
      g_assert_cmpint (is_accepted (outside, 4), ==, is_space);
    }
}

/* All 65,536 of them, one by one. */
static void
test_unicode_escapes (void)
{
  for (guint unit = 0; unit <= G_MAXUINT16; unit++)
    {
      char json[16];
      int size = g_snprintf (json, sizeof json, "\"\\u%04x\"", unit);
      gboolean is_surrogate = unit >= 0xD800 && unit <= 0xDFFF;

      g_assert_cmpint (asb_json_check (json, size, NULL), ==, unit != 0 && !is_surrogate);
    }
}

static void
test_says_where (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (asb_json_check ("[1, 2, x]", -1, &error));
  g_assert_cmpstr (error->message, ==, "The text is no JSON, at byte 7: a value was expected");
}

static void
test_nothing_at_all (void)
{
  g_assert_false (asb_json_check (NULL, 0, NULL));
  g_assert_true (asb_json_check ("[]garbage", 2, NULL));
}

static void
add_cases (const char *name, const Case *cases, gsize n, GTestDataFunc test)
{
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("/json-check/%s/%s", name, cases[i].name);

      g_test_add_data_func (path, &cases[i], test);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ("accepted", ACCEPTED, G_N_ELEMENTS (ACCEPTED), test_accepted);
  add_cases ("truncated", ACCEPTED, G_N_ELEMENTS (ACCEPTED), test_truncated);
  add_cases ("followed", ACCEPTED, G_N_ELEMENTS (ACCEPTED), test_followed);
  add_cases ("refused", REFUSED, G_N_ELEMENTS (REFUSED), test_refused);
  g_test_add_func ("/json-check/depth/levels", test_depth);
  g_test_add_func ("/json-check/depth/mixed", test_mixed_depth);
  g_test_add_func ("/json-check/depth/crossed", test_crossed_brackets);
  g_test_add_func ("/json-check/depth/100000", test_100000_brackets);
  g_test_add_func ("/json-check/size/breadth", test_breadth);
  g_test_add_func ("/json-check/size/length", test_long_texts);
  g_test_add_func ("/json-check/control-characters", test_control_characters);
  g_test_add_func ("/json-check/unicode-escapes", test_unicode_escapes);
  g_test_add_func ("/json-check/says-where", test_says_where);
  g_test_add_func ("/json-check/nothing", test_nothing_at_all);
  return g_test_run ();
}
