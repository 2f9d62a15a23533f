/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a working directory inside a sandbox stands in its state folder. */

#pragma once

#include <glib.h>

typedef struct
{
  char *path;         /* inside, normalized */
  char *mount;        /* inside: the mount point it is, or lies below */
  char *below;        /* relative to the mount point, "" for the mount point itself */
  const char *folder; /* of the state folder: what is mounted there; NULL: a folder of the user */
} AsbLocalWorkdir;

/* The folders each sandbox has, and what a working directory elsewhere is mounted from. */
#define ASB_LOCAL_FOLDER_WORKSPACE "workspace"
#define ASB_LOCAL_FOLDER_HOME "home"
#define ASB_LOCAL_FOLDER_TMP "tmp"
#define ASB_LOCAL_FOLDER_WORKDIR "workdir"

AsbLocalWorkdir *asb_local_workdir_parse (const char *path, GError **error);
void asb_local_workdir_free (AsbLocalWorkdir *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbLocalWorkdir, asb_local_workdir_free)

/* Whether it needs a mount of its own. */
gboolean asb_local_workdir_is_elsewhere (const AsbLocalWorkdir *self);

/* It lies in a folder of the user that is mounted at @target. */
void asb_local_workdir_set_covered (AsbLocalWorkdir *self, const char *target);

/* Makes it in a state folder, following no link. Not for one in a folder of the user. */
gboolean asb_local_workdir_make (const AsbLocalWorkdir *self, int state_fd, GError **error);
