/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Errors of what servers answer and of ways to them. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-endpoint.h"
#include "asb-opensandbox-error-body.h"
#include "asb-opensandbox-reply.h"

/* What a request was about, and so what it means that “it” is not there. */
typedef enum
{
  ASB_OPENSANDBOX_TARGET_OTHER,  /* something in a sandbox, or of the server: only the server's code
                                    can say that it is the sandbox that is missing */
  ASB_OPENSANDBOX_TARGET_ASPECT, /* something of a sandbox: where no code says what is missing it is
                                    the sandbox */
  ASB_OPENSANDBOX_TARGET_SANDBOX /* the sandbox itself */
} AsbOpensandboxTarget;

/* What a reply outside 200…299 means. @what completes “Could not …”. The text is one line of at
 * most 512 bytes, without HTML. The info holds the server's code and request id, whether a
 * repetition may help, and in its details “status_code” (u), “provider_error_code” (s),
 * “source_exception” (s) and, where the server said it, “retry_after_seconds” (x). Returns:
 * (transfer full) */
GError *asb_opensandbox_error_from_reply (AsbOpensandboxReply *reply, AsbOpensandboxTarget target,
                                          const char *what);

/* Has @error, which it takes, say that the address of the server may want the other scheme, if it
 * looks as if a server that was never heard of before did not speak the one of @endpoint. Returns:
 * (transfer full) */
GError *asb_opensandbox_error_suspect_scheme (GError *error, AsbOpensandboxEndpoint *endpoint);

/* Why a server could not be reached or its reply not be read. A cancelled one stays that, and one
 * of ASB_ERROR too. Returns: (transfer full) */
GError *asb_opensandbox_error_from_transport (const GError *cause, AsbOpensandboxEndpoint *endpoint,
                                              const char *what);

/* Nothing came within @milliseconds. Returns: (transfer full) */
GError *asb_opensandbox_error_timed_out (AsbOpensandboxEndpoint *endpoint, const char *what,
                                         guint milliseconds);

/* No answer to a TLS handshake came within @milliseconds. Returns: (transfer full) */
GError *asb_opensandbox_error_no_tls (AsbOpensandboxEndpoint *endpoint, const char *what,
                                      guint milliseconds);

/* A redirect from @from to @to (NULL if it names nothing) that is not followed.
 * Returns: (transfer full) */
GError *asb_opensandbox_error_redirected (guint status, GUri *from, GUri *to, const char *what);

/* Has @error, which it takes, say @name wherever it says @path, a name of our own. Returns:
 * (transfer full) */
GError *asb_opensandbox_error_rename (GError *error, const char *path, const char *name);

/* Gives @error, which it takes, a code that says more than that there is no such sandbox, and @fate
 * as the reason. Returns: (transfer full) */
GError *asb_opensandbox_error_specify (GError *error, AsbError code, const char *fate);

/* Whether there is no such sandbox, or none any more. */
gboolean asb_opensandbox_error_is_gone (const GError *error);

/* Says in @error, which it takes, that what was asked for may have been done all the same.
 * Returns: (transfer full) */
GError *asb_opensandbox_error_mark_unknown (GError *error);

/* The same in the details of @error alone, whose code says more than that. Returns: (transfer
 * full) */
GError *asb_opensandbox_error_note_unknown (GError *error);

/* Whether what was asked for may have been done all the same: it was sent, is not harmless to be
 * repeated, and no answer came. */
gboolean asb_opensandbox_error_is_outcome_unknown (const GError *error);

/* The HTTP status an error came from; 0 if it came from none. */
guint asb_opensandbox_error_get_status (const GError *error);

/* Says in @error, which it takes, that nothing was sent. Returns: (transfer full) */
GError *asb_opensandbox_error_mark_not_sent (GError *error);

/* Whether it is certain that nothing of the request reached a server. */
gboolean asb_opensandbox_error_was_not_sent (const GError *error);

/* Says in @error, which it takes, that the request had been sent before. Returns: (transfer full)
 */
GError *asb_opensandbox_error_note_repeated (GError *error);
gboolean asb_opensandbox_error_is_repeated (const GError *error);

/* Whether what was to be deleted is not there, and an earlier try of the same request may have been
 * the one that deleted it. */
gboolean asb_opensandbox_error_is_deleted_before (const GError *error);

/* Whether the server said that it knows no such route, as old servers do of what is newer. Such an
 * error is ASB_ERROR_UNSUPPORTED_CAPABILITY. */
gboolean asb_opensandbox_error_is_unknown_route (const GError *error);

/* Whether the server says that it found no way into the sandbox. */
gboolean asb_opensandbox_error_is_no_way (const GError *error);

/* Whether the same may succeed later. */
gboolean asb_opensandbox_error_is_passing (const GError *error);

/* Has @error, which it takes, say that execd has ended in a sandbox that runs, and what that may
 * come from. Returns: (transfer full) */
GError *asb_opensandbox_error_suspect_execd (GError *error);
