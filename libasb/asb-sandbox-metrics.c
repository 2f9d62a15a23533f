/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-sandbox-metrics.h"

#include "asb-property-private.h"

/**
 * AsbSandboxMetrics:
 *
 * What a sandbox takes of the host at one moment.
 *
 * Since: 1.0
 */

struct _AsbSandboxMetrics
{
  GObject parent_instance;

  double cpu_count;
  double cpu_percent;
  guint64 memory_total;
  guint64 memory_used;
  GDateTime *sampled_at;
};

enum
{
  PROP_0,
  PROP_CPU_COUNT,
  PROP_CPU_PERCENT,
  PROP_MEMORY_TOTAL,
  PROP_MEMORY_USED,
  PROP_SAMPLED_AT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbSandboxMetrics, asb_sandbox_metrics, G_TYPE_OBJECT)

static void
asb_sandbox_metrics_finalize (GObject *object)
{
  AsbSandboxMetrics *self = ASB_SANDBOX_METRICS (object);

  g_clear_pointer (&self->sampled_at, g_date_time_unref);

  G_OBJECT_CLASS (asb_sandbox_metrics_parent_class)->finalize (object);
}

static void
asb_sandbox_metrics_get_property (GObject *object, guint property_id, GValue *value,
                                  GParamSpec *pspec)
{
  AsbSandboxMetrics *self = ASB_SANDBOX_METRICS (object);

  switch (property_id)
    {
    case PROP_CPU_COUNT:
      g_value_set_double (value, self->cpu_count);
      break;
    case PROP_CPU_PERCENT:
      g_value_set_double (value, self->cpu_percent);
      break;
    case PROP_MEMORY_TOTAL:
      g_value_set_uint64 (value, self->memory_total);
      break;
    case PROP_MEMORY_USED:
      g_value_set_uint64 (value, self->memory_used);
      break;
    case PROP_SAMPLED_AT:
      g_value_set_boxed (value, self->sampled_at);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_metrics_set_property (GObject *object, guint property_id, const GValue *value,
                                  GParamSpec *pspec)
{
  AsbSandboxMetrics *self = ASB_SANDBOX_METRICS (object);

  switch (property_id)
    {
    case PROP_CPU_COUNT:
      self->cpu_count = g_value_get_double (value);
      break;
    case PROP_CPU_PERCENT:
      self->cpu_percent = g_value_get_double (value);
      break;
    case PROP_MEMORY_TOTAL:
      self->memory_total = g_value_get_uint64 (value);
      break;
    case PROP_MEMORY_USED:
      self->memory_used = g_value_get_uint64 (value);
      break;
    case PROP_SAMPLED_AT:
      self->sampled_at = g_value_dup_boxed (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_metrics_class_init (AsbSandboxMetricsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_sandbox_metrics_finalize;
  object_class->get_property = asb_sandbox_metrics_get_property;
  object_class->set_property = asb_sandbox_metrics_set_property;

  /**
   * AsbSandboxMetrics:cpu-count:
   *
   * The processors it has, maybe a part of one; 0 if unknown.
   *
   * Since: 1.0
   */
  properties[PROP_CPU_COUNT]
      = g_param_spec_double ("cpu-count", NULL, NULL, 0, G_MAXDOUBLE, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxMetrics:cpu-percent:
   *
   * How much of them it uses, in percent of one processor: 250 is two and a half.
   *
   * Since: 1.0
   */
  properties[PROP_CPU_PERCENT] = g_param_spec_double ("cpu-percent", NULL, NULL, 0, G_MAXDOUBLE, 0,
                                                      ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxMetrics:memory-total:
   *
   * The memory it may take, in bytes; 0 if unknown.
   *
   * Since: 1.0
   */
  properties[PROP_MEMORY_TOTAL] = g_param_spec_uint64 ("memory-total", NULL, NULL, 0, G_MAXUINT64,
                                                       0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxMetrics:memory-used:
   *
   * The memory it takes, in bytes.
   *
   * Since: 1.0
   */
  properties[PROP_MEMORY_USED] = g_param_spec_uint64 ("memory-used", NULL, NULL, 0, G_MAXUINT64, 0,
                                                      ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxMetrics:sampled-at:
   *
   * When that was so, by the clock of the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_SAMPLED_AT]
      = g_param_spec_boxed ("sampled-at", NULL, NULL, G_TYPE_DATE_TIME, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_sandbox_metrics_init (AsbSandboxMetrics *self)
{
}

/**
 * asb_sandbox_metrics_get_cpu_count:
 * @self: a [class@SandboxMetrics]
 *
 * Gets [property@SandboxMetrics:cpu-count].
 *
 * Returns: the processors it has, maybe a part of one; 0 if unknown
 *
 * Since: 1.0
 */
double
asb_sandbox_metrics_get_cpu_count (AsbSandboxMetrics *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_METRICS (self), 0);

  return self->cpu_count;
}

/**
 * asb_sandbox_metrics_get_cpu_percent:
 * @self: a [class@SandboxMetrics]
 *
 * Gets [property@SandboxMetrics:cpu-percent].
 *
 * Returns: how much of them it uses, in percent of one processor: 250 is two and a half
 *
 * Since: 1.0
 */
double
asb_sandbox_metrics_get_cpu_percent (AsbSandboxMetrics *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_METRICS (self), 0);

  return self->cpu_percent;
}

/**
 * asb_sandbox_metrics_get_memory_total:
 * @self: a [class@SandboxMetrics]
 *
 * Gets [property@SandboxMetrics:memory-total].
 *
 * Returns: the memory it may take, in bytes; 0 if unknown
 *
 * Since: 1.0
 */
guint64
asb_sandbox_metrics_get_memory_total (AsbSandboxMetrics *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_METRICS (self), 0);

  return self->memory_total;
}

/**
 * asb_sandbox_metrics_get_memory_used:
 * @self: a [class@SandboxMetrics]
 *
 * Gets [property@SandboxMetrics:memory-used].
 *
 * Returns: the memory it takes, in bytes
 *
 * Since: 1.0
 */
guint64
asb_sandbox_metrics_get_memory_used (AsbSandboxMetrics *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_METRICS (self), 0);

  return self->memory_used;
}

/**
 * asb_sandbox_metrics_get_sampled_at:
 * @self: a [class@SandboxMetrics]
 *
 * Gets [property@SandboxMetrics:sampled-at].
 *
 * Returns: (transfer none) (nullable): when that was so, by the clock of the sandbox
 *
 * Since: 1.0
 */
GDateTime *
asb_sandbox_metrics_get_sampled_at (AsbSandboxMetrics *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_METRICS (self), NULL);

  return self->sampled_at;
}
