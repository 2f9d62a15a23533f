/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One SoupSession, made from the settings in the thread of the module. Made, referenced and let go
 * of in any thread; the rest is [io]. */

#pragma once

#include <libsoup/soup.h>

#include "asb-opensandbox-reply.h"
#include "asb-opensandbox-request.h"
#include "asb-opensandbox-settings.h"

#define ASB_TYPE_OPENSANDBOX_CLIENT (asb_opensandbox_client_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxClient, asb_opensandbox_client, ASB, OPENSANDBOX_CLIENT,
                      GObject)

AsbOpensandboxClient *asb_opensandbox_client_new (AsbOpensandboxSettings *settings);
AsbOpensandboxSettings *asb_opensandbox_client_get_settings (AsbOpensandboxClient *self);

/* The lifecycle server of the settings. Returns: (transfer none) */
AsbOpensandboxEndpoint *asb_opensandbox_client_get_lifecycle (AsbOpensandboxClient *self);

/* Any thread. What the clock of the lifecycle server shows, in microseconds since 1970, judged by
 * the dates of its replies and the monotonic clock; before the first reply what ours shows. */
gint64 asb_opensandbox_client_get_server_time (AsbOpensandboxClient *self);

/* [io] The whole reply. A status outside 200…299 is an error, as asb-opensandbox-error.h says. */
void asb_opensandbox_client_send_async (AsbOpensandboxClient *self, AsbOpensandboxRequest *request,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
AsbOpensandboxReply *asb_opensandbox_client_send_finish (AsbOpensandboxClient *self,
                                                         GAsyncResult *result, GError **error);

/* [io] A reply whose stream is still to be read, asynchronously and here. A body that is cut short
 * is an error of the read, not an end. Closing the stream before its end closes the connection. */
void asb_opensandbox_client_open_async (AsbOpensandboxClient *self, AsbOpensandboxRequest *request,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
AsbOpensandboxReply *asb_opensandbox_client_open_finish (AsbOpensandboxClient *self,
                                                         GAsyncResult *result, GError **error);

/* [io] A WebSocket. @request is a GET of an http or https address without a body. */
void asb_opensandbox_client_connect_async (AsbOpensandboxClient *self,
                                           AsbOpensandboxRequest *request,
                                           GCancellable *cancellable, GAsyncReadyCallback callback,
                                           gpointer user_data);
SoupWebsocketConnection *asb_opensandbox_client_connect_finish (AsbOpensandboxClient *self,
                                                                GAsyncResult *result,
                                                                GError **error);
