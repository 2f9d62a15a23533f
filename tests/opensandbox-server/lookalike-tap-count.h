/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "lookalike-tap.h"

G_BEGIN_DECLS

typedef enum
{
  LOOKALIKE_TAP_GO_ON,
  LOOKALIKE_TAP_CUT,
  LOOKALIKE_TAP_STALL,
} LookalikeTapVerdict;

/* Where in an HTTP/1.1 answer the bytes that went out have come to. */
typedef struct
{
  gint64 response_bytes;
  gint64 body_bytes;
  gint64 chunks;
  guint line_length;
  gboolean in_body;
  gboolean chunked;
  guint chunk_state;
  guint64 chunk_left;
  char line[64];
  LookalikeTapVerdict verdict;
} LookalikeTapCount;

void lookalike_tap_count_init (LookalikeTapCount *count);

/* Counts bytes until the plan says stop; how many may go. */
gsize lookalike_tap_count_walk (LookalikeTapCount *count, const LookalikeTapPlan *plan,
                                const guint8 *bytes, gsize size);

guint8 *lookalike_tap_count_change_case (const LookalikeTapCount *count, const guint8 *bytes,
                                         gsize size, char header_case);

G_END_DECLS
