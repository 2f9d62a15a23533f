/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The server's side of the handshake, for any path and with any refusal before it. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

typedef void (*LookalikeAcceptedFunc) (GIOStream *stream, gpointer user_data);

/* What a WebSocket needs is there: key, version. */
gboolean lookalike_websocket_is_valid (LookalikeRequest *request);

/* Sends 101; calls with the stream, or NULL when the client has gone. */
void lookalike_websocket_accept (LookalikeRequest *request, const char *protocol,
                                 LookalikeAcceptedFunc accepted, gpointer user_data);

/* Accepts, then closes with @code: how the server's proxy tells that it failed. */
void lookalike_websocket_refuse (LookalikeRequest *request, int code, const char *reason);

/* A close frame of a server. */
GBytes *lookalike_websocket_make_close (int code, const char *reason);

char *lookalike_websocket_make_key (void);

G_END_DECLS
