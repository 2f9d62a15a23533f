/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bytes into asb: from descriptors to streams. */

#pragma once

#include <gio/gio.h>

/* Copies all that comes from @fd to @sink, and ends with the end of @fd; an idle @fd keeps nobody
 * waiting but the caller's callback. @sink is not closed. @name is that of the file in errors.
 * @count, when given, is kept up to date. */
void tool_feed_async (int fd, const char *name, GOutputStream *sink, guint64 *count,
                      GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
gboolean tool_feed_finish (GAsyncResult *result, GError **error);

/* FALSE for a terminal, which is the user's own, and for /dev/null, which a command without input
 * has as well: not every sandbox can give it one. */
gboolean tool_input_is_there (void);

/* Reads the first line of @fd, or the first @size bytes of it, without its end. With a @cancellable
 * signals are heard meanwhile, which a blocking read would not. Returns: how many bytes there are,
 * or -1 with @error set */
gssize tool_input_read_line (int fd, char *line, gsize size, GCancellable *cancellable,
                             GError **error);
