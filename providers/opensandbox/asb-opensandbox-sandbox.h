/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the server says of a sandbox. */

#pragma once

#include <json-glib/json-glib.h>

#include "asb-opensandbox-lifecycle.h"

/* Any thread. @text in any case; what is not known is ASB_SANDBOX_STATE_UNKNOWN. */
AsbSandboxState asb_opensandbox_sandbox_state_from_string (const char *text);

/* What the server calls the states of that nick, NULL-terminated; NULL where no question to the
 * server can select them, so that all have to be asked for. */
const char *const *asb_opensandbox_sandbox_state_names (const char *nick);

/* Any thread. What the server says of something, in one line without keys and tokens; NULL for
 * nothing. Returns: (transfer full) (nullable) */
char *asb_opensandbox_sandbox_dup_said (AsbOpensandboxLifecycle *lifecycle, const char *text,
                                        gsize max_bytes);

/* Any thread. What it says is remembered for when the sandbox is gone.
 * Returns: (transfer full) (nullable) */
AsbSandboxInfo *asb_opensandbox_sandbox_parse (AsbOpensandboxLifecycle *lifecycle,
                                               JsonObject *object, GError **error);
