/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bytes out of asb: to standard output, and from streams to descriptors. */

#pragma once

#include <gio/gio.h>

/* Writes to standard output. Returns: the exit status; what went wrong has been said */
int tool_output_print (const char *bytes, gsize length);
/* The exit status after an error of writing, which is said unless the reader just went away. */
int tool_output_fail (const GError *error);

/* Copies all of @source to @fd, which is neither closed nor changed, and never blocks on a slow
 * reader. @count, when given, is kept up to date. */
void tool_copy_async (GInputStream *source, int fd, guint64 *count, GCancellable *cancellable,
                      GAsyncReadyCallback callback, gpointer user_data);
gboolean tool_copy_finish (GAsyncResult *result, GError **error);
