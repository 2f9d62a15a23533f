/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One started bubblewrap: detached from the caller's terminal, session and environment. */

#pragma once

#include <gio/gio.h>

#include "asb-local-arguments.h"

typedef struct _AsbLocalLaunch AsbLocalLaunch;

/* Runs @program with the options of @arguments, and the command @command inside, a list ended by
 * NULL. The descriptors of @arguments are handed over. */
AsbLocalLaunch *asb_local_launch (const char *program, AsbLocalArguments *arguments,
                                  const char *const *command, GError **error);

/* Returns: 0 if it has ended. */
guint32 asb_local_launch_get_pid (AsbLocalLaunch *self);

/* Returns: a descriptor of the process, that stays ours; -1 if it had ended at once. */
int asb_local_launch_get_process (AsbLocalLaunch *self);

/* The end of what was written to standard error so far. */
char *asb_local_launch_dup_output (AsbLocalLaunch *self);

/* Ends it and what it started that has not become a sandbox yet, unless @at_once after giving it a
 * moment to end by itself. Returns: the status as of waitpid (). */
int asb_local_launch_end (AsbLocalLaunch *self, gboolean at_once);

/* Does not end it. */
void asb_local_launch_free (AsbLocalLaunch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbLocalLaunch, asb_local_launch_free)
