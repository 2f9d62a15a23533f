/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-utf8-decoder-private.h"

#include <string.h>

#define MAX_SEQUENCE 4

/* How many bytes at the end begin a character that is not complete. */
static gsize
count_incomplete (const char *text, gsize size)
{
  for (gsize n = MIN (size, MAX_SEQUENCE - 1); n > 0; n--)
    if (g_utf8_get_char_validated (text + size - n, (gssize)n) == (gunichar)-2)
      return n;
  return 0;
}

char *
asb_utf8_decoder_feed (AsbUtf8Decoder *self, const guint8 *data, gsize size, gboolean final)
{
  g_autoptr (GString) text = g_string_sized_new (self->n_pending + size);
  gsize incomplete;

  g_string_append_len (text, (const char *)self->pending, (gssize)self->n_pending);
  if (size > 0)
    g_string_append_len (text, (const char *)data, (gssize)size);

  incomplete = final ? 0 : count_incomplete (text->str, text->len);
  memcpy (self->pending, text->str + text->len - incomplete, incomplete);
  self->n_pending = incomplete;
  return g_utf8_make_valid (text->str, (gssize)(text->len - incomplete));
}
