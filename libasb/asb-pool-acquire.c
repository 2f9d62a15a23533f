/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pool.h"

#include "asb-call-private.h"
#include "asb-error-private.h"
#include "asb-guest-transport-private.h"
#include "asb-io-thread-private.h"
#include "asb-pool-private.h"
#include "asb-sync-private.h"

/* Handing out: one that is ready is looked at, renewed if that was asked for, and given away. One
 * that is of no use is ended, not only let go of. */

typedef struct
{
  AsbPoolCore *pool;
  AsbAcquirePolicy policy;
  gint64 lifetime;       /* 0: as it is */
  GMainContext *context; /* of the caller */
  AsbBackend *candidate;
  gint64 since;
  gboolean is_idle; /* the candidate was, and is counted as being checked */
  guint n_tried;
  GError *cause; /* why the last one was of no use */
  GCancellable *look;
  GSource *limit;
  gboolean is_late;
  gboolean is_evicted; /* with the mutex of the pool */
} Acquire;

static void
acquire_free (gpointer data)
{
  Acquire *acquire = data;

  g_clear_pointer (&acquire->context, g_main_context_unref);
  g_clear_error (&acquire->cause);
  g_clear_object (&acquire->look);
  g_clear_pointer (&acquire->pool, asb_pool_core_unref);
  g_free (acquire);
}

static gboolean
is_cancelled (GTask *task)
{
  return g_cancellable_is_cancelled (g_task_get_cancellable (task));
}

GCancellable *
asb_pool_evict (GTask *task)
{
  Acquire *acquire = g_task_get_task_data (task);

  if (acquire->is_evicted)
    return NULL;
  acquire->is_evicted = TRUE;
  return g_object_ref (g_task_get_cancellable (task));
}

static GError *
new_not_running (AsbPoolState state)
{
  return g_error_new_literal (ASB_ERROR, ASB_ERROR_POOL_NOT_RUNNING,
                              state == ASB_POOL_STATE_NOT_STARTED ? "The pool was not started"
                              : state == ASB_POOL_STATE_DRAINING
                                  ? "The pool is being shut down"
                                  : "The pool is shut down; start it again");
}

/* The end. Takes @task and @error. */
static void
fail (GTask *task, GError *error)
{
  g_autoptr (GTask) owned = task;
  Acquire *acquire = g_task_get_task_data (task);
  AsbPoolCore *pool = acquire->pool;

  g_mutex_lock (&pool->mutex);
  g_ptr_array_remove_fast (pool->acquires, task);
  if (acquire->is_evicted && asb_error_is_cancelled (error))
    {
      g_clear_error (&error);
      error = new_not_running (ASB_POOL_STATE_DRAINING);
    }
  asb_pool_core_changed (pool);
  g_mutex_unlock (&pool->mutex);
  g_task_return_error (task, error);
}

/* What it does from now on it does as if the caller had made it. Takes @task. */
static void
hand_out (GTask *task)
{
  g_autoptr (GTask) owned = task;
  Acquire *acquire = g_task_get_task_data (task);
  AsbPoolCore *pool = acquire->pool;
  AsbBackend *backend = g_steal_pointer (&acquire->candidate);
  AsbTransport *transport = asb_backend_get_transport (backend);

  if (ASB_IS_GUEST_TRANSPORT (transport))
    asb_guest_transport_set_context (ASB_GUEST_TRANSPORT (transport), acquire->context);
  g_mutex_lock (&pool->mutex);
  if (acquire->is_idle)
    pool->n_checking--;
  g_ptr_array_remove_fast (pool->acquires, task);
  asb_pool_core_changed (pool);
  g_mutex_unlock (&pool->mutex);
  asb_task_return_object (task, backend);
}

/* The candidate, which is of no use for the caller: it is ended, or goes back where it was. */
static void
give_up_candidate (Acquire *acquire, gboolean goes_back)
{
  AsbPoolCore *pool = acquire->pool;
  AsbBackend *candidate = g_steal_pointer (&acquire->candidate);

  g_mutex_lock (&pool->mutex);
  if (acquire->is_idle)
    pool->n_checking--;
  if (goes_back && acquire->is_idle && pool->state == ASB_POOL_STATE_RUNNING)
    asb_pool_core_add_idle (pool, candidate, acquire->since, TRUE);
  else
    asb_pool_add_ending (pool, candidate, NULL);
  g_mutex_unlock (&pool->mutex);
}

/* Made for this call. */

static void begin_renewal (GTask *task);

static void
made_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Acquire *acquire = g_task_get_task_data (task);
  GError *error = NULL;

  acquire->candidate = asb_pool_make_finish (result, &error);
  if (!acquire->candidate)
    {
      fail (task, error);
      return;
    }
  if (acquire->lifetime > 0)
    begin_renewal (task);
  else
    hand_out (task);
}

/* Takes @task. */
static void
make (GTask *task)
{
  Acquire *acquire = g_task_get_task_data (task);
  AsbPoolState state;

  g_mutex_lock (&acquire->pool->mutex);
  state = acquire->pool->state;
  g_mutex_unlock (&acquire->pool->mutex);
  acquire->is_idle = FALSE;
  if (state != ASB_POOL_STATE_RUNNING)
    fail (task, new_not_running (state));
  else
    asb_pool_make_async (acquire->pool, g_task_get_cancellable (task), made_cb, task);
}

/* What the policy says. */

static gboolean
makes_one (const Acquire *acquire)
{
  return acquire->policy == ASB_ACQUIRE_POLICY_DIRECT_CREATE
         || acquire->policy == ASB_ACQUIRE_POLICY_RETRY_NEXT_IDLE_THEN_CREATE;
}

static guint
get_max_tries (const Acquire *acquire)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&acquire->pool->mutex);

  return acquire->policy == ASB_ACQUIRE_POLICY_RETRY_NEXT_IDLE
                 || acquire->policy == ASB_ACQUIRE_POLICY_RETRY_NEXT_IDLE_THEN_CREATE
             ? acquire->pool->max_acquire_retries
             : 1;
}

static GError *
new_acquire_failed (const GError *cause)
{
  AsbErrorInfo *of_cause = asb_error_get_info (cause);
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autofree char *message
      = g_strdup_printf ("What was ready in the pool is of no use: %s", cause->message);
  GVariantDict details;

  g_variant_dict_init (&details, of_cause ? asb_error_info_get_details (of_cause) : NULL);
  if (cause->domain == ASB_ERROR)
    g_variant_dict_insert (&details, "cause", "s", asb_error_code_to_string (cause->code));
  if (of_cause)
    g_object_set (info, "sandbox-id", asb_error_info_get_sandbox_id (of_cause),
                  "sandbox-instance-id", asb_error_info_get_sandbox_instance_id (of_cause),
                  "provider-name", asb_error_info_get_provider_name (of_cause), "provider-key",
                  asb_error_info_get_provider_key (of_cause), "provider-error-code",
                  asb_error_info_get_provider_error_code (of_cause), "provider-request-id",
                  asb_error_info_get_provider_request_id (of_cause), NULL);
  /* Another one may be of use. */
  g_object_set (info, "operation", "pool.acquire", "retryable", TRUE, NULL);
  asb_error_info_set_details (info, g_variant_dict_end (&details));
  return asb_error_new_with_info (ASB_ERROR_POOL_ACQUIRE_FAILED, message, info);
}

static GError *
new_empty (AsbPoolCore *pool)
{
  g_autoptr (AsbErrorInfo) info
      = g_object_new (ASB_TYPE_ERROR_INFO, "operation", "pool.acquire", "retryable", TRUE, NULL);
  g_autofree char *message = NULL;
  guint n;

  g_mutex_lock (&pool->mutex);
  n = g_queue_get_length (&pool->idle);
  if (n > 0)
    message = g_strdup_printf (
        "No sandbox of the pool is ready: %u cannot be reached at the moment", n);
  else if (pool->last_error)
    message = g_strdup_printf ("No sandbox of the pool is ready: the last could not be made: %s",
                               pool->last_error->message);
  g_mutex_unlock (&pool->mutex);
  return asb_error_new_with_info (ASB_ERROR_POOL_EMPTY,
                                  message ? message : "No sandbox of the pool is ready", info);
}

/* Nothing that is ready is left to be tried. Takes @task. */
static void
go_without (GTask *task)
{
  const Acquire *acquire = g_task_get_task_data (task);

  if (makes_one (acquire))
    make (task);
  else if (acquire->cause)
    fail (task, new_acquire_failed (acquire->cause));
  else
    fail (task, new_empty (acquire->pool));
}

static void try_next (GTask *task);

/* Takes @task and @error: the candidate is of no use, and ended. */
static void
reject (GTask *task, GError *error)
{
  Acquire *acquire = g_task_get_task_data (task);
  gboolean was_idle = acquire->is_idle;

  g_debug ("A sandbox of a pool is of no use: %s", error->message);
  give_up_candidate (acquire, FALSE);
  if (!was_idle || asb_error_is_cancelled (error))
    {
      fail (task, error);
      return;
    }
  g_clear_error (&acquire->cause);
  acquire->cause = error;
  acquire->n_tried++;
  if (acquire->n_tried < get_max_tries (acquire))
    try_next (task);
  else
    go_without (task);
}

/* Renewing. */

/* It is the caller's wish that cannot be met, and says nothing of the sandbox. */
static gboolean
is_refused_wish (const GError *error)
{
  return g_error_matches (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT)
         || g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
}

static void
renewed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Acquire *acquire = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info = asb_backend_renew_finish (ASB_BACKEND (source), result, &error);

  if (info)
    {
      hand_out (task);
      return;
    }
  if (!asb_error_is_cancelled (error))
    asb_error_prefix (error, "It could not be renewed: ");
  if (is_refused_wish (error))
    {
      give_up_candidate (acquire, TRUE);
      fail (task, error);
    }
  else
    reject (task, error);
}

static void
begin_renewal (GTask *task)
{
  Acquire *acquire = g_task_get_task_data (task);

  asb_backend_renew_async (acquire->candidate, acquire->lifetime, g_task_get_cancellable (task),
                           renewed_cb, task);
}

/* Looking: one round trip to what works inside. */

static gboolean
late_cb (gpointer user_data)
{
  Acquire *acquire = g_task_get_task_data (user_data);

  acquire->is_late = TRUE;
  g_cancellable_cancel (acquire->look);
  return G_SOURCE_REMOVE;
}

static void
cancel_look (GCancellable *cancellable, gpointer user_data)
{
  g_cancellable_cancel (user_data);
}

/* Whatever is answered was answered by something. */
static gboolean
is_alive (const GError *error)
{
  return !error || g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY)
         || g_error_matches (error, ASB_ERROR, ASB_ERROR_PERMISSION_DENIED);
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Acquire *acquire = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbFileInfo) info
      = asb_transport_query_file_finish (ASB_TRANSPORT (source), result, &error);

  g_source_destroy (acquire->limit);
  g_clear_pointer (&acquire->limit, g_source_unref);
  if (is_cancelled (task))
    {
      give_up_candidate (acquire, TRUE);
      fail (task,
            g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled"));
    }
  else if (acquire->is_late)
    reject (task,
            g_error_new (ASB_ERROR, ASB_ERROR_TIMED_OUT, "Sandbox “%s” did not answer in time",
                         ASB_BACKEND_SANDBOX_ID (acquire->candidate)));
  else if (!is_alive (error))
    reject (task, g_steal_pointer (&error));
  else if (acquire->lifetime > 0)
    begin_renewal (task);
  else
    hand_out (task);
}

static void
start_limit (GTask *task)
{
  Acquire *acquire = g_task_get_task_data (task);
  double seconds = asb_backend_options_get_ready_timeout_seconds (acquire->pool->options);

  acquire->is_late = FALSE;
  acquire->limit = g_timeout_source_new ((guint)MIN (seconds * 1000, G_MAXUINT));
  g_source_set_callback (acquire->limit, late_cb, g_object_ref (task), g_object_unref);
  g_source_attach (acquire->limit, g_task_get_context (task));
}

static void
look (GTask *task)
{
  Acquire *acquire = g_task_get_task_data (task);
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/");

  g_clear_object (&acquire->look);
  acquire->look = g_cancellable_new ();
  g_cancellable_connect (g_task_get_cancellable (task), G_CALLBACK (cancel_look),
                         g_object_ref (acquire->look), g_object_unref);
  start_limit (task);
  asb_transport_query_file_async (asb_backend_get_transport (acquire->candidate), request,
                                  acquire->look, looked_cb, task);
}

/* Takes @task. */
static void
try_next (GTask *task)
{
  Acquire *acquire = g_task_get_task_data (task);
  AsbPoolCore *pool = acquire->pool;

  g_mutex_lock (&pool->mutex);
  acquire->candidate = pool->state == ASB_POOL_STATE_RUNNING
                           ? asb_pool_core_take_idle (pool, &acquire->since)
                           : NULL;
  g_mutex_unlock (&pool->mutex);
  acquire->is_idle = acquire->candidate != NULL;
  if (acquire->candidate)
    look (task);
  else
    go_without (task);
}

/* Beginning. */

/* Nobody may ever get what came too late. */
static void
discard (gpointer source, const GValue *result)
{
  AsbPoolCore *pool = asb_pool_get_core (source);

  g_mutex_lock (&pool->mutex);
  asb_pool_add_ending (pool, g_value_dup_object (result), NULL);
  g_mutex_unlock (&pool->mutex);
}

/* Returns: (nullable): why it cannot begin */
static GError *
enter (GTask *task)
{
  Acquire *acquire = g_task_get_task_data (task);
  AsbPoolCore *pool = acquire->pool;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&pool->mutex);

  if (pool->state != ASB_POOL_STATE_RUNNING)
    return new_not_running (pool->state);
  if (acquire->lifetime > 0 && !ASB_PROVIDER_GET_IFACE (pool->provider)->renew_sandbox)
    return g_error_new_literal (ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                                "The provider of the pool cannot renew sandboxes: leave the "
                                "lifetime out");
  if (acquire->lifetime == 0)
    acquire->lifetime = pool->ttl_seconds;
  g_ptr_array_add (pool->acquires, task);
  return NULL;
}

/* Takes @task, and answers it if there is something wrong. */
static gboolean
refuse (GTask *task, AsbAcquirePolicy policy, gint64 lifetime_seconds)
{
  GError *error = NULL;

  if ((int)policy < ASB_ACQUIRE_POLICY_DIRECT_CREATE
      || policy > ASB_ACQUIRE_POLICY_RETRY_NEXT_IDLE_THEN_CREATE)
    error
        = g_error_new (ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "There is no policy %d", (int)policy);
  else if (lifetime_seconds < 0)
    error = g_error_new (ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                         "A sandbox cannot live for %" G_GINT64_FORMAT
                         " seconds: there must be more than 0, or 0 for as long as it does",
                         lifetime_seconds);
  else
    error = enter (task);
  if (!error)
    return FALSE;
  g_task_return_error (task, error);
  g_object_unref (task);
  return TRUE;
}

/**
 * asb_pool_acquire_async:
 * @self: a [class@Pool]
 * @policy: what to do when nothing is ready, or of no use
 * @lifetime_seconds: how long the sandbox shall live from then on at least; 0 for as long as its
 * options say
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when there is one
 * @user_data: data for @callback
 *
 * Gets a sandbox. The caller owns the backend, and closes it as any other: that deletes the
 * sandbox. Nobody else gets it, and the pool makes another for it at once.
 *
 * Of those that are ready the oldest is asked whether it is there, for
 * [property@BackendOptions:ready-timeout-seconds] at most, and renewed if @lifetime_seconds says
 * so. One that does not answer, is paused, or cannot be renewed is ended on the server, and @policy
 * says what is done then. Where the pool cannot be waited for one is made in this call, and
 * prepared.
 *
 * %ASB_ERROR_POOL_NOT_RUNNING if the pool is not started, or shut down meanwhile;
 * %ASB_ERROR_POOL_EMPTY if nothing is ready and @policy is not to make one;
 * %ASB_ERROR_POOL_ACQUIRE_FAILED if what was ready is of no use: the message and the details name
 * the cause. A call that is cancelled loses no sandbox: it is back in the pool, or ended.
 *
 * Since: 1.0
 */
void
asb_pool_acquire_async (AsbPool *self, AsbAcquirePolicy policy, gint64 lifetime_seconds,
                        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind
      = { .operation = "get a sandbox from the pool", .discard = discard };
  Acquire *acquire;
  GTask *task;

  g_return_if_fail (ASB_IS_POOL (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_BACKEND, cancellable, callback, user_data,
                         asb_pool_acquire_async);
  if (asb_call_is_cancelled (task))
    return;
  acquire = g_new0 (Acquire, 1);
  acquire->pool = asb_pool_core_ref (asb_pool_get_core (self));
  acquire->policy = policy;
  acquire->lifetime = lifetime_seconds;
  acquire->context = asb_sync_ref_public_context ();
  g_task_set_task_data (task, acquire, acquire_free);
  if (!refuse (task, policy, lifetime_seconds))
    try_next (task);
}

/**
 * asb_pool_acquire_finish:
 * @self: a [class@Pool]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Pool.acquire_async].
 *
 * Returns: (transfer full): the backend, which is the caller's
 *
 * Since: 1.0
 */
AsbBackend *
asb_pool_acquire_finish (AsbPool *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_POOL (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_pool_acquire:
 * @self: a [class@Pool]
 * @policy: what to do when nothing is ready, or of no use
 * @lifetime_seconds: how long the sandbox shall live from then on at least; 0 for as long as its
 * options say
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Gets a sandbox. Blocks; see [method@Pool.acquire_async].
 *
 * Returns: (transfer full): the backend, which is the caller's
 *
 * Since: 1.0
 */
AsbBackend *
asb_pool_acquire (AsbPool *self, AsbAcquirePolicy policy, gint64 lifetime_seconds,
                  GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_POOL (self), NULL);

  asb_sync_begin (&sync);
  asb_pool_acquire_async (self, policy, lifetime_seconds, cancellable, asb_sync_ready_cb, &sync);
  return asb_pool_acquire_finish (self, asb_sync_wait (&sync), error);
}
