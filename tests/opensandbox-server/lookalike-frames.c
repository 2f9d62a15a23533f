/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-frames.h"

#define OPCODE_CLOSE 0x8
#define OPCODE_BINARY 0x2

static guint
get_header_length (const LookalikeFrames *self)
{
  guint length = 2;

  if (self->header_length < 2)
    return 2;
  if ((self->header[1] & 0x7f) == 126)
    length += 2;
  else if ((self->header[1] & 0x7f) == 127)
    length += 8;
  return length + (self->header[1] & 0x80 ? 4 : 0);
}

static guint64
get_payload_length (const LookalikeFrames *self)
{
  guint64 length = self->header[1] & 0x7f;
  guint bytes = length == 126 ? 2 : length == 127 ? 8 : 0;

  if (bytes == 0)
    return length;
  length = 0;
  for (guint i = 0; i < bytes; i++)
    length = length << 8 | self->header[2 + i];
  return length;
}

/* Control frames but a close do not count. */
static void
end_frame (LookalikeFrames *self)
{
  guint8 opcode = self->header[0] & 0x0f;

  if (opcode == OPCODE_CLOSE)
    self->close_seen = TRUE;
  if (opcode <= OPCODE_BINARY)
    self->frames++;
  self->header_length = 0;
}

static void
take_head_byte (LookalikeFrames *self, guint8 byte)
{
  static const char end[] = "\r\n\r\n";

  self->head_matched = byte == end[self->head_matched] ? self->head_matched + 1 : byte == '\r';
  if (self->head_matched == 4)
    self->in_head = FALSE;
}

static void
take_header_byte (LookalikeFrames *self, guint8 byte)
{
  self->header[self->header_length++] = byte;
  if (self->header_length < get_header_length (self))
    return;
  self->payload_left = get_payload_length (self);
  if (self->payload_left == 0)
    end_frame (self);
}

gsize
lookalike_frames_walk (LookalikeFrames *self, const guint8 *bytes, gsize size, guint stop_after)
{
  gsize done = 0;

  while (done < size && (stop_after == 0 || self->frames < stop_after))
    if (self->in_head)
      take_head_byte (self, bytes[done++]);
    else if (self->payload_left > 0)
      {
        gsize now = (gsize)MIN (self->payload_left, size - done);

        done += now;
        self->payload_left -= now;
        if (self->payload_left == 0)
          end_frame (self);
      }
    else
      take_header_byte (self, bytes[done++]);
  return done;
}

gboolean
lookalike_frames_is_between (const LookalikeFrames *self)
{
  return !self->in_head && self->payload_left == 0 && self->header_length == 0;
}
