/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ends and removes sandboxes: those somebody wants gone, and those whose time or owner is. */

#pragma once

#include "asb-local-folder.h"
#include "asb-local-sandboxes.h"

gboolean asb_local_delete (const AsbLocalSettings *settings, const char *id, GError **error);

/* Removes the kept record of a sandbox that is gone. */
gboolean asb_local_delete_record (const AsbLocalSettings *settings, const char *id, GError **error);

/* Removes what has expired or been left by its owner, and what programs that died were just making
 * or removing. What somebody works on is left to the next time. Whether there was something. */
gboolean asb_local_sweep (const AsbLocalSettings *settings);
