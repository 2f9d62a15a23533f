/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the ports of sandboxes are reached. What was looked up is remembered for ten minutes, or
 * until it is said to be out of date. */

#pragma once

#include "asb-opensandbox-client.h"

#define ASB_OPENSANDBOX_PORT_EGRESS 18080
#define ASB_OPENSANDBOX_PORT_EXECD 44772

#define ASB_TYPE_OPENSANDBOX_ENDPOINTS (asb_opensandbox_endpoints_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxEndpoints, asb_opensandbox_endpoints, ASB,
                      OPENSANDBOX_ENDPOINTS, GObject)

AsbOpensandboxEndpoints *asb_opensandbox_endpoints_new (AsbOpensandboxClient *client);

/* [io] The way to a port, directly or through the server, as the settings say. */
void asb_opensandbox_endpoints_lookup_async (AsbOpensandboxEndpoints *self, const char *sandbox_id,
                                             guint port, GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer user_data);

/* [io] The same, signed by the server: valid for whoever has it until @expires, in seconds since
 * 1970. It is never remembered, and never leads through the server. */
void asb_opensandbox_endpoints_lookup_signed_async (AsbOpensandboxEndpoints *self,
                                                    const char *sandbox_id, guint port,
                                                    gint64 expires, GCancellable *cancellable,
                                                    GAsyncReadyCallback callback,
                                                    gpointer user_data);

/* Finishes both. Returns: (transfer full) */
AsbOpensandboxEndpoint *asb_opensandbox_endpoints_lookup_finish (AsbOpensandboxEndpoints *self,
                                                                 GAsyncResult *result,
                                                                 GError **error);

/* [io] What is remembered of a sandbox may be wrong from now on: it was paused, resumed, deleted,
 * or could not be reached. */
void asb_opensandbox_endpoints_forget (AsbOpensandboxEndpoints *self, const char *sandbox_id);

/* Any thread. What a reply to a lookup says. Returns: (transfer full) (nullable) */
AsbOpensandboxEndpoint *asb_opensandbox_endpoints_parse (GBytes *body,
                                                         AsbOpensandboxSettings *settings,
                                                         guint port, GError **error);
