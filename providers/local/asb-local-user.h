/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whose processes those of a sandbox are.
 *
 * They are the caller's, unless that is root: without capabilities root is still the owner of most
 * of the host's files, of those in /proc and of the device nodes. Root's sandboxes therefore work
 * as nobody. Inside, that user is "agent" and never has number 0. */

#pragma once

#include <glib.h>
#include <sys/types.h>

/* Whether the processes have to become another user than the caller. */
gboolean asb_local_user_differs (void);

/* As the host sees them, and as they see themselves. */
uid_t asb_local_user_outside (void);
gid_t asb_local_group_outside (void);
uid_t asb_local_user_inside (void);
gid_t asb_local_group_inside (void);

/* Gives @name, a directory in @folder, to that user. */
gboolean asb_local_user_give (int folder, const char *name);
