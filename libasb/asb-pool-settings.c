/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pool.h"

#include "asb-pool-private.h"

/* What can be set of a pool and seen of it, from any thread. */

/**
 * asb_pool_get_options:
 * @self: a [class@Pool]
 *
 * Gets [property@Pool:options].
 *
 * Returns: (transfer none): its options, not to be changed
 *
 * Since: 1.0
 */
AsbBackendOptions *
asb_pool_get_options (AsbPool *self)
{
  g_return_val_if_fail (ASB_IS_POOL (self), NULL);

  return asb_pool_get_core (self)->options;
}

static guint
get_number (AsbPool *self, const guint *field)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&asb_pool_get_core (self)->mutex);

  return *field;
}

static void
set_number (AsbPool *self, guint *field, guint value, const char *name)
{
  AsbPoolCore *core = asb_pool_get_core (self);
  gboolean has_changed;

  g_mutex_lock (&core->mutex);
  has_changed = *field != value;
  *field = value;
  if (has_changed)
    asb_pool_core_changed (core);
  g_mutex_unlock (&core->mutex);
  if (has_changed)
    g_object_notify (G_OBJECT (self), name);
}

/**
 * asb_pool_get_max_idle:
 * @self: a [class@Pool]
 *
 * Gets [property@Pool:max-idle].
 *
 * Returns: how many are to be ready
 *
 * Since: 1.0
 */
guint
asb_pool_get_max_idle (AsbPool *self)
{
  g_return_val_if_fail (ASB_IS_POOL (self), 0);

  return get_number (self, &asb_pool_get_core (self)->max_idle);
}

/**
 * asb_pool_set_max_idle:
 * @self: a [class@Pool]
 * @max_idle: how many are to be ready, 0 to 10000
 *
 * Sets [property@Pool:max-idle]. A change has its effect at once: what is too much is ended,
 * what is missing is made.
 *
 * Since: 1.0
 */
void
asb_pool_set_max_idle (AsbPool *self, guint max_idle)
{
  g_return_if_fail (ASB_IS_POOL (self));
  g_return_if_fail (max_idle <= 10000);

  set_number (self, &asb_pool_get_core (self)->max_idle, max_idle, "max-idle");
}

/**
 * asb_pool_get_warmup_concurrency:
 * @self: a [class@Pool]
 *
 * Gets [property@Pool:warmup-concurrency].
 *
 * Returns: how many are made at the same time
 *
 * Since: 1.0
 */
guint
asb_pool_get_warmup_concurrency (AsbPool *self)
{
  g_return_val_if_fail (ASB_IS_POOL (self), 0);

  return get_number (self, &asb_pool_get_core (self)->warmup_concurrency);
}

/**
 * asb_pool_set_warmup_concurrency:
 * @self: a [class@Pool]
 * @warmup_concurrency: how many are made at the same time, up to 256; 0 for a fifth of
 * [property@Pool:max-idle]
 *
 * Sets [property@Pool:warmup-concurrency].
 *
 * Since: 1.0
 */
void
asb_pool_set_warmup_concurrency (AsbPool *self, guint warmup_concurrency)
{
  g_return_if_fail (ASB_IS_POOL (self));
  g_return_if_fail (warmup_concurrency <= 256);

  set_number (self, &asb_pool_get_core (self)->warmup_concurrency, warmup_concurrency,
              "warmup-concurrency");
}

/**
 * asb_pool_get_degraded_threshold:
 * @self: a [class@Pool]
 *
 * Gets [property@Pool:degraded-threshold].
 *
 * Returns: how many failures make it degraded
 *
 * Since: 1.0
 */
guint
asb_pool_get_degraded_threshold (AsbPool *self)
{
  g_return_val_if_fail (ASB_IS_POOL (self), 0);

  return get_number (self, &asb_pool_get_core (self)->degraded_threshold);
}

/**
 * asb_pool_set_degraded_threshold:
 * @self: a [class@Pool]
 * @degraded_threshold: how many failures make it degraded, 1 to 1000
 *
 * Sets [property@Pool:degraded-threshold].
 *
 * Since: 1.0
 */
void
asb_pool_set_degraded_threshold (AsbPool *self, guint degraded_threshold)
{
  g_return_if_fail (ASB_IS_POOL (self));
  g_return_if_fail (degraded_threshold >= 1 && degraded_threshold <= 1000);

  set_number (self, &asb_pool_get_core (self)->degraded_threshold, degraded_threshold,
              "degraded-threshold");
}

/**
 * asb_pool_get_max_acquire_retries:
 * @self: a [class@Pool]
 *
 * Gets [property@Pool:max-acquire-retries].
 *
 * Returns: how many of those that are ready one call tries
 *
 * Since: 1.0
 */
guint
asb_pool_get_max_acquire_retries (AsbPool *self)
{
  g_return_val_if_fail (ASB_IS_POOL (self), 0);

  return get_number (self, &asb_pool_get_core (self)->max_acquire_retries);
}

/**
 * asb_pool_set_max_acquire_retries:
 * @self: a [class@Pool]
 * @max_acquire_retries: how many of those that are ready one call tries, 1 to 1000
 *
 * Sets [property@Pool:max-acquire-retries].
 *
 * Since: 1.0
 */
void
asb_pool_set_max_acquire_retries (AsbPool *self, guint max_acquire_retries)
{
  g_return_if_fail (ASB_IS_POOL (self));
  g_return_if_fail (max_acquire_retries >= 1 && max_acquire_retries <= 1000);

  set_number (self, &asb_pool_get_core (self)->max_acquire_retries, max_acquire_retries,
              "max-acquire-retries");
}

/**
 * asb_pool_get_idle_timeout:
 * @self: a [class@Pool]
 *
 * Gets [property@Pool:idle-timeout].
 *
 * Returns: how long one may wait, in seconds
 *
 * Since: 1.0
 */
gint64
asb_pool_get_idle_timeout (AsbPool *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (ASB_IS_POOL (self), 0);

  locker = g_mutex_locker_new (&asb_pool_get_core (self)->mutex);
  return asb_pool_get_core (self)->idle_timeout;
}

/**
 * asb_pool_set_idle_timeout:
 * @self: a [class@Pool]
 * @idle_timeout: how long one may wait, in seconds, 1 to 31622400
 *
 * Sets [property@Pool:idle-timeout].
 *
 * Since: 1.0
 */
void
asb_pool_set_idle_timeout (AsbPool *self, gint64 idle_timeout)
{
  AsbPoolCore *core;
  gboolean has_changed;

  g_return_if_fail (ASB_IS_POOL (self));
  g_return_if_fail (idle_timeout >= 1 && idle_timeout <= 31622400);

  core = asb_pool_get_core (self);
  g_mutex_lock (&core->mutex);
  has_changed = core->idle_timeout != idle_timeout;
  core->idle_timeout = idle_timeout;
  asb_pool_core_changed (core);
  g_mutex_unlock (&core->mutex);
  if (has_changed)
    g_object_notify (G_OBJECT (self), "idle-timeout");
}

/**
 * asb_pool_get_state:
 * @self: a [class@Pool]
 *
 * Gets [property@Pool:state].
 *
 * Returns: what it does
 *
 * Since: 1.0
 */
AsbPoolState
asb_pool_get_state (AsbPool *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (ASB_IS_POOL (self), ASB_POOL_STATE_NOT_STARTED);

  locker = g_mutex_locker_new (&asb_pool_get_core (self)->mutex);
  return asb_pool_get_core (self)->state;
}

/**
 * asb_pool_get_degraded:
 * @self: a [class@Pool]
 *
 * Gets [property@Pool:degraded].
 *
 * Returns: whether it is
 *
 * Since: 1.0
 */
gboolean
asb_pool_get_degraded (AsbPool *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (ASB_IS_POOL (self), FALSE);

  locker = g_mutex_locker_new (&asb_pool_get_core (self)->mutex);
  return asb_pool_get_core (self)->failure_count >= asb_pool_get_core (self)->degraded_threshold;
}

/**
 * asb_pool_get_idle_count:
 * @self: a [class@Pool]
 *
 * Gets [property@Pool:idle-count].
 *
 * Returns: how many are ready
 *
 * Since: 1.0
 */
guint
asb_pool_get_idle_count (AsbPool *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (ASB_IS_POOL (self), 0);

  locker = g_mutex_locker_new (&asb_pool_get_core (self)->mutex);
  return g_queue_get_length (&asb_pool_get_core (self)->idle);
}

/**
 * asb_pool_get_failure_count:
 * @self: a [class@Pool]
 *
 * Gets [property@Pool:failure-count].
 *
 * Returns: how many creations have failed since the last one succeeded
 *
 * Since: 1.0
 */
guint
asb_pool_get_failure_count (AsbPool *self)
{
  g_return_val_if_fail (ASB_IS_POOL (self), 0);

  return get_number (self, &asb_pool_get_core (self)->failure_count);
}

/**
 * asb_pool_get_last_error:
 * @self: a [class@Pool]
 *
 * Gets [property@Pool:last-error].
 *
 * Returns: (transfer full) (nullable): why the last creation failed
 *
 * Since: 1.0
 */
GError *
asb_pool_get_last_error (AsbPool *self)
{
  g_autoptr (GMutexLocker) locker = NULL;
  AsbPoolCore *core;

  g_return_val_if_fail (ASB_IS_POOL (self), NULL);

  core = asb_pool_get_core (self);
  locker = g_mutex_locker_new (&core->mutex);
  return core->last_error ? g_error_copy (core->last_error) : NULL;
}
