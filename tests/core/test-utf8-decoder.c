/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <glib.h>
#include <string.h>

#include "asb-utf8-decoder-private.h"

typedef struct
{
  const char *bytes;
  gsize size;
} Sample;

#define SAMPLE(text)                                                                               \
  {                                                                                                \
    text, sizeof text - 1                                                                          \
  }

static const Sample samples[] = {
  SAMPLE (""),
  SAMPLE ("plain"),
  SAMPLE ("café ☕ 😀 end"),
  SAMPLE ("\xc3\xa9\xe2\x98\x95\xf0\x9f\x98\x80"),
  SAMPLE ("a\0b"),                     /* NUL is no character of a C string */
  SAMPLE ("\xff\xfex\xff"),            /* never in UTF-8 */
  SAMPLE ("\xc3"),                     /* cut at the end */
  SAMPLE ("x\xe2\x98"),                /* cut at the end */
  SAMPLE ("\xf0\x9f\x98"),             /* cut at the end */
  SAMPLE ("\xc3x\xe2\x98y\xf0\x9fz"),  /* cut in the middle */
  SAMPLE ("\xc0\xaf\xe0\x80\xaf"),     /* overlong */
  SAMPLE ("\xed\xa0\x80\xed\xbf\xbf"), /* surrogates */
  SAMPLE ("\xf4\x90\x80\x80\xf8\x88"), /* beyond U+10FFFF */
  SAMPLE ("\x80\xbf\x80"),             /* continuation alone */
  SAMPLE ("\xe2\xe2\x98\xe2\x98\x95"), /* one begins inside another */
  SAMPLE ("\xf0\xf0\x9f\xf0\x9f\x98\xf0\x9f\x98\x80"),
};

static char *
decode_in_two (const Sample *sample, gsize cut)
{
  AsbUtf8Decoder decoder = { 0 };
  const guint8 *bytes = (const guint8 *)sample->bytes;
  g_autofree char *first = asb_utf8_decoder_feed (&decoder, bytes, cut, FALSE);
  g_autofree char *second
      = asb_utf8_decoder_feed (&decoder, bytes + cut, sample->size - cut, FALSE);
  g_autofree char *last = asb_utf8_decoder_feed (&decoder, NULL, 0, TRUE);

  g_assert_true (g_utf8_validate (first, -1, NULL));
  g_assert_true (g_utf8_validate (second, -1, NULL));
  g_assert_true (g_utf8_validate (last, -1, NULL));
  return g_strconcat (first, second, last, NULL);
}

static char *
decode_bytewise (const Sample *sample)
{
  AsbUtf8Decoder decoder = { 0 };
  GString *joined = g_string_new (NULL);
  g_autofree char *last = NULL;

  for (gsize i = 0; i < sample->size; i++)
    {
      g_autofree char *piece
          = asb_utf8_decoder_feed (&decoder, (const guint8 *)sample->bytes + i, 1, FALSE);

      g_assert_cmpuint (decoder.n_pending, <, 4);
      g_string_append (joined, piece);
    }
  last = asb_utf8_decoder_feed (&decoder, NULL, 0, TRUE);
  g_string_append (joined, last);
  return g_string_free (joined, FALSE);
}

static void
test_cuts (void)
{
  g_test_summary ("Cut at any byte, the pieces join to what the whole gives");

  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autofree char *whole = g_utf8_make_valid (samples[i].bytes, (gssize)samples[i].size);
      g_autofree char *bytewise = decode_bytewise (&samples[i]);

      g_assert_cmpstr (bytewise, ==, whole);
      for (gsize cut = 0; cut <= samples[i].size; cut++)
        {
          g_autofree char *joined = decode_in_two (&samples[i], cut);

          g_assert_cmpstr (joined, ==, whole);
        }
    }
}

static void
test_random (void)
{
  static const guint8 interesting[]
      = { 0x41, 0x80, 0xbf, 0xc0, 0xc3, 0xe0, 0xe2, 0xed, 0xf0, 0xf4, 0xf5, 0xff };

  g_test_summary ("The same with bytes by chance, in pieces by chance");

  for (guint round = 0; round < 2000; round++)
    {
      AsbUtf8Decoder decoder = { 0 };
      guint8 bytes[24];
      g_autofree char *whole = NULL;
      g_autoptr (GString) joined = g_string_new (NULL);
      gsize at = 0;

      for (gsize i = 0; i < sizeof bytes; i++)
        bytes[i] = interesting[g_test_rand_int_range (0, G_N_ELEMENTS (interesting))];
      whole = g_utf8_make_valid ((const char *)bytes, sizeof bytes);
      while (at < sizeof bytes)
        {
          gsize size = (gsize)g_test_rand_int_range (0, (int)(sizeof bytes - at) + 1);
          g_autofree char *piece
              = asb_utf8_decoder_feed (&decoder, bytes + at, size, at + size == sizeof bytes);

          g_string_append (joined, piece);
          at += size;
        }
      g_assert_cmpstr (joined->str, ==, whole);
    }
}

static void
test_never_half (void)
{
  AsbUtf8Decoder decoder = { 0 };
  g_autofree char *nothing = asb_utf8_decoder_feed (&decoder, (const guint8 *)"\xe2", 1, FALSE);
  g_autofree char *still_nothing
      = asb_utf8_decoder_feed (&decoder, (const guint8 *)"\x98", 1, FALSE);
  g_autofree char *character = asb_utf8_decoder_feed (&decoder, (const guint8 *)"\x95", 1, FALSE);

  g_test_summary ("Half a character waits for its other half");

  g_assert_cmpstr (nothing, ==, "");
  g_assert_cmpstr (still_nothing, ==, "");
  g_assert_cmpstr (character, ==, "☕");
  g_assert_cmpuint (decoder.n_pending, ==, 0);
}

static void
test_end (void)
{
  AsbUtf8Decoder decoder = { 0 };
  g_autofree char *held = asb_utf8_decoder_feed (&decoder, (const guint8 *)"x\xf0\x9f", 3, FALSE);
  g_autofree char *last = asb_utf8_decoder_feed (&decoder, NULL, 0, TRUE);
  g_autofree char *whole = g_utf8_make_valid ("\xf0\x9f", 2);

  g_test_summary ("At the end half a character is replaced, not lost");

  g_assert_cmpstr (held, ==, "x");
  g_assert_cmpstr (last, ==, whole);
  g_assert_cmpuint (strlen (last), >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/utf8-decoder/cuts", test_cuts);
  g_test_add_func ("/utf8-decoder/random", test_random);
  g_test_add_func ("/utf8-decoder/never-half", test_never_half);
  g_test_add_func ("/utf8-decoder/end", test_end);
  return g_test_run ();
}
