/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The folder of one sandbox, or of one kept record, among its like. Several threads and programs
 * may work on the same folders: whoever changes what a folder stands for holds its lock. */

#pragma once

#include <glib.h>

typedef struct
{
  char *id;
  char *path;
  char *staging; /* its name until it is published, NULL afterwards */
  int root_fd;   /* the folder it is in */
  int fd;
  gboolean removed;
} AsbLocalFolder;

/* Makes an id: short, of characters that need no quoting anywhere. The same @key (may be NULL) and
 * @turn give the same id. */
char *asb_local_id_new (const char *key, guint turn);

/* Opens what holds the folders: -1 and %G_IO_ERROR_NOT_FOUND if it is missing and not to be made.
 */
int asb_local_root_open (const char *path, gboolean make, GError **error);

/* The ids of what stands in @root, in no order; what is no folder of ours is left out. */
GPtrArray *asb_local_root_list (const char *root, GError **error);

/* Removes what ended creations and deletions of dead programs left; how many. */
guint asb_local_root_sweep (const char *root);

/* Whether there is a folder of that id. */
gboolean asb_local_folder_exists (const char *root, const char *id);

/* An existing one, not locked; %ASB_ERROR_SANDBOX_NOT_FOUND if there is none. */
AsbLocalFolder *asb_local_folder_open (const char *root, const char *id, GError **error);

/* Waits for the lock, which ends with the folder's freeing. Fails with
 * %ASB_ERROR_SANDBOX_NOT_FOUND when the folder is gone by then. */
gboolean asb_local_folder_lock (AsbLocalFolder *self, GError **error);

/* Does not wait: FALSE if somebody else has the lock, or the folder is gone. */
gboolean asb_local_folder_try_lock (AsbLocalFolder *self);

/* A new one, locked, that nobody finds under its id until it is published. */
AsbLocalFolder *asb_local_folder_new (const char *root, const char *id, GError **error);

/* Fails with %ASB_ERROR_ALREADY_EXISTS if there is one of its id. */
gboolean asb_local_folder_publish (AsbLocalFolder *self, GError **error);

/* Removes one of the folders in it, as far as that can be done. */
void asb_local_folder_clear (AsbLocalFolder *self, const char *name);

/* At first it is found no more, then all that is in it goes. */
gboolean asb_local_folder_remove (AsbLocalFolder *self, GError **error);

void asb_local_folder_free (AsbLocalFolder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbLocalFolder, asb_local_folder_free)
