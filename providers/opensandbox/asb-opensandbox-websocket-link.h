/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Moves bytes between two pipes and a WebSocket, all of it in the I/O thread. What waits to be sent
 * and what waits to be read are bounded. It lives as long as the connection, and ends it when the
 * pipes are closed. */

#pragma once

#include <asb.h>
#include <libsoup/soup.h>

typedef struct _AsbOpensandboxWebsocketLink AsbOpensandboxWebsocketLink;

/* What the messages mean. */
typedef struct
{
  /* Stands before the bytes of each message that is sent. */
  guint8 prefix[1];
  gsize prefix_size;

  /* [io] A message has come: what of it belongs to the stream goes to
   * asb_opensandbox_websocket_link_deliver (). FALSE with @error set: the connection ends. */
  gboolean (*receive) (gpointer data, AsbOpensandboxWebsocketLink *link, SoupWebsocketDataType type,
                       GBytes *message, GError **error);

  /* [io] Nothing more will come. *@error, NULL for an end in good order, may be replaced. */
  void (*ended) (gpointer data, GError **error);
  GDestroyNotify free;
} AsbOpensandboxWebsocketKind;

/* Binary messages of any size are the stream, and the first one says that it is open. */
extern const AsbOpensandboxWebsocketKind asb_opensandbox_websocket_plain;

/* [io] Takes @connection and @data. */
AsbOpensandboxWebsocketLink *
asb_opensandbox_websocket_link_new (SoupWebsocketConnection *connection,
                                    const AsbOpensandboxWebsocketKind *kind, gpointer data);

/* Any thread. */
AsbOpensandboxWebsocketLink *asb_opensandbox_websocket_link_ref (AsbOpensandboxWebsocketLink *self);
void asb_opensandbox_websocket_link_unref (AsbOpensandboxWebsocketLink *self);
AsbPipe *asb_opensandbox_websocket_link_get_input (AsbOpensandboxWebsocketLink *self);
AsbPipe *asb_opensandbox_websocket_link_get_output (AsbOpensandboxWebsocketLink *self);

/* [io] For kinds. */
void asb_opensandbox_websocket_link_deliver (AsbOpensandboxWebsocketLink *self, const guint8 *bytes,
                                             gsize size);
void asb_opensandbox_websocket_link_set_ready (AsbOpensandboxWebsocketLink *self);

/* [io] Until the other side has shown that it is there, or the connection has ended. One at a time.
 */
void asb_opensandbox_websocket_link_wait_async (AsbOpensandboxWebsocketLink *self,
                                                guint milliseconds, GCancellable *cancellable,
                                                GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_opensandbox_websocket_link_wait_finish (GAsyncResult *result, GError **error);

/* [io] Ends it at once, without a farewell. */
void asb_opensandbox_websocket_link_drop (AsbOpensandboxWebsocketLink *self, const GError *error);

/* For tests, once it has ended: in how many pieces stands what was not taken. */
guint asb_opensandbox_websocket_link_count_pieces (AsbOpensandboxWebsocketLink *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxWebsocketLink, asb_opensandbox_websocket_link_unref)
