/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bytes that travel by a WebSocket as a stream for any thread, pollable at both ends. */

#pragma once

#include "asb-opensandbox-websocket-link.h"

#define ASB_TYPE_OPENSANDBOX_WEBSOCKET_STREAM (asb_opensandbox_websocket_stream_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxWebsocketStream, asb_opensandbox_websocket_stream, ASB,
                      OPENSANDBOX_WEBSOCKET_STREAM, GIOStream)

/* Any thread. One stream for a link. */
GIOStream *asb_opensandbox_websocket_stream_new (AsbOpensandboxWebsocketLink *link);

/* Returns: (transfer none) */
AsbOpensandboxWebsocketLink *
asb_opensandbox_websocket_stream_get_link (AsbOpensandboxWebsocketStream *self);
