/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A source for a main context that is ready once a cancellable is cancelled.
 *
 * g_cancellable_source_new () is the same to look at, but GLib 2.74 keeps its source for ever when
 * it goes while another thread cancels. Modules that need this one are compiled with it. */

#pragma once

#include <gio/gio.h>

/* Calls its GSourceFunc once, also when @cancellable was cancelled before; a child needs none.
 * Returns: (transfer full) */
GSource *asb_cancel_source_new (GCancellable *cancellable);
