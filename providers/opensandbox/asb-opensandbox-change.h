/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes of a sandbox that is there: its end, its metadata, its being frozen. All answer their
 * task with what the sandbox is afterwards. */

#pragma once

#include "asb-opensandbox-call.h"

/* Any thread. A moment of the server's clock as it is sent, in microseconds since 1970.
 * Returns: (transfer full) (nullable): NULL if no calendar has it */
char *asb_opensandbox_change_print_time (gint64 microseconds);

/* [io] call: sandbox_id, number (seconds from now) */
void asb_opensandbox_change_expiry (GTask *task);

/* [io] call: sandbox_id, body */
void asb_opensandbox_change_metadata (GTask *task);

/* Any thread. @changes: an a{sms}. Returns: (transfer full) (nullable) */
JsonNode *asb_opensandbox_change_new_patch (GVariant *changes, GError **error);

/* [io] call: sandbox_id */
void asb_opensandbox_change_to_paused (GTask *task);
void asb_opensandbox_change_to_running (GTask *task);
