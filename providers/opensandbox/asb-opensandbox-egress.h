/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a sandbox may connect to: the rules its egress sidecar keeps. Where that cannot be reached,
 * a server that passes such questions on is asked. All answer their task with the AsbNetworkPolicy
 * that holds afterwards. */

#pragma once

#include "asb-opensandbox-call.h"

/* [io] call: sandbox_id */
void asb_opensandbox_egress_get (GTask *task);

/* [io] call: sandbox_id, body: the whole policy, rules to add, targets to drop */
void asb_opensandbox_egress_replace (GTask *task);
void asb_opensandbox_egress_patch (GTask *task);
void asb_opensandbox_egress_remove (GTask *task);

/* Any thread. The body for the last of them. */
JsonNode *asb_opensandbox_egress_new_targets (const char *const *targets);
