/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  LOOKALIKE_RANGE_ABSENT, /* there is none in it */
  LOOKALIKE_RANGE_NONE,   /* nothing of the file is in it */
  LOOKALIKE_RANGE_END,    /* it is the last 0 bytes, which are where it ends */
  LOOKALIKE_RANGE_FOUND,
  LOOKALIKE_RANGE_MALFORMED,
} LookalikeRange;

/* The first usable range of a header, the way execd reads it. */
LookalikeRange lookalike_range_parse (const char *header, gint64 size, gint64 *start,
                                      gint64 *length);

G_END_DECLS
