/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text from a stream of bytes that may be cut anywhere: a piece never holds half a character. */

#pragma once

#include <glib.h>

typedef struct
{
  guint8 pending[4];
  gsize n_pending;
} AsbUtf8Decoder;

/* Returns: (transfer full): the text that is complete, with replacement characters for what is no
 * UTF-8; at the end of the stream @data may be NULL and @final is TRUE */
char *asb_utf8_decoder_feed (AsbUtf8Decoder *self, const guint8 *data, gsize size, gboolean final);
