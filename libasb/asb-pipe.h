/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

/**
 * AsbPipe:
 *
 * A bounded queue of bytes between two threads, one side of which is a stream: for those who write
 * transports and providers.
 *
 * The *stream's side* is a [class@Gio.InputStream] or a [class@Gio.OutputStream], for whoever uses
 * the transport, in any thread. Both are pollable, so that any number of them can wait without a
 * thread for each, and reading or writing them blocks, or waits, as with every stream.
 *
 * The *transport's side* are the functions of the pipe. They never block, and may be called in any
 * thread. For what a sandbox sends, the transport pushes and the stream reads; for what is sent to
 * it, the stream writes and the transport pulls. One pipe has one direction.
 *
 * To be told of what the other side does, attach a source made by [method@Pipe.create_source] to
 * the context in which the transport works.
 *
 * Since: 1.0
 */
typedef struct _AsbPipe AsbPipe;

#define ASB_TYPE_PIPE (asb_pipe_get_type ())

ASB_AVAILABLE_IN_1_0
GType asb_pipe_get_type (void);

ASB_AVAILABLE_IN_1_0
AsbPipe *asb_pipe_new (gsize capacity) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
AsbPipe *asb_pipe_ref (AsbPipe *self);
ASB_AVAILABLE_IN_1_0
void asb_pipe_unref (AsbPipe *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbPipe, asb_pipe_unref)

ASB_AVAILABLE_IN_1_0
GInputStream *asb_pipe_create_input_stream (AsbPipe *self,
                                            GObject *owner) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
GOutputStream *asb_pipe_create_output_stream (AsbPipe *self, AsbPipeClose close,
                                              GObject *owner) G_GNUC_WARN_UNUSED_RESULT;

ASB_AVAILABLE_IN_1_0
gsize asb_pipe_push (AsbPipe *self, gconstpointer bytes, gsize size);
ASB_AVAILABLE_IN_1_0
gsize asb_pipe_pull (AsbPipe *self, gpointer bytes, gsize size);
ASB_AVAILABLE_IN_1_0
GBytes *asb_pipe_pull_bytes (AsbPipe *self, gsize size) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
void asb_pipe_finish (AsbPipe *self);
ASB_AVAILABLE_IN_1_0
void asb_pipe_finish_error (AsbPipe *self, const GError *error);
ASB_AVAILABLE_IN_1_0
void asb_pipe_stop (AsbPipe *self, const GError *error);
ASB_AVAILABLE_IN_1_0
void asb_pipe_settle (AsbPipe *self);
ASB_AVAILABLE_IN_1_0
void asb_pipe_settle_error (AsbPipe *self, const GError *error);

ASB_AVAILABLE_IN_1_0
gsize asb_pipe_get_waiting (AsbPipe *self);
ASB_AVAILABLE_IN_1_0
gsize asb_pipe_get_room (AsbPipe *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_pipe_get_taken (AsbPipe *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_pipe_is_finished (AsbPipe *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_pipe_is_stopped (AsbPipe *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_pipe_is_aborted (AsbPipe *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_pipe_check (AsbPipe *self, AsbPipeCondition condition);
ASB_AVAILABLE_IN_1_0
GSource *asb_pipe_create_source (AsbPipe *self,
                                 AsbPipeCondition condition) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
