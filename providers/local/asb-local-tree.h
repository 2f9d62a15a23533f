/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Removes trees that a sandbox has written: of any depth, with any names and permissions, and full
 * of links to elsewhere. */

#pragma once

#include <glib.h>

/* Removes @name of the directory @parent_fd with all that is below it, following no link. TRUE if
 * there is none, too. */
gboolean asb_local_tree_remove (int parent_fd, const char *name, GError **error);
