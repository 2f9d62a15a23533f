/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames on their way to a guest.
 *
 * Numbered frames are kept until the guest has acknowledged them, at most 4 MiB of them. Urgent
 * frames (ACK, CREDIT, PING, PONG, GOODBYE) go before all numbered ones but those of the batch
 * being written. */

#pragma once

#include <gio/gio.h>

#include "asb-frame.h"

#define ASB_GUEST_OUTBOX_MAX_VECTORS 16

typedef struct
{
  GQueue frames;    /* numbered, not acknowledged, oldest first */
  GList *unwritten; /* the first of them that was not written to its end */
  gsize offset;     /* how much of that one was */
  gsize size;
  gsize unwritten_size;
  guint64 last_sequence;
  guint64 last_written;

  GByteArray *urgent;
  gboolean held;      /* numbered frames wait until the guest has been greeted again */
  guint batch_frames; /* how many of the unwritten ones are in the batch */
  gsize batch_urgent; /* how many of the urgent bytes are in it */
} AsbGuestOutbox;

void asb_guest_outbox_init (AsbGuestOutbox *self);
void asb_guest_outbox_clear (AsbGuestOutbox *self);

/* Whether a numbered frame with @length bytes of payload may be added. */
gboolean asb_guest_outbox_has_room (AsbGuestOutbox *self, gsize length);

/* Adds a frame; the number is set here. Returns where its payload is to be put. */
guint8 *asb_guest_outbox_add (AsbGuestOutbox *self, AsbFrameHeader *header);

void asb_guest_outbox_add_urgent (AsbGuestOutbox *self, const AsbFrameHeader *header,
                                  gconstpointer payload);

/* What to write next: the rest of a batch, or a new one. */
gboolean asb_guest_outbox_is_batch_done (AsbGuestOutbox *self);
guint asb_guest_outbox_get_batch (AsbGuestOutbox *self,
                                  GOutputVector vectors[ASB_GUEST_OUTBOX_MAX_VECTORS]);
void asb_guest_outbox_wrote (AsbGuestOutbox *self, gsize size);

/* FALSE when nothing with that number was written. */
gboolean asb_guest_outbox_acknowledge (AsbGuestOutbox *self, guint64 sequence);

/* The last number that was acknowledged. */
guint64 asb_guest_outbox_get_acknowledged (AsbGuestOutbox *self);

/* The connection is gone, and with it what has no number and what was written by half. Nothing
 * numbered is written until the connection is resumed. */
void asb_guest_outbox_interrupt (AsbGuestOutbox *self);

/* The guest has received all up to @sequence: the rest is to be written again. FALSE when it cannot
 * have. */
gboolean asb_guest_outbox_resume (AsbGuestOutbox *self, guint64 sequence);

/* Drops the numbered frames of which nothing was written yet. Returns the number of the last one
 * that was, or will be, written. */
guint64 asb_guest_outbox_drop_unwritten (AsbGuestOutbox *self);
