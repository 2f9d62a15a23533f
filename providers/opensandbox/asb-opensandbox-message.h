/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Requests as libsoup's messages. */

#pragma once

#include <libsoup/soup.h>

#include "asb-opensandbox-proxy.h"
#include "asb-opensandbox-request.h"
#include "asb-opensandbox-settings.h"

/* The address of a request. Returns: (transfer full) (nullable) */
GUri *asb_opensandbox_message_parse_uri (AsbOpensandboxRequest *request, GError **error);

/* A message to @uri, which is that of @request or one that it was redirected to. The key goes along
 * only if the origin is the server of the settings. Returns: (transfer full) (nullable) */
SoupMessage *asb_opensandbox_message_new (AsbOpensandboxRequest *request, GUri *uri,
                                          AsbOpensandboxSettings *settings, GError **error);

/* Before anything of it was written, and when its proxy was looked up. libsoup logs in only where
 * it also answers 401 of servers, and then asks for a tunnel to the proxy itself. */
void asb_opensandbox_message_log_in_at_proxy (SoupMessage *message, AsbOpensandboxProxy *proxy);

/* Whether the connection that it got is one to whom its settings trust: GLib goes on with TLS
 * sessions of the whole process by host and port, and does not heed what it finds then. */
gboolean asb_opensandbox_message_is_trusted (SoupMessage *message);

/* What is read of a stream that a redirect or a repetition would need again is gone. */
gboolean asb_opensandbox_message_is_repeatable (AsbOpensandboxRequest *request);

/* Where the reply to what was sent to @base leads. Returns: (transfer full) (nullable) */
GUri *asb_opensandbox_message_parse_target (SoupMessage *message, GUri *base);

/* Whether a byte of it went out. */
gboolean asb_opensandbox_message_was_sent (SoupMessage *message);

/* Whether so much came back that it can be no TLS that was taken for HTTP. */
gboolean asb_opensandbox_message_has_head (SoupMessage *message);

/* Whether the other side of @stream (nullable), which has no TLS yet, has sent nothing since it was
 * sent something, at least @milliseconds ago. */
gboolean asb_opensandbox_message_is_silent (GIOStream *stream, guint milliseconds);

/* Whether libsoup has sent it again by itself. */
gboolean asb_opensandbox_message_was_resent (SoupMessage *message);

/* Why it was not sent, which libsoup says less well. Takes @error. Returns: (transfer full) */
GError *asb_opensandbox_message_explain (SoupMessage *message, GError *error);
