/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pipe-private.h"

#include <string.h>

#include "asb-pipe-stream-private.h"

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

G_DEFINE_BOXED_TYPE (AsbPipe, asb_pipe, asb_pipe_ref, asb_pipe_unref)

/**
 * asb_pipe_new: (constructor)
 * @capacity: how many bytes may wait, at least 1; memory is taken as they come
 *
 * Creates a pipe.
 *
 * Returns: (transfer full): a new pipe
 *
 * Since: 1.0
 */
AsbPipe *
asb_pipe_new (gsize capacity)
{
  AsbPipe *self;

  g_return_val_if_fail (capacity > 0, NULL);

  self = g_new0 (AsbPipe, 1);
  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->contexts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_main_context_unref);
  self->capacity = capacity;
  self->notify_at = G_MAXUINT64;
  return self;
}

/**
 * asb_pipe_ref: (skip)
 * @self: a pipe
 *
 * Takes one more reference.
 *
 * Returns: (transfer full): @self
 *
 * Since: 1.0
 */
AsbPipe *
asb_pipe_ref (AsbPipe *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->references);
  return self;
}

/**
 * asb_pipe_unref: (skip)
 * @self: (transfer full): a pipe
 *
 * Drops a reference. The streams hold one each.
 *
 * Since: 1.0
 */
void
asb_pipe_unref (AsbPipe *self)
{
  g_return_if_fail (self != NULL);

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
    case ASB_PIPE_CONDITION_READABLE:
      return self->length > 0 || self->finished || self->stopped || self->aborted;
    case ASB_PIPE_CONDITION_WRITABLE:
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

static void
get_status (AsbPipe *self, AsbPipeStatus *status)
{
  status->taken = self->taken;
  status->waiting = self->length;
  status->finished = self->finished;
  status->stopped = self->stopped;
  status->aborted = self->aborted;
}

void
asb_pipe_watch (AsbPipe *self, guint64 taken, AsbPipeStatus *status)
{
  g_mutex_lock (&self->lock);
  self->notify_at = taken;
  self->notified = FALSE;
  get_status (self, status);
  g_mutex_unlock (&self->lock);
}

/**
 * asb_pipe_push:
 * @self: a pipe
 * @bytes: (array length=size) (element-type guint8): what the stream shall read
 * @size: how many bytes these are
 *
 * Appends as much of @bytes as there is room for. Never blocks.
 *
 * Returns: how many bytes were taken; 0 too when the stream was closed, or [method@Pipe.finish] was
 * called
 *
 * Since: 1.0
 */
gsize
asb_pipe_push (AsbPipe *self, gconstpointer bytes, gsize size)
{
  gsize count = 0;

  g_return_val_if_fail (self != NULL, 0);
  g_return_val_if_fail (bytes != NULL || size == 0, 0);

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

/**
 * asb_pipe_pull: (skip)
 * @self: a pipe
 * @bytes: where to put them
 * @size: how many at most
 *
 * Takes out what the stream has written. Never blocks.
 *
 * Returns: how many bytes there were
 *
 * Since: 1.0
 */
gsize
asb_pipe_pull (AsbPipe *self, gpointer bytes, gsize size)
{
  gboolean was_full;
  gsize count;

  g_return_val_if_fail (self != NULL, 0);
  g_return_val_if_fail (bytes != NULL || size == 0, 0);

  g_mutex_lock (&self->lock);
  was_full = self->length == self->capacity;
  count = ring_take (self, bytes, size);
  if (was_full && count > 0)
    wake (self);
  g_mutex_unlock (&self->lock);
  return count;
}

/**
 * asb_pipe_pull_bytes:
 * @self: a pipe
 * @size: how many at most
 *
 * Takes out what the stream has written. Never blocks.
 *
 * Returns: (transfer full): the bytes, none when nothing waits
 *
 * Since: 1.0
 */
GBytes *
asb_pipe_pull_bytes (AsbPipe *self, gsize size)
{
  g_autofree guint8 *bytes = NULL;

  g_return_val_if_fail (self != NULL, NULL);

  size = MIN (size, asb_pipe_get_waiting (self));
  bytes = g_malloc (size);
  size = asb_pipe_pull (self, bytes, size);
  return g_bytes_new_take (g_steal_pointer (&bytes), size);
}

static void
finish (AsbPipe *self, const GError *error)
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

/**
 * asb_pipe_finish:
 * @self: a pipe
 *
 * Says that nothing more will be pushed. What was pushed before can still be read; then reading
 * gives the end of the stream. Does nothing when the pipe is finished already.
 *
 * Since: 1.0
 */
void
asb_pipe_finish (AsbPipe *self)
{
  g_return_if_fail (self != NULL);

  finish (self, NULL);
}

/**
 * asb_pipe_finish_error:
 * @self: a pipe
 * @error: why no more comes
 *
 * Says that nothing more will be pushed, and that this is not the end. What was pushed before can
 * still be read; then reading fails with @error every time. Does nothing when the pipe is finished
 * already.
 *
 * Since: 1.0
 */
void
asb_pipe_finish_error (AsbPipe *self, const GError *error)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (error != NULL);

  finish (self, error);
}

/**
 * asb_pipe_stop:
 * @self: a pipe
 * @error: why nothing more is taken
 *
 * Says that nothing more will be pulled. Writing to the stream fails with @error from now on; what
 * was not pulled is dropped. Does nothing when the pipe is stopped already.
 *
 * Since: 1.0
 */
void
asb_pipe_stop (AsbPipe *self, const GError *error)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (error != NULL);

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

static void
settle (AsbPipe *self, const GError *error)
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

/**
 * asb_pipe_settle:
 * @self: a pipe
 *
 * Says that all went well with what was written: closing a stream with %ASB_PIPE_CLOSE_COMMITS
 * succeeds. Does nothing when the pipe is settled already.
 *
 * Since: 1.0
 */
void
asb_pipe_settle (AsbPipe *self)
{
  g_return_if_fail (self != NULL);

  settle (self, NULL);
}

/**
 * asb_pipe_settle_error:
 * @self: a pipe
 * @error: why it failed
 *
 * Says that what was written came to nothing: closing a stream with %ASB_PIPE_CLOSE_COMMITS fails
 * with @error. Does nothing when the pipe is settled already.
 *
 * Since: 1.0
 */
void
asb_pipe_settle_error (AsbPipe *self, const GError *error)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (error != NULL);

  settle (self, error);
}

static gssize
read_locked (AsbPipe *self, gpointer bytes, gsize size, GError **error)
{
  if (self->length > 0)
    {
      gboolean was_full = self->length == self->capacity;
      gsize count = ring_take (self, bytes, size);

      if (was_full && count > 0)
        wake (self);
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
  gboolean was_empty = self->length == 0;
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
  if (was_empty && count > 0)
    wake (self);
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

  if (lock_when (self, ASB_PIPE_CONDITION_READABLE, blocking, cancellable, error))
    count = read_locked (self, bytes, size, error);
  g_mutex_unlock (&self->lock);
  return count;
}

gssize
asb_pipe_write (AsbPipe *self, gconstpointer bytes, gsize size, gboolean blocking,
                GCancellable *cancellable, GError **error)
{
  gssize count = -1;

  if (lock_when (self, ASB_PIPE_CONDITION_WRITABLE, blocking, cancellable, error))
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
      wake (self);
    }
  g_mutex_unlock (&self->lock);
}

/**
 * asb_pipe_check:
 * @self: a pipe
 * @condition: what to look for
 *
 * Looks whether @condition holds now.
 *
 * Returns: whether it does
 *
 * Since: 1.0
 */
gboolean
asb_pipe_check (AsbPipe *self, AsbPipeCondition condition)
{
  gboolean there;

  g_return_val_if_fail (self != NULL, FALSE);

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

static AsbPipeStatus
look (AsbPipe *self)
{
  AsbPipeStatus status;

  g_mutex_lock (&self->lock);
  get_status (self, &status);
  g_mutex_unlock (&self->lock);
  return status;
}

/**
 * asb_pipe_get_waiting:
 * @self: a pipe
 *
 * Gets how many bytes wait to be read or pulled.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
gsize
asb_pipe_get_waiting (AsbPipe *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return look (self).waiting;
}

/**
 * asb_pipe_get_room:
 * @self: a pipe
 *
 * Gets how many more bytes there is room for.
 *
 * Returns: the number, 0 too when nothing more is taken
 *
 * Since: 1.0
 */
gsize
asb_pipe_get_room (AsbPipe *self)
{
  AsbPipeStatus status;

  g_return_val_if_fail (self != NULL, 0);

  status = look (self);
  return status.finished || status.stopped ? 0 : self->capacity - status.waiting;
}

/**
 * asb_pipe_get_taken:
 * @self: a pipe
 *
 * Gets how many bytes have been read or pulled since the start.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint64
asb_pipe_get_taken (AsbPipe *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return look (self).taken;
}

/**
 * asb_pipe_is_finished:
 * @self: a pipe
 *
 * Gets whether no more bytes come: the stream that wrote was closed, or [method@Pipe.finish] was
 * called. Bytes may still wait.
 *
 * Returns: whether they have ended
 *
 * Since: 1.0
 */
gboolean
asb_pipe_is_finished (AsbPipe *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return look (self).finished;
}

/**
 * asb_pipe_is_stopped:
 * @self: a pipe
 *
 * Gets whether nobody takes more bytes: the stream that read was closed, or [method@Pipe.stop] was
 * called.
 *
 * Returns: whether nobody does
 *
 * Since: 1.0
 */
gboolean
asb_pipe_is_stopped (AsbPipe *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return look (self).stopped;
}

/**
 * asb_pipe_is_aborted:
 * @self: a pipe
 *
 * Gets whether the stream with %ASB_PIPE_CLOSE_COMMITS that wrote was dropped, or its closing
 * cancelled: nothing of what it wrote shall have happened. Undo it, and call [method@Pipe.settle].
 *
 * Returns: whether it was
 *
 * Since: 1.0
 */
gboolean
asb_pipe_is_aborted (AsbPipe *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return look (self).aborted;
}

/**
 * asb_pipe_create_input_stream:
 * @self: a pipe
 * @owner: (nullable): an object that lives as long as the stream, such as the transport
 *
 * Creates the stream that reads what is pushed. Make one for a pipe. It can be polled, see
 * [iface@Gio.PollableInputStream]. Closing it stops the pipe.
 *
 * Returns: (transfer full): a new stream
 *
 * Since: 1.0
 */
GInputStream *
asb_pipe_create_input_stream (AsbPipe *self, GObject *owner)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (owner == NULL || G_IS_OBJECT (owner), NULL);

  return asb_pipe_input_stream_new (self, owner);
}

/**
 * asb_pipe_create_output_stream:
 * @self: a pipe
 * @close: what closing the stream means
 * @owner: (nullable): an object that lives as long as the stream, such as the transport
 *
 * Creates the stream that writes what is pulled. Make one for a pipe. It can be polled, see
 * [iface@Gio.PollableOutputStream]. Closing it finishes the pipe.
 *
 * Returns: (transfer full): a new stream
 *
 * Since: 1.0
 */
GOutputStream *
asb_pipe_create_output_stream (AsbPipe *self, AsbPipeClose close, GObject *owner)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (owner == NULL || G_IS_OBJECT (owner), NULL);

  return asb_pipe_output_stream_new (self, close, owner);
}
