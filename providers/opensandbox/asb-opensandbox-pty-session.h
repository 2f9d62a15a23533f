/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] One session of execd's /pty in pipe mode, and what it says by its WebSocket. It is taken
 * down when it is over, or nobody wants it any more: execd would keep it. */

#pragma once

#include "asb-opensandbox-execd.h"
#include "asb-opensandbox-site.h"
#include "asb-opensandbox-websocket-link.h"

typedef struct _AsbOpensandboxPtySession AsbOpensandboxPtySession;

/* @program is what @visit wants to be there, for errors. What is learnt goes to @site. */
AsbOpensandboxPtySession *asb_opensandbox_pty_session_new (AsbOpensandboxExecd *execd,
                                                           AsbOpensandboxSite *site, const char *id,
                                                           const char *program);
/* Any thread. */
void asb_opensandbox_pty_session_free (gpointer self);

const char *asb_opensandbox_pty_session_get_id (AsbOpensandboxPtySession *self);

/* Its messages. The data of a link of this kind is a session. */
extern const AsbOpensandboxWebsocketKind asb_opensandbox_pty_session_kind;
