/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Time that passes between two questions to a server. */

#pragma once

#include <gio/gio.h>

/* [io] Answers after @milliseconds, or at once when it is cancelled. */
void asb_opensandbox_wait_async (guint milliseconds, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_opensandbox_wait_finish (GAsyncResult *result, GError **error);
