/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Folders in the sandbox that nobody needs any more. */

#pragma once

#include "asb-opensandbox-execd.h"

/* Deletes @folder, which is absolute, in a moment: after what is asked next, and with others. Who
 * closes @execd waits until that was asked for. */
void asb_opensandbox_litter_add (AsbOpensandboxExecd *execd, const char *folder);

/* [io] Runs the script @text, which takes away what is left of something and may be run twice. Its
 * answer may be lost, and the transport closed, which waits for it. */
void asb_opensandbox_litter_remove_async (AsbOpensandboxExecd *execd, const char *text,
                                          const char *const *arguments,
                                          GAsyncReadyCallback callback, gpointer user_data);

/* Whether it is gone. */
gboolean asb_opensandbox_litter_remove_finish (AsbOpensandboxExecd *execd, GAsyncResult *result);
