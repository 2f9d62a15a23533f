/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a server answered: status, headers and either the whole body or a stream of it. */

#pragma once

#include <gio/gio.h>
#include <libsoup/soup.h>

typedef struct _AsbOpensandboxReply AsbOpensandboxReply;

/* @headers may be NULL; one of @body and @stream is given. */
AsbOpensandboxReply *asb_opensandbox_reply_new (guint status, SoupMessageHeaders *headers,
                                                GBytes *body, GInputStream *stream);
void asb_opensandbox_reply_unref (AsbOpensandboxReply *self);

guint asb_opensandbox_reply_get_status (AsbOpensandboxReply *self);
SoupMessageHeaders *asb_opensandbox_reply_get_headers (AsbOpensandboxReply *self);

/* The first header of that name, in any case. Returns: (nullable) */
const char *asb_opensandbox_reply_get_header (AsbOpensandboxReply *self, const char *name);

/* The whole body, never NULL; empty for a streamed reply. */
GBytes *asb_opensandbox_reply_get_body (AsbOpensandboxReply *self);

/* [io] Read and closed asynchronously in the thread only. Returns: (nullable) */
GInputStream *asb_opensandbox_reply_get_stream (AsbOpensandboxReply *self);

/* X-Request-ID, bounded and printable. Returns: (nullable) */
const char *asb_opensandbox_reply_get_request_id (AsbOpensandboxReply *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxReply, asb_opensandbox_reply_unref)
