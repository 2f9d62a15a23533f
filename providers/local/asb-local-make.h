/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files and folders whose modes do not depend on the caller's umask. */

#pragma once

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

/* Returns: FALSE with errno set, EEXIST when something has that name. */
gboolean asb_local_make_folder (int parent, const char *name, mode_t mode);

/* Opens a file that only its owner may read and write, made if missing. Returns: -1 with errno set.
 */
int asb_local_make_file (int folder, const char *name, int flags);

G_END_DECLS
