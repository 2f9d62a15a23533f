/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-program-watch-private.h"

#include <string.h>

#include "asb-error.h"
#include "asb-io-thread-private.h"

#define TAIL_SIZE 4096
#define WAIT_MS 5000

/* So often it is read at once, which is what a pipe holds: one who writes without end is not the
 * only one the thread is for. */
#define MAX_READS 16

/* What shells, and programs that run others, end with when there is nothing to run. */
#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND 127

struct _AsbProgramWatch
{
  gatomicrefcount references;
  GSubprocess *process;
  char *name;
  GCancellable *ended;
  GMutex mutex;
  GCond condition;
  gboolean has_ended; /* the mutex is for this */

  /* Of the I/O thread, and of everybody once it has ended. */
  GSource *source;
  char tail[TAIL_SIZE];
  gsize length;
};

static AsbProgramWatch *
asb_program_watch_ref (AsbProgramWatch *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
asb_program_watch_unref (AsbProgramWatch *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_object (&self->process);
  g_clear_object (&self->ended);
  g_cond_clear (&self->condition);
  g_mutex_clear (&self->mutex);
  g_free (self->name);
  g_free (self);
}

static void
add (AsbProgramWatch *self, const char *bytes, gsize size)
{
  gsize kept = MIN (self->length, TAIL_SIZE - MIN (size, TAIL_SIZE));

  memmove (self->tail, self->tail + self->length - kept, kept);
  memcpy (self->tail + kept, bytes, MIN (size, TAIL_SIZE));
  self->length = kept + MIN (size, TAIL_SIZE);
}

/* What is there; FALSE when nothing will come any more. */
static gboolean
read_complaints (AsbProgramWatch *self)
{
  GPollableInputStream *stream
      = G_POLLABLE_INPUT_STREAM (g_subprocess_get_stderr_pipe (self->process));
  g_autoptr (GError) error = NULL;
  char bytes[TAIL_SIZE];
  gssize size;
  guint n_reads = 0;

  do
    {
      size = g_pollable_input_stream_read_nonblocking (stream, bytes, sizeof bytes, NULL, &error);
      if (size > 0)
        add (self, bytes, (gsize)size);
    }
  while (size == sizeof bytes && ++n_reads < MAX_READS);
  return size > 0 || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
}

static void
clear_source (AsbProgramWatch *self)
{
  if (!self->source)
    return;
  g_source_destroy (self->source);
  g_clear_pointer (&self->source, g_source_unref);
}

static gboolean
complaint_cb (GObject *pollable, gpointer user_data)
{
  AsbProgramWatch *self = user_data;

  if (read_complaints (self))
    return G_SOURCE_CONTINUE;
  clear_source (self);
  return G_SOURCE_REMOVE;
}

/* A program that it left behind may hold the pipe open for ever. */
static void
ended_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbProgramWatch) self = user_data;

  g_subprocess_wait_finish (self->process, result, NULL);
  if (self->source)
    read_complaints (self);
  clear_source (self);
  g_mutex_lock (&self->mutex);
  self->has_ended = TRUE;
  g_cond_broadcast (&self->condition);
  g_mutex_unlock (&self->mutex);
  g_cancellable_cancel (self->ended);
}

static void
begin (gpointer data)
{
  g_autoptr (AsbProgramWatch) self = data;
  GInputStream *stream = g_subprocess_get_stderr_pipe (self->process);

  self->source = g_pollable_input_stream_create_source (G_POLLABLE_INPUT_STREAM (stream), NULL);
  g_source_set_static_name (self->source, "asb program's standard error");
  g_source_set_callback (self->source, G_SOURCE_FUNC (complaint_cb), asb_program_watch_ref (self),
                         (GDestroyNotify)asb_program_watch_unref);
  g_source_attach (self->source, asb_io_thread_get_context ());
  g_subprocess_wait_async (self->process, NULL, ended_cb, asb_program_watch_ref (self));
}

AsbProgramWatch *
asb_program_watch_new (GSubprocess *process, const char *name)
{
  AsbProgramWatch *self = g_new0 (AsbProgramWatch, 1);

  g_atomic_ref_count_init (&self->references);
  self->process = g_object_ref (process);
  self->name = g_filename_display_name (name);
  self->ended = g_cancellable_new ();
  g_mutex_init (&self->mutex);
  g_cond_init (&self->condition);
  asb_io_thread_post (begin, asb_program_watch_ref (self));
  return self;
}

GCancellable *
asb_program_watch_get_ended (AsbProgramWatch *self)
{
  return self->ended;
}

gboolean
asb_program_watch_wait (AsbProgramWatch *self)
{
  const gint64 until = g_get_monotonic_time () + WAIT_MS * G_TIME_SPAN_MILLISECOND;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  while (!self->has_ended && g_cond_wait_until (&self->condition, &self->mutex, until))
    ;
  return self->has_ended;
}

gboolean
asb_program_watch_check (AsbProgramWatch *self, GError **error)
{
  g_autofree char *complaint = g_utf8_make_valid (self->tail, (gssize)self->length);
  const char *separator = *g_strstrip (complaint) ? ": " : "";
  int status;

  if (!g_subprocess_get_if_exited (self->process))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "“%s” was ended by signal %d%s%s",
                   self->name, g_subprocess_get_term_sig (self->process), separator, complaint);
      return FALSE;
    }
  status = g_subprocess_get_exit_status (self->process);
  if (status == 0)
    return TRUE;
  g_set_error (error, ASB_ERROR,
               status == STATUS_NOT_FOUND || status == STATUS_NOT_EXECUTABLE
                   ? ASB_ERROR_COMMAND_NOT_FOUND
                   : ASB_ERROR_PROVIDER,
               "“%s” ended with exit status %d%s%s", self->name, status, separator, complaint);
  return FALSE;
}
