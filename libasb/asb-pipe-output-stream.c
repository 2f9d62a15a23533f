/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pipe-stream-private.h"

#include "asb-cancel-source-private.h"
#include "asb-error.h"
#include "asb-timer-private.h"

/* How long the other side may take to say how it went once closing was cancelled. */
#define CANCEL_GRACE_SECONDS 10

struct _AsbPipeOutputStream
{
  GOutputStream parent_instance;

  AsbPipe *pipe;
  AsbPipeClose close;
  GObject *owner;
};

static void asb_pipe_output_stream_pollable_init (GPollableOutputStreamInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbPipeOutputStream, asb_pipe_output_stream, G_TYPE_OUTPUT_STREAM,
                               G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_OUTPUT_STREAM,
                                                      asb_pipe_output_stream_pollable_init))

/* The class of the parent closes what was not closed. */
static void
asb_pipe_output_stream_dispose (GObject *object)
{
  AsbPipeOutputStream *self = ASB_PIPE_OUTPUT_STREAM (object);

  if (self->close == ASB_PIPE_CLOSE_COMMITS && !g_output_stream_is_closed (G_OUTPUT_STREAM (self)))
    {
      asb_pipe_abort (self->pipe);
      self->close = ASB_PIPE_CLOSE_AT_ONCE;
    }

  G_OBJECT_CLASS (asb_pipe_output_stream_parent_class)->dispose (object);
}

static void
asb_pipe_output_stream_finalize (GObject *object)
{
  AsbPipeOutputStream *self = ASB_PIPE_OUTPUT_STREAM (object);

  g_clear_pointer (&self->pipe, asb_pipe_unref);
  g_clear_object (&self->owner);

  G_OBJECT_CLASS (asb_pipe_output_stream_parent_class)->finalize (object);
}

static gssize
asb_pipe_output_stream_write (GOutputStream *stream, const void *buffer, gsize count,
                              GCancellable *cancellable, GError **error)
{
  AsbPipeOutputStream *self = ASB_PIPE_OUTPUT_STREAM (stream);

  return asb_pipe_write (self->pipe, buffer, count, TRUE, cancellable, error);
}

static gint64
grace_end (void)
{
  return g_get_monotonic_time () + CANCEL_GRACE_SECONDS * G_TIME_SPAN_SECOND;
}

static void
set_outcome_unknown (GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED,
               "The sandbox did not say within %d seconds whether it wrote the file",
               CANCEL_GRACE_SECONDS);
}

/* Before the end was sent nothing can have been done yet. */
static gboolean
begin_commit (AsbPipeOutputStream *self, GCancellable *cancellable, GError **error)
{
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    {
      asb_pipe_abort (self->pipe);
      return FALSE;
    }
  asb_pipe_close_writer (self->pipe);
  return TRUE;
}

static gboolean
asb_pipe_output_stream_close (GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  AsbPipeOutputStream *self = ASB_PIPE_OUTPUT_STREAM (stream);

  if (self->close == ASB_PIPE_CLOSE_AT_ONCE)
    {
      asb_pipe_close_writer (self->pipe);
      return TRUE;
    }
  if (!begin_commit (self, cancellable, error))
    return FALSE;
  if (!asb_pipe_wait (self->pipe, ASB_PIPE_CONDITION_SETTLED, 0, cancellable))
    {
      asb_pipe_abort (self->pipe);
      if (!asb_pipe_wait (self->pipe, ASB_PIPE_CONDITION_SETTLED, grace_end (), NULL))
        {
          set_outcome_unknown (error);
          return FALSE;
        }
    }
  return asb_pipe_get_outcome (self->pipe, error);
}

typedef struct
{
  GSource *settled;
  GSource *cancelled;
  GSource *grace;
} Closing;

static void
closing_free (gpointer data)
{
  Closing *closing = data;

  asb_source_clear (&closing->settled);
  asb_source_clear (&closing->cancelled);
  asb_source_clear (&closing->grace);
  g_free (closing);
}

static void
stop_waiting (GTask *task)
{
  Closing *closing = g_task_get_task_data (task);

  asb_source_clear (&closing->settled);
  asb_source_clear (&closing->cancelled);
  asb_source_clear (&closing->grace);
}

static gboolean
settled_cb (gpointer user_data)
{
  g_autoptr (GTask) task = g_object_ref (user_data);
  AsbPipeOutputStream *self = g_task_get_source_object (task);
  g_autoptr (GError) error = NULL;

  stop_waiting (task);
  if (asb_pipe_get_outcome (self->pipe, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, g_steal_pointer (&error));
  return G_SOURCE_REMOVE;
}

static gboolean
grace_over_cb (gpointer user_data)
{
  g_autoptr (GTask) task = g_object_ref (user_data);
  g_autoptr (GError) error = NULL;

  stop_waiting (task);
  set_outcome_unknown (&error);
  g_task_return_error (task, g_steal_pointer (&error));
  return G_SOURCE_REMOVE;
}

static void
attach (GTask *task, GSource **field, GSource *source, GSourceFunc callback)
{
  g_source_set_callback (source, callback, g_object_ref (task), g_object_unref);
  g_source_set_priority (source, g_task_get_priority (task));
  g_source_attach (source, g_task_get_context (task));
  *field = source;
}

static gboolean
cancelled_cb (gpointer user_data)
{
  GTask *task = user_data;
  AsbPipeOutputStream *self = g_task_get_source_object (task);
  Closing *closing = g_task_get_task_data (task);

  asb_pipe_abort (self->pipe);
  attach (task, &closing->grace, g_timeout_source_new_seconds (CANCEL_GRACE_SECONDS),
          grace_over_cb);
  return G_SOURCE_REMOVE;
}

static void
wait_for_outcome (AsbPipeOutputStream *self, GTask *task)
{
  Closing *closing = g_new0 (Closing, 1);
  GCancellable *cancellable = g_task_get_cancellable (task);

  g_task_set_task_data (task, closing, closing_free);
  g_task_set_check_cancellable (task, FALSE);
  attach (task, &closing->settled, asb_pipe_create_source (self->pipe, ASB_PIPE_CONDITION_SETTLED),
          settled_cb);
  if (cancellable)
    attach (task, &closing->cancelled, asb_cancel_source_new (cancellable), cancelled_cb);
}

static void
asb_pipe_output_stream_close_async (GOutputStream *stream, int io_priority,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data)
{
  AsbPipeOutputStream *self = ASB_PIPE_OUTPUT_STREAM (stream);
  g_autoptr (GTask) task = g_task_new (stream, cancellable, callback, user_data);
  g_autoptr (GError) error = NULL;

  g_task_set_source_tag (task, asb_pipe_output_stream_close_async);
  g_task_set_priority (task, io_priority);
  if (self->close == ASB_PIPE_CLOSE_AT_ONCE)
    {
      asb_pipe_close_writer (self->pipe);
      g_task_return_boolean (task, TRUE);
    }
  else if (begin_commit (self, cancellable, &error))
    wait_for_outcome (self, task);
  else
    g_task_return_error (task, g_steal_pointer (&error));
}

static gboolean
asb_pipe_output_stream_close_finish (GOutputStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static gboolean
asb_pipe_output_stream_is_writable (GPollableOutputStream *stream)
{
  return asb_pipe_check (ASB_PIPE_OUTPUT_STREAM (stream)->pipe, ASB_PIPE_CONDITION_WRITABLE);
}

static GSource *
asb_pipe_output_stream_create_source (GPollableOutputStream *stream, GCancellable *cancellable)
{
  AsbPipeOutputStream *self = ASB_PIPE_OUTPUT_STREAM (stream);
  g_autoptr (GSource) writable = asb_pipe_create_source (self->pipe, ASB_PIPE_CONDITION_WRITABLE);

  return g_pollable_source_new_full (stream, writable, cancellable);
}

static gssize
asb_pipe_output_stream_write_nonblocking (GPollableOutputStream *stream, const void *buffer,
                                          gsize count, GError **error)
{
  AsbPipeOutputStream *self = ASB_PIPE_OUTPUT_STREAM (stream);

  return asb_pipe_write (self->pipe, buffer, count, FALSE, NULL, error);
}

static void
asb_pipe_output_stream_pollable_init (GPollableOutputStreamInterface *iface)
{
  iface->is_writable = asb_pipe_output_stream_is_writable;
  iface->create_source = asb_pipe_output_stream_create_source;
  iface->write_nonblocking = asb_pipe_output_stream_write_nonblocking;
}

static void
asb_pipe_output_stream_class_init (AsbPipeOutputStreamClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GOutputStreamClass *stream_class = G_OUTPUT_STREAM_CLASS (klass);

  object_class->dispose = asb_pipe_output_stream_dispose;
  object_class->finalize = asb_pipe_output_stream_finalize;
  stream_class->write_fn = asb_pipe_output_stream_write;
  stream_class->close_fn = asb_pipe_output_stream_close;
  stream_class->close_async = asb_pipe_output_stream_close_async;
  stream_class->close_finish = asb_pipe_output_stream_close_finish;
  /* There is nothing to flush, and the inherited function would use a thread for it. */
  stream_class->flush_async = NULL;
}

static void
asb_pipe_output_stream_init (AsbPipeOutputStream *self)
{
}

GOutputStream *
asb_pipe_output_stream_new (AsbPipe *pipe, AsbPipeClose close, GObject *owner)
{
  AsbPipeOutputStream *self = g_object_new (ASB_TYPE_PIPE_OUTPUT_STREAM, NULL);

  self->pipe = asb_pipe_ref (pipe);
  self->close = close;
  self->owner = owner ? g_object_ref (owner) : NULL;
  return G_OUTPUT_STREAM (self);
}
