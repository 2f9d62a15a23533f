/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Requests to what listens inside a sandbox: its execd, its egress sidecar. */

#pragma once

#include "asb-opensandbox-call.h"

/* [io] Makes the request once the way is known. Returns: (transfer full) */
typedef AsbOpensandboxRequest *(*AsbOpensandboxNewRequest) (AsbOpensandboxEndpoint *endpoint,
                                                            gpointer user_data);

/* [io] The whole reply. Where nobody answers, what is remembered of the way is forgotten; that a
 * sandbox has no sidecar is %ASB_ERROR_UNSUPPORTED_CAPABILITY.
 * @new_request is called at most once, while the call goes on. */
void asb_opensandbox_reach_async (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                  guint port, AsbOpensandboxNewRequest new_request,
                                  gpointer request_data, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);

/* Returns: (transfer full) (nullable) */
AsbOpensandboxReply *asb_opensandbox_reach_finish (AsbOpensandboxLifecycle *lifecycle,
                                                   GAsyncResult *result, GError **error);
