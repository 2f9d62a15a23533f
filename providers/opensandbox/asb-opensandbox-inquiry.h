/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Asks the server whether the state of a sandbox is why it cannot be reached. [io] */

#pragma once

#include "asb-opensandbox-client.h"

/* @fault is what happened on the way into the sandbox. */
void asb_opensandbox_inquiry_async (AsbOpensandboxClient *client, const char *sandbox_id,
                                    const GError *fault, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);

/* The error to give instead: the sandbox is gone, paused or has ended. NULL if it is not known to
 * be the reason. Returns: (transfer full) (nullable) */
GError *asb_opensandbox_inquiry_finish (GAsyncResult *result);

/* Whether the server said that the sandbox runs. */
gboolean asb_opensandbox_inquiry_found_running (GAsyncResult *result);

/* Whether that error says that it is paused, and so may go on. */
gboolean asb_opensandbox_inquiry_is_pause (const GError *verdict);
