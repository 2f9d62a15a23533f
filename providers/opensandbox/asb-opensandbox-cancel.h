/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cancelling from another thread. */

#pragma once

#include <gio/gio.h>

#include "asb-opensandbox-thread.h"

/* [io] Calls @function once when @cancellable, which may be NULL, is cancelled in whichever thread,
 * or has been; never from within this call. Returns: (transfer full) (nullable): to be ended */
typedef struct _AsbOpensandboxCancelWatch AsbOpensandboxCancelWatch;

AsbOpensandboxCancelWatch *asb_opensandbox_cancel_watch (GCancellable *cancellable,
                                                         AsbOpensandboxThreadFunc function,
                                                         gpointer data);

/* [io] Ends *@watch, which may be NULL, and sets it to NULL: the function is not called any more.
 */
void asb_opensandbox_cancel_unwatch (AsbOpensandboxCancelWatch **watch);

/* [io] A cancellable that is cancelled in the I/O thread when that of @task is, in whichever
 * thread, for operations there: a source of a cancellable must not go while another thread cancels
 * it, which GLib 2.74 does not survive. So no source in the I/O thread is made of a cancellable of
 * others. Returns: (transfer full) */
GCancellable *asb_opensandbox_cancel_new (GTask *task);
