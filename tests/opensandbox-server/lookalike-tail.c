/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-tail.h"

#include <unistd.h>

void
lookalike_tail_init (LookalikeTail *self, int fd)
{
  self->fd = fd;
  self->position = 0;
  self->line = g_byte_array_new ();
  self->after_cr = FALSE;
}

void
lookalike_tail_clear (LookalikeTail *self)
{
  if (self->line == NULL)
    return;
  g_clear_pointer (&self->line, g_byte_array_unref);
  close (self->fd);
}

static void
take_byte (LookalikeTail *self, guint8 byte, LookalikeLineFunc func, gpointer user_data)
{
  if (byte != '\n' && byte != '\r')
    {
      g_byte_array_append (self->line, &byte, 1);
      self->after_cr = FALSE;
      return;
    }
  if (self->line->len > 0)
    lookalike_tail_flush (self, func, user_data);
  else if (byte == '\r' || !self->after_cr)
    func ("\n", 1, user_data);
  self->after_cr = byte == '\r';
}

gboolean
lookalike_tail_read (LookalikeTail *self, gsize limit, LookalikeLineFunc func, gpointer user_data)
{
  guint8 buffer[65536];
  gssize got;

  while (limit > 0 && (got = pread (self->fd, buffer, sizeof buffer, self->position)) > 0)
    {
      self->position += got;
      for (gssize i = 0; i < got; i++)
        take_byte (self, buffer[i], func, user_data);
      limit -= MIN (limit, (gsize)got);
    }
  return limit == 0;
}

void
lookalike_tail_flush (LookalikeTail *self, LookalikeLineFunc func, gpointer user_data)
{
  if (self->line->len == 0)
    return;
  func ((const char *)self->line->data, self->line->len, user_data);
  g_byte_array_set_size (self->line, 0);
}
