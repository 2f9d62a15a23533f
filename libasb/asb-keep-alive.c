/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-keep-alive-private.h"

#include "asb-error-private.h"
#include "asb-io-thread-private.h"
#include "asb-provider-private.h"
#include "asb-sync-private.h"
#include "asb-timer-private.h"

#define DEFAULT_SECONDS 600

static gint64 second = G_TIME_SPAN_SECOND;

void
asb_keep_alive_set_second (gint64 microseconds)
{
  second = microseconds;
}

/* The plan. */

static gint64
get_limit (AsbCapability *capability, const char *name, gint64 otherwise)
{
  GHashTable *limits = asb_capability_get_limits (capability);
  const char *text = limits ? g_hash_table_lookup (limits, name) : NULL;
  gint64 value;

  if (!text || !g_ascii_string_to_signed (text, 10, 1, G_MAXINT32, &value, NULL))
    return otherwise;
  return value;
}

static gboolean
check_seconds (AsbProvider *provider, gint64 seconds, gint64 least, GError **error)
{
  g_autofree char *name = NULL;

  if (seconds >= least)
    return TRUE;
  name = asb_provider_dup_name (provider);
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "Option “sandbox-ttl-seconds” must be at least %" G_GINT64_FORMAT
               " with provider “%s”, not %" G_GINT64_FORMAT,
               least, name, seconds);
  return FALSE;
}

gboolean
asb_keep_alive_plan (AsbProvider *provider, AsbBackendOptions *options, AsbKeepAlivePlan *plan,
                     GError **error)
{
  g_autoptr (AsbCapabilities) capabilities = asb_provider_get_capabilities (provider);
  AsbCapability *capability = asb_capabilities_get (capabilities, ASB_CAPABILITY_KEEP_ALIVE);

  plan->mode = asb_backend_options_get_sandbox_ttl_mode (options);
  plan->seconds = asb_backend_options_get_sandbox_ttl_seconds (options);
  plan->renews = FALSE;
  plan->always = FALSE;
  if (!capability || asb_capability_get_support (capability) != ASB_CAPABILITY_SUPPORT_NATIVE)
    return TRUE;
  if (plan->mode == ASB_TTL_MODE_SECONDS)
    {
      plan->renews = TRUE;
      return check_seconds (provider, plan->seconds, get_limit (capability, "min_seconds", 1),
                            error);
    }
  if (plan->mode == ASB_TTL_MODE_NEVER
      || asb_backend_options_get_cleanup (options) != ASB_CLEANUP_POLICY_ON_CLOSE)
    return TRUE;
  plan->mode = ASB_TTL_MODE_SECONDS;
  plan->seconds = get_limit (capability, "default_seconds", DEFAULT_SECONDS);
  plan->renews = TRUE;
  plan->always = TRUE;
  return TRUE;
}

/* Keeping alive. */

struct _AsbKeepAlive
{
  gatomicrefcount references;
  AsbProvider *provider;
  char *sandbox_id;
  gint64 seconds;
  GMainContext *context; /* where the provider is asked */

  GMutex mutex; /* of all below */
  GCancellable *cancellable;
  AsbKeepAliveState state;
  GSource *timer; /* NULL: it is over */
  GQueue holders; /* GTask: they wait for the renewal that is on its way */
};

static AsbKeepAlive *
asb_keep_alive_ref (AsbKeepAlive *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
asb_keep_alive_unref (AsbKeepAlive *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_object (&self->provider);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->sandbox_id, g_free);
  g_clear_pointer (&self->context, g_main_context_unref);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/* Must hold the mutex. */
static void
set_timer (AsbKeepAlive *self)
{
  gint64 at = asb_keep_alive_next (&self->state);

  if (self->timer)
    g_source_set_ready_time (self->timer, at == ASB_KEEP_ALIVE_NEVER ? -1 : MAX (at, 0));
}

static gboolean
is_gone (const GError *error)
{
  return asb_error_is_sandbox_gone (error)
         || g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
}

/* Must hold the mutex. @error (nullable): of the renewal that began at @began_at. */
static void
take_answer (AsbKeepAlive *self, gint64 began_at, const GError *error)
{
  AsbKeepAliveState *state = &self->state;

  state->is_asking = FALSE;
  if (!error)
    {
      state->renewed_at = began_at;
      state->expires_at = began_at + state->window;
      state->n_failures = 0;
      return;
    }
  g_debug ("Sandbox “%s” was not renewed: %s", self->sandbox_id, error->message);
  state->n_failures++;
  state->failed_at = g_get_monotonic_time ();
  state->is_over = state->is_over || is_gone (error);
}

static void
answer_holders (GQueue *holders)
{
  GTask *task;

  while ((task = g_queue_pop_head (holders)))
    {
      g_task_return_boolean (task, TRUE);
      g_object_unref (task);
    }
}

typedef struct
{
  AsbKeepAlive *keep_alive;
  gint64 began_at;
} Renewal;

static void
renewed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autofree Renewal *renewal = user_data;
  g_autoptr (AsbKeepAlive) self = renewal->keep_alive;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_renew_sandbox_finish (ASB_PROVIDER (source), result, &error);
  GQueue holders;

  g_mutex_lock (&self->mutex);
  take_answer (self, renewal->began_at, error);
  holders = self->holders;
  g_queue_init (&self->holders);
  set_timer (self);
  g_mutex_unlock (&self->mutex);
  answer_holders (&holders);
}

/* Whether it is to be renewed now. Returns: (transfer full) (nullable): the way to cancel that */
static GCancellable *
begin_renewal (AsbKeepAlive *self, gint64 now)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (asb_keep_alive_next (&self->state) > now)
    {
      set_timer (self);
      return NULL;
    }
  self->state.is_asking = TRUE;
  set_timer (self);
  return g_object_ref (self->cancellable);
}

static gboolean
timer_cb (gpointer user_data)
{
  AsbKeepAlive *self = user_data;
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GCancellable) cancellable = begin_renewal (self, now);
  Renewal *renewal;

  if (!cancellable)
    return G_SOURCE_CONTINUE;
  renewal = g_new0 (Renewal, 1);
  renewal->keep_alive = asb_keep_alive_ref (self);
  renewal->began_at = now;
  /* The answer comes here, also where nobody has said that this is the context of the thread. */
  g_main_context_push_thread_default (self->context);
  asb_provider_renew_sandbox_async (self->provider, self->sandbox_id, self->seconds, cancellable,
                                    renewed_cb, renewal);
  g_main_context_pop_thread_default (self->context);
  return G_SOURCE_CONTINUE;
}

static void
start_timer (AsbKeepAlive *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  self->timer = asb_timer_new ("asb keep-alive", timer_cb, asb_keep_alive_ref (self),
                               (GDestroyNotify)asb_keep_alive_unref);
  set_timer (self);
  g_source_attach (self->timer, self->context);
}

/* How much is left, by the clock of this machine. */
static gint64
get_remaining (GDateTime *expires_at)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();

  return MAX (g_date_time_difference (expires_at, now), 0);
}

AsbKeepAlive *
asb_keep_alive_new (AsbProvider *provider, const char *sandbox_id, const AsbKeepAlivePlan *plan,
                    gint64 began_at, gboolean created, GDateTime *expires_at)
{
  AsbKeepAlive *self;

  /* One that does not end, or of which nobody knows, is not given an end by accident. */
  if (!plan->renews || (plan->always && !created && !expires_at))
    return NULL;
  self = g_new0 (AsbKeepAlive, 1);
  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->mutex);
  self->provider = g_object_ref (provider);
  self->sandbox_id = g_strdup (sandbox_id);
  self->seconds = plan->seconds;
  self->cancellable = g_cancellable_new ();
  self->context = asb_provider_is_thread_safe (provider)
                      ? g_main_context_ref (asb_io_thread_get_context ())
                      : asb_sync_ref_public_context ();
  self->state.window = MIN (plan->seconds, G_MAXINT32) * second;
  self->state.always = plan->always;
  self->state.renewed_at = began_at;
  self->state.expires_at = began_at;
  if (created)
    self->state.expires_at += self->state.window;
  else if (expires_at)
    self->state.expires_at += get_remaining (expires_at);
  start_timer (self);
  return self;
}

void
asb_keep_alive_begin (AsbKeepAlive *self)
{
  if (!self)
    return;
  g_mutex_lock (&self->mutex);
  self->state.n_running++;
  set_timer (self);
  g_mutex_unlock (&self->mutex);
}

void
asb_keep_alive_end (AsbKeepAlive *self)
{
  if (!self)
    return;
  g_mutex_lock (&self->mutex);
  g_assert (self->state.n_running > 0);
  self->state.n_running--;
  self->state.used_at = g_get_monotonic_time ();
  set_timer (self);
  g_mutex_unlock (&self->mutex);
}

static void
object_gone_cb (gpointer data, GObject *where_it_was)
{
  g_autoptr (AsbKeepAlive) self = data;

  asb_keep_alive_end (self);
}

void
asb_keep_alive_hold_for (AsbKeepAlive *self, gpointer object)
{
  if (!self || !object)
    return;
  asb_keep_alive_begin (self);
  g_object_weak_ref (object, object_gone_cb, asb_keep_alive_ref (self));
}

void
asb_keep_alive_set_paused (AsbKeepAlive *self, gboolean paused)
{
  if (!self)
    return;
  g_mutex_lock (&self->mutex);
  self->state.is_paused = paused;
  set_timer (self);
  g_mutex_unlock (&self->mutex);
}

void
asb_keep_alive_stop (AsbKeepAlive *self)
{
  g_autoptr (GSource) timer = NULL;

  if (!self)
    return;
  g_mutex_lock (&self->mutex);
  self->state.is_over = TRUE;
  timer = g_steal_pointer (&self->timer);
  g_mutex_unlock (&self->mutex);
  if (timer)
    g_source_destroy (timer);
  asb_keep_alive_cancel (self);
}

void
asb_keep_alive_hold_async (AsbKeepAlive *self, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);

  g_task_set_source_tag (task, asb_keep_alive_hold_async);
  if (self)
    {
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

      self->state.n_holders++;
      set_timer (self);
      /* What this thread itself holds up is not waited for: that would be for ever. */
      if (self->state.is_asking && !asb_sync_blocks_context (self->context))
        {
          g_queue_push_tail (&self->holders, g_steal_pointer (&task));
          return;
        }
    }
  g_task_return_boolean (task, TRUE);
}

void
asb_keep_alive_cancel (AsbKeepAlive *self)
{
  g_autoptr (GCancellable) cancellable = NULL;

  if (!self)
    return;
  g_mutex_lock (&self->mutex);
  cancellable = g_steal_pointer (&self->cancellable);
  self->cancellable = g_cancellable_new ();
  g_mutex_unlock (&self->mutex);
  g_cancellable_cancel (cancellable);
}

void
asb_keep_alive_release (AsbKeepAlive *self, gint64 began_at, gint64 seconds)
{
  if (!self)
    return;
  g_mutex_lock (&self->mutex);
  g_assert (self->state.n_holders > 0);
  self->state.n_holders--;
  if (seconds > 0)
    {
      self->state.renewed_at = began_at;
      self->state.expires_at = began_at + MIN (seconds, G_MAXINT32) * second;
      self->state.n_failures = 0;
    }
  set_timer (self);
  g_mutex_unlock (&self->mutex);
}
