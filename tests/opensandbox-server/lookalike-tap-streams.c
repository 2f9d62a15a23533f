/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-tap-streams.h"

#define LOOKALIKE_TYPE_TAP_INPUT (lookalike_tap_input_get_type ())
G_DECLARE_FINAL_TYPE (LookalikeTapInput, lookalike_tap_input, LOOKALIKE, TAP_INPUT, GInputStream)

#define LOOKALIKE_TYPE_TAP_OUTPUT (lookalike_tap_output_get_type ())
G_DECLARE_FINAL_TYPE (LookalikeTapOutput, lookalike_tap_output, LOOKALIKE, TAP_OUTPUT,
                      GOutputStream)

struct _LookalikeTapInput
{
  GInputStream parent_instance;
  LookalikeTap *tap; /* not owned: it owns us */
};

struct _LookalikeTapOutput
{
  GOutputStream parent_instance;
  LookalikeTap *tap; /* not owned: it owns us */
};

static void lookalike_tap_input_pollable_init (GPollableInputStreamInterface *iface);
static void lookalike_tap_output_pollable_init (GPollableOutputStreamInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (LookalikeTapInput, lookalike_tap_input, G_TYPE_INPUT_STREAM,
                               G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_INPUT_STREAM,
                                                      lookalike_tap_input_pollable_init))

G_DEFINE_FINAL_TYPE_WITH_CODE (LookalikeTapOutput, lookalike_tap_output, G_TYPE_OUTPUT_STREAM,
                               G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_OUTPUT_STREAM,
                                                      lookalike_tap_output_pollable_init))

/* SoupServer never blocks; these are for completeness of the classes. */
static gssize
lookalike_tap_input_read (GInputStream *stream, void *buffer, gsize count,
                          GCancellable *cancellable, GError **error)
{
  LookalikeTapInput *self = LOOKALIKE_TAP_INPUT (stream);

  return self->tap != NULL ? lookalike_tap_read (self->tap, buffer, count, error) : 0;
}

static gssize
lookalike_tap_output_write (GOutputStream *stream, const void *buffer, gsize count,
                            GCancellable *cancellable, GError **error)
{
  LookalikeTapOutput *self = LOOKALIKE_TAP_OUTPUT (stream);

  if (self->tap != NULL)
    return lookalike_tap_write (self->tap, buffer, count, error);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "The connection is gone");
  return -1;
}

static gboolean
lookalike_tap_input_is_readable (GPollableInputStream *stream)
{
  LookalikeTapInput *self = LOOKALIKE_TAP_INPUT (stream);

  return self->tap == NULL || !lookalike_tap_is_held (self->tap, FALSE);
}

static gboolean
lookalike_tap_output_is_writable (GPollableOutputStream *stream)
{
  LookalikeTapOutput *self = LOOKALIKE_TAP_OUTPUT (stream);

  return self->tap == NULL || !lookalike_tap_is_held (self->tap, TRUE);
}

static GSource *
wrap_source (gpointer stream, LookalikeTap *tap, gboolean writing, GCancellable *cancellable)
{
  g_autoptr (GSource) child
      = tap != NULL ? lookalike_tap_create_source (tap, writing, NULL) : g_idle_source_new ();

  return g_pollable_source_new_full (stream, child, cancellable);
}

static GSource *
lookalike_tap_input_create_source (GPollableInputStream *stream, GCancellable *cancellable)
{
  return wrap_source (stream, LOOKALIKE_TAP_INPUT (stream)->tap, FALSE, cancellable);
}

static GSource *
lookalike_tap_output_create_source (GPollableOutputStream *stream, GCancellable *cancellable)
{
  return wrap_source (stream, LOOKALIKE_TAP_OUTPUT (stream)->tap, TRUE, cancellable);
}

static gssize
lookalike_tap_input_read_nonblocking (GPollableInputStream *stream, void *buffer, gsize count,
                                      GError **error)
{
  return lookalike_tap_input_read (G_INPUT_STREAM (stream), buffer, count, NULL, error);
}

static gssize
lookalike_tap_output_write_nonblocking (GPollableOutputStream *stream, const void *buffer,
                                        gsize count, GError **error)
{
  return lookalike_tap_output_write (G_OUTPUT_STREAM (stream), buffer, count, NULL, error);
}

static void
lookalike_tap_input_class_init (LookalikeTapInputClass *klass)
{
  G_INPUT_STREAM_CLASS (klass)->read_fn = lookalike_tap_input_read;
}

static void
lookalike_tap_output_class_init (LookalikeTapOutputClass *klass)
{
  G_OUTPUT_STREAM_CLASS (klass)->write_fn = lookalike_tap_output_write;
}

static void
lookalike_tap_input_pollable_init (GPollableInputStreamInterface *iface)
{
  iface->is_readable = lookalike_tap_input_is_readable;
  iface->create_source = lookalike_tap_input_create_source;
  iface->read_nonblocking = lookalike_tap_input_read_nonblocking;
}

static void
lookalike_tap_output_pollable_init (GPollableOutputStreamInterface *iface)
{
  iface->is_writable = lookalike_tap_output_is_writable;
  iface->create_source = lookalike_tap_output_create_source;
  iface->write_nonblocking = lookalike_tap_output_write_nonblocking;
}

static void
lookalike_tap_input_init (LookalikeTapInput *self)
{
}

static void
lookalike_tap_output_init (LookalikeTapOutput *self)
{
}

GInputStream *
lookalike_tap_input_new (LookalikeTap *tap)
{
  LookalikeTapInput *self = g_object_new (LOOKALIKE_TYPE_TAP_INPUT, NULL);

  self->tap = tap;
  return G_INPUT_STREAM (self);
}

GOutputStream *
lookalike_tap_output_new (LookalikeTap *tap)
{
  LookalikeTapOutput *self = g_object_new (LOOKALIKE_TYPE_TAP_OUTPUT, NULL);

  self->tap = tap;
  return G_OUTPUT_STREAM (self);
}

void
lookalike_tap_stream_forget (gpointer stream)
{
  if (LOOKALIKE_IS_TAP_INPUT (stream))
    LOOKALIKE_TAP_INPUT (stream)->tap = NULL;
  else if (LOOKALIKE_IS_TAP_OUTPUT (stream))
    LOOKALIKE_TAP_OUTPUT (stream)->tap = NULL;
}
