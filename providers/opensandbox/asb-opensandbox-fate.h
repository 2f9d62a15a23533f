/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What became of the sandboxes that this process has seen. Servers say the same of one that was
 * deleted, of one whose time was up, and of one that never was. Any thread. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-client.h"

/* The server has just told of it. A NULL @expires_at is none. */
void asb_opensandbox_fate_note (AsbOpensandboxSettings *settings, const char *sandbox_id,
                                GDateTime *expires_at);
void asb_opensandbox_fate_note_deletion (AsbOpensandboxSettings *settings, const char *sandbox_id);

/* Takes @error, which @request came to, and notes the sandbox it is about. If it is
 * ASB_ERROR_SANDBOX_NOT_FOUND in the server's own words, and the sandbox was seen, it becomes
 * ASB_ERROR_SANDBOX_EXPIRED or ASB_ERROR_SANDBOX_DELETED. Returns: (transfer full) */
GError *asb_opensandbox_fate_explain (AsbOpensandboxClient *client, AsbOpensandboxRequest *request,
                                      GError *error);
