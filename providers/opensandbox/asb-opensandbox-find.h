/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sandbox whose creation was never answered for, by the instance id it was given. */

#pragma once

#include "asb-opensandbox-lifecycle.h"

/* [io] Looks again and again, since it may appear late, for @milliseconds; 0: once. Of those with
 * the instance id only what was made after @since counts, a monotonic time: an older one is
 * somebody else's that happens to be called the same. */
void asb_opensandbox_find_async (AsbOpensandboxLifecycle *lifecycle, const char *instance_id,
                                 gint64 since, guint milliseconds, GAsyncReadyCallback callback,
                                 gpointer user_data);

/* Returns: (transfer full) (nullable): its id; NULL without an error if there is none. With an
 * error the server could not be asked. */
char *asb_opensandbox_find_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                                   GError **error);
