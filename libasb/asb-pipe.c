/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pipe-private.h"

#include <string.h>

#define FIRST_ALLOCATION 4096

struct _AsbPipe
{
  gatomicrefcount references;
  GMutex lock;
  GCond changed;
  guint n_waiting;
  GPtrArray *contexts; /* where a source waits; told once, then forgotten */

  guint8 *ring;
  gsize allocated;
  gsize capacity;
  gsize start;
  gsize length;

  guint64 taken;
  guint64 notify_at;
  gboolean notified;
  void (*notify) (gpointer data);
  gpointer notify_data;

  gboolean finished;
  gboolean stopped;
  gboolean aborted;
  gboolean settled;
  GError *finish_error;
  GError *stop_error;
  GError *outcome;
};

AsbPipe *
asb_pipe_new (gsize capacity)
{
  AsbPipe *self = g_new0 (AsbPipe, 1);

  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->contexts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_main_context_unref);
  self->capacity = capacity;
  self->notify_at = G_MAXUINT64;
  return self;
}

AsbPipe *
asb_pipe_ref (AsbPipe *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
asb_pipe_unref (AsbPipe *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_ptr_array_unref (self->contexts);
  g_free (self->ring);
  g_clear_error (&self->finish_error);
  g_clear_error (&self->stop_error);
  g_clear_error (&self->outcome);
  g_free (self);
}

static void
ring_copy_out (AsbPipe *self, guint8 *bytes, gsize size)
{
  gsize first = MIN (size, self->allocated - self->start);

  if (size == 0)
    return;
  memcpy (bytes, self->ring + self->start, first);
  memcpy (bytes + first, self->ring, size - first);
}

static void
ring_reserve (AsbPipe *self, gsize needed)
{
  gsize size = MAX (self->allocated, FIRST_ALLOCATION);
  guint8 *ring;

  if (needed <= self->allocated)
    return;
  while (size < needed)
    size *= 2;
  size = MIN (size, self->capacity);
  ring = g_malloc (size);
  ring_copy_out (self, ring, self->length);
  g_free (self->ring);
  self->ring = ring;
  self->allocated = size;
  self->start = 0;
}

static gsize
ring_put (AsbPipe *self, const guint8 *bytes, gsize size)
{
  gsize count = MIN (size, self->capacity - self->length);
  gsize end;
  gsize first;

  if (count == 0)
    return 0;
  ring_reserve (self, self->length + count);
  end = (self->start + self->length) % self->allocated;
  first = MIN (count, self->allocated - end);
  memcpy (self->ring + end, bytes, first);
  memcpy (self->ring, bytes + first, count - first);
  self->length += count;
  return count;
}

static void
ring_drop (AsbPipe *self)
{
  g_clear_pointer (&self->ring, g_free);
  self->allocated = 0;
  self->start = 0;
  self->length = 0;
}

static gsize
ring_take (AsbPipe *self, guint8 *bytes, gsize size)
{
  gsize count = MIN (size, self->length);

  ring_copy_out (self, bytes, count);
  self->length -= count;
  self->taken += count;
  if (self->length == 0 && self->finished)
    ring_drop (self);
  else if (count > 0)
    self->start = (self->start + count) % self->allocated;
  return count;
}

static void
wake (AsbPipe *self)
{
  if (self->n_waiting > 0)
    g_cond_broadcast (&self->changed);
  for (guint i = 0; i < self->contexts->len; i++)
    g_main_context_wakeup (g_ptr_array_index (self->contexts, i));
  g_ptr_array_set_size (self->contexts, 0);
}

static void
tell (AsbPipe *self)
{
  if (self->notified || !self->notify)
    return;
  self->notified = TRUE;
  self->notify (self->notify_data);
}

static gboolean
holds (AsbPipe *self, AsbPipeCondition condition)
{
  switch (condition)
    {
    case ASB_PIPE_READABLE:
      return self->length > 0 || self->finished || self->stopped;
    case ASB_PIPE_WRITABLE:
      return self->length < self->capacity || self->finished || self->stopped;
    default:
      return self->settled;
    }
}

void
asb_pipe_set_notify (AsbPipe *self, void (*notify) (gpointer data), gpointer data)
{
  g_mutex_lock (&self->lock);
  self->notify = notify;
  self->notify_data = data;
  g_mutex_unlock (&self->lock);
}

void
asb_pipe_watch (AsbPipe *self, guint64 taken, AsbPipeStatus *status)
{
  g_mutex_lock (&self->lock);
  self->notify_at = taken;
  self->notified = FALSE;
  status->taken = self->taken;
  status->waiting = self->length;
  status->finished = self->finished;
  status->stopped = self->stopped;
  status->aborted = self->aborted;
  g_mutex_unlock (&self->lock);
}

gsize
asb_pipe_push (AsbPipe *self, gconstpointer bytes, gsize size)
{
  gsize count = 0;

  g_mutex_lock (&self->lock);
  if (!self->finished && !self->stopped)
    {
      gboolean was_empty = self->length == 0;

      count = ring_put (self, bytes, size);
      if (was_empty && count > 0)
        wake (self);
    }
  g_mutex_unlock (&self->lock);
  return count;
}

gsize
asb_pipe_pull (AsbPipe *self, gpointer bytes, gsize size)
{
  gboolean was_full;
  gsize count;

  g_mutex_lock (&self->lock);
  was_full = self->length == self->capacity;
  count = ring_take (self, bytes, size);
  if (was_full && count > 0)
    wake (self);
  g_mutex_unlock (&self->lock);
  return count;
}

void
asb_pipe_finish (AsbPipe *self, const GError *error)
{
  g_mutex_lock (&self->lock);
  if (!self->finished)
    {
      self->finished = TRUE;
      self->finish_error = error ? g_error_copy (error) : NULL;
      wake (self);
    }
  g_mutex_unlock (&self->lock);
}

void
asb_pipe_stop (AsbPipe *self, const GError *error)
{
  g_mutex_lock (&self->lock);
  if (!self->stopped)
    {
      self->stopped = TRUE;
      self->stop_error = g_error_copy (error);
      ring_drop (self);
      wake (self);
    }
  g_mutex_unlock (&self->lock);
}

void
asb_pipe_settle (AsbPipe *self, const GError *error)
{
  g_mutex_lock (&self->lock);
  if (!self->settled)
    {
      self->settled = TRUE;
      self->outcome = error ? g_error_copy (error) : NULL;
      wake (self);
    }
  g_mutex_unlock (&self->lock);
}

static gssize
read_locked (AsbPipe *self, gpointer bytes, gsize size, GError **error)
{
  if (self->length > 0)
    {
      gsize count = ring_take (self, bytes, size);

      if (self->taken >= self->notify_at)
        tell (self);
      return (gssize)count;
    }
  if (self->finish_error)
    {
      g_propagate_error (error, g_error_copy (self->finish_error));
      return -1;
    }
  return 0;
}

static gssize
write_locked (AsbPipe *self, gconstpointer bytes, gsize size, GError **error)
{
  gsize count;

  if (self->stop_error)
    {
      g_propagate_error (error, g_error_copy (self->stop_error));
      return -1;
    }
  if (self->finished)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "The stream is closed");
      return -1;
    }
  count = ring_put (self, bytes, size);
  if (count > 0)
    tell (self);
  return (gssize)count;
}

static void
cancelled_cb (GCancellable *cancellable, gpointer user_data)
{
  AsbPipe *self = user_data;

  g_mutex_lock (&self->lock);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

gboolean
asb_pipe_wait (AsbPipe *self, AsbPipeCondition condition, gint64 deadline,
               GCancellable *cancellable)
{
  gulong handler = 0;
  gboolean there;
  gboolean in_time = TRUE;

  if (cancellable)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb), asb_pipe_ref (self),
                                     (GDestroyNotify)asb_pipe_unref);
  g_mutex_lock (&self->lock);
  self->n_waiting++;
  while (!(there = holds (self, condition)) && in_time && !g_cancellable_is_cancelled (cancellable))
    {
      if (deadline > 0)
        in_time = g_cond_wait_until (&self->changed, &self->lock, deadline);
      else
        g_cond_wait (&self->changed, &self->lock);
    }
  self->n_waiting--;
  g_mutex_unlock (&self->lock);
  g_cancellable_disconnect (cancellable, handler);
  return there;
}

/* Returns with the lock held, and FALSE with @error set when it would have to wait or was
 * cancelled. */
static gboolean
lock_when (AsbPipe *self, AsbPipeCondition condition, gboolean blocking, GCancellable *cancellable,
           GError **error)
{
  g_mutex_lock (&self->lock);
  while (!holds (self, condition))
    {
      if (!blocking)
        {
          g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK,
                               "Resource temporarily unavailable");
          return FALSE;
        }
      g_mutex_unlock (&self->lock);
      asb_pipe_wait (self, condition, 0, cancellable);
      g_mutex_lock (&self->lock);
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
    }
  return TRUE;
}

gssize
asb_pipe_read (AsbPipe *self, gpointer bytes, gsize size, gboolean blocking,
               GCancellable *cancellable, GError **error)
{
  gssize count = -1;

  if (lock_when (self, ASB_PIPE_READABLE, blocking, cancellable, error))
    count = read_locked (self, bytes, size, error);
  g_mutex_unlock (&self->lock);
  return count;
}

gssize
asb_pipe_write (AsbPipe *self, gconstpointer bytes, gsize size, gboolean blocking,
                GCancellable *cancellable, GError **error)
{
  gssize count = -1;

  if (lock_when (self, ASB_PIPE_WRITABLE, blocking, cancellable, error))
    count = write_locked (self, bytes, size, error);
  g_mutex_unlock (&self->lock);
  return count;
}

void
asb_pipe_close_reader (AsbPipe *self)
{
  g_mutex_lock (&self->lock);
  if (!self->stopped)
    {
      self->stopped = TRUE;
      ring_drop (self);
      tell (self);
      wake (self);
    }
  g_mutex_unlock (&self->lock);
}

void
asb_pipe_close_writer (AsbPipe *self)
{
  g_mutex_lock (&self->lock);
  if (!self->finished)
    {
      self->finished = TRUE;
      tell (self);
      wake (self);
    }
  g_mutex_unlock (&self->lock);
}

void
asb_pipe_abort (AsbPipe *self)
{
  g_mutex_lock (&self->lock);
  if (!self->aborted)
    {
      self->aborted = TRUE;
      tell (self);
    }
  g_mutex_unlock (&self->lock);
}

gboolean
asb_pipe_check (AsbPipe *self, AsbPipeCondition condition)
{
  gboolean there;

  g_mutex_lock (&self->lock);
  there = holds (self, condition);
  g_mutex_unlock (&self->lock);
  return there;
}

gboolean
asb_pipe_get_outcome (AsbPipe *self, GError **error)
{
  g_autoptr (GError) outcome = NULL;

  g_mutex_lock (&self->lock);
  outcome = self->outcome ? g_error_copy (self->outcome) : NULL;
  g_mutex_unlock (&self->lock);
  if (!outcome)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&outcome));
  return FALSE;
}

gboolean
asb_pipe_check_or_watch (AsbPipe *self, AsbPipeCondition condition, GMainContext *context)
{
  gboolean there;

  g_mutex_lock (&self->lock);
  there = holds (self, condition);
  if (!there && !g_ptr_array_find (self->contexts, context, NULL))
    g_ptr_array_add (self->contexts, g_main_context_ref (context));
  g_mutex_unlock (&self->lock);
  return there;
}
