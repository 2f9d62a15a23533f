/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-retry-config.h"

#include "asb-property-private.h"

/**
 * AsbRetryConfig:
 *
 * How often a backend tries again what failed with an error that may be gone next time
 * ([property@ErrorInfo:retryable]). Tried again is what only looks: files that are read, listed,
 * looked at and searched, and streams that are opened to read; and a creation with an idempotency
 * key. What changes something is never done twice.
 *
 * The wait before each attempt is twice the one before it, from
 * [property@RetryConfig:base-delay-ms] to [property@RetryConfig:max-delay-ms], longer or shorter by
 * chance. What a provider repeats itself counts as one attempt.
 *
 * Since: 1.0
 */

struct _AsbRetryConfig
{
  GObject parent_instance;

  guint max_attempts;
  guint base_delay_ms;
  guint max_delay_ms;
  double jitter_ratio;
  double total_deadline_seconds;
};

enum
{
  PROP_0,
  PROP_MAX_ATTEMPTS,
  PROP_BASE_DELAY_MS,
  PROP_MAX_DELAY_MS,
  PROP_JITTER_RATIO,
  PROP_TOTAL_DEADLINE_SECONDS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbRetryConfig, asb_retry_config, G_TYPE_OBJECT)

static void
asb_retry_config_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbRetryConfig *self = ASB_RETRY_CONFIG (object);

  switch (property_id)
    {
    case PROP_MAX_ATTEMPTS:
      g_value_set_uint (value, self->max_attempts);
      break;
    case PROP_BASE_DELAY_MS:
      g_value_set_uint (value, self->base_delay_ms);
      break;
    case PROP_MAX_DELAY_MS:
      g_value_set_uint (value, self->max_delay_ms);
      break;
    case PROP_JITTER_RATIO:
      g_value_set_double (value, self->jitter_ratio);
      break;
    case PROP_TOTAL_DEADLINE_SECONDS:
      g_value_set_double (value, self->total_deadline_seconds);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_retry_config_set_property (GObject *object, guint property_id, const GValue *value,
                               GParamSpec *pspec)
{
  AsbRetryConfig *self = ASB_RETRY_CONFIG (object);

  switch (property_id)
    {
    case PROP_MAX_ATTEMPTS:
      asb_retry_config_set_max_attempts (self, g_value_get_uint (value));
      break;
    case PROP_BASE_DELAY_MS:
      asb_retry_config_set_base_delay_ms (self, g_value_get_uint (value));
      break;
    case PROP_MAX_DELAY_MS:
      asb_retry_config_set_max_delay_ms (self, g_value_get_uint (value));
      break;
    case PROP_JITTER_RATIO:
      asb_retry_config_set_jitter_ratio (self, g_value_get_double (value));
      break;
    case PROP_TOTAL_DEADLINE_SECONDS:
      asb_retry_config_set_total_deadline_seconds (self, g_value_get_double (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_retry_config_class_init (AsbRetryConfigClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = asb_retry_config_get_property;
  object_class->set_property = asb_retry_config_set_property;

  /**
   * AsbRetryConfig:max-attempts:
   *
   * How many attempts there are, with the first one. 1 to 10; the default is 3.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_ATTEMPTS]
      = g_param_spec_uint ("max-attempts", NULL, NULL, 1, 10, 3, ASB_PARAM_READWRITE);

  /**
   * AsbRetryConfig:base-delay-ms:
   *
   * How long to wait before the second attempt, in milliseconds. 0 to 10,000; the default is 100.
   *
   * Since: 1.0
   */
  properties[PROP_BASE_DELAY_MS]
      = g_param_spec_uint ("base-delay-ms", NULL, NULL, 0, 10000, 100, ASB_PARAM_READWRITE);

  /**
   * AsbRetryConfig:max-delay-ms:
   *
   * How long to wait at most, in milliseconds. From [property@RetryConfig:base-delay-ms] to 60,000;
   * the default is 2,000.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_DELAY_MS]
      = g_param_spec_uint ("max-delay-ms", NULL, NULL, 0, 60000, 2000, ASB_PARAM_READWRITE);

  /**
   * AsbRetryConfig:jitter-ratio:
   *
   * By how much of itself a wait is longer or shorter, by chance. 0 to 1; the default is 0.2.
   *
   * Since: 1.0
   */
  properties[PROP_JITTER_RATIO]
      = g_param_spec_double ("jitter-ratio", NULL, NULL, 0, 1, 0.2, ASB_PARAM_READWRITE);

  /**
   * AsbRetryConfig:total-deadline-seconds:
   *
   * How long after its beginning an operation is tried again, in seconds; an attempt that runs is
   * not interrupted. 0.001 to 3,600, or 0 for no end; the default is 30.
   *
   * Since: 1.0
   */
  properties[PROP_TOTAL_DEADLINE_SECONDS] = g_param_spec_double (
      "total-deadline-seconds", NULL, NULL, 0, 3600, 30, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_retry_config_init (AsbRetryConfig *self)
{
  self->max_attempts = 3;
  self->base_delay_ms = 100;
  self->max_delay_ms = 2000;
  self->jitter_ratio = 0.2;
  self->total_deadline_seconds = 30;
}

/**
 * asb_retry_config_new:
 *
 * Makes a [class@RetryConfig] with every property at its default.
 *
 * Returns: (transfer full): a new [class@RetryConfig]
 *
 * Since: 1.0
 */
AsbRetryConfig *
asb_retry_config_new (void)
{
  return g_object_new (ASB_TYPE_RETRY_CONFIG, NULL);
}

/**
 * asb_retry_config_get_max_attempts:
 * @self: a [class@RetryConfig]
 *
 * Gets [property@RetryConfig:max-attempts].
 *
 * Returns: how many attempts there are, with the first one
 *
 * Since: 1.0
 */
guint
asb_retry_config_get_max_attempts (AsbRetryConfig *self)
{
  g_return_val_if_fail (ASB_IS_RETRY_CONFIG (self), 0);

  return self->max_attempts;
}

/**
 * asb_retry_config_set_max_attempts:
 * @self: a [class@RetryConfig]
 * @max_attempts: how many attempts there are, with the first one
 *
 * Sets [property@RetryConfig:max-attempts].
 *
 * Since: 1.0
 */
void
asb_retry_config_set_max_attempts (AsbRetryConfig *self, guint max_attempts)
{
  g_return_if_fail (ASB_IS_RETRY_CONFIG (self));

  if (self->max_attempts == max_attempts)
    return;
  self->max_attempts = max_attempts;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_ATTEMPTS]);
}

/**
 * asb_retry_config_get_base_delay_ms:
 * @self: a [class@RetryConfig]
 *
 * Gets [property@RetryConfig:base-delay-ms].
 *
 * Returns: how long to wait before the second attempt
 *
 * Since: 1.0
 */
guint
asb_retry_config_get_base_delay_ms (AsbRetryConfig *self)
{
  g_return_val_if_fail (ASB_IS_RETRY_CONFIG (self), 0);

  return self->base_delay_ms;
}

/**
 * asb_retry_config_set_base_delay_ms:
 * @self: a [class@RetryConfig]
 * @base_delay_ms: how long to wait before the second attempt
 *
 * Sets [property@RetryConfig:base-delay-ms].
 *
 * Since: 1.0
 */
void
asb_retry_config_set_base_delay_ms (AsbRetryConfig *self, guint base_delay_ms)
{
  g_return_if_fail (ASB_IS_RETRY_CONFIG (self));

  if (self->base_delay_ms == base_delay_ms)
    return;
  self->base_delay_ms = base_delay_ms;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BASE_DELAY_MS]);
}

/**
 * asb_retry_config_get_max_delay_ms:
 * @self: a [class@RetryConfig]
 *
 * Gets [property@RetryConfig:max-delay-ms].
 *
 * Returns: how long to wait at most
 *
 * Since: 1.0
 */
guint
asb_retry_config_get_max_delay_ms (AsbRetryConfig *self)
{
  g_return_val_if_fail (ASB_IS_RETRY_CONFIG (self), 0);

  return self->max_delay_ms;
}

/**
 * asb_retry_config_set_max_delay_ms:
 * @self: a [class@RetryConfig]
 * @max_delay_ms: how long to wait at most
 *
 * Sets [property@RetryConfig:max-delay-ms].
 *
 * Since: 1.0
 */
void
asb_retry_config_set_max_delay_ms (AsbRetryConfig *self, guint max_delay_ms)
{
  g_return_if_fail (ASB_IS_RETRY_CONFIG (self));

  if (self->max_delay_ms == max_delay_ms)
    return;
  self->max_delay_ms = max_delay_ms;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_DELAY_MS]);
}

/**
 * asb_retry_config_get_jitter_ratio:
 * @self: a [class@RetryConfig]
 *
 * Gets [property@RetryConfig:jitter-ratio].
 *
 * Returns: by how much of itself a wait is longer or shorter
 *
 * Since: 1.0
 */
double
asb_retry_config_get_jitter_ratio (AsbRetryConfig *self)
{
  g_return_val_if_fail (ASB_IS_RETRY_CONFIG (self), 0);

  return self->jitter_ratio;
}

/**
 * asb_retry_config_set_jitter_ratio:
 * @self: a [class@RetryConfig]
 * @jitter_ratio: by how much of itself a wait is longer or shorter
 *
 * Sets [property@RetryConfig:jitter-ratio].
 *
 * Since: 1.0
 */
void
asb_retry_config_set_jitter_ratio (AsbRetryConfig *self, double jitter_ratio)
{
  g_return_if_fail (ASB_IS_RETRY_CONFIG (self));

  if (self->jitter_ratio == jitter_ratio)
    return;
  self->jitter_ratio = jitter_ratio;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_JITTER_RATIO]);
}

/**
 * asb_retry_config_get_total_deadline_seconds:
 * @self: a [class@RetryConfig]
 *
 * Gets [property@RetryConfig:total-deadline-seconds].
 *
 * Returns: how long after its beginning an operation is tried again
 *
 * Since: 1.0
 */
double
asb_retry_config_get_total_deadline_seconds (AsbRetryConfig *self)
{
  g_return_val_if_fail (ASB_IS_RETRY_CONFIG (self), 0);

  return self->total_deadline_seconds;
}

/**
 * asb_retry_config_set_total_deadline_seconds:
 * @self: a [class@RetryConfig]
 * @total_deadline_seconds: how long after its beginning an operation is tried again
 *
 * Sets [property@RetryConfig:total-deadline-seconds].
 *
 * Since: 1.0
 */
void
asb_retry_config_set_total_deadline_seconds (AsbRetryConfig *self, double total_deadline_seconds)
{
  g_return_if_fail (ASB_IS_RETRY_CONFIG (self));

  if (self->total_deadline_seconds == total_deadline_seconds)
    return;
  self->total_deadline_seconds = total_deadline_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TOTAL_DEADLINE_SECONDS]);
}
