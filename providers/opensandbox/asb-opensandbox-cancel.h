/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cancelling from another thread. */

#pragma once

#include <gio/gio.h>

/* [io] A cancellable that is cancelled in the I/O thread when that of @task is, in whichever
 * thread, for operations there: a source of a cancellable must not go while another thread cancels
 * it, which GLib 2.74 does not survive. Returns: (transfer full) */
GCancellable *asb_opensandbox_cancel_new (GTask *task);
