/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* WebSockets whose other side cannot make libsoup keep more and more of a message that has no end:
 * before 3.8 libsoup bounds a frame, but joins as many of them as come. */

#pragma once

#include <libsoup/soup.h>

/* What one message may have, with the heads of its frames. */
#define ASB_OPENSANDBOX_BOUNDED_MAX_MESSAGE (20 * 1024 * 1024)

/* [io] Takes @connection, from which nothing was read yet; @stream (nullable): what it is made of.
 * Returns: (transfer full): what to use instead */
SoupWebsocketConnection *asb_opensandbox_bounded_new (SoupWebsocketConnection *connection,
                                                      GIOStream *stream);

/* [io] A message has come whole, or something else that is none. */
void asb_opensandbox_bounded_reset (SoupWebsocketConnection *connection);
