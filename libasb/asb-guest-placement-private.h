/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opens the guest of a sandbox: connects to the one its provider runs there, or puts it there and
 * starts it. */

#pragma once

#include "asb-provider.h"

/* @reconnect_seconds: for how long it is tried to get a lost connection back. */
void asb_guest_placement_open_async (AsbProvider *provider, const char *sandbox_id,
                                     guint reconnect_seconds, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full): an AsbGuestTransport */
AsbTransport *asb_guest_placement_open_finish (AsbProvider *provider, GAsyncResult *result,
                                               GError **error);
