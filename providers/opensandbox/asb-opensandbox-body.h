/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] The body of a reply, read asynchronously: the end of the connection is not taken for the end
 * of the body. */

#pragma once

#include <libsoup/soup.h>

#include "asb-opensandbox-request.h"

#define ASB_TYPE_OPENSANDBOX_BODY (asb_opensandbox_body_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxBody, asb_opensandbox_body, ASB, OPENSANDBOX_BODY, GInputStream)

/* Called once, when all of the body was read well. */
typedef void (*AsbOpensandboxBodyFunc) (SoupMessage *message, gpointer owner);

/* @stream is what libsoup gave for @message. @owner is kept alive: the session must outlive this.
 */
GInputStream *asb_opensandbox_body_new (GInputStream *stream, SoupMessage *message,
                                        AsbOpensandboxRequest *request,
                                        AsbOpensandboxBodyFunc ended, GObject *owner);
