/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What tells a guest that its owner has ended: a pipe that nobody writes to. The kernel closes it
 * however the owner ends. */

#pragma once

#include <gio/gio.h>

/* A reading end that comes to its end with this process; CLOEXEC. -1 on failure. */
int asb_local_liveness_of_process (GError **error);

/* The same for as long as one of the connections held by it exists. */
typedef struct _AsbLocalHolder AsbLocalHolder;

AsbLocalHolder *asb_local_holder_new (const char *path, int *reading_end, GError **error);
void asb_local_holder_unref (AsbLocalHolder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbLocalHolder, asb_local_holder_unref)

/* Returns: (transfer full): the holder this process has for @path, or NULL. */
AsbLocalHolder *asb_local_holder_find (const char *path);

/* Lets @connection hold it until it is finalized. */
void asb_local_holder_attach (AsbLocalHolder *self, GObject *connection);
