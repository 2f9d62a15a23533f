/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] The way to a program by execd's /pty, which bash becomes, in pipe mode. */

#pragma once

#include "asb-opensandbox-visit.h"
#include "asb-opensandbox-websocket-link.h"

void asb_opensandbox_pty_way_open_async (AsbOpensandboxVisit *visit, GAsyncReadyCallback callback,
                                         gpointer user_data);

/* Returns: (transfer full) */
AsbOpensandboxWebsocketLink *asb_opensandbox_pty_way_open_finish (GAsyncResult *result,
                                                                  GError **error);
