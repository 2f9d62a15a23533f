/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What commands print, where execd has no exact way to tell it: through a terminal's shell up to a
 * word that says that it ended, and through files whose size and bytes a script tells. The first
 * byte says which it is, and how the bytes are cut. */

#include "fuzz.h"

#include <asb.h>

#include "asb-opensandbox-capture.h"
#include "asb-opensandbox-pty-tail.h"

/* It begins as it ends, which is harder to find than real ones. */
#define WORD "ab0ab"
#define MAX_INLINE (48 * 1024)

static void
print (const guint8 *bytes, gsize size, gpointer data)
{
  FUZZ_CHECK (size > 0);
  g_string_append_len (data, (const char *)bytes, (gssize)size);
}

/* In pieces of @step bytes at the most. Returns: (transfer full) */
static GString *
print_in_pieces (FuzzInput input, size_t step, AsbOpensandboxPtyTail *tail, gboolean *ended)
{
  GString *printed = g_string_new (NULL);

  asb_opensandbox_pty_tail_init (tail, WORD);
  while (fuzz_left (&input) > 0)
    {
      size_t size = MIN (step, fuzz_left (&input));

      asb_opensandbox_pty_tail_take (tail, input.at, size, print, printed);
      FUZZ_CHECK (tail->ended || tail->held->len < strlen (WORD) + 32);
      input.at += size;
    }
  *ended = tail->ended;
  asb_opensandbox_pty_tail_flush (tail, print, printed);
  return printed;
}

static void
check_tail (FuzzInput input, size_t step)
{
  AsbOpensandboxPtyTail whole = { 0 };
  AsbOpensandboxPtyTail pieces = { 0 };
  gboolean ended = FALSE;
  gboolean also_ended = FALSE;
  g_autoptr (GString) all = print_in_pieces (input, SIZE_MAX, &whole, &ended);
  g_autoptr (GString) same = print_in_pieces (input, step, &pieces, &also_ended);

  FUZZ_CHECK (ended == also_ended);
  FUZZ_CHECK (all->len == same->len && memcmp (all->str, same->str, all->len) == 0);
  FUZZ_CHECK (!ended || whole.status == pieces.status);
  FUZZ_CHECK (whole.status >= -255 && whole.status <= 255);
  /* Nothing is made up, and nothing but the end is left out. */
  FUZZ_CHECK (all->len <= fuzz_left (&input) && memcmp (all->str, input.at, all->len) == 0);
  FUZZ_CHECK (ended || fuzz_left (&input) - all->len <= strlen (WORD) + 16);
  asb_opensandbox_pty_tail_clear (&whole);
  asb_opensandbox_pty_tail_clear (&pieces);
}

static void
check_capture (FuzzInput input)
{
  g_autofree char *text = g_strndup ((const char *)input.at, fuzz_left (&input));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n_lines = g_strv_length (lines);
  guint at = 0;

  for (guint i = 0; i < 2; i++)
    {
      guint before = at;
      guint64 size = 0;
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GError) error = NULL;
      gboolean is_well = asb_opensandbox_capture_parse_file (lines, &at, &size, &bytes, &error);

      FUZZ_CHECK (is_well == (bytes != NULL) && is_well == (error == NULL));
      FUZZ_CHECK (!error || error->domain == ASB_ERROR);
      if (!is_well)
        return;
      FUZZ_CHECK (at > before && at <= n_lines);
      FUZZ_CHECK (g_bytes_get_size (bytes) <= MIN (size, MAX_INLINE));
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t choice = fuzz_take_byte (&input);

  if (choice & 1)
    check_capture (input);
  else
    check_tail (input, (choice >> 1) + 1);
  return 0;
}
