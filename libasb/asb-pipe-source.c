/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pipe-private.h"

typedef struct
{
  GSource source;
  AsbPipe *pipe;
  AsbPipeCondition condition;
} AsbPipeSource;

static gboolean
asb_pipe_source_check (GSource *source)
{
  AsbPipeSource *self = (AsbPipeSource *)source;

  return asb_pipe_check (self->pipe, self->condition);
}

static gboolean
asb_pipe_source_prepare (GSource *source, gint *timeout)
{
  AsbPipeSource *self = (AsbPipeSource *)source;

  *timeout = -1;
  return asb_pipe_check_or_watch (self->pipe, self->condition, g_source_get_context (source));
}

static gboolean
asb_pipe_source_dispatch (GSource *source, GSourceFunc callback, gpointer user_data)
{
  return callback ? callback (user_data) : G_SOURCE_CONTINUE;
}

static void
asb_pipe_source_finalize (GSource *source)
{
  AsbPipeSource *self = (AsbPipeSource *)source;

  g_clear_pointer (&self->pipe, asb_pipe_unref);
}

/* Lets the source be the child of another one, which gives it a dummy closure. */
static gboolean
asb_pipe_source_closure_cb (gpointer data)
{
  g_auto (GValue) result = G_VALUE_INIT;

  g_value_init (&result, G_TYPE_BOOLEAN);
  g_closure_invoke (data, &result, 0, NULL, NULL);
  return g_value_get_boolean (&result);
}

static GSourceFuncs asb_pipe_source_funcs = {
  .prepare = asb_pipe_source_prepare,
  .check = asb_pipe_source_check,
  .dispatch = asb_pipe_source_dispatch,
  .finalize = asb_pipe_source_finalize,
  .closure_callback = asb_pipe_source_closure_cb,
};

/**
 * asb_pipe_create_source:
 * @self: a pipe
 * @condition: what to wait for
 *
 * Creates a source that is ready while @condition holds. Its callback is a
 * [callback@GLib.SourceFunc] and runs in the context the source is attached to, as long as it
 * returns %G_SOURCE_CONTINUE: take the source off when the condition is of no interest.
 *
 * Returns: (transfer full): a new source
 *
 * Since: 1.0
 */
GSource *
asb_pipe_create_source (AsbPipe *self, AsbPipeCondition condition)
{
  GSource *source;
  AsbPipeSource *pipe_source;

  g_return_val_if_fail (self != NULL, NULL);

  source = g_source_new (&asb_pipe_source_funcs, sizeof (AsbPipeSource));
  pipe_source = (AsbPipeSource *)source;
  g_source_set_static_name (source, "AsbPipe");
  pipe_source->pipe = asb_pipe_ref (self);
  pipe_source->condition = condition;
  return source;
}
