/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waiting until a sandbox can be worked in, and saying why it cannot. */

#pragma once

#include "asb-opensandbox-lifecycle.h"

/* [io] Until its execd answers, as long as the settings say. @info (nullable) is what is known of
 * the sandbox: it is not asked for again. */
void asb_opensandbox_readiness_async (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                      AsbSandboxInfo *info, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);

/* Returns: (transfer full) (nullable) */
AsbSandboxInfo *asb_opensandbox_readiness_finish (AsbOpensandboxLifecycle *lifecycle,
                                                  GAsyncResult *result, GError **error);
