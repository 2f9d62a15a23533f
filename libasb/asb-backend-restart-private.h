/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A backend whose guest has gone, killed or ended with its sandbox's processes: the next operation
 * has the provider start another on the same files. What ran is unknown and stays so. */

#pragma once

#include "asb-backend-private.h"

/* Any thread. */
gboolean asb_backend_needs_restart (AsbBackend *self);

/* Whoever comes while another one is at it waits for that, and fails with it; but for one that can
 * go on only in a main context that does not run meanwhile. */
void asb_backend_restart_async (AsbBackend *self, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_backend_restart_finish (AsbBackend *self, GAsyncResult *result, GError **error);
