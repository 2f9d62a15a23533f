/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The transport that works through execd's own HTTP API: where the guest cannot run, and on old
 * servers. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-execd.h"

#define ASB_OPENSANDBOX_NO_TERMINALS "execd has no /pty, or the sandbox has no bash"

#define ASB_TYPE_OPENSANDBOX_NATIVE (asb_opensandbox_native_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxNative, asb_opensandbox_native, ASB, OPENSANDBOX_NATIVE,
                      GObject)

/* [io] Looks at what this execd can do. @endpoint leads to it. @no_guest (nullable): why it is used
 * instead of the guest. */
void asb_opensandbox_native_open_async (AsbOpensandboxClient *client,
                                        AsbOpensandboxEndpoint *endpoint, const char *no_guest,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
AsbTransport *asb_opensandbox_native_open_finish (AsbOpensandboxClient *client,
                                                  GAsyncResult *result, GError **error);

/* Any thread. What every such transport can and cannot; @has_terminals: whether execd knows /pty
 * and there is a bash for it; @no_guest (nullable): why the guest does not run.
 * Returns: (transfer full) */
AsbCapabilities *asb_opensandbox_native_list_capabilities (gboolean has_terminals,
                                                           const char *no_guest);

AsbOpensandboxExecd *asb_opensandbox_native_get_execd (AsbOpensandboxNative *self);

/* Any thread. Answers @task when @transport is closed; FALSE then. */
gboolean asb_opensandbox_native_check (AsbTransport *transport, GTask *task);
