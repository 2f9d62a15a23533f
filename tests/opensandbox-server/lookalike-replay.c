/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-replay.h"

#define KEPT (1 << 20)
#define OPCODE_REPLAY 0x03

void
lookalike_replay_init (LookalikeReplay *self)
{
  self->bytes = g_byte_array_new ();
  self->total = 0;
}

void
lookalike_replay_clear (LookalikeReplay *self)
{
  g_clear_pointer (&self->bytes, g_byte_array_unref);
}

void
lookalike_replay_add (LookalikeReplay *self, const guint8 *bytes, gsize size)
{
  g_byte_array_append (self->bytes, bytes, (guint)size);
  self->total += (gint64)size;
  if (self->bytes->len > 2 * KEPT)
    g_byte_array_remove_range (self->bytes, 0, self->bytes->len - KEPT);
}

GBytes *
lookalike_replay_make_frame (LookalikeReplay *self, gint64 since)
{
  gint64 oldest = self->total - MIN ((gint64)self->bytes->len, KEPT);
  gint64 start = MAX (since, oldest);
  gint64 length = self->total - start;
  gint64 offset = GINT64_TO_BE (start);
  guint8 opcode = OPCODE_REPLAY;
  g_autoptr (GByteArray) frame = NULL;

  if (length <= 0)
    return NULL;
  frame = g_byte_array_new ();
  g_byte_array_append (frame, &opcode, 1);
  g_byte_array_append (frame, (const guint8 *)&offset, sizeof offset);
  g_byte_array_append (frame, self->bytes->data + self->bytes->len - length, (guint)length);
  return g_byte_array_free_to_bytes (g_steal_pointer (&frame));
}
