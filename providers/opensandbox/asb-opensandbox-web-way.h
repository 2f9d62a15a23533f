/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] The way to the guest by a WebSocket, through execd's proxy to its port. */

#pragma once

#include "asb-opensandbox-visit.h"
#include "asb-opensandbox-websocket-link.h"

void asb_opensandbox_web_way_open_async (AsbOpensandboxVisit *visit, GAsyncReadyCallback callback,
                                         gpointer user_data);

/* An error with the visit's “no_websocket” set says that WebSockets do not get through; any other
 * that this way leads nowhere for a reason that holds for others, too. Returns: (transfer full) */
AsbOpensandboxWebsocketLink *asb_opensandbox_web_way_open_finish (GAsyncResult *result,
                                                                  GError **error);
