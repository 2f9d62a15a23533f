/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waiting until a sandbox can be worked in, and saying why it cannot. */

#pragma once

#include "asb-opensandbox-lifecycle.h"

/* [io] Until its execd answers, as long as the settings say. @runs: so the server says already, and
 * what else it knows is asked meanwhile. */
void asb_opensandbox_readiness_async (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                      gboolean runs, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);

/* Returns: (transfer full) (nullable) */
AsbSandboxInfo *asb_opensandbox_readiness_finish (AsbOpensandboxLifecycle *lifecycle,
                                                  GAsyncResult *result, GError **error);
