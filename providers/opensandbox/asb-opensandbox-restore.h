/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Snapshots that a sandbox is to be made of, and that are not ready for it. */

#pragma once

#include "asb-opensandbox-lifecycle.h"

/* Whether that is why no sandbox was made. */
gboolean asb_opensandbox_restore_is_why (const GError *error);

/* [io] Waits while the snapshot is being made, until @deadline (monotonic). */
void asb_opensandbox_restore_async (AsbOpensandboxLifecycle *lifecycle, const char *snapshot_id,
                                    gint64 deadline, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full): the snapshot, as it is then */
AsbSnapshot *asb_opensandbox_restore_finish (AsbOpensandboxLifecycle *lifecycle,
                                             GAsyncResult *result, GError **error);

/* Adds to @error what has become of the snapshot. */
void asb_opensandbox_restore_explain (GError *error, AsbSnapshot *snapshot);
