/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pool-private.h"

#include "asb-error-private.h"
#include "asb-timer-private.h"

/* The pool's own work: making as many as are wanted, and ending what is too much, too old or of no
 * use. It is looked at whenever something has changed, and at the time when something will. */

/* A few failures may pass at once: what is not degraded yet is tried again soon. */
#define SHORT_PAUSE 1
/* Of one that is degraded: 30 seconds, then twice as long each time, up to a day. */
#define LONG_PAUSE 30
#define MAX_PAUSE (24 * 60 * 60)
#define MAX_DOUBLINGS 12

static guint
get_concurrency (AsbPoolCore *self)
{
  return self->warmup_concurrency > 0 ? self->warmup_concurrency
                                      : MAX (1, (self->max_idle + 4) / 5);
}

static gboolean
is_making (AsbPoolCore *self)
{
  return self->state == ASB_POOL_STATE_RUNNING && !self->is_abandoned;
}

/* Those that are being checked may come back. */
static guint
count_idle (AsbPoolCore *self)
{
  return g_queue_get_length (&self->idle) + self->n_checking;
}

/* Must hold the mutex. */
static void
shrink (AsbPoolCore *self)
{
  while (count_idle (self) > self->max_idle && !g_queue_is_empty (&self->idle))
    asb_pool_core_end_oldest (self);
}

/* Must hold the mutex. Returns: how many are to be made now */
static guint
take_deficit (AsbPoolCore *self, gint64 now)
{
  guint wanted = self->max_idle;
  guint have = count_idle (self) + self->n_creating;
  guint room = get_concurrency (self);
  guint n;

  if (!is_making (self) || have >= wanted || now < self->paused_until || room <= self->n_creating)
    return 0;
  n = MIN (wanted - have, room - self->n_creating);
  self->n_creating += n;
  return n;
}

/* Failures. */

/* Must hold the mutex. Those of one batch count as one. */
static void
pause_making (AsbPoolCore *self, gint64 now)
{
  gint64 seconds = SHORT_PAUSE * (gint64)self->failure_count;
  guint doublings = MIN (self->n_pauses, MAX_DOUBLINGS);

  if (now < self->paused_until)
    return;
  if (self->failure_count >= self->degraded_threshold)
    {
      seconds = MIN ((gint64)LONG_PAUSE << doublings, (gint64)MAX_PAUSE);
      self->n_pauses++;
    }
  self->paused_until = now + seconds * asb_pool_get_second ();
}

/* Must hold the mutex. Takes @error. */
static void
note_failure (AsbPoolCore *self, GError *error)
{
  g_debug ("A sandbox for a pool was not made: %s", error->message);
  self->failure_count++;
  g_clear_error (&self->last_error);
  self->last_error = error;
  pause_making (self, g_get_monotonic_time ());
}

/* Must hold the mutex. */
static void
note_success (AsbPoolCore *self)
{
  self->failure_count = 0;
  self->n_pauses = 0;
  self->paused_until = 0;
  g_clear_error (&self->last_error);
}

static void
made_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbPoolCore) self = user_data;
  GError *error = NULL;
  AsbBackend *backend = asb_pool_make_finish (result, &error);

  g_mutex_lock (&self->mutex);
  self->n_creating--;
  if (backend && is_making (self))
    {
      note_success (self);
      asb_pool_core_add_idle (self, backend, g_get_monotonic_time (), FALSE);
    }
  else if (backend)
    asb_pool_add_ending (self, backend, NULL);
  else if (is_making (self))
    note_failure (self, g_steal_pointer (&error));
  asb_pool_core_changed (self);
  g_mutex_unlock (&self->mutex);
  g_clear_error (&error);
}

/* The work. */

typedef struct
{
  guint n_to_make;
  GCancellable *creating;
  GPtrArray *endings;
} Round;

static gint64
earlier (gint64 a, gint64 b)
{
  return a == 0 ? b : (b == 0 ? a : MIN (a, b));
}

/* Whether nothing will ever be to do again, unless it is started. */
static gboolean
is_over (AsbPoolCore *self)
{
  return (self->is_abandoned || self->state == ASB_POOL_STATE_STOPPED) && self->n_creating == 0
         && self->acquires->len == 0 && g_queue_is_empty (&self->endings);
}

/* Must hold the mutex. */
static void
end_work (AsbPoolCore *self)
{
  asb_source_clear (&self->timer);
  g_clear_pointer (&self->worker, asb_worker_quit);
}

/* Must hold the mutex. */
static void
plan (AsbPoolCore *self, Round *round)
{
  gint64 now = g_get_monotonic_time ();
  gint64 next = asb_pool_core_prune (self, now);
  gint64 of_endings;
  AsbPoolEnding *ending;

  if (is_making (self))
    shrink (self);
  round->n_to_make = take_deficit (self, now);
  round->creating = g_object_ref (self->creating);
  while ((ending = asb_pool_take_ending (self, NULL, self->context, now, &of_endings)))
    g_ptr_array_add (round->endings, ending);
  next = earlier (next, of_endings);
  if (is_making (self) && self->paused_until > now)
    next = earlier (next, self->paused_until);
  g_source_set_ready_time (self->timer, next > 0 ? next : -1);
  if (is_over (self))
    end_work (self);
}

static gboolean
work_cb (gpointer user_data)
{
  g_autoptr (AsbPoolCore) self = asb_pool_core_ref (user_data);
  g_autoptr (GMainContext) context
      = g_main_context_ref (g_source_get_context (g_main_current_source ()));
  g_autoptr (GPtrArray) endings = g_ptr_array_new ();
  Round round = { .endings = endings };

  g_mutex_lock (&self->mutex);
  if (self->timer)
    plan (self, &round);
  g_mutex_unlock (&self->mutex);
  /* Answers come here, also where nobody has said that this is the context of the thread. */
  g_main_context_push_thread_default (context);
  for (guint i = 0; i < endings->len; i++)
    asb_pool_run_ending (self, endings->pdata[i]);
  for (guint i = 0; i < round.n_to_make; i++)
    asb_pool_make_async (self, round.creating, made_cb, asb_pool_core_ref (self));
  g_main_context_pop_thread_default (context);
  g_clear_object (&round.creating);
  return G_SOURCE_CONTINUE;
}

gboolean
asb_pool_begin_work (AsbPoolCore *self, GError **error)
{
  if (self->timer)
    return TRUE;
  if (asb_pool_takes_threads (self->options, self->provider) && !self->preparer)
    {
      self->worker = asb_worker_new ("asb-pool", error);
      if (!self->worker)
        return FALSE;
    }
  g_clear_pointer (&self->context, g_main_context_unref);
  self->context
      = g_main_context_ref (self->worker ? asb_worker_get_context (self->worker) : self->owner);
  self->timer = asb_timer_new ("asb pool", work_cb, asb_pool_core_ref (self),
                               (GDestroyNotify)asb_pool_core_unref);
  g_source_attach (self->timer, self->context);
  return TRUE;
}
