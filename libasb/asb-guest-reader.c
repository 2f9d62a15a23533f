/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-reader-private.h"

#include <string.h>

#define USUAL_CAPACITY (256 * 1024)
#define MAX_CAPACITY (ASB_FRAME_HEADER_SIZE + ASB_FRAME_MAX_CONTROL)
#define MIN_SPACE (64 * 1024)

void
asb_guest_reader_clear (AsbGuestReader *self)
{
  g_clear_pointer (&self->bytes, g_free);
  self->capacity = 0;
  self->start = 0;
  self->end = 0;
}

/* A frame that has begun is moved to the front, and the buffer grows for it as its bytes come, not
 * by the length it claims. */
static void
make_space (AsbGuestReader *self)
{
  gsize pending = self->end - self->start;

  if (pending > 0)
    memmove (self->bytes, self->bytes + self->start, pending);
  self->start = 0;
  self->end = pending;
  if (pending == 0 && self->capacity > USUAL_CAPACITY)
    asb_guest_reader_clear (self);
  if (!self->bytes)
    self->capacity = USUAL_CAPACITY;
  else if (pending == self->capacity)
    self->capacity = MIN (self->capacity * 2, MAX_CAPACITY);
  else
    return;
  self->bytes = g_realloc (self->bytes, self->capacity);
}

guint8 *
asb_guest_reader_get_space (AsbGuestReader *self, gsize *size)
{
  if (self->start == self->end || self->capacity - self->end < MIN_SPACE)
    make_space (self);
  *size = self->capacity - self->end;
  return self->bytes + self->end;
}

void
asb_guest_reader_add (AsbGuestReader *self, gsize size)
{
  self->end += size;
}

AsbFrameStatus
asb_guest_reader_next (AsbGuestReader *self, AsbFrameHeader *header, const guint8 **payload,
                       const char **reason)
{
  const guint8 *frame = self->bytes + self->start;
  AsbFrameStatus status = asb_frame_parse (frame, self->end - self->start, header, reason);

  if (status == ASB_FRAME_OK)
    {
      *payload = frame + ASB_FRAME_HEADER_SIZE;
      self->start += ASB_FRAME_HEADER_SIZE + header->length;
    }
  return status;
}
