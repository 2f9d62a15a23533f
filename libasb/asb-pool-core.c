/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pool-private.h"

#include "asb-backend-options-private.h"
#include "asb-backend-pause-private.h"
#include "asb-backend-restart-private.h"
#include "asb-sync-private.h"
#include "asb-timer-private.h"

static gint64 second = G_TIME_SPAN_SECOND;

void
asb_pool_set_second (gint64 microseconds)
{
  second = microseconds;
}

gint64
asb_pool_get_second (void)
{
  return second;
}

AsbPoolCore *
asb_pool_core_new (AsbBackendOptions *options, gpointer pool)
{
  AsbPoolCore *self = g_new0 (AsbPoolCore, 1);

  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->mutex);
  g_weak_ref_init (&self->pool, pool);
  self->options = asb_backend_options_copy (options);
  self->owner = asb_sync_ref_public_context ();
  self->home = g_thread_ref (g_thread_self ());
  self->acquires = g_ptr_array_new ();
  self->waiting = g_ptr_array_new ();
  self->creating = g_cancellable_new ();
  return self;
}

AsbPoolCore *
asb_pool_core_ref (AsbPoolCore *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

/* What may be of a scripting language is let go of where it lives. */

typedef struct
{
  AsbBackendOptions *options;
  AsbBackendOptions *recipe;
  AsbProvider *provider;
  AsbClosure *preparer;
} Belongings;

static void
belongings_free (gpointer data)
{
  Belongings *belongings = data;

  g_clear_object (&belongings->options);
  g_clear_object (&belongings->recipe);
  g_clear_object (&belongings->provider);
  g_clear_pointer (&belongings->preparer, asb_closure_unref);
  g_free (belongings);
}

static gboolean
nothing_cb (gpointer user_data)
{
  return G_SOURCE_REMOVE;
}

static void
let_go (AsbPoolCore *self)
{
  Belongings *belongings = g_new0 (Belongings, 1);
  g_autoptr (GSource) idle = NULL;

  belongings->options = g_steal_pointer (&self->options);
  belongings->recipe = g_steal_pointer (&self->recipe);
  belongings->provider = g_steal_pointer (&self->provider);
  belongings->preparer = g_steal_pointer (&self->preparer);
  if (self->home == g_thread_self () || !belongings->provider
      || (asb_pool_takes_threads (belongings->options, belongings->provider)
          && !belongings->preparer))
    {
      belongings_free (belongings);
      return;
    }
  idle = g_idle_source_new ();
  g_source_set_static_name (idle, "AsbPool end");
  g_source_set_callback (idle, nothing_cb, belongings, belongings_free);
  g_source_attach (idle, self->owner);
}

void
asb_pool_core_unref (AsbPoolCore *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  let_go (self);
  g_clear_object (&self->creating);
  g_clear_pointer (&self->acquires, g_ptr_array_unref);
  g_clear_pointer (&self->waiting, g_ptr_array_unref);
  g_clear_error (&self->last_error);
  g_clear_pointer (&self->context, g_main_context_unref);
  g_clear_pointer (&self->owner, g_main_context_unref);
  g_clear_pointer (&self->home, g_thread_unref);
  g_weak_ref_clear (&self->pool);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/* Telling. */

static gboolean
tell_cb (gpointer user_data)
{
  AsbPoolCore *self = user_data;
  g_autoptr (AsbPool) pool = g_weak_ref_get (&self->pool);

  g_mutex_lock (&self->mutex);
  self->is_told = FALSE;
  g_mutex_unlock (&self->mutex);
  if (pool)
    asb_pool_tell (pool);
  return G_SOURCE_REMOVE;
}

static void
tell_later (AsbPoolCore *self)
{
  g_autoptr (GSource) source = NULL;

  if (self->is_told || self->is_abandoned)
    return;
  self->is_told = TRUE;
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "AsbPool news");
  g_source_set_callback (source, tell_cb, asb_pool_core_ref (self),
                         (GDestroyNotify)asb_pool_core_unref);
  g_source_attach (source, self->owner);
}

void
asb_pool_core_changed (AsbPoolCore *self)
{
  if (self->timer)
    g_source_set_ready_time (self->timer, 0);
  for (guint i = 0; i < self->waiting->len; i++)
    g_source_set_ready_time (self->waiting->pdata[i], 0);
  tell_later (self);
}

/* Those that are ready. */

static void
watched_cb (GObject *transport, GParamSpec *pspec, gpointer user_data)
{
  AsbPoolCore *self = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  asb_pool_core_changed (self);
}

static void
release_core (gpointer data, GClosure *closure)
{
  asb_pool_core_unref (data);
}

void
asb_pool_core_add_idle (AsbPoolCore *self, AsbBackend *backend, gint64 since, gboolean at_front)
{
  AsbPoolIdle *idle = g_new0 (AsbPoolIdle, 1);

  idle->backend = backend;
  idle->since = since;
  idle->watched = g_object_ref (asb_backend_get_transport (backend));
  idle->watch = g_signal_connect_data (idle->watched, "notify::state", G_CALLBACK (watched_cb),
                                       asb_pool_core_ref (self), release_core, 0);
  /* One whose time runs after its last use is in use here. */
  asb_keep_alive_begin (backend->keep_alive);
  if (at_front)
    g_queue_push_head (&self->idle, idle);
  else
    g_queue_push_tail (&self->idle, idle);
  asb_pool_core_changed (self);
}

/* Takes @idle. Returns: (transfer full) */
static AsbBackend *
unwrap (AsbPoolIdle *idle)
{
  g_autofree AsbPoolIdle *owned = idle;

  g_signal_handler_disconnect (owned->watched, owned->watch);
  g_object_unref (owned->watched);
  asb_keep_alive_end (owned->backend->keep_alive);
  return owned->backend;
}

static gint64
get_end (AsbPoolCore *self, const AsbPoolIdle *idle)
{
  gint64 seconds = self->idle_timeout;

  /* Half of it is left for whoever gets it, until that is renewed. */
  if (self->ttl_seconds > 0)
    seconds = MIN (seconds, MAX (self->ttl_seconds / 2, 1));
  return idle->since + seconds * second;
}

static gboolean
is_of_use (AsbPoolCore *self, const AsbPoolIdle *idle, gint64 now)
{
  return now < get_end (self, idle) && !asb_backend_is_paused (idle->backend)
         && asb_transport_get_state (idle->watched) != ASB_TRANSPORT_STATE_CLOSED;
}

gint64
asb_pool_core_prune (AsbPoolCore *self, gint64 now)
{
  gint64 next = 0;

  for (GList *link = self->idle.head, *after; link; link = after)
    {
      gint64 end = get_end (self, link->data);

      after = link->next;
      if (is_of_use (self, link->data, now))
        {
          next = next == 0 ? end : MIN (next, end);
          continue;
        }
      asb_pool_add_ending (self, unwrap (link->data), NULL);
      g_queue_delete_link (&self->idle, link);
    }
  return next;
}

AsbBackend *
asb_pool_core_take_idle (AsbPoolCore *self, gint64 *since)
{
  asb_pool_core_prune (self, g_get_monotonic_time ());
  for (GList *link = self->idle.head; link; link = link->next)
    {
      AsbPoolIdle *idle = link->data;

      if (asb_transport_get_state (idle->watched) != ASB_TRANSPORT_STATE_CONNECTED)
        continue;
      g_queue_delete_link (&self->idle, link);
      self->n_checking++;
      *since = idle->since;
      asb_pool_core_changed (self);
      return unwrap (idle);
    }
  return NULL;
}

void
asb_pool_core_end_oldest (AsbPoolCore *self)
{
  asb_pool_add_ending (self, unwrap (g_queue_pop_head (&self->idle)), NULL);
}
