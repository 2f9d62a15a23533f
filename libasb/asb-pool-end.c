/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pool-private.h"

#include "asb-error-private.h"

/* Ending sandboxes: closing a backend is not enough where that fails, since then nobody would know
 * of its sandbox any more. */

/* How many at once. */
#define MAX_RUNNING 16
/* After a failure it is done again, less and less often. */
#define FIRST_RETRY 1
#define MAX_DOUBLINGS 8
/* Nobody can ask any more, and what nobody renews ends by itself. */
#define MAX_FAILURES_ABANDONED 4

AsbPoolSweep *
asb_pool_sweep_new (void)
{
  AsbPoolSweep *self = g_new0 (AsbPoolSweep, 1);

  g_atomic_ref_count_init (&self->references);
  return self;
}

AsbPoolSweep *
asb_pool_sweep_ref (AsbPoolSweep *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
asb_pool_sweep_unref (AsbPoolSweep *self)
{
  if (g_atomic_ref_count_dec (&self->references))
    g_free (self);
}

static void
ending_free (AsbPoolEnding *ending)
{
  g_clear_object (&ending->backend);
  g_clear_object (&ending->provider);
  g_clear_pointer (&ending->sandbox_id, g_free);
  g_clear_pointer (&ending->sweep, asb_pool_sweep_unref);
  g_clear_pointer (&ending->tried, asb_pool_sweep_unref);
  g_clear_error (&ending->error);
  g_free (ending);
}

static AsbPoolEnding *
add (AsbPoolCore *self, AsbProvider *provider, const char *sandbox_id)
{
  AsbPoolEnding *ending = g_new0 (AsbPoolEnding, 1);

  ending->provider = g_object_ref (provider);
  ending->sandbox_id = g_strdup (sandbox_id);
  g_queue_push_tail (&self->endings, ending);
  asb_pool_core_changed (self);
  return ending;
}

void
asb_pool_add_ending (AsbPoolCore *self, AsbBackend *backend, AsbPoolSweep *sweep)
{
  AsbPoolEnding *ending = add (self, backend->provider, ASB_BACKEND_SANDBOX_ID (backend));

  ending->backend = backend;
  ending->sweep = sweep ? asb_pool_sweep_ref (sweep) : NULL;
}

void
asb_pool_add_leftover (AsbPoolCore *self, AsbProvider *provider, const char *sandbox_id)
{
  add (self, provider, sandbox_id);
}

AsbPoolEnding *
asb_pool_take_ending (AsbPoolCore *self, AsbPoolSweep *sweep, GMainContext *context, gint64 now,
                      gint64 *next)
{
  *next = 0;
  if (self->n_ending >= MAX_RUNNING)
    return NULL;
  for (GList *link = self->endings.head; link; link = link->next)
    {
      AsbPoolEnding *ending = link->data;

      if (ending->is_running || ending->sweep != sweep)
        continue;
      if (!sweep && ending->retry_at > now)
        {
          *next = *next == 0 ? ending->retry_at : MIN (*next, ending->retry_at);
          continue;
        }
      ending->is_running = TRUE;
      ending->context = g_main_context_ref (context);
      self->n_ending++;
      return ending;
    }
  return NULL;
}

void
asb_pool_give_back_endings (AsbPoolCore *self, AsbPoolSweep *sweep)
{
  for (GList *link = self->endings.head; link; link = link->next)
    {
      AsbPoolEnding *ending = link->data;

      if (ending->sweep == sweep && !ending->is_running)
        g_clear_pointer (&ending->sweep, asb_pool_sweep_unref);
    }
  asb_pool_core_changed (self);
}

static void
note_ended (AsbPoolCore *self, AsbPoolEnding *ending)
{
  /* Where the pool was quicker than the call that had failed to, it counts for that. */
  AsbPoolSweep *sweep = ending->sweep ? ending->sweep : ending->tried;

  if (sweep)
    sweep->n_ended++;
  g_queue_remove (&self->endings, ending);
}

/* Takes @error. */
static void
note_failure (AsbPoolCore *self, AsbPoolEnding *ending, GError *error)
{
  guint doublings = MIN (ending->n_failures, MAX_DOUBLINGS);

  g_debug ("Sandbox “%s” of a pool was not ended: %s", ending->sandbox_id, error->message);
  /* Now it is to end by itself, if nobody else ends it. */
  if (ending->backend)
    asb_keep_alive_stop (ending->backend->keep_alive);
  g_clear_error (&ending->error);
  ending->error = error;
  ending->n_failures++;
  ending->retry_at
      = g_get_monotonic_time () + ((FIRST_RETRY * asb_pool_get_second ()) << doublings);
  g_clear_pointer (&ending->tried, asb_pool_sweep_unref);
  ending->tried = g_steal_pointer (&ending->sweep);
  if (self->is_abandoned && ending->n_failures >= MAX_FAILURES_ABANDONED)
    note_ended (self, ending);
}

typedef struct
{
  AsbPoolCore *pool;
  AsbPoolEnding *ending;
} Run;

/* Takes @error (nullable). What has ended is let go of without the mutex. */
static void
end_run (Run *run, GError *error)
{
  g_autofree Run *owned = run;
  g_autoptr (AsbPoolCore) self = owned->pool;
  AsbPoolEnding *ending = owned->ending;
  gboolean is_over;

  g_mutex_lock (&self->mutex);
  ending->is_running = FALSE;
  g_clear_pointer (&ending->context, g_main_context_unref);
  self->n_ending--;
  if (error)
    note_failure (self, ending, error);
  else
    note_ended (self, ending);
  is_over = !g_queue_find (&self->endings, ending);
  asb_pool_core_changed (self);
  g_mutex_unlock (&self->mutex);
  if (is_over)
    ending_free (ending);
}

static void
closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  asb_backend_close_finish (ASB_BACKEND (source), result, &error);
  end_run (user_data, error);
}

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  asb_provider_delete_sandbox_finish (ASB_PROVIDER (source), result, &error);
  if (error && asb_error_is_sandbox_gone (error))
    g_clear_error (&error);
  end_run (user_data, error);
}

void
asb_pool_run_ending (AsbPoolCore *self, AsbPoolEnding *ending)
{
  Run *run = g_new0 (Run, 1);

  run->pool = asb_pool_core_ref (self);
  run->ending = ending;
  if (ending->backend)
    asb_backend_close_async (ending->backend, NULL, closed_cb, run);
  else
    asb_provider_delete_sandbox_async (ending->provider, ending->sandbox_id, NULL, deleted_cb, run);
}

void
asb_pool_abandon (AsbPoolCore *self)
{
  g_autoptr (GCancellable) creating = NULL;

  g_mutex_lock (&self->mutex);
  self->is_abandoned = TRUE;
  creating = g_object_ref (self->creating);
  while (!g_queue_is_empty (&self->idle))
    asb_pool_core_end_oldest (self);
  asb_pool_core_changed (self);
  g_mutex_unlock (&self->mutex);
  g_cancellable_cancel (creating);
}
