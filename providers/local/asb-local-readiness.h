/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a guest that is being started tells that clients can connect: by a pipe, of whose other end
 * nobody but what becomes the guest has a descriptor. */

#pragma once

#include <gio/gio.h>

/* Returns: where to wait, to be closed; −1 on error. @theirs is the end for the guest. */
int asb_local_readiness_open (int *theirs, GError **error);

/* Waits until the guest is ready; blocks. It has ended, or will never begin, as @process has ended
 * that starts it, if the error is G_IO_ERROR_CLOSED. @process is -1 if that had ended at once. */
gboolean asb_local_readiness_wait (int fd, int process, guint seconds, GCancellable *cancellable,
                                   GError **error);
