/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] A WebSocket on which somebody has answered. */

#pragma once

#include "asb-opensandbox-client.h"
#include "asb-opensandbox-websocket-link.h"

/* @ready_ms: for how long, once it is open, the first word is waited for. Takes @data, which goes
 * with @kind. */
void asb_opensandbox_websocket_opening_async (AsbOpensandboxClient *client,
                                              AsbOpensandboxRequest *request,
                                              const AsbOpensandboxWebsocketKind *kind,
                                              gpointer data, guint ready_ms,
                                              GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer user_data);

/* Returns: (transfer full) */
AsbOpensandboxWebsocketLink *asb_opensandbox_websocket_opening_finish (GAsyncResult *result,
                                                                       GError **error);
