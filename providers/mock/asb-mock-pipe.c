/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-pipe.h"

#include <asb.h>
#include <string.h>

struct _AsbMockPipe
{
  gatomicrefcount references;
  GMutex mutex;
  GCond changed;
  GByteArray *bytes; /* that wait, … */
  gsize start;       /* … but for so much of them, which has been taken */
  gsize capacity;
  guint64 total; /* bytes put or written */
  guint64 taken; /* bytes read */
  guint64 break_after;
  gboolean is_broken;
  gboolean is_discarding;
  gboolean is_finished;
  GError *error;
  gint64 end_at; /* 0: no end of its own */
  AsbMockPipeTimeUp time_up;
  GObject *owner;
  GPtrArray *contexts; /* GMainContext: to be woken by the next change */
};

typedef struct
{
  GSource source;
  AsbMockPipe *pipe;
  gboolean for_writing;
} AsbMockPipeSource;

AsbMockPipe *
asb_mock_pipe_new (gsize capacity)
{
  AsbMockPipe *self = g_new0 (AsbMockPipe, 1);

  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  self->bytes = g_byte_array_new ();
  self->capacity = capacity;
  self->contexts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_main_context_unref);
  return self;
}

AsbMockPipe *
asb_mock_pipe_ref (AsbMockPipe *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
asb_mock_pipe_unref (AsbMockPipe *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  g_clear_pointer (&self->contexts, g_ptr_array_unref);
  g_clear_error (&self->error);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/* Must hold the mutex. */
static void
announce_change (AsbMockPipe *self)
{
  g_cond_broadcast (&self->changed);
  for (guint i = 0; i < self->contexts->len; i++)
    g_main_context_wakeup (self->contexts->pdata[i]);
  g_ptr_array_set_size (self->contexts, 0);
}

void
asb_mock_pipe_break (AsbMockPipe *self, guint64 after_bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  self->is_broken = TRUE;
  self->break_after = after_bytes;
}

void
asb_mock_pipe_discard (AsbMockPipe *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  self->is_discarding = TRUE;
}

void
asb_mock_pipe_set_end (AsbMockPipe *self, gint64 end_at, AsbMockPipeTimeUp time_up, GObject *owner)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  self->end_at = end_at;
  self->time_up = time_up;
  self->owner = g_object_ref (owner);
}

static gsize
count_waiting (const AsbMockPipe *self)
{
  return self->bytes->len - self->start;
}

/* Takes no longer for the last bytes of many than for the first ones. */
static void
take_out (AsbMockPipe *self, gpointer bytes, gsize size)
{
  memcpy (bytes, self->bytes->data + self->start, size);
  self->start += size;
  if (self->start < self->bytes->len / 2)
    return;
  g_byte_array_remove_range (self->bytes, 0, (guint)self->start);
  self->start = 0;
}

/* Must hold the mutex. */
static void
append (AsbMockPipe *self, gconstpointer bytes, gsize size)
{
  self->total += size;
  if (self->is_discarding || size == 0)
    return;
  g_byte_array_append (self->bytes, bytes, (guint)size);
  announce_change (self);
}

void
asb_mock_pipe_put (AsbMockPipe *self, GBytes *bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  append (self, data, size);
}

void
asb_mock_pipe_finish (AsbMockPipe *self, const GError *error)
{
  g_autoptr (GObject) owner = NULL;

  g_mutex_lock (&self->mutex);
  if (!self->is_finished)
    {
      self->is_finished = TRUE;
      self->error = error ? g_error_copy (error) : NULL;
      self->end_at = 0;
      owner = g_steal_pointer (&self->owner);
      announce_change (self);
    }
  g_mutex_unlock (&self->mutex);
}

guint64
asb_mock_pipe_get_total (AsbMockPipe *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  return self->total;
}

/* Waiting. */

static void
cancelled_cb (GCancellable *cancellable, gpointer user_data)
{
  AsbMockPipe *self = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  g_cond_broadcast (&self->changed);
}

/* Lets the command end if it is time. Must not hold the mutex. */
static void
check_time (AsbMockPipe *self)
{
  g_autoptr (GObject) owner = NULL;

  g_mutex_lock (&self->mutex);
  if (self->end_at && g_get_monotonic_time () >= self->end_at)
    owner = g_object_ref (self->owner);
  g_mutex_unlock (&self->mutex);
  if (owner)
    self->time_up (owner);
}

/* Must hold the mutex. */
static void
wait_for_change (AsbMockPipe *self)
{
  if (!self->end_at)
    {
      g_cond_wait (&self->changed, &self->mutex);
      return;
    }
  if (g_cond_wait_until (&self->changed, &self->mutex, self->end_at))
    return;
  g_mutex_unlock (&self->mutex);
  check_time (self);
  g_mutex_lock (&self->mutex);
}

typedef gboolean (*AsbMockPipeTest) (AsbMockPipe *self);

static gboolean
can_read (AsbMockPipe *self)
{
  return count_waiting (self) > 0 || self->is_finished
         || (self->is_broken && self->taken >= self->break_after);
}

static gboolean
can_write (AsbMockPipe *self)
{
  return self->is_finished || self->is_discarding || self->capacity == 0
         || count_waiting (self) < self->capacity;
}

/* Takes the mutex, and keeps it if the answer is TRUE. */
static gboolean
lock_when (AsbMockPipe *self, AsbMockPipeTest test, gboolean blocking, GCancellable *cancellable,
           GError **error)
{
  gulong id = 0;
  gboolean holds;

  check_time (self);
  if (blocking && cancellable)
    id = g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb), self, NULL);
  g_mutex_lock (&self->mutex);
  while (!(holds = test (self)) && blocking && !g_cancellable_is_cancelled (cancellable))
    wait_for_change (self);
  g_mutex_unlock (&self->mutex);
  g_cancellable_disconnect (cancellable, id);

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (!holds)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK, "Nothing is there yet");
      return FALSE;
    }
  g_mutex_lock (&self->mutex);
  return TRUE;
}

static gssize
take (AsbMockPipe *self, gpointer bytes, gsize size, GError **error)
{
  gsize length = MIN (size, count_waiting (self));

  if (self->is_broken)
    length = MIN (length, self->break_after - self->taken);
  if (self->is_broken && self->taken >= self->break_after)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED,
                   "The stream broke off after %" G_GUINT64_FORMAT " bytes", self->break_after);
      return -1;
    }
  if (length == 0 && self->error)
    {
      g_propagate_error (error, g_error_copy (self->error));
      return -1;
    }
  if (length > 0)
    take_out (self, bytes, length);
  self->taken += length;
  announce_change (self);
  return (gssize)length;
}

gssize
asb_mock_pipe_read (AsbMockPipe *self, gpointer bytes, gsize size, gboolean blocking,
                    GCancellable *cancellable, GError **error)
{
  gssize length;

  if (!lock_when (self, can_read, blocking, cancellable, error))
    return -1;
  length = take (self, bytes, size, error);
  g_mutex_unlock (&self->mutex);
  return length;
}

gssize
asb_mock_pipe_write (AsbMockPipe *self, gconstpointer bytes, gsize size, gboolean blocking,
                     GCancellable *cancellable, GError **error)
{
  gsize length = size;

  if (!lock_when (self, can_write, blocking, cancellable, error))
    return -1;
  if (self->is_finished)
    {
      g_mutex_unlock (&self->mutex);
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE,
                           "The command does not read any more");
      return -1;
    }
  if (self->capacity > 0 && !self->is_discarding)
    length = MIN (size, self->capacity - count_waiting (self));
  append (self, bytes, length);
  g_mutex_unlock (&self->mutex);
  return (gssize)length;
}

gboolean
asb_mock_pipe_is_readable (AsbMockPipe *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  check_time (self);
  locker = g_mutex_locker_new (&self->mutex);
  return can_read (self);
}

gboolean
asb_mock_pipe_is_writable (AsbMockPipe *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  check_time (self);
  locker = g_mutex_locker_new (&self->mutex);
  return can_write (self);
}

/* The source. */

/* Milliseconds until the command ends by itself, rounded up; −1 for never. */
static int
time_left (AsbMockPipe *self)
{
  gint64 left = self->end_at ? self->end_at - g_get_monotonic_time () : -1;

  return self->end_at ? (int)CLAMP ((left + 999) / 1000, 0, G_MAXINT) : -1;
}

static gboolean
source_prepare (GSource *source, int *timeout)
{
  AsbMockPipeSource *self = (AsbMockPipeSource *)source;
  AsbMockPipe *pipe = self->pipe;
  GMainContext *context = g_source_get_context (source);
  g_autoptr (GMutexLocker) locker = NULL;

  check_time (pipe);
  locker = g_mutex_locker_new (&pipe->mutex);
  *timeout = time_left (pipe);
  if (self->for_writing ? can_write (pipe) : can_read (pipe))
    return TRUE;
  if (!g_ptr_array_find (pipe->contexts, context, NULL))
    g_ptr_array_add (pipe->contexts, g_main_context_ref (context));
  return FALSE;
}

static gboolean
source_check (GSource *source)
{
  AsbMockPipeSource *self = (AsbMockPipeSource *)source;

  return self->for_writing ? asb_mock_pipe_is_writable (self->pipe)
                           : asb_mock_pipe_is_readable (self->pipe);
}

static gboolean
source_dispatch (GSource *source, GSourceFunc callback, gpointer user_data)
{
  return callback ? callback (user_data) : G_SOURCE_CONTINUE;
}

static void
source_finalize (GSource *source)
{
  asb_mock_pipe_unref (((AsbMockPipeSource *)source)->pipe);
}

/* Lets the source be the child of another one, which gives it a dummy closure. */
static gboolean
source_closure_cb (gpointer data)
{
  g_auto (GValue) result = G_VALUE_INIT;

  g_value_init (&result, G_TYPE_BOOLEAN);
  g_closure_invoke (data, &result, 0, NULL, NULL);
  return g_value_get_boolean (&result);
}

static GSourceFuncs source_funcs = { .prepare = source_prepare,
                                     .check = source_check,
                                     .dispatch = source_dispatch,
                                     .finalize = source_finalize,
                                     .closure_callback = source_closure_cb };

GSource *
asb_mock_pipe_source_new (AsbMockPipe *self, gboolean for_writing)
{
  GSource *source = g_source_new (&source_funcs, sizeof (AsbMockPipeSource));

  ((AsbMockPipeSource *)source)->pipe = asb_mock_pipe_ref (self);
  ((AsbMockPipeSource *)source)->for_writing = for_writing;
  return source;
}
