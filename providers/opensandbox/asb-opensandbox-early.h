/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a server has answered before it had read the whole request, and then closed the connection:
 * libsoup reads nothing before it has written all, and tells only of the broken pipe. */

#pragma once

#include "asb-opensandbox-reply.h"

/* [io] What can be read of @connection without waiting, if it is the reply of a refusal.
 * Returns: (transfer full) (nullable) */
AsbOpensandboxReply *asb_opensandbox_early_read (GIOStream *connection);

/* The same of bytes that were read. Returns: (transfer full) (nullable) */
AsbOpensandboxReply *asb_opensandbox_early_parse (const char *text, gsize size);
