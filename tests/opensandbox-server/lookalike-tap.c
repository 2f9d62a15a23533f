/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-tap.h"

#include <sys/socket.h>

#include "lookalike-tap-count.h"
#include "lookalike-tap-streams.h"

struct _LookalikeTap
{
  GIOStream parent_instance;

  GSocketConnection *connection;
  GInputStream *input;
  GOutputStream *output;
  guint64 number;
  guint64 written_bytes;

  LookalikeTapPlan plan;
  LookalikeTapCount count;
  GRand *rand;
  gboolean dead;
  gboolean stalled;
  guint holds;
  GCancellable *gate;

  GSource *watch;
  GFunc gone;
  gpointer gone_data;
  GFunc written;
  gpointer written_data;
};

G_DEFINE_FINAL_TYPE (LookalikeTap, lookalike_tap, G_TYPE_IO_STREAM)

static void
lookalike_tap_finalize (GObject *object)
{
  LookalikeTap *self = LOOKALIKE_TAP (object);

  lookalike_tap_unwatch (self);
  lookalike_tap_stream_forget (self->input);
  lookalike_tap_stream_forget (self->output);
  g_clear_object (&self->input);
  g_clear_object (&self->output);
  g_clear_object (&self->connection);
  g_clear_object (&self->gate);
  g_clear_pointer (&self->rand, g_rand_free);
  G_OBJECT_CLASS (lookalike_tap_parent_class)->finalize (object);
}

static GInputStream *
lookalike_tap_get_input_stream (GIOStream *stream)
{
  return LOOKALIKE_TAP (stream)->input;
}

static GOutputStream *
lookalike_tap_get_output_stream (GIOStream *stream)
{
  return LOOKALIKE_TAP (stream)->output;
}

static gboolean
lookalike_tap_close (GIOStream *stream, GCancellable *cancellable, GError **error)
{
  LookalikeTap *self = LOOKALIKE_TAP (stream);

  lookalike_tap_unwatch (self);
  self->dead = TRUE;
  g_io_stream_close (G_IO_STREAM (self->connection), NULL, NULL);
  return TRUE;
}

static void
lookalike_tap_class_init (LookalikeTapClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GIOStreamClass *stream_class = G_IO_STREAM_CLASS (klass);

  object_class->finalize = lookalike_tap_finalize;
  stream_class->get_input_stream = lookalike_tap_get_input_stream;
  stream_class->get_output_stream = lookalike_tap_get_output_stream;
  stream_class->close_fn = lookalike_tap_close;
}

static void
lookalike_tap_init (LookalikeTap *self)
{
  self->plan = (LookalikeTapPlan)LOOKALIKE_TAP_PLAN_INIT;
  self->gate = g_cancellable_new ();
}

LookalikeTap *
lookalike_tap_new (GSocketConnection *connection, guint64 number)
{
  LookalikeTap *self = g_object_new (LOOKALIKE_TYPE_TAP, NULL);
  GSocket *socket = g_socket_connection_get_socket (connection);

  self->connection = g_object_ref (connection);
  self->number = number;
  self->input = lookalike_tap_input_new (self);
  self->output = lookalike_tap_output_new (self);
  g_socket_set_option (socket, 6 /* IPPROTO_TCP */, 1 /* TCP_NODELAY */, 1, NULL);
  return self;
}

guint64
lookalike_tap_get_number (LookalikeTap *self)
{
  return self->number;
}

guint64
lookalike_tap_get_written (LookalikeTap *self)
{
  return self->written_bytes;
}

void
lookalike_tap_set_plan (LookalikeTap *self, const LookalikeTapPlan *plan)
{
  self->plan = *plan;
  self->stalled = FALSE;
  lookalike_tap_count_init (&self->count);
  g_clear_pointer (&self->rand, g_rand_free);
  if (plan->split_max > 0)
    self->rand = g_rand_new_with_seed (plan->split_seed);
}

void
lookalike_tap_hold (LookalikeTap *self)
{
  self->holds++;
}

void
lookalike_tap_release (LookalikeTap *self)
{
  g_autoptr (GCancellable) gate = NULL;

  g_return_if_fail (self->holds > 0);
  if (--self->holds > 0)
    return;
  gate = g_steal_pointer (&self->gate);
  self->gate = g_cancellable_new ();
  g_cancellable_cancel (gate);
}

void
lookalike_tap_cut (LookalikeTap *self, gboolean reset)
{
  GSocket *socket = g_socket_connection_get_socket (self->connection);
  struct linger at_once = { 1, 0 };
  g_autoptr (GCancellable) gate = NULL;

  if (self->dead)
    return;
  self->dead = TRUE;
  lookalike_tap_unwatch (self);
  if (reset)
    setsockopt (g_socket_get_fd (socket), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  else
    g_socket_shutdown (socket, FALSE, TRUE, NULL);
  g_io_stream_close (G_IO_STREAM (self->connection), NULL, NULL);
  gate = g_steal_pointer (&self->gate);
  self->gate = g_cancellable_new ();
  g_cancellable_cancel (gate);
}

void
lookalike_tap_finish (LookalikeTap *self)
{
  if (!self->dead)
    g_socket_shutdown (g_socket_connection_get_socket (self->connection), FALSE, TRUE, NULL);
}

static gboolean
watch_cb (GSocket *socket, GIOCondition condition, gpointer user_data)
{
  LookalikeTap *self = LOOKALIKE_TAP (user_data);
  GFunc gone = self->gone;
  char byte;
  ssize_t got = recv (g_socket_get_fd (socket), &byte, 1, MSG_PEEK | MSG_DONTWAIT);

  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return G_SOURCE_CONTINUE;
  lookalike_tap_unwatch (self);
  if (got <= 0 && gone != NULL)
    gone (self, self->gone_data);
  return G_SOURCE_REMOVE;
}

void
lookalike_tap_watch (LookalikeTap *self, GFunc gone, gpointer user_data)
{
  GSocket *socket = g_socket_connection_get_socket (self->connection);

  lookalike_tap_unwatch (self);
  if (self->dead || g_socket_is_closed (socket))
    return;
  self->gone = gone;
  self->gone_data = user_data;
  self->watch = g_socket_create_source (socket, G_IO_IN | G_IO_HUP | G_IO_ERR, NULL);
  g_source_set_callback (self->watch, (GSourceFunc)(void (*) (void))watch_cb, self, NULL);
  g_source_attach (self->watch, g_main_context_get_thread_default ());
}

void
lookalike_tap_unwatch (LookalikeTap *self)
{
  if (self->watch == NULL)
    return;
  g_source_destroy (self->watch);
  g_clear_pointer (&self->watch, g_source_unref);
  self->gone = NULL;
}

void
lookalike_tap_set_written_func (LookalikeTap *self, GFunc written, gpointer user_data)
{
  self->written = written;
  self->written_data = user_data;
}

/* For the two streams. */

gboolean
lookalike_tap_is_held (LookalikeTap *self, gboolean writing)
{
  return !self->dead && (self->holds > 0 || (writing && self->stalled));
}

GSource *
lookalike_tap_create_source (LookalikeTap *self, gboolean writing, GCancellable *cancellable)
{
  GInputStream *input = g_io_stream_get_input_stream (G_IO_STREAM (self->connection));
  GOutputStream *output = g_io_stream_get_output_stream (G_IO_STREAM (self->connection));

  if (self->dead)
    return g_idle_source_new ();
  if (lookalike_tap_is_held (self, writing))
    return g_cancellable_source_new (self->gate);
  if (writing)
    return g_pollable_output_stream_create_source (G_POLLABLE_OUTPUT_STREAM (output), cancellable);
  return g_pollable_input_stream_create_source (G_POLLABLE_INPUT_STREAM (input), cancellable);
}

gssize
lookalike_tap_read (LookalikeTap *self, void *buffer, gsize size, GError **error)
{
  GInputStream *input = g_io_stream_get_input_stream (G_IO_STREAM (self->connection));

  if (self->dead)
    return 0;
  if (lookalike_tap_is_held (self, FALSE))
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK, "The connection is held");
      return -1;
    }
  return g_pollable_input_stream_read_nonblocking (G_POLLABLE_INPUT_STREAM (input), buffer, size,
                                                   NULL, error);
}

static gssize
write_out (LookalikeTap *self, const guint8 *bytes, gsize size, GError **error)
{
  GOutputStream *output = g_io_stream_get_output_stream (G_IO_STREAM (self->connection));
  g_autofree guint8 *changed = NULL;
  gssize written;

  if (self->plan.header_case != 0)
    bytes = changed
        = lookalike_tap_count_change_case (&self->count, bytes, size, self->plan.header_case);
  written = g_pollable_output_stream_write_nonblocking (G_POLLABLE_OUTPUT_STREAM (output), bytes,
                                                        size, NULL, error);
  if (written <= 0)
    return written;
  self->written_bytes += (guint64)written;
  lookalike_tap_count_walk (&self->count, &self->plan, bytes, (gsize)written);
  if (self->written != NULL)
    self->written (self, self->written_data);
  return written;
}

/* How much goes at once. */
static gsize
choose_size (LookalikeTap *self, gsize size)
{
  gsize piece = size;

  if (self->rand != NULL)
    piece = (gsize)g_rand_int_range (self->rand, 1, (gint32)self->plan.split_max + 1);
  return MIN (size, piece);
}

gssize
lookalike_tap_write (LookalikeTap *self, const void *buffer, gsize size, GError **error)
{
  LookalikeTapCount count = self->count;
  gsize allowed = lookalike_tap_count_walk (&count, &self->plan, buffer, choose_size (self, size));

  if (allowed == 0 && size > 0 && !self->dead && !lookalike_tap_is_held (self, TRUE))
    {
      if (count.verdict == LOOKALIKE_TAP_STALL)
        self->stalled = TRUE;
      else
        lookalike_tap_cut (self, self->plan.reset);
    }
  if (self->dead)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "The connection was cut");
      return -1;
    }
  if (lookalike_tap_is_held (self, TRUE))
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK, "The connection is held");
      return -1;
    }
  return write_out (self, buffer, allowed, error);
}
