/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Errors of what servers answer and of ways to them. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-endpoint.h"
#include "asb-opensandbox-reply.h"

/* What a reply outside 200…299 means. @what completes “Could not …”. The text is one line of at
 * most 512 bytes, without HTML. The info holds the server's code and request id, whether a
 * repetition may help, and in its details “status_code” (u), “provider_error_code” (s),
 * “source_exception” (s) and, where the server said it, “retry_after_seconds” (u). Returns:
 * (transfer full) */
GError *asb_opensandbox_error_from_reply (AsbOpensandboxReply *reply, const char *what);

/* Why a server could not be reached or its reply not be read. A cancelled one stays that.
 * Returns: (transfer full) */
GError *asb_opensandbox_error_from_transport (const GError *cause, AsbOpensandboxEndpoint *endpoint,
                                              const char *what);

/* The HTTP status an error came from; 0 if it came from none. */
guint asb_opensandbox_error_get_status (const GError *error);

/* Whether it is certain that nothing of the request reached a server. */
gboolean asb_opensandbox_error_was_not_sent (const GError *error);

/* Whether the server said that it knows no such route, as old servers do of what is newer. Such an
 * error is ASB_ERROR_UNSUPPORTED_CAPABILITY. */
gboolean asb_opensandbox_error_is_unknown_route (const GError *error);

/* What @text says in one line that is fit for a message: valid UTF-8, no control characters, no
 * markup, at most @max_bytes. Returns: (transfer full) */
char *asb_opensandbox_error_dup_text (const char *text, gsize size, gsize max_bytes);
