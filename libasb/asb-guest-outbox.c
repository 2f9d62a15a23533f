/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-outbox-private.h"

#include <string.h>

#define MAX_BATCH_SIZE (256 * 1024)

typedef struct
{
  GList link;
  guint64 sequence;
  gsize size;
  guint8 bytes[];
} Frame;

void
asb_guest_outbox_init (AsbGuestOutbox *self)
{
  memset (self, 0, sizeof *self);
  self->urgent = g_byte_array_new ();
}

static void
free_first (AsbGuestOutbox *self)
{
  GList *link = g_queue_pop_head_link (&self->frames);
  Frame *frame = link->data;

  self->size -= frame->size;
  g_free (frame);
}

void
asb_guest_outbox_clear (AsbGuestOutbox *self)
{
  while (self->frames.head)
    free_first (self);
  self->unwritten = NULL;
  g_clear_pointer (&self->urgent, g_byte_array_unref);
}

gboolean
asb_guest_outbox_has_room (AsbGuestOutbox *self, gsize length)
{
  return self->size + ASB_FRAME_HEADER_SIZE + length <= ASB_FRAME_MAX_UNACKNOWLEDGED;
}

guint8 *
asb_guest_outbox_add (AsbGuestOutbox *self, AsbFrameHeader *header)
{
  gsize size = ASB_FRAME_HEADER_SIZE + header->length;
  Frame *frame = g_malloc (sizeof (Frame) + size);

  header->sequence = ++self->last_sequence;
  frame->link = (GList){ .data = frame };
  frame->sequence = header->sequence;
  frame->size = size;
  asb_frame_header_write (header, frame->bytes);

  g_queue_push_tail_link (&self->frames, &frame->link);
  if (!self->unwritten)
    self->unwritten = &frame->link;
  self->size += size;
  self->unwritten_size += size;
  return frame->bytes + ASB_FRAME_HEADER_SIZE;
}

void
asb_guest_outbox_add_urgent (AsbGuestOutbox *self, const AsbFrameHeader *header,
                             gconstpointer payload)
{
  guint8 bytes[ASB_FRAME_HEADER_SIZE];

  asb_frame_header_write (header, bytes);
  g_byte_array_append (self->urgent, bytes, sizeof bytes);
  if (header->length > 0)
    g_byte_array_append (self->urgent, payload, header->length);
}

gboolean
asb_guest_outbox_is_batch_done (AsbGuestOutbox *self)
{
  return self->batch_frames == 0 && self->batch_urgent == 0;
}

static void
begin_batch (AsbGuestOutbox *self)
{
  gsize size = self->urgent->len;
  GList *link = self->held ? NULL : self->unwritten;

  self->batch_urgent = self->urgent->len;
  while (link && self->batch_frames < ASB_GUEST_OUTBOX_MAX_VECTORS - 1 && size < MAX_BATCH_SIZE)
    {
      size += ((Frame *)link->data)->size;
      self->batch_frames++;
      link = link->next;
    }
}

guint
asb_guest_outbox_get_batch (AsbGuestOutbox *self,
                            GOutputVector vectors[ASB_GUEST_OUTBOX_MAX_VECTORS])
{
  GList *link = self->unwritten;
  gsize offset = self->offset;
  guint n = 0;

  if (asb_guest_outbox_is_batch_done (self))
    begin_batch (self);
  if (self->batch_urgent > 0)
    vectors[n++] = (GOutputVector){ self->urgent->data, self->batch_urgent };
  for (guint i = 0; i < self->batch_frames; i++)
    {
      Frame *frame = link->data;

      vectors[n++] = (GOutputVector){ frame->bytes + offset, frame->size - offset };
      offset = 0;
      link = link->next;
    }
  return n;
}

static gsize
wrote_urgent (AsbGuestOutbox *self, gsize size)
{
  gsize count = MIN (size, self->batch_urgent);

  if (count == 0)
    return 0;
  self->batch_urgent -= count;
  g_byte_array_remove_range (self->urgent, 0, (guint)count);
  return count;
}

static gsize
wrote_frame (AsbGuestOutbox *self, gsize size)
{
  Frame *frame = self->unwritten->data;
  gsize count = MIN (size, frame->size - self->offset);

  self->offset += count;
  if (self->offset < frame->size)
    return count;
  self->offset = 0;
  self->unwritten = self->unwritten->next;
  self->unwritten_size -= frame->size;
  self->last_written = frame->sequence;
  self->batch_frames--;
  return count;
}

void
asb_guest_outbox_wrote (AsbGuestOutbox *self, gsize size)
{
  size -= wrote_urgent (self, size);
  while (size > 0)
    size -= wrote_frame (self, size);
}

gboolean
asb_guest_outbox_acknowledge (AsbGuestOutbox *self, guint64 sequence)
{
  if (sequence > self->last_written)
    return FALSE;
  while (self->frames.head != self->unwritten
         && ((Frame *)self->frames.head->data)->sequence <= sequence)
    free_first (self);
  return TRUE;
}

void
asb_guest_outbox_interrupt (AsbGuestOutbox *self)
{
  g_byte_array_set_size (self->urgent, 0);
  self->batch_urgent = 0;
  self->batch_frames = 0;
  self->offset = 0;
  self->held = TRUE;
}

guint64
asb_guest_outbox_get_acknowledged (AsbGuestOutbox *self)
{
  return self->frames.head ? ((Frame *)self->frames.head->data)->sequence - 1 : self->last_sequence;
}

gboolean
asb_guest_outbox_resume (AsbGuestOutbox *self, guint64 sequence)
{
  if (sequence < asb_guest_outbox_get_acknowledged (self)
      || !asb_guest_outbox_acknowledge (self, sequence))
    return FALSE;
  self->unwritten = self->frames.head;
  self->unwritten_size = self->size;
  self->last_written = sequence;
  self->held = FALSE;
  return TRUE;
}

guint64
asb_guest_outbox_drop_unwritten (AsbGuestOutbox *self)
{
  GList *keep = self->offset > 0 ? self->unwritten : NULL;

  while (self->frames.tail && self->frames.tail != keep
         && ((Frame *)self->frames.tail->data)->sequence > self->last_written)
    {
      GList *link = g_queue_pop_tail_link (&self->frames);
      Frame *frame = link->data;

      self->size -= frame->size;
      self->unwritten_size -= frame->size;
      g_free (frame);
    }
  self->unwritten = keep;
  self->batch_frames = keep ? 1 : 0;
  return keep ? ((Frame *)keep->data)->sequence : self->last_written;
}
