/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-command-result-config.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbCommandResultConfig:
 *
 * How much of a command's output [method@Backend.execute] keeps in memory. The record is not
 * bounded by it.
 *
 * Since: 1.0
 */

struct _AsbCommandResultConfig
{
  GObject parent_instance;

  guint64 max_stdout_bytes;
  guint64 max_stderr_bytes;
  guint64 preserve_tail_bytes;
};

enum
{
  PROP_0,
  PROP_MAX_STDOUT_BYTES,
  PROP_MAX_STDERR_BYTES,
  PROP_PRESERVE_TAIL_BYTES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbCommandResultConfig, asb_command_result_config, G_TYPE_OBJECT)

static void
asb_command_result_config_get_property (GObject *object, guint property_id, GValue *value,
                                        GParamSpec *pspec)
{
  AsbCommandResultConfig *self = ASB_COMMAND_RESULT_CONFIG (object);

  switch (property_id)
    {
    case PROP_MAX_STDOUT_BYTES:
      g_value_set_uint64 (value, self->max_stdout_bytes);
      break;
    case PROP_MAX_STDERR_BYTES:
      g_value_set_uint64 (value, self->max_stderr_bytes);
      break;
    case PROP_PRESERVE_TAIL_BYTES:
      g_value_set_uint64 (value, self->preserve_tail_bytes);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_command_result_config_set_property (GObject *object, guint property_id, const GValue *value,
                                        GParamSpec *pspec)
{
  AsbCommandResultConfig *self = ASB_COMMAND_RESULT_CONFIG (object);

  switch (property_id)
    {
    case PROP_MAX_STDOUT_BYTES:
      asb_command_result_config_set_max_stdout_bytes (self, g_value_get_uint64 (value));
      break;
    case PROP_MAX_STDERR_BYTES:
      asb_command_result_config_set_max_stderr_bytes (self, g_value_get_uint64 (value));
      break;
    case PROP_PRESERVE_TAIL_BYTES:
      asb_command_result_config_set_preserve_tail_bytes (self, g_value_get_uint64 (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_command_result_config_class_init (AsbCommandResultConfigClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = asb_command_result_config_get_property;
  object_class->set_property = asb_command_result_config_set_property;

  /**
   * AsbCommandResultConfig:max-stdout-bytes:
   *
   * Bytes of standard output to keep. The default is 1 MiB.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_STDOUT_BYTES] = g_param_spec_uint64 (
      "max-stdout-bytes", NULL, NULL, 0, G_MAXUINT64, 1024 * 1024, ASB_PARAM_READWRITE);

  /**
   * AsbCommandResultConfig:max-stderr-bytes:
   *
   * Bytes of standard error to keep. The default is 1 MiB.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_STDERR_BYTES] = g_param_spec_uint64 (
      "max-stderr-bytes", NULL, NULL, 0, G_MAXUINT64, 1024 * 1024, ASB_PARAM_READWRITE);

  /**
   * AsbCommandResultConfig:preserve-tail-bytes:
   *
   * How many of them are the last ones; the others are the first ones. Where it is more than is to
   * be kept of a stream, all that is kept of that are the last ones. The default is 256 KiB.
   *
   * Since: 1.0
   */
  properties[PROP_PRESERVE_TAIL_BYTES] = g_param_spec_uint64 (
      "preserve-tail-bytes", NULL, NULL, 0, G_MAXUINT64, 256 * 1024, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_command_result_config_init (AsbCommandResultConfig *self)
{
  self->max_stdout_bytes = 1024 * 1024;
  self->max_stderr_bytes = 1024 * 1024;
  self->preserve_tail_bytes = 256 * 1024;
}

/**
 * asb_command_result_config_new:
 *
 * Makes a [class@CommandResultConfig] with every property at its default.
 *
 * Returns: (transfer full): a new [class@CommandResultConfig]
 *
 * Since: 1.0
 */
AsbCommandResultConfig *
asb_command_result_config_new (void)
{
  return g_object_new (ASB_TYPE_COMMAND_RESULT_CONFIG, NULL);
}

/**
 * asb_command_result_config_get_max_stdout_bytes:
 * @self: a [class@CommandResultConfig]
 *
 * Gets [property@CommandResultConfig:max-stdout-bytes].
 *
 * Returns: bytes of standard output to keep
 *
 * Since: 1.0
 */
guint64
asb_command_result_config_get_max_stdout_bytes (AsbCommandResultConfig *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT_CONFIG (self), 0);

  return self->max_stdout_bytes;
}

/**
 * asb_command_result_config_set_max_stdout_bytes:
 * @self: a [class@CommandResultConfig]
 * @max_stdout_bytes: bytes of standard output to keep
 *
 * Sets [property@CommandResultConfig:max-stdout-bytes].
 *
 * Since: 1.0
 */
void
asb_command_result_config_set_max_stdout_bytes (AsbCommandResultConfig *self,
                                                guint64 max_stdout_bytes)
{
  g_return_if_fail (ASB_IS_COMMAND_RESULT_CONFIG (self));

  if (self->max_stdout_bytes == max_stdout_bytes)
    return;
  self->max_stdout_bytes = max_stdout_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_STDOUT_BYTES]);
}

/**
 * asb_command_result_config_get_max_stderr_bytes:
 * @self: a [class@CommandResultConfig]
 *
 * Gets [property@CommandResultConfig:max-stderr-bytes].
 *
 * Returns: bytes of standard error to keep
 *
 * Since: 1.0
 */
guint64
asb_command_result_config_get_max_stderr_bytes (AsbCommandResultConfig *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT_CONFIG (self), 0);

  return self->max_stderr_bytes;
}

/**
 * asb_command_result_config_set_max_stderr_bytes:
 * @self: a [class@CommandResultConfig]
 * @max_stderr_bytes: bytes of standard error to keep
 *
 * Sets [property@CommandResultConfig:max-stderr-bytes].
 *
 * Since: 1.0
 */
void
asb_command_result_config_set_max_stderr_bytes (AsbCommandResultConfig *self,
                                                guint64 max_stderr_bytes)
{
  g_return_if_fail (ASB_IS_COMMAND_RESULT_CONFIG (self));

  if (self->max_stderr_bytes == max_stderr_bytes)
    return;
  self->max_stderr_bytes = max_stderr_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_STDERR_BYTES]);
}

/**
 * asb_command_result_config_get_preserve_tail_bytes:
 * @self: a [class@CommandResultConfig]
 *
 * Gets [property@CommandResultConfig:preserve-tail-bytes].
 *
 * Returns: how many of them are the last ones; the others are the first ones
 *
 * Since: 1.0
 */
guint64
asb_command_result_config_get_preserve_tail_bytes (AsbCommandResultConfig *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT_CONFIG (self), 0);

  return self->preserve_tail_bytes;
}

/**
 * asb_command_result_config_set_preserve_tail_bytes:
 * @self: a [class@CommandResultConfig]
 * @preserve_tail_bytes: how many of them are the last ones; the others are the first ones
 *
 * Sets [property@CommandResultConfig:preserve-tail-bytes].
 *
 * Since: 1.0
 */
void
asb_command_result_config_set_preserve_tail_bytes (AsbCommandResultConfig *self,
                                                   guint64 preserve_tail_bytes)
{
  g_return_if_fail (ASB_IS_COMMAND_RESULT_CONFIG (self));

  if (self->preserve_tail_bytes == preserve_tail_bytes)
    return;
  self->preserve_tail_bytes = preserve_tail_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PRESERVE_TAIL_BYTES]);
}
