/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* execd's way to turn a growing file into lines, and what it loses on the way. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef void (*LookalikeLineFunc) (const char *line, gsize length, gpointer user_data);

typedef struct
{
  int fd;
  gint64 position;
  GByteArray *line;
  gboolean after_cr;
} LookalikeTail;

void lookalike_tail_init (LookalikeTail *self, int fd);
void lookalike_tail_clear (LookalikeTail *self);

/* Reads up to @limit bytes of what is new; TRUE when there is more. */
gboolean lookalike_tail_read (LookalikeTail *self, gsize limit, LookalikeLineFunc func,
                              gpointer user_data);
/* A last line without an end. */
void lookalike_tail_flush (LookalikeTail *self, LookalikeLineFunc func, gpointer user_data);

G_END_DECLS
