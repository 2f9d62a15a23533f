/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One channel of a call: the window, and where the bytes come from or go to. */

#pragma once

#include "asb-guest-call-private.h"

void asb_guest_channel_init (AsbGuestChannel *self, AsbGuestCall *call, guint16 number);
void asb_guest_channel_clear (AsbGuestChannel *self);

gboolean asb_guest_channel_is_fed_by_guest (AsbGuestChannel *self);

/* Whether what came keeps to the rules. */
gboolean asb_guest_channel_check_data (AsbGuestChannel *self, gsize size, GError **error);

/* What is to be told to the guest when the stream has read: FALSE for nothing yet. */
gboolean asb_guest_channel_update_credit (AsbGuestChannel *self);

/* For what is sent: how many bytes may be sent now, and whether nothing follows them. FALSE when
 * there is nothing to send. */
gboolean asb_guest_channel_get_sendable (AsbGuestChannel *self, gsize *size, gboolean *finished);
void asb_guest_channel_take (AsbGuestChannel *self, guint8 *bytes, gsize size, gboolean finished);

/* The other side takes no more. */
void asb_guest_channel_break (AsbGuestChannel *self, const GError *error);
