/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bytes that came from a guest, cut into frames. */

#pragma once

#include <glib.h>

#include "asb-frame.h"

typedef struct
{
  guint8 *bytes;
  gsize capacity;
  gsize start;
  gsize end;
} AsbGuestReader;

void asb_guest_reader_clear (AsbGuestReader *self);

/* Where to put the bytes that come next, and how many there is room for. */
guint8 *asb_guest_reader_get_space (AsbGuestReader *self, gsize *size);
void asb_guest_reader_add (AsbGuestReader *self, gsize size);

/* The next whole frame. *@payload is good until the next call of asb_guest_reader_get_space (). */
AsbFrameStatus asb_guest_reader_next (AsbGuestReader *self, AsbFrameHeader *header,
                                      const guint8 **payload, const char **reason);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AsbGuestReader, asb_guest_reader_clear)
