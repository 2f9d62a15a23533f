/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Snapshots of sandboxes. */

#pragma once

#include "asb-opensandbox-call.h"

/* [io] call: sandbox_id, name (nullable). The task is answered with the AsbSnapshot as it is when
 * the server has taken it on: it may still be in the making. */
void asb_opensandbox_snapshots_create (GTask *task);

/* [io] call: name (the id of the snapshot) */
void asb_opensandbox_snapshots_get (GTask *task);
void asb_opensandbox_snapshots_delete (GTask *task);

/* [io] call: object (an AsbSnapshotFilter of its own) */
void asb_opensandbox_snapshots_list (GTask *task);

/* Any thread. Returns: (transfer full) (nullable) */
AsbSnapshot *asb_opensandbox_snapshots_parse (AsbOpensandboxLifecycle *lifecycle,
                                              JsonObject *object, GError **error);
