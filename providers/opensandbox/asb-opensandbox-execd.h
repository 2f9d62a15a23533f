/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The execd of one sandbox: where it is, and how it is asked. */

#pragma once

#include "asb-opensandbox-client.h"

#define ASB_TYPE_OPENSANDBOX_EXECD (asb_opensandbox_execd_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxExecd, asb_opensandbox_execd, ASB, OPENSANDBOX_EXECD, GObject)

/* Any thread. */
AsbOpensandboxExecd *asb_opensandbox_execd_new (AsbOpensandboxClient *client,
                                                AsbOpensandboxEndpoint *endpoint);
AsbOpensandboxClient *asb_opensandbox_execd_get_client (AsbOpensandboxExecd *self);
/* Returns: (nullable) */
const char *asb_opensandbox_execd_get_sandbox (AsbOpensandboxExecd *self);

/* @what as for asb_opensandbox_request_set_what (). Returns: (transfer full) */
AsbOpensandboxRequest *asb_opensandbox_execd_new_request (AsbOpensandboxExecd *self,
                                                          const char *method, const char *path,
                                                          const char *what);

/* [io] What is waiting for is told that it is closed, and nothing new begins. */
void asb_opensandbox_execd_close (AsbOpensandboxExecd *self);
gboolean asb_opensandbox_execd_is_closed (AsbOpensandboxExecd *self);

/* [io] The same place, which is not closed with @self: for what is to be put right afterwards. */
AsbOpensandboxExecd *asb_opensandbox_execd_new_beside (AsbOpensandboxExecd *self);

/* [io] Closing takes as long as somebody holds it. */
void asb_opensandbox_execd_hold (AsbOpensandboxExecd *self);
void asb_opensandbox_execd_release (AsbOpensandboxExecd *self);

/* [io] Answers @task with TRUE when nobody holds it any more. */
void asb_opensandbox_execd_wait (AsbOpensandboxExecd *self, GTask *task);

/* [io] Cancelled when it is closed. Returns: (transfer none) */
GCancellable *asb_opensandbox_execd_get_cancellable (AsbOpensandboxExecd *self);

/* [io] Reads the rest of a reply that nobody wants, so that its connection can be used again;
 * closes it where that takes too many connections. Takes @stream. */
void asb_opensandbox_execd_drop_stream (AsbOpensandboxExecd *self, GInputStream *stream);
