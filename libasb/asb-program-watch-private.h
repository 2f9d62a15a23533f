/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Looks after a program of this machine that has a pipe for its standard error: keeps the last of
 * what it complained about, and tells when it has ended. It works in the I/O thread. */

#pragma once

#include <gio/gio.h>

typedef struct _AsbProgramWatch AsbProgramWatch;

/* @name: what the program is called in errors */
AsbProgramWatch *asb_program_watch_new (GSubprocess *process, const char *name);
void asb_program_watch_unref (AsbProgramWatch *self);

/* Is cancelled once the program has ended, and all that it complained about is here. */
GCancellable *asb_program_watch_get_ended (AsbProgramWatch *self);

/* Blocks until it has ended, or for some seconds. Returns: whether it has */
gboolean asb_program_watch_wait (AsbProgramWatch *self);

/* Why it ended: FALSE, with what it complained about, unless by success. Must have ended. */
gboolean asb_program_watch_check (AsbProgramWatch *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbProgramWatch, asb_program_watch_unref)
