/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Time that passes between two questions to a server. */

#pragma once

#include <gio/gio.h>

/* [io] Answers after @milliseconds, or at once when it is cancelled. */
void asb_opensandbox_wait_async (guint milliseconds, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_opensandbox_wait_finish (GAsyncResult *result, GError **error);

/* How long to wait until the next question: each time longer, and never more than a second. Keeps
 * what it says in @milliseconds, which is 0 before the first. */
guint asb_opensandbox_wait_next (guint *milliseconds);
