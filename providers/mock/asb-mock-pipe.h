/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bytes on their way between a command of the mock and a stream of the application. */

#pragma once

#include <gio/gio.h>

typedef struct _AsbMockPipe AsbMockPipe;

/* What happens when time passes, for a pipe whose command ends by itself. */
typedef void (*AsbMockPipeTimeUp) (GObject *owner);

/* @capacity: bytes that wait before a writer has to; 0: any number. */
AsbMockPipe *asb_mock_pipe_new (gsize capacity);
AsbMockPipe *asb_mock_pipe_ref (AsbMockPipe *self);
void asb_mock_pipe_unref (AsbMockPipe *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbMockPipe, asb_mock_pipe_unref)

/* Reading fails with %ASB_ERROR_INTERRUPTED after @after_bytes. */
void asb_mock_pipe_break (AsbMockPipe *self, guint64 after_bytes);

/* What is written from now on is thrown away. */
void asb_mock_pipe_discard (AsbMockPipe *self);

/* @time_up is called by whoever waits at the pipe at @end_at, a monotonic time. It must finish the
 * pipe, which holds @owner until then. */
void asb_mock_pipe_set_end (AsbMockPipe *self, gint64 end_at, AsbMockPipeTimeUp time_up,
                            GObject *owner);

/* Without regard to the capacity. */
void asb_mock_pipe_put (AsbMockPipe *self, GBytes *bytes);

/* Writing fails from now on. Reading gives what is there, and then @error or the end. */
void asb_mock_pipe_finish (AsbMockPipe *self, const GError *error);

guint64 asb_mock_pipe_get_total (AsbMockPipe *self);

gssize asb_mock_pipe_read (AsbMockPipe *self, gpointer bytes, gsize size, gboolean blocking,
                           GCancellable *cancellable, GError **error);
gssize asb_mock_pipe_write (AsbMockPipe *self, gconstpointer bytes, gsize size, gboolean blocking,
                            GCancellable *cancellable, GError **error);
gboolean asb_mock_pipe_is_readable (AsbMockPipe *self);
gboolean asb_mock_pipe_is_writable (AsbMockPipe *self);

/* A source that is ready while there is something to read, or room to write. */
GSource *asb_mock_pipe_source_new (AsbMockPipe *self, gboolean for_writing);
