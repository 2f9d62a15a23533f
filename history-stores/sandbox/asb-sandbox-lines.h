/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a stream of JSON objects, one a line, into a list of objects. */

#pragma once

#include <asb.h>

/* Makes an object of one line, an a{sv}; NULL with @error set refuses it. */
typedef gpointer (*AsbSandboxLineFunc) (GVariant *line, GError **error);

/* @max_lines: more of them are a fault of the other side. */
void asb_sandbox_lines_read_async (GInputStream *stream, GType item_type, guint max_lines,
                                   AsbSandboxLineFunc func, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) */
GListModel *asb_sandbox_lines_read_finish (GInputStream *stream, GAsyncResult *result,
                                           GError **error);
