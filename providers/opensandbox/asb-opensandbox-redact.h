/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Takes keys and tokens out of what people read: servers repeat in messages what they were sent. */

#pragma once

#include "asb-opensandbox-endpoint.h"
#include "asb-opensandbox-settings.h"

/* @text without any value of a header that goes to @endpoint (which may be NULL).
 * Returns: (transfer full) */
char *asb_opensandbox_redact (const char *text, AsbOpensandboxSettings *settings,
                              AsbOpensandboxEndpoint *endpoint);

/* The same for the message of an error and what is known of it. Takes @error.
 * Returns: (transfer full) */
GError *asb_opensandbox_redact_error (GError *error, AsbOpensandboxSettings *settings,
                                      AsbOpensandboxEndpoint *endpoint);
