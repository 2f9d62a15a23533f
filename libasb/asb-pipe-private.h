/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A bounded queue of bytes between a connection, in the I/O thread, and a stream, in any thread.
 *
 * For what a guest sends the connection writes and the stream reads; for what is sent to a guest it
 * is the other way round. The connection never blocks. What the stream does is told to it by a
 * notification; what the connection does wakes whoever waits at the stream. */

#pragma once

#include <gio/gio.h>

typedef struct _AsbPipe AsbPipe;

typedef enum
{
  ASB_PIPE_READABLE, /* there are bytes, or the end, or an error */
  ASB_PIPE_WRITABLE, /* there is room, or writing fails */
  ASB_PIPE_SETTLED   /* the connection has said how it went */
} AsbPipeCondition;

typedef struct
{
  guint64 taken;     /* bytes read since the start */
  gsize waiting;     /* bytes not read yet */
  gboolean finished; /* nothing more will be written */
  gboolean stopped;  /* nothing more will be read */
  gboolean aborted;  /* the writer wants none of it to have happened */
} AsbPipeStatus;

AsbPipe *asb_pipe_new (gsize capacity);
AsbPipe *asb_pipe_ref (AsbPipe *self);
void asb_pipe_unref (AsbPipe *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbPipe, asb_pipe_unref)

/* The connection's side. */

/* @notify runs under the lock of the pipe in the thread of the stream: it may post to the I/O
 * thread and nothing else. It runs when the stream wrote, was closed or aborted, or has read @taken
 * bytes in all, and then not again before the next asb_pipe_watch (). NULL for none. */
void asb_pipe_set_notify (AsbPipe *self, void (*notify) (gpointer data), gpointer data);
void asb_pipe_watch (AsbPipe *self, guint64 taken, AsbPipeStatus *status);

/* How many bytes there was room for. */
gsize asb_pipe_push (AsbPipe *self, gconstpointer bytes, gsize size);
gsize asb_pipe_pull (AsbPipe *self, gpointer bytes, gsize size);

/* After the bytes, reading gives @error, or the end of the stream for NULL. */
void asb_pipe_finish (AsbPipe *self, const GError *error);
/* Writing fails with @error from now on; what was not read is dropped. */
void asb_pipe_stop (AsbPipe *self, const GError *error);
/* How all of it went. */
void asb_pipe_settle (AsbPipe *self, const GError *error);

/* The stream's side. */

gssize asb_pipe_read (AsbPipe *self, gpointer bytes, gsize size, gboolean blocking,
                      GCancellable *cancellable, GError **error);
gssize asb_pipe_write (AsbPipe *self, gconstpointer bytes, gsize size, gboolean blocking,
                       GCancellable *cancellable, GError **error);
void asb_pipe_close_reader (AsbPipe *self);
void asb_pipe_close_writer (AsbPipe *self);
void asb_pipe_abort (AsbPipe *self);

gboolean asb_pipe_check (AsbPipe *self, AsbPipeCondition condition);

/* Waits for @condition. FALSE when cancelled, or when @deadline, a monotonic time, 0 for none, is
 * past. */
gboolean asb_pipe_wait (AsbPipe *self, AsbPipeCondition condition, gint64 deadline,
                        GCancellable *cancellable);

/* What asb_pipe_settle () was told. */
gboolean asb_pipe_get_outcome (AsbPipe *self, GError **error);

/* Ready while @condition holds, and now and then when it does not. */
GSource *asb_pipe_source_new (AsbPipe *self, AsbPipeCondition condition);

/* For the source: if the condition does not hold, @context is woken at the next change. A context
 * and not the source, which another thread may be about to free. */
gboolean asb_pipe_check_or_watch (AsbPipe *self, AsbPipeCondition condition, GMainContext *context);
