/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a server says in the body of a reply that refuses: {"code", "message"}, {"detail"} in its
 * four forms, {"error"}, text, a page of HTML, nothing. No I/O. */

#pragma once

#include <gio/gio.h>

typedef struct
{
  char *code; /* printable ASCII, nullable */
  char *text; /* one line, nullable */
  gboolean is_object;
  gboolean is_page;     /* HTML: somebody else's, not the server's */
  gboolean lacks_route; /* it is what servers say of an unknown path */
} AsbOpensandboxErrorBody;

/* @content_type is NULL if there is none. */
AsbOpensandboxErrorBody *asb_opensandbox_error_body_parse (GBytes *body, const char *content_type);
void asb_opensandbox_error_body_free (AsbOpensandboxErrorBody *self);

/* What @text says in one line that is fit for a message: valid UTF-8, without control and
 * formatting characters and without a page of HTML, at most @max_bytes long. Returns: (transfer
 * full) */
char *asb_opensandbox_error_dup_text (const char *text, gsize size, gsize max_bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxErrorBody, asb_opensandbox_error_body_free)
