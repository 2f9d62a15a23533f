/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Removes trees that somebody else has written: of any depth, with any names and permissions, and
 * full of links to elsewhere. Compiled into the library, and into modules that need it. */

#pragma once

#include <gio/gio.h>

typedef struct
{
  const char *folder;           /* what errors call the folder; NULL: they begin below it */
  void (*close_later) (int fd); /* for directories whose closing may take long; NULL: at once */
  GCancellable *cancellable;
} AsbTreeRemoval;

/* Removes @name of the directory @parent_fd with all that is below it, following no link. A folder
 * that something is mounted on, and one of another user's that cannot be emptied, is named by the
 * error, and what is in it stays. TRUE if there is none of that name, too. */
gboolean asb_tree_remove (int parent_fd, const char *name, const AsbTreeRemoval *how,
                          GError **error);
