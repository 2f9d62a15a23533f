/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last mebibyte of what a PTY session said. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  GByteArray *bytes;
  gint64 total;
} LookalikeReplay;

void lookalike_replay_init (LookalikeReplay *self);
void lookalike_replay_clear (LookalikeReplay *self);
void lookalike_replay_add (LookalikeReplay *self, const guint8 *bytes, gsize size);

/* The replay frame from @since on, or from where it still can; NULL when there is nothing. */
GBytes *lookalike_replay_make_frame (LookalikeReplay *self, gint64 since);

G_END_DECLS
