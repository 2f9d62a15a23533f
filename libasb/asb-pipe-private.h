/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What only the library itself uses of a pipe. A connection, in the I/O thread, is the transport's
 * side; what the stream does is told to it by a notification. */

#pragma once

#include "asb-pipe.h"

typedef struct
{
  guint64 taken;     /* bytes read since the start */
  gsize waiting;     /* bytes not read yet */
  gboolean finished; /* nothing more will be written */
  gboolean stopped;  /* nothing more will be read */
  gboolean aborted;  /* the writer wants none of it to have happened */
} AsbPipeStatus;

/* @notify runs under the lock of the pipe in the thread of the stream: it may post to the I/O
 * thread and nothing else. It runs when the stream wrote, was closed or aborted, or has read @taken
 * bytes in all, and then not again before the next asb_pipe_watch (). NULL for none. */
void asb_pipe_set_notify (AsbPipe *self, void (*notify) (gpointer data), gpointer data);
void asb_pipe_watch (AsbPipe *self, guint64 taken, AsbPipeStatus *status);

/* The stream's side. */

gssize asb_pipe_read (AsbPipe *self, gpointer bytes, gsize size, gboolean blocking,
                      GCancellable *cancellable, GError **error);
gssize asb_pipe_write (AsbPipe *self, gconstpointer bytes, gsize size, gboolean blocking,
                       GCancellable *cancellable, GError **error);
void asb_pipe_close_reader (AsbPipe *self);
void asb_pipe_close_writer (AsbPipe *self);
void asb_pipe_abort (AsbPipe *self);

/* Waits for @condition. FALSE when cancelled, or when @deadline, a monotonic time, 0 for none, is
 * past. */
gboolean asb_pipe_wait (AsbPipe *self, AsbPipeCondition condition, gint64 deadline,
                        GCancellable *cancellable);

/* What asb_pipe_settle () was told. */
gboolean asb_pipe_get_outcome (AsbPipe *self, GError **error);

/* For the source: if the condition does not hold, @context is woken at the next change. A context
 * and not the source, which another thread may be about to free. */
gboolean asb_pipe_check_or_watch (AsbPipe *self, AsbPipeCondition condition, GMainContext *context);
