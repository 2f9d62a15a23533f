/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One sandbox: asked for, awaited, deleted. */

#pragma once

#include "asb-opensandbox-lifecycle.h"

/* [io] */
void asb_opensandbox_get_async (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data);

/* Returns: (transfer full) (nullable) */
AsbSandboxInfo *asb_opensandbox_get_finish (AsbOpensandboxLifecycle *lifecycle,
                                            GAsyncResult *result, GError **error);

/* [io] Asks until the sandbox is in @wanted, has ended, or a time is over that the core would not
 * wait for longer either. Finished like asb_opensandbox_get_async (). */
void asb_opensandbox_get_in_state_async (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                         AsbSandboxState wanted, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data);

/* [io] That there is none is an error, unless an earlier try of this call may have been the one
 * that deleted it. */
void asb_opensandbox_delete_async (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data);
gboolean asb_opensandbox_delete_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                                        GError **error);

/* What an error says of itself, of a sandbox. The error must be of ASB_ERROR to hold it. */
void asb_opensandbox_get_note_sandbox (GError *error, const char *sandbox_id,
                                       const char *instance_id);
