/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pool.h"

#include "asb-backend-options-private.h"
#include "asb-call-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-io-thread-private.h"
#include "asb-pool-private.h"
#include "asb-property-private.h"

/**
 * AsbPool:
 *
 * Keeps some sandboxes ready, so that who needs one does not wait until it is made.
 *
 * A pool makes [property@Pool:max-idle] backends of the same options and keeps them open, and so
 * their sandboxes alive. [method@Pool.acquire] hands the oldest out, after a look whether it is
 * still there, and another is made for it. A sandbox that ends, is paused or deleted by somebody
 * while it waits is replaced.
 *
 * Sandboxes of a pool go with the program that made them: on a server, ten minutes after it has
 * crashed. [method@Pool.shutdown] ends them all. A pool that is only dropped ends them in the
 * background, as far as there is time for it; nobody is told what could not be ended.
 *
 * A pool may be used from any thread. It does its own work in a thread of its own, so that no main
 * loop has to run. But where functions of the application take part (a preparer, a readiness check,
 * a transport factory, an approval of uploads, a history in a database) or the provider is not
 * thread_safe, as one written in a script, that is done in the main context that was the
 * thread-default one when the pool was made, which then has to run. Changes of properties are told
 * there, too.
 *
 * It is of this process alone: what other programs share they keep in pools of their own.
 *
 * Since: 1.0
 */

#define DEFAULT_IDLE_TIMEOUT (24 * 60 * 60)
#define MAX_IDLE_TIMEOUT 31622400
#define DEFAULT_DEGRADED_THRESHOLD 3
#define DEFAULT_ACQUIRE_RETRIES 3
#define MAX_IDLE 10000
#define MAX_CONCURRENCY 256
#define MAX_NUMBER 1000

/* What whoever listens was told last. */
typedef struct
{
  AsbPoolState state;
  gboolean degraded;
  guint idle_count;
  guint failure_count;
  char *last_error;
} News;

struct _AsbPool
{
  GObject parent_instance;

  AsbPoolCore *core;
  News told; /* in the context of the owner */
};

enum
{
  PROP_0,
  PROP_OPTIONS,
  PROP_MAX_IDLE,
  PROP_WARMUP_CONCURRENCY,
  PROP_IDLE_TIMEOUT,
  PROP_DEGRADED_THRESHOLD,
  PROP_MAX_ACQUIRE_RETRIES,
  PROP_STATE,
  PROP_DEGRADED,
  PROP_IDLE_COUNT,
  PROP_FAILURE_COUNT,
  PROP_LAST_ERROR,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbPool, asb_pool, G_TYPE_OBJECT)

AsbPoolCore *
asb_pool_get_core (AsbPool *self)
{
  return self->core;
}

/* In another process it is not ours to end. */
static void
asb_pool_finalize (GObject *object)
{
  AsbPool *self = ASB_POOL (object);

  if (!asb_io_thread_is_lost ())
    asb_pool_abandon (self->core);
  g_clear_pointer (&self->core, asb_pool_core_unref);
  g_clear_pointer (&self->told.last_error, g_free);

  G_OBJECT_CLASS (asb_pool_parent_class)->finalize (object);
}

static void
asb_pool_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbPool *self = ASB_POOL (object);

  switch (property_id)
    {
    case PROP_OPTIONS:
      g_value_set_object (value, self->core->options);
      break;
    case PROP_MAX_IDLE:
      g_value_set_uint (value, asb_pool_get_max_idle (self));
      break;
    case PROP_WARMUP_CONCURRENCY:
      g_value_set_uint (value, asb_pool_get_warmup_concurrency (self));
      break;
    case PROP_IDLE_TIMEOUT:
      g_value_set_int64 (value, asb_pool_get_idle_timeout (self));
      break;
    case PROP_DEGRADED_THRESHOLD:
      g_value_set_uint (value, asb_pool_get_degraded_threshold (self));
      break;
    case PROP_MAX_ACQUIRE_RETRIES:
      g_value_set_uint (value, asb_pool_get_max_acquire_retries (self));
      break;
    case PROP_STATE:
      g_value_set_enum (value, asb_pool_get_state (self));
      break;
    case PROP_DEGRADED:
      g_value_set_boolean (value, asb_pool_get_degraded (self));
      break;
    case PROP_IDLE_COUNT:
      g_value_set_uint (value, asb_pool_get_idle_count (self));
      break;
    case PROP_FAILURE_COUNT:
      g_value_set_uint (value, asb_pool_get_failure_count (self));
      break;
    case PROP_LAST_ERROR:
      g_value_take_boxed (value, asb_pool_get_last_error (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

/* The options come first: they are what the rest is kept with. */
static void
set_options (AsbPool *self, AsbBackendOptions *options)
{
  g_autoptr (AsbBackendOptions) given
      = options ? g_object_ref (options) : asb_backend_options_new ();
  AsbPoolCore *core = asb_pool_core_new (given, self);

  core->idle_timeout = DEFAULT_IDLE_TIMEOUT;
  core->degraded_threshold = DEFAULT_DEGRADED_THRESHOLD;
  core->max_acquire_retries = DEFAULT_ACQUIRE_RETRIES;
  self->core = core;
}

static void
asb_pool_set_property (GObject *object, guint property_id, const GValue *value, GParamSpec *pspec)
{
  AsbPool *self = ASB_POOL (object);

  switch (property_id)
    {
    case PROP_OPTIONS:
      set_options (self, g_value_get_object (value));
      break;
    case PROP_MAX_IDLE:
      asb_pool_set_max_idle (self, g_value_get_uint (value));
      break;
    case PROP_WARMUP_CONCURRENCY:
      asb_pool_set_warmup_concurrency (self, g_value_get_uint (value));
      break;
    case PROP_IDLE_TIMEOUT:
      asb_pool_set_idle_timeout (self, g_value_get_int64 (value));
      break;
    case PROP_DEGRADED_THRESHOLD:
      asb_pool_set_degraded_threshold (self, g_value_get_uint (value));
      break;
    case PROP_MAX_ACQUIRE_RETRIES:
      asb_pool_set_max_acquire_retries (self, g_value_get_uint (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_pool_class_init (AsbPoolClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_pool_finalize;
  object_class->get_property = asb_pool_get_property;
  object_class->set_property = asb_pool_set_property;

  /**
   * AsbPool:options:
   *
   * What its sandboxes are made with: a copy of what was given. Not all can be had in a pool;
   * [method@Pool.start] says so.
   *
   * Since: 1.0
   */
  properties[PROP_OPTIONS] = g_param_spec_object ("options", NULL, NULL, ASB_TYPE_BACKEND_OPTIONS,
                                                  ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbPool:max-idle:
   *
   * How many are to be ready, 0 to 10000. It bounds neither those that were handed out nor those
   * that were made because none was ready. A change has its effect at once.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_IDLE]
      = g_param_spec_uint ("max-idle", NULL, NULL, 0, MAX_IDLE, 0, ASB_PARAM_READWRITE);

  /**
   * AsbPool:warmup-concurrency:
   *
   * How many are made at the same time, up to 256; 0 for a fifth of [property@Pool:max-idle].
   *
   * Since: 1.0
   */
  properties[PROP_WARMUP_CONCURRENCY] = g_param_spec_uint ("warmup-concurrency", NULL, NULL, 0,
                                                           MAX_CONCURRENCY, 0, ASB_PARAM_READWRITE);

  /**
   * AsbPool:idle-timeout:
   *
   * How long one may wait until it is ended and another made for it, in seconds, 1 to 31622400; the
   * default is 86400, a day.
   *
   * Since: 1.0
   */
  properties[PROP_IDLE_TIMEOUT] = g_param_spec_int64 (
      "idle-timeout", NULL, NULL, 1, MAX_IDLE_TIMEOUT, DEFAULT_IDLE_TIMEOUT, ASB_PARAM_READWRITE);

  /**
   * AsbPool:degraded-threshold:
   *
   * After how many failures in making sandboxes, without a success, the pool is
   * [property@Pool:degraded], 1 to 1000; the default is 3.
   *
   * Since: 1.0
   */
  properties[PROP_DEGRADED_THRESHOLD]
      = g_param_spec_uint ("degraded-threshold", NULL, NULL, 1, MAX_NUMBER,
                           DEFAULT_DEGRADED_THRESHOLD, ASB_PARAM_READWRITE);

  /**
   * AsbPool:max-acquire-retries:
   *
   * How many of those that are ready one call of [method@Pool.acquire] tries, with a policy that
   * tries more than one, 1 to 1000; the default is 3.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_ACQUIRE_RETRIES]
      = g_param_spec_uint ("max-acquire-retries", NULL, NULL, 1, MAX_NUMBER,
                           DEFAULT_ACQUIRE_RETRIES, ASB_PARAM_READWRITE);

  /**
   * AsbPool:state: (getter get_state)
   *
   * What it does.
   *
   * Since: 1.0
   */
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASB_TYPE_POOL_STATE,
                                              ASB_POOL_STATE_NOT_STARTED, ASB_PARAM_READABLE);

  /**
   * AsbPool:degraded: (getter get_degraded)
   *
   * Whether [property@Pool:degraded-threshold] creations or more have failed since the last one
   * succeeded. Then there is a pause before the next, of 30 seconds first, twice as long each time,
   * and of a day at most.
   *
   * Since: 1.0
   */
  properties[PROP_DEGRADED]
      = g_param_spec_boolean ("degraded", NULL, NULL, FALSE, ASB_PARAM_READABLE);

  /**
   * AsbPool:idle-count: (getter get_idle_count)
   *
   * How many are ready.
   *
   * Since: 1.0
   */
  properties[PROP_IDLE_COUNT]
      = g_param_spec_uint ("idle-count", NULL, NULL, 0, G_MAXUINT, 0, ASB_PARAM_READABLE);

  /**
   * AsbPool:failure-count: (getter get_failure_count)
   *
   * How many creations have failed since the last one succeeded. Those of [method@Pool.acquire] do
   * not count.
   *
   * Since: 1.0
   */
  properties[PROP_FAILURE_COUNT]
      = g_param_spec_uint ("failure-count", NULL, NULL, 0, G_MAXUINT, 0, ASB_PARAM_READABLE);

  /**
   * AsbPool:last-error: (getter get_last_error)
   *
   * Why the last creation failed; %NULL if none has since one succeeded.
   *
   * Since: 1.0
   */
  properties[PROP_LAST_ERROR]
      = g_param_spec_boxed ("last-error", NULL, NULL, G_TYPE_ERROR, ASB_PARAM_READABLE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_pool_init (AsbPool *self)
{
}

/**
 * asb_pool_new:
 * @options: what its sandboxes are made with; copied
 * @max_idle: how many are to be ready, 0 to 10000
 *
 * Makes a pool. Nothing else is made until [method@Pool.start].
 *
 * Returns: (transfer full): a new [class@Pool]
 *
 * Since: 1.0
 */
AsbPool *
asb_pool_new (AsbBackendOptions *options, guint max_idle)
{
  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (options), NULL);
  g_return_val_if_fail (max_idle <= MAX_IDLE, NULL);

  return g_object_new (ASB_TYPE_POOL, "options", options, "max-idle", max_idle, NULL);
}

/* Telling. */

/* Returns: to be cleared with g_free () */
static News
look (AsbPoolCore *core)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&core->mutex);
  News news = { 0 };

  news.state = core->state;
  news.degraded = core->failure_count >= core->degraded_threshold;
  news.idle_count = g_queue_get_length (&core->idle);
  news.failure_count = core->failure_count;
  news.last_error = core->last_error ? g_strdup (core->last_error->message) : NULL;
  return news;
}

static void
tell (AsbPool *self, gboolean has_changed, int property_id)
{
  if (has_changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[property_id]);
}

void
asb_pool_tell (AsbPool *self)
{
  News before = self->told;
  News now = look (self->core);

  self->told = now;
  g_object_freeze_notify (G_OBJECT (self));
  tell (self, now.state != before.state, PROP_STATE);
  tell (self, now.degraded != before.degraded, PROP_DEGRADED);
  tell (self, now.idle_count != before.idle_count, PROP_IDLE_COUNT);
  tell (self, now.failure_count != before.failure_count, PROP_FAILURE_COUNT);
  tell (self, g_strcmp0 (now.last_error, before.last_error) != 0, PROP_LAST_ERROR);
  g_object_thaw_notify (G_OBJECT (self));
  g_free (before.last_error);
}

/* Starting. */

/* Must hold the mutex. One provider for all shares its connections. */
static gboolean
find_provider (AsbPoolCore *core, GError **error)
{
  AsbRegistry *registry = asb_backend_options_get_registry (core->options);
  AsbProvider *given = asb_backend_options_get_provider (core->options);

  if (core->provider)
    return TRUE;
  core->provider = given ? g_object_ref (given)
                         : asb_registry_create_provider (
                             registry ? registry : asb_registry_get_default (),
                             asb_backend_options_get_provider_name (core->options),
                             asb_backend_options_get_provider_options (core->options), error);
  if (!core->provider)
    return FALSE;
  core->recipe = asb_backend_options_copy (core->options);
  asb_backend_options_set_provider_name (core->recipe, NULL);
  asb_backend_options_set_provider_options (core->recipe, NULL);
  asb_backend_options_set_provider (core->recipe, core->provider);
  return TRUE;
}

/* Must hold the mutex. */
static gboolean
begin (AsbPoolCore *core, GError **error)
{
  g_autoptr (AsbWorkRules) rules = NULL;

  if (core->state == ASB_POOL_STATE_RUNNING)
    return TRUE;
  if (core->state == ASB_POOL_STATE_DRAINING)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_POOL_NOT_RUNNING,
                           "The pool is being shut down: start it when that is done");
      return FALSE;
    }
  if (!asb_pool_check_options (core->options, error) || !find_provider (core, error)
      || !asb_pool_check_provider (core->options, core->provider, &core->ttl_seconds, error)
      || !asb_pool_begin_work (core, error))
    return FALSE;
  rules = asb_work_rules_new (asb_backend_options_get_concurrency (core->options), NULL);
  core->drain_ms = asb_work_rules_get_drain_ms (rules);
  g_object_unref (core->creating);
  core->creating = g_cancellable_new ();
  core->failure_count = 0;
  core->n_pauses = 0;
  core->paused_until = 0;
  g_clear_error (&core->last_error);
  core->state = ASB_POOL_STATE_RUNNING;
  asb_pool_core_changed (core);
  return TRUE;
}

/**
 * asb_pool_start:
 * @self: a [class@Pool]
 * @error: return location for an error
 *
 * Starts the pool: sandboxes are made from now on. It does not wait for them; what goes wrong with
 * them is in [property@Pool:last-error]. Starting one that runs is no error; one that was shut down
 * starts anew.
 *
 * %ASB_ERROR_INVALID_ARGUMENT for options of which there can be no pool, with the name of the
 * option and the reason; %ASB_ERROR_POOL_NOT_RUNNING while it is being shut down.
 *
 * Returns: whether it runs
 *
 * Since: 1.0
 */
gboolean
asb_pool_start (AsbPool *self, GError **error)
{
  gboolean runs;

  g_return_val_if_fail (ASB_IS_POOL (self), FALSE);

  if (asb_io_thread_is_lost ())
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_CLOSED,
                           "The threads of libasb run in the process that this one was forked "
                           "from: make a pool there");
      return asb_error_info_note (error);
    }
  g_mutex_lock (&self->core->mutex);
  runs = begin (self->core, error);
  g_mutex_unlock (&self->core->mutex);
  return runs || asb_error_info_note (error);
}

/**
 * asb_pool_set_preparer:
 * @self: a [class@Pool]
 * @preparer: (nullable) (scope notified) (closure user_data) (destroy destroy): prepares a new
 * sandbox
 * @user_data: data for @preparer
 * @destroy: (nullable): frees @user_data
 *
 * Sets what is done with each new sandbox before it is ready. It is called in the main context in
 * which the pool was made, which has to run for it; for a sandbox that [method@Pool.acquire] makes,
 * in that of the call. To be set before the pool is started: then, and when it is started again
 * after it was shut down, it counts.
 *
 * Since: 1.0
 */
void
asb_pool_set_preparer (AsbPool *self, AsbPoolPreparer preparer, gpointer user_data,
                       GDestroyNotify destroy)
{
  g_autoptr (AsbClosure) before = NULL;
  AsbClosure *closure = NULL;

  g_return_if_fail (ASB_IS_POOL (self));

  asb_closure_replace (&closure, G_CALLBACK (preparer), user_data, destroy);
  g_mutex_lock (&self->core->mutex);
  before = self->core->preparer;
  self->core->preparer = closure;
  g_mutex_unlock (&self->core->mutex);
}
