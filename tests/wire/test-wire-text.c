/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Texts of the guest protocol: UTF-8, base64, and the two forms of a text. */

#include <glib.h>
#include <jansson.h>
#include <string.h>

#include "asb-wire-json.h"

typedef struct
{
  const char *name;
  const char *bytes;
  gsize size;
  gboolean valid;
} TextCase;

#define TEXT(literal) literal, sizeof literal - 1

static const TextCase TEXTS[] = {
  { "empty", TEXT (""), TRUE },
  { "ascii", TEXT ("\x01 ~\x7F"), TRUE },
  { "nul", TEXT ("\0"), FALSE },
  { "nul-inside", TEXT ("a\0b"), FALSE },
  { "u+0080", TEXT ("\xC2\x80"), TRUE },
  { "u+07ff", TEXT ("\xDF\xBF"), TRUE },
  { "u+0800", TEXT ("\xE0\xA0\x80"), TRUE },
  { "u+0fff", TEXT ("\xE0\xBF\xBF"), TRUE },
  { "u+1000", TEXT ("\xE1\x80\x80"), TRUE },
  { "u+d7ff", TEXT ("\xED\x9F\xBF"), TRUE },
  { "u+e000", TEXT ("\xEE\x80\x80"), TRUE },
  { "u+feff", TEXT ("\xEF\xBB\xBF"), TRUE },
  { "u+fffe", TEXT ("\xEF\xBF\xBE"), TRUE },
  { "u+ffff", TEXT ("\xEF\xBF\xBF"), TRUE },
  { "u+10000", TEXT ("\xF0\x90\x80\x80"), TRUE },
  { "u+3ffff", TEXT ("\xF0\xBF\xBF\xBF"), TRUE },
  { "u+40000", TEXT ("\xF1\x80\x80\x80"), TRUE },
  { "u+fffff", TEXT ("\xF3\xBF\xBF\xBF"), TRUE },
  { "u+100000", TEXT ("\xF4\x80\x80\x80"), TRUE },
  { "u+10ffff", TEXT ("\xF4\x8F\xBF\xBF"), TRUE },
  { "u+110000", TEXT ("\xF4\x90\x80\x80"), FALSE },
  { "u+140000", TEXT ("\xF5\x80\x80\x80"), FALSE },
  { "u+1fffff", TEXT ("\xF7\xBF\xBF\xBF"), FALSE },
  { "five-bytes", TEXT ("\xF8\x88\x80\x80\x80"), FALSE },
  { "six-bytes", TEXT ("\xFC\x84\x80\x80\x80\x80"), FALSE },
  { "fe", TEXT ("\xFE"), FALSE },
  { "ff", TEXT ("\xFF"), FALSE },
  { "first-surrogate", TEXT ("\xED\xA0\x80"), FALSE },
  { "last-surrogate", TEXT ("\xED\xBF\xBF"), FALSE },
  { "surrogate-pair", TEXT ("\xED\xA0\xBD\xED\xB8\x80"), FALSE },
  { "nul-in-two-bytes", TEXT ("\xC0\x80"), FALSE },
  { "nul-in-three-bytes", TEXT ("\xE0\x80\x80"), FALSE },
  { "slash-in-two-bytes", TEXT ("\xC0\xAF"), FALSE },
  { "slash-in-three-bytes", TEXT ("\xE0\x80\xAF"), FALSE },
  { "slash-in-four-bytes", TEXT ("\xF0\x80\x80\xAF"), FALSE },
  { "u+007f-in-two-bytes", TEXT ("\xC1\xBF"), FALSE },
  { "u+07ff-in-three-bytes", TEXT ("\xE0\x9F\xBF"), FALSE },
  { "u+ffff-in-four-bytes", TEXT ("\xF0\x8F\xBF\xBF"), FALSE },
  { "continuation-alone", TEXT ("\x80"), FALSE },
  { "last-continuation-alone", TEXT ("\xBF"), FALSE },
  { "cut-after-one-of-two", TEXT ("\xC2"), FALSE },
  { "cut-after-one-of-three", TEXT ("\xE2"), FALSE },
  { "cut-after-two-of-three", TEXT ("\xE2\x82"), FALSE },
  { "cut-after-three-of-four", TEXT ("\xF0\x9F\x98"), FALSE },
  { "cut-by-ascii", TEXT ("\xE2\x82x"), FALSE },
  { "cut-by-another", TEXT ("\xE2\x82\xC3\xBC"), FALSE },
  { "one-continuation-too-many", TEXT ("\xC3\xBC\xBC"), FALSE },
  { "latin-1", TEXT ("gr\xFCn"), FALSE },
  { "fault-at-the-end", TEXT ("gr\xC3\xBCn\xFF"), FALSE },
  { "fault-at-the-start", TEXT ("\xFFgr\xC3\xBCn"), FALSE },
};

/* In a block of its own size, so that a checker of memory sees who reads on. */
static gboolean
is_text (const void *bytes, gsize size)
{
  g_autofree char *copy = g_memdup2 (bytes, size);

  return asb_wire_is_text (copy, size);
}

static void
test_text (gconstpointer data)
{
  const TextCase *test = data;

  g_assert_cmpint (is_text (test->bytes, test->size), ==, test->valid);
}

static void
test_each_character (void)
{
  for (gunichar character = 1; character <= 0x10FFFF; character++)
    {
      char bytes[6];
      int size = g_unichar_to_utf8 (character, bytes);
      gboolean is_surrogate = character >= 0xD800 && character <= 0xDFFF;

      g_assert_cmpint (asb_wire_is_text (bytes, (gsize)size), ==, !is_surrogate);
    }
}

/* All pairs of first bytes, and what may follow at the bounds of what may, against GLib's opinion.
 */
static void
test_each_sequence (void)
{
  static const guint8 later[] = { 0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF };
  char bytes[4];

  for (guint pair = 0; pair <= G_MAXUINT16; pair++)
    for (gsize rest = 0; rest < G_N_ELEMENTS (later) * G_N_ELEMENTS (later); rest++)
      {
        bytes[0] = (char)(pair >> 8);
        bytes[1] = (char)(pair & 0xFF);
        bytes[2] = (char)later[rest / G_N_ELEMENTS (later)];
        bytes[3] = (char)later[rest % G_N_ELEMENTS (later)];
        for (gsize size = 1; size <= sizeof bytes; size++)
          if (asb_wire_is_text (bytes, size) != g_utf8_validate_len (bytes, size, NULL))
            g_error ("%02x %02x %02x %02x", (guint8)bytes[0], (guint8)bytes[1], (guint8)bytes[2],
                     (guint8)bytes[3]);
      }
}

/* Base64. */

static void
test_base64_vectors (void)
{
  static const char *const vectors[][2] = {
    { "", "" },
    { "f", "Zg==" },
    { "fo", "Zm8=" },
    { "foo", "Zm9v" },
    { "foob", "Zm9vYg==" },
    { "fooba", "Zm9vYmE=" },
    { "foobar", "Zm9vYmFy" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (vectors); i++)
    {
      char *encoded = asb_wire_base64_encode (vectors[i][0], strlen (vectors[i][0]));
      gsize size = 99;
      char *decoded = asb_wire_base64_decode (vectors[i][1], strlen (vectors[i][1]), &size);

      g_assert_cmpstr (encoded, ==, vectors[i][1]);
      g_assert_cmpmem (decoded, size, vectors[i][0], strlen (vectors[i][0]));
      g_assert_cmpint (decoded[size], ==, '\0');
      free (encoded);
      free (decoded);
    }
}

static void
test_base64_round_trip (void)
{
  guint8 bytes[256];

  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8)(i * 167 + 13);
  for (gsize size = 0; size <= sizeof bytes; size++)
    {
      g_autofree char *expected = g_base64_encode (bytes, size);
      char *encoded = asb_wire_base64_encode (bytes, size);
      gsize decoded_size = 0;
      void *decoded = asb_wire_base64_decode (encoded, strlen (encoded), &decoded_size);

      g_assert_cmpstr (encoded, ==, expected);
      g_assert_cmpmem (decoded, decoded_size, bytes, size);
      free (encoded);
      free (decoded);
    }
}

static gboolean
is_base64 (const char *text, gsize length)
{
  g_autofree char *copy = g_memdup2 (text, length);
  gsize size;
  void *bytes = asb_wire_base64_decode (copy, length, &size);
  gboolean accepted = bytes != NULL;

  free (bytes);
  return accepted;
}

static void
test_base64_refused (void)
{
  static const char *const refused[] = {
    "=",     "==",   "===",    "====",     "A",        "AA",    "AAA",      "AAAAA",      "A===",
    "Z===",  "=AAA", "A=AA",   "AA=A",     "Zg=",      "Zg",    "Zg==Zg==", "Zm8=Zm8=",   "Zg==\n",
    "Zg ==", " Zg=", "Zm9v\n", "Zm9v\r\n", "Zm9v====", "Zm9v=", "Z-==",     "Z_8=",       "Zm9,",
    "Zm9.",  "Zh==", "Zv==",   "Z/==",     "Zm9=",     "Zm/=",  "\"m9v",    "Zm\xC3\xBC",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    if (is_base64 (refused[i], strlen (refused[i])))
      g_error ("“%s” was taken for base64", refused[i]);
  g_assert_false (is_base64 ("Zm9\0", 4));
  g_assert_false (is_base64 ("\0\0\0\0", 4));
}

/* Each byte at each place of a group. */
static void
test_base64_digits (void)
{
  for (guint place = 0; place < 4; place++)
    for (guint byte = 0; byte <= G_MAXUINT8; byte++)
      {
        char group[] = "AAAAAAAA";
        gboolean is_digit = byte && (g_ascii_isalnum (byte) || byte == '+' || byte == '/');

        group[place] = (char)byte;
        g_assert_cmpint (is_base64 (group, 8), ==, is_digit);
        g_assert_cmpint (is_base64 (group, 4), ==, is_digit || (byte == '=' && place == 3));
      }
}

/* Bits that are cut off are zero, or two texts would stand for the same bytes. */
static void
test_base64_is_unique (void)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  for (gsize i = 0; i < 64; i++)
    {
      char two[] = { 'A', digits[i], '=', '=' };
      char one[] = { 'A', 'A', digits[i], '=' };

      g_assert_cmpint (is_base64 (two, 4), ==, i % 16 == 0);
      g_assert_cmpint (is_base64 (one, 4), ==, i % 4 == 0);
    }
}

/* The two forms. */

static void
test_forms (gconstpointer data)
{
  const TextCase *test = data;
  json_t *json = asb_wire_text_new (test->bytes, test->size);
  gboolean has_nul = memchr (test->bytes, '\0', test->size) != NULL;
  gsize size = 99;
  char *back = asb_wire_text_dup (json, test->size, &size);

  g_assert_cmpint (json_is_string (json), ==, test->valid);
  if (!test->valid)
    g_assert_true (json_is_string (json_object_get (json, "b64")));
  if (has_nul)
    g_assert_null (back);
  else
    {
      g_assert_cmpmem (back, size, test->bytes, test->size);
      g_assert_cmpint (back[size], ==, '\0');
      if (size > 0)
        g_assert_null (asb_wire_text_dup (json, test->size - 1, NULL));
    }
  free (back);
  json_decref (json);
}

static gboolean
is_wire_text (const char *text)
{
  json_t *json = json_loads (text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
  char *bytes;
  gboolean accepted;

  g_assert_nonnull (json);
  bytes = asb_wire_text_dup (json, 100, NULL);
  accepted = bytes != NULL;
  free (bytes);
  json_decref (json);
  return accepted;
}

static void
test_no_texts (void)
{
  static const char *const refused[] = {
    "null",
    "true",
    "1",
    "[]",
    "[\"a\"]",
    "{}",
    "{\"b64\":null}",
    "{\"b64\":1}",
    "{\"b64\":[\"YQ==\"]}",
    "{\"b64\":{\"b64\":\"YQ==\"}}",
    "{\"b64\":\"YQ\"}",
    "{\"b64\":\"YQ==\",\"x\":1}",
    "{\"b64\":\"YQBi\"}",
    "{\"b64\":\"AA==\"}",
    "{\"B64\":\"YQ==\"}",
    "{\"text\":\"a\"}",
    "\"a\\u0000b\"",
    "{\"b64\":\"YQ==\\u0000\"}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    if (is_wire_text (refused[i]))
      g_error ("“%s” was taken for a text", refused[i]);
  g_assert_null (asb_wire_text_dup (NULL, 100, NULL));
}

static void
test_texts (void)
{
  /* Valid UTF-8 may come in base64, too. */
  static const char *const accepted[]
      = { "\"\"", "\"a\"", "{\"b64\":\"\"}", "{\"b64\":\"YQ==\"}", "{\"b64\":\"/w==\"}" };

  for (gsize i = 0; i < G_N_ELEMENTS (accepted); i++)
    g_assert_true (is_wire_text (accepted[i]));
}

static void
add_cases (const char *name, GTestDataFunc test)
{
  for (gsize i = 0; i < G_N_ELEMENTS (TEXTS); i++)
    {
      g_autofree char *path = g_strdup_printf ("/wire-text/%s/%s", name, TEXTS[i].name);

      g_test_add_data_func (path, &TEXTS[i], test);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ("utf-8", test_text);
  add_cases ("forms", test_forms);
  g_test_add_func ("/wire-text/utf-8/each-character", test_each_character);
  g_test_add_func ("/wire-text/utf-8/each-sequence", test_each_sequence);
  g_test_add_func ("/wire-text/base64/vectors", test_base64_vectors);
  g_test_add_func ("/wire-text/base64/round-trip", test_base64_round_trip);
  g_test_add_func ("/wire-text/base64/refused", test_base64_refused);
  g_test_add_func ("/wire-text/base64/digits", test_base64_digits);
  g_test_add_func ("/wire-text/base64/unique", test_base64_is_unique);
  g_test_add_func ("/wire-text/forms/none", test_no_texts);
  g_test_add_func ("/wire-text/forms/both", test_texts);
  return g_test_run ();
}
