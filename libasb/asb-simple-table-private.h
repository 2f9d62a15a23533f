/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a simple provider knows of its sandboxes, a file `ID.sandbox` each in a folder of its own.
 * Several programs may work with one folder at once. */

#pragma once

#include "asb-sandbox-info.h"

/* Makes the folder if need be. */
gboolean asb_simple_table_add (const char *folder, AsbSandboxInfo *info, GError **error);

/* ASB_ERROR_SANDBOX_NOT_FOUND if there is none of that id, also for what is no id. */
AsbSandboxInfo *asb_simple_table_get (const char *folder, const char *id, AsbSandboxState state,
                                      GError **error);

/* In the order they were made. */
char **asb_simple_table_list (const char *folder);

/* Takes an entry out, to delete its sandbox: of two who try it one is told that there is none. Who
 * dies in the middle leaves it to the next. Returns: a descriptor to hold until it is put back or
 * forgotten; −1 with an error */
int asb_simple_table_take (const char *folder, const char *id, GError **error);
/* The sandbox is there after all. Takes @taken. */
void asb_simple_table_put_back (const char *folder, const char *id, int taken);
/* Takes @taken. */
void asb_simple_table_forget (const char *folder, const char *id, int taken);

/* An error if there is none of that id. */
gboolean asb_simple_table_check (const char *folder, const char *id, GError **error);

/* Notes which program is run inside, NULL for whatever there is: by it the guest is found again.
 * FALSE if the sandbox is gone. */
gboolean asb_simple_table_enter (const char *folder, const char *id, const char *program,
                                 GError **error);
/* Returns: FALSE if none was ever run: what was not entered has nothing to end */
gboolean asb_simple_table_get_entered (const char *folder, const char *id, char **program);

/* A folder of the sandbox's own beside its entry. */
char *asb_simple_table_dup_place (const char *folder, const char *id);
gboolean asb_simple_table_make_place (const char *folder, const char *id, GError **error);
gboolean asb_simple_table_remove_place (const char *folder, const char *id,
                                        GCancellable *cancellable, GError **error);
