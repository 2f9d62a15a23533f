/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-link-private.h"

#include <gio/gfiledescriptorbased.h>
#include <glib-unix.h>

#include "asb-io-thread-private.h"
#include "asb-timer-private.h"

static void start_threaded_read (AsbGuestLink *self);

/* GIO writes all it is given to a descriptor it finds writable, and would block on a pipe. */
static void
make_nonblocking (GOutputStream *output)
{
  if (G_IS_FILE_DESCRIPTOR_BASED (output))
    g_unix_set_fd_nonblocking (g_file_descriptor_based_get_fd (G_FILE_DESCRIPTOR_BASED (output)),
                               TRUE, NULL);
}

AsbGuestLink *
asb_guest_link_new (GIOStream *stream, const AsbGuestLinkFuncs *funcs, gpointer owner)
{
  AsbGuestLink *self = g_new0 (AsbGuestLink, 1);
  GInputStream *input = g_io_stream_get_input_stream (stream);
  GOutputStream *output = g_io_stream_get_output_stream (stream);

  self->references = 1;
  self->funcs = funcs;
  self->owner = owner;
  self->stream = g_object_ref (stream);
  self->cancellable = g_cancellable_new ();
  if (G_IS_POLLABLE_INPUT_STREAM (input)
      && g_pollable_input_stream_can_poll (G_POLLABLE_INPUT_STREAM (input)))
    self->pollable_input = G_POLLABLE_INPUT_STREAM (input);
  if (G_IS_POLLABLE_OUTPUT_STREAM (output)
      && g_pollable_output_stream_can_poll (G_POLLABLE_OUTPUT_STREAM (output)))
    self->pollable_output = G_POLLABLE_OUTPUT_STREAM (output);
  if (self->pollable_output)
    make_nonblocking (output);
  return self;
}

static AsbGuestLink *
asb_guest_link_ref (AsbGuestLink *self)
{
  self->references++;
  return self;
}

void
asb_guest_link_unref (AsbGuestLink *self)
{
  if (--self->references > 0)
    return;
  asb_source_clear (&self->read_source);
  asb_source_clear (&self->write_source);
  asb_guest_reader_clear (&self->reader);
  g_clear_pointer (&self->outgoing, g_byte_array_unref);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->stream);
  g_free (self);
}

/* While a thread works for it. */
static void
hold (AsbGuestLink *self)
{
  asb_guest_link_ref (self);
  self->funcs->hold (self->owner);
}

static void
release (AsbGuestLink *self)
{
  gpointer owner = self->owner;
  const AsbGuestLinkFuncs *funcs = self->funcs;

  asb_guest_link_unref (self);
  funcs->release (owner);
}

static void
handle_read (AsbGuestLink *self, gssize size, const GError *error)
{
  if (size > 0)
    {
      asb_guest_reader_add (&self->reader, (gsize)size);
      self->funcs->received (self->owner);
    }
  else
    {
      asb_guest_link_stop_reading (self);
      self->funcs->failed (self->owner, error);
    }
}

static gboolean
readable_cb (GObject *pollable, gpointer user_data)
{
  AsbGuestLink *self = user_data;
  g_autoptr (GError) error = NULL;
  gsize space;
  guint8 *bytes = asb_guest_reader_get_space (&self->reader, &space);
  gssize size
      = g_pollable_input_stream_read_nonblocking (self->pollable_input, bytes, space, NULL, &error);

  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK))
    handle_read (self, size, error);
  return G_SOURCE_CONTINUE;
}

static void
close_stream_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbGuestLink *self = user_data;

  g_io_stream_close_finish (G_IO_STREAM (source), result, NULL);
  if (!self->abandoned)
    self->funcs->closed (self->owner);
  release (self);
}

/* A stream cannot be closed under an operation that a thread still works on. */
static void
close_when_idle (AsbGuestLink *self)
{
  if (!self->closing || self->reading || self->outgoing)
    return;
  hold (self);
  g_io_stream_close_async (self->stream, G_PRIORITY_DEFAULT, NULL, close_stream_cb, self);
}

static void
threaded_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbGuestLink *self = user_data;
  g_autoptr (GError) error = NULL;
  gssize size = g_input_stream_read_finish (G_INPUT_STREAM (source), result, &error);

  self->reading = FALSE;
  if (self->closing)
    close_when_idle (self);
  else if (!self->stopped)
    {
      handle_read (self, size, error);
      start_threaded_read (self);
    }
  release (self);
}

static void
start_threaded_read (AsbGuestLink *self)
{
  gsize space;
  guint8 *bytes;

  if (self->stopped)
    return;
  bytes = asb_guest_reader_get_space (&self->reader, &space);
  self->reading = TRUE;
  hold (self);
  g_input_stream_read_async (g_io_stream_get_input_stream (self->stream), bytes, space,
                             G_PRIORITY_DEFAULT, self->cancellable, threaded_read_cb, self);
}

void
asb_guest_link_start (AsbGuestLink *self)
{
  if (!self->pollable_input)
    {
      start_threaded_read (self);
      return;
    }
  self->read_source = g_pollable_input_stream_create_source (self->pollable_input, NULL);
  g_source_set_static_name (self->read_source, "asb guest input");
  g_source_set_callback (self->read_source, G_SOURCE_FUNC (readable_cb), self, NULL);
  g_source_attach (self->read_source, asb_io_thread_get_context ());
}

static gboolean
writable_cb (GObject *pollable, gpointer user_data)
{
  AsbGuestLink *self = user_data;

  asb_source_clear (&self->write_source);
  self->funcs->writable (self->owner);
  return G_SOURCE_REMOVE;
}

static void
wait_until_writable (AsbGuestLink *self)
{
  if (self->write_source)
    return;
  self->write_source = g_pollable_output_stream_create_source (self->pollable_output, NULL);
  g_source_set_static_name (self->write_source, "asb guest output");
  g_source_set_callback (self->write_source, G_SOURCE_FUNC (writable_cb), self, NULL);
  g_source_attach (self->write_source, asb_io_thread_get_context ());
}

static void
threaded_write_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbGuestLink *self = user_data;
  g_autoptr (GError) error = NULL;
  gboolean done = g_output_stream_write_all_finish (G_OUTPUT_STREAM (source), result, NULL, &error);

  g_clear_pointer (&self->outgoing, g_byte_array_unref);
  if (self->closing)
    close_when_idle (self);
  else if (done)
    self->funcs->writable (self->owner);
  else
    self->funcs->failed (self->owner, error);
  release (self);
}

static gsize
start_threaded_write (AsbGuestLink *self, GOutputVector *vectors, guint n_vectors)
{
  if (self->outgoing)
    return 0;
  self->outgoing = g_byte_array_new ();
  for (guint i = 0; i < n_vectors; i++)
    g_byte_array_append (self->outgoing, vectors[i].buffer, (guint)vectors[i].size);
  hold (self);
  g_output_stream_write_all_async (g_io_stream_get_output_stream (self->stream),
                                   self->outgoing->data, self->outgoing->len, G_PRIORITY_DEFAULT,
                                   self->cancellable, threaded_write_cb, self);
  return self->outgoing->len;
}

/* For the streams of pipes GLib 2.74 gives back a length of −1, with a warning, when the other side
 * is gone and several vectors are to be written: these get one at a time. */
static GPollableReturn
write_each (AsbGuestLink *self, GOutputVector *vectors, guint n_vectors, gsize *written,
            GError **error)
{
  for (guint i = 0; i < n_vectors; i++)
    {
      g_autoptr (GError) cause = NULL;
      gssize n = g_pollable_output_stream_write_nonblocking (
          self->pollable_output, vectors[i].buffer, vectors[i].size, NULL, &cause);

      if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK))
        return G_POLLABLE_RETURN_WOULD_BLOCK;
      if (n < 0)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return G_POLLABLE_RETURN_FAILED;
        }
      *written += (gsize)n;
      if ((gsize)n < vectors[i].size)
        return G_POLLABLE_RETURN_OK;
    }
  return G_POLLABLE_RETURN_OK;
}

static GPollableReturn
write_vectors (AsbGuestLink *self, GOutputVector *vectors, guint n_vectors, gsize *written,
               GError **error)
{
  if (G_IS_SOCKET_CONNECTION (self->stream))
    return g_pollable_output_stream_writev_nonblocking (self->pollable_output, vectors, n_vectors,
                                                        written, NULL, error);
  return write_each (self, vectors, n_vectors, written, error);
}

gboolean
asb_guest_link_write (AsbGuestLink *self, GOutputVector *vectors, guint n_vectors, gsize *written,
                      GError **error)
{
  *written = 0;
  if (!self->pollable_output)
    {
      *written = start_threaded_write (self, vectors, n_vectors);
      return TRUE;
    }
  if (self->write_source)
    return TRUE;
  switch (write_vectors (self, vectors, n_vectors, written, error))
    {
    case G_POLLABLE_RETURN_OK:
      return TRUE;
    case G_POLLABLE_RETURN_WOULD_BLOCK:
      wait_until_writable (self);
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
asb_guest_link_is_idle (AsbGuestLink *self)
{
  return !self->outgoing;
}

void
asb_guest_link_stop_reading (AsbGuestLink *self)
{
  self->stopped = TRUE;
  asb_source_clear (&self->read_source);
}

void
asb_guest_link_close (AsbGuestLink *self)
{
  if (self->closing)
    return;
  self->closing = TRUE;
  asb_guest_link_stop_reading (self);
  asb_source_clear (&self->write_source);
  g_cancellable_cancel (self->cancellable);
  close_when_idle (self);
}

void
asb_guest_link_abandon (AsbGuestLink *self)
{
  self->abandoned = TRUE;
  asb_guest_link_close (self);
  asb_guest_link_unref (self);
}
