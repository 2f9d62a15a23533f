/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sandboxes that match a filter. What the server lets through is looked at again: a server that
 * does not heed a filter must not make one sandbox pass for another. */

#pragma once

#include "asb-opensandbox-lifecycle.h"

/* [io] @filter must not be changed meanwhile. */
void asb_opensandbox_list_async (AsbOpensandboxLifecycle *lifecycle, AsbSandboxFilter *filter,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data);

/* Returns: (transfer full) (nullable): the page of AsbSandboxInfo that the filter asks for */
GListModel *asb_opensandbox_list_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                                         GError **error);

/* Any thread. Pairs as the server takes them apart again after it has decoded the query: sorted, as
 * “name=value&other=value”. Returns: (transfer full) */
char *asb_opensandbox_list_encode_metadata (GHashTable *metadata);
