/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the operations of one provider share: the client, whose sandboxes these are, and the ways
 * into them. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-client.h"
#include "asb-opensandbox-endpoints.h"

#define ASB_TYPE_OPENSANDBOX_LIFECYCLE (asb_opensandbox_lifecycle_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxLifecycle, asb_opensandbox_lifecycle, ASB,
                      OPENSANDBOX_LIFECYCLE, GObject)

AsbOpensandboxLifecycle *asb_opensandbox_lifecycle_new (AsbOpensandboxClient *client,
                                                        const char *provider_key);

/* Any thread. They stay as they are. */
AsbOpensandboxClient *asb_opensandbox_lifecycle_get_client (AsbOpensandboxLifecycle *self);
AsbOpensandboxSettings *asb_opensandbox_lifecycle_get_settings (AsbOpensandboxLifecycle *self);
AsbOpensandboxEndpoints *asb_opensandbox_lifecycle_get_endpoints (AsbOpensandboxLifecycle *self);
const char *asb_opensandbox_lifecycle_get_key (AsbOpensandboxLifecycle *self);
const char *asb_opensandbox_lifecycle_get_fingerprint (AsbOpensandboxLifecycle *self);

/* [io] What creations with an idempotency key leave to each other. Returns: (transfer none) */
GHashTable *asb_opensandbox_lifecycle_get_creations (AsbOpensandboxLifecycle *self);

/* [io] Whether the server ever answered, so that the client knows its time. */
gboolean asb_opensandbox_lifecycle_was_heard (AsbOpensandboxLifecycle *self);

/* Any thread. A request to the server, of path segments that are escaped here, up to a NULL. */
AsbOpensandboxRequest *asb_opensandbox_lifecycle_new_request (AsbOpensandboxLifecycle *self,
                                                              const char *method, const char *what,
                                                              ...) G_GNUC_NULL_TERMINATED;

/* [io] An exchange whose reply is JSON. */
void asb_opensandbox_lifecycle_call_async (AsbOpensandboxLifecycle *self,
                                           AsbOpensandboxRequest *request,
                                           GCancellable *cancellable, GAsyncReadyCallback callback,
                                           gpointer user_data);

/* Returns: (transfer full): what came; a JSON null for an empty body */
JsonNode *asb_opensandbox_lifecycle_call_finish (AsbOpensandboxLifecycle *self,
                                                 GAsyncResult *result, GError **error);

/* The same, where only an object will do. Returns: (transfer full) */
JsonObject *asb_opensandbox_lifecycle_call_finish_object (AsbOpensandboxLifecycle *self,
                                                          GAsyncResult *result, GError **error);
