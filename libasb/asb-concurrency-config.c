/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-concurrency-config.h"

#include "asb-property-private.h"

/**
 * AsbConcurrencyConfig:
 *
 * How many operations of one kind a backend does at once: what is more waits its turn, first come,
 * first served, for as long as is said here. An operation whose turn does not come fails, nothing
 * of it was done, and it may be tried again.
 *
 * It bounds what one backend does, not what others do with the same sandbox. Looking at jobs and
 * waiting for them is not counted, nor are jobs that run, which belong to the sandbox. A stream
 * counts until it is open; a command that was started, until its end is known or it is let go of.
 *
 * Since: 1.0
 */

struct _AsbConcurrencyConfig
{
  GObject parent_instance;

  guint max_parallel_commands;
  guint max_parallel_file_reads;
  guint max_parallel_file_writes;
  guint max_parallel_uploads;
  double lifecycle_lock_timeout_seconds;
  double command_queue_timeout_seconds;
  double file_queue_timeout_seconds;
  double upload_queue_timeout_seconds;
};

enum
{
  PROP_0,
  PROP_MAX_PARALLEL_COMMANDS,
  PROP_MAX_PARALLEL_FILE_READS,
  PROP_MAX_PARALLEL_FILE_WRITES,
  PROP_MAX_PARALLEL_UPLOADS,
  PROP_LIFECYCLE_LOCK_TIMEOUT_SECONDS,
  PROP_COMMAND_QUEUE_TIMEOUT_SECONDS,
  PROP_FILE_QUEUE_TIMEOUT_SECONDS,
  PROP_UPLOAD_QUEUE_TIMEOUT_SECONDS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbConcurrencyConfig, asb_concurrency_config, G_TYPE_OBJECT)

static void
asb_concurrency_config_get_property (GObject *object, guint property_id, GValue *value,
                                     GParamSpec *pspec)
{
  AsbConcurrencyConfig *self = ASB_CONCURRENCY_CONFIG (object);

  switch (property_id)
    {
    case PROP_MAX_PARALLEL_COMMANDS:
      g_value_set_uint (value, self->max_parallel_commands);
      break;
    case PROP_MAX_PARALLEL_FILE_READS:
      g_value_set_uint (value, self->max_parallel_file_reads);
      break;
    case PROP_MAX_PARALLEL_FILE_WRITES:
      g_value_set_uint (value, self->max_parallel_file_writes);
      break;
    case PROP_MAX_PARALLEL_UPLOADS:
      g_value_set_uint (value, self->max_parallel_uploads);
      break;
    case PROP_LIFECYCLE_LOCK_TIMEOUT_SECONDS:
      g_value_set_double (value, self->lifecycle_lock_timeout_seconds);
      break;
    case PROP_COMMAND_QUEUE_TIMEOUT_SECONDS:
      g_value_set_double (value, self->command_queue_timeout_seconds);
      break;
    case PROP_FILE_QUEUE_TIMEOUT_SECONDS:
      g_value_set_double (value, self->file_queue_timeout_seconds);
      break;
    case PROP_UPLOAD_QUEUE_TIMEOUT_SECONDS:
      g_value_set_double (value, self->upload_queue_timeout_seconds);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_concurrency_config_set_property (GObject *object, guint property_id, const GValue *value,
                                     GParamSpec *pspec)
{
  AsbConcurrencyConfig *self = ASB_CONCURRENCY_CONFIG (object);

  switch (property_id)
    {
    case PROP_MAX_PARALLEL_COMMANDS:
      asb_concurrency_config_set_max_parallel_commands (self, g_value_get_uint (value));
      break;
    case PROP_MAX_PARALLEL_FILE_READS:
      asb_concurrency_config_set_max_parallel_file_reads (self, g_value_get_uint (value));
      break;
    case PROP_MAX_PARALLEL_FILE_WRITES:
      asb_concurrency_config_set_max_parallel_file_writes (self, g_value_get_uint (value));
      break;
    case PROP_MAX_PARALLEL_UPLOADS:
      asb_concurrency_config_set_max_parallel_uploads (self, g_value_get_uint (value));
      break;
    case PROP_LIFECYCLE_LOCK_TIMEOUT_SECONDS:
      asb_concurrency_config_set_lifecycle_lock_timeout_seconds (self, g_value_get_double (value));
      break;
    case PROP_COMMAND_QUEUE_TIMEOUT_SECONDS:
      asb_concurrency_config_set_command_queue_timeout_seconds (self, g_value_get_double (value));
      break;
    case PROP_FILE_QUEUE_TIMEOUT_SECONDS:
      asb_concurrency_config_set_file_queue_timeout_seconds (self, g_value_get_double (value));
      break;
    case PROP_UPLOAD_QUEUE_TIMEOUT_SECONDS:
      asb_concurrency_config_set_upload_queue_timeout_seconds (self, g_value_get_double (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_concurrency_config_class_init (AsbConcurrencyConfigClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = asb_concurrency_config_get_property;
  object_class->set_property = asb_concurrency_config_set_property;

  /**
   * AsbConcurrencyConfig:max-parallel-commands:
   *
   * How many commands run at once. 1 to 256; the default is 4.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_PARALLEL_COMMANDS]
      = g_param_spec_uint ("max-parallel-commands", NULL, NULL, 1, 256, 4, ASB_PARAM_READWRITE);

  /**
   * AsbConcurrencyConfig:max-parallel-file-reads:
   *
   * How many times at once files are read, listed, looked at or searched. 1 to 1,024; the default
   * is 32.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_PARALLEL_FILE_READS]
      = g_param_spec_uint ("max-parallel-file-reads", NULL, NULL, 1, 1024, 32, ASB_PARAM_READWRITE);

  /**
   * AsbConcurrencyConfig:max-parallel-file-writes:
   *
   * How many times at once files are written, edited, moved, deleted, or given other attributes. 1
   * to 256; the default is 8.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_PARALLEL_FILE_WRITES]
      = g_param_spec_uint ("max-parallel-file-writes", NULL, NULL, 1, 256, 8, ASB_PARAM_READWRITE);

  /**
   * AsbConcurrencyConfig:max-parallel-uploads:
   *
   * How many archives and uploads go into the sandbox at once. 1 to 64; the default is 1.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_PARALLEL_UPLOADS]
      = g_param_spec_uint ("max-parallel-uploads", NULL, NULL, 1, 64, 1, ASB_PARAM_READWRITE);

  /**
   * AsbConcurrencyConfig:lifecycle-lock-timeout-seconds:
   *
   * How long closing waits for what still runs, and pausing and resuming for one another, in
   * seconds. 0.001 to 3,600; the default is 30.
   *
   * Since: 1.0
   */
  properties[PROP_LIFECYCLE_LOCK_TIMEOUT_SECONDS] = g_param_spec_double (
      "lifecycle-lock-timeout-seconds", NULL, NULL, 0.001, 3600, 30, ASB_PARAM_READWRITE);

  /**
   * AsbConcurrencyConfig:command-queue-timeout-seconds:
   *
   * How long a command waits for its turn, in seconds; then it is %ASB_ERROR_COMMAND_QUEUE_TIMEOUT.
   * 0.001 to 3,600; the default is 60.
   *
   * Since: 1.0
   */
  properties[PROP_COMMAND_QUEUE_TIMEOUT_SECONDS] = g_param_spec_double (
      "command-queue-timeout-seconds", NULL, NULL, 0.001, 3600, 60, ASB_PARAM_READWRITE);

  /**
   * AsbConcurrencyConfig:file-queue-timeout-seconds:
   *
   * How long a file operation waits for its turn, in seconds; then it is
   * %ASB_ERROR_LOCK_ACQUISITION_TIMEOUT. 0.001 to 3,600; the default is 60.
   *
   * Since: 1.0
   */
  properties[PROP_FILE_QUEUE_TIMEOUT_SECONDS] = g_param_spec_double (
      "file-queue-timeout-seconds", NULL, NULL, 0.001, 3600, 60, ASB_PARAM_READWRITE);

  /**
   * AsbConcurrencyConfig:upload-queue-timeout-seconds:
   *
   * How long an archive or upload waits for its turn, in seconds; then it is
   * %ASB_ERROR_LOCK_ACQUISITION_TIMEOUT. 0.001 to 7,200; the default is 300.
   *
   * Since: 1.0
   */
  properties[PROP_UPLOAD_QUEUE_TIMEOUT_SECONDS] = g_param_spec_double (
      "upload-queue-timeout-seconds", NULL, NULL, 0.001, 7200, 300, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_concurrency_config_init (AsbConcurrencyConfig *self)
{
  self->max_parallel_commands = 4;
  self->max_parallel_file_reads = 32;
  self->max_parallel_file_writes = 8;
  self->max_parallel_uploads = 1;
  self->lifecycle_lock_timeout_seconds = 30;
  self->command_queue_timeout_seconds = 60;
  self->file_queue_timeout_seconds = 60;
  self->upload_queue_timeout_seconds = 300;
}

/**
 * asb_concurrency_config_new:
 *
 * Makes a [class@ConcurrencyConfig] with every property at its default.
 *
 * Returns: (transfer full): a new [class@ConcurrencyConfig]
 *
 * Since: 1.0
 */
AsbConcurrencyConfig *
asb_concurrency_config_new (void)
{
  return g_object_new (ASB_TYPE_CONCURRENCY_CONFIG, NULL);
}

/**
 * asb_concurrency_config_get_max_parallel_commands:
 * @self: a [class@ConcurrencyConfig]
 *
 * Gets [property@ConcurrencyConfig:max-parallel-commands].
 *
 * Returns: how many commands run at once
 *
 * Since: 1.0
 */
guint
asb_concurrency_config_get_max_parallel_commands (AsbConcurrencyConfig *self)
{
  g_return_val_if_fail (ASB_IS_CONCURRENCY_CONFIG (self), 0);

  return self->max_parallel_commands;
}

/**
 * asb_concurrency_config_set_max_parallel_commands:
 * @self: a [class@ConcurrencyConfig]
 * @max_parallel_commands: how many commands run at once
 *
 * Sets [property@ConcurrencyConfig:max-parallel-commands].
 *
 * Since: 1.0
 */
void
asb_concurrency_config_set_max_parallel_commands (AsbConcurrencyConfig *self,
                                                  guint max_parallel_commands)
{
  g_return_if_fail (ASB_IS_CONCURRENCY_CONFIG (self));

  if (self->max_parallel_commands == max_parallel_commands)
    return;
  self->max_parallel_commands = max_parallel_commands;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_PARALLEL_COMMANDS]);
}

/**
 * asb_concurrency_config_get_max_parallel_file_reads:
 * @self: a [class@ConcurrencyConfig]
 *
 * Gets [property@ConcurrencyConfig:max-parallel-file-reads].
 *
 * Returns: how many times at once something is looked at
 *
 * Since: 1.0
 */
guint
asb_concurrency_config_get_max_parallel_file_reads (AsbConcurrencyConfig *self)
{
  g_return_val_if_fail (ASB_IS_CONCURRENCY_CONFIG (self), 0);

  return self->max_parallel_file_reads;
}

/**
 * asb_concurrency_config_set_max_parallel_file_reads:
 * @self: a [class@ConcurrencyConfig]
 * @max_parallel_file_reads: how many times at once something is looked at
 *
 * Sets [property@ConcurrencyConfig:max-parallel-file-reads].
 *
 * Since: 1.0
 */
void
asb_concurrency_config_set_max_parallel_file_reads (AsbConcurrencyConfig *self,
                                                    guint max_parallel_file_reads)
{
  g_return_if_fail (ASB_IS_CONCURRENCY_CONFIG (self));

  if (self->max_parallel_file_reads == max_parallel_file_reads)
    return;
  self->max_parallel_file_reads = max_parallel_file_reads;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_PARALLEL_FILE_READS]);
}

/**
 * asb_concurrency_config_get_max_parallel_file_writes:
 * @self: a [class@ConcurrencyConfig]
 *
 * Gets [property@ConcurrencyConfig:max-parallel-file-writes].
 *
 * Returns: how many times at once something is changed
 *
 * Since: 1.0
 */
guint
asb_concurrency_config_get_max_parallel_file_writes (AsbConcurrencyConfig *self)
{
  g_return_val_if_fail (ASB_IS_CONCURRENCY_CONFIG (self), 0);

  return self->max_parallel_file_writes;
}

/**
 * asb_concurrency_config_set_max_parallel_file_writes:
 * @self: a [class@ConcurrencyConfig]
 * @max_parallel_file_writes: how many times at once something is changed
 *
 * Sets [property@ConcurrencyConfig:max-parallel-file-writes].
 *
 * Since: 1.0
 */
void
asb_concurrency_config_set_max_parallel_file_writes (AsbConcurrencyConfig *self,
                                                     guint max_parallel_file_writes)
{
  g_return_if_fail (ASB_IS_CONCURRENCY_CONFIG (self));

  if (self->max_parallel_file_writes == max_parallel_file_writes)
    return;
  self->max_parallel_file_writes = max_parallel_file_writes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_PARALLEL_FILE_WRITES]);
}

/**
 * asb_concurrency_config_get_max_parallel_uploads:
 * @self: a [class@ConcurrencyConfig]
 *
 * Gets [property@ConcurrencyConfig:max-parallel-uploads].
 *
 * Returns: how many archives and uploads go in at once
 *
 * Since: 1.0
 */
guint
asb_concurrency_config_get_max_parallel_uploads (AsbConcurrencyConfig *self)
{
  g_return_val_if_fail (ASB_IS_CONCURRENCY_CONFIG (self), 0);

  return self->max_parallel_uploads;
}

/**
 * asb_concurrency_config_set_max_parallel_uploads:
 * @self: a [class@ConcurrencyConfig]
 * @max_parallel_uploads: how many archives and uploads go in at once
 *
 * Sets [property@ConcurrencyConfig:max-parallel-uploads].
 *
 * Since: 1.0
 */
void
asb_concurrency_config_set_max_parallel_uploads (AsbConcurrencyConfig *self,
                                                 guint max_parallel_uploads)
{
  g_return_if_fail (ASB_IS_CONCURRENCY_CONFIG (self));

  if (self->max_parallel_uploads == max_parallel_uploads)
    return;
  self->max_parallel_uploads = max_parallel_uploads;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_PARALLEL_UPLOADS]);
}

/**
 * asb_concurrency_config_get_lifecycle_lock_timeout_seconds:
 * @self: a [class@ConcurrencyConfig]
 *
 * Gets [property@ConcurrencyConfig:lifecycle-lock-timeout-seconds].
 *
 * Returns: how long closing, pausing and resuming wait
 *
 * Since: 1.0
 */
double
asb_concurrency_config_get_lifecycle_lock_timeout_seconds (AsbConcurrencyConfig *self)
{
  g_return_val_if_fail (ASB_IS_CONCURRENCY_CONFIG (self), 0);

  return self->lifecycle_lock_timeout_seconds;
}

/**
 * asb_concurrency_config_set_lifecycle_lock_timeout_seconds:
 * @self: a [class@ConcurrencyConfig]
 * @lifecycle_lock_timeout_seconds: how long closing, pausing and resuming wait
 *
 * Sets [property@ConcurrencyConfig:lifecycle-lock-timeout-seconds].
 *
 * Since: 1.0
 */
void
asb_concurrency_config_set_lifecycle_lock_timeout_seconds (AsbConcurrencyConfig *self,
                                                           double lifecycle_lock_timeout_seconds)
{
  g_return_if_fail (ASB_IS_CONCURRENCY_CONFIG (self));

  if (self->lifecycle_lock_timeout_seconds == lifecycle_lock_timeout_seconds)
    return;
  self->lifecycle_lock_timeout_seconds = lifecycle_lock_timeout_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LIFECYCLE_LOCK_TIMEOUT_SECONDS]);
}

/**
 * asb_concurrency_config_get_command_queue_timeout_seconds:
 * @self: a [class@ConcurrencyConfig]
 *
 * Gets [property@ConcurrencyConfig:command-queue-timeout-seconds].
 *
 * Returns: how long a command waits for its turn
 *
 * Since: 1.0
 */
double
asb_concurrency_config_get_command_queue_timeout_seconds (AsbConcurrencyConfig *self)
{
  g_return_val_if_fail (ASB_IS_CONCURRENCY_CONFIG (self), 0);

  return self->command_queue_timeout_seconds;
}

/**
 * asb_concurrency_config_set_command_queue_timeout_seconds:
 * @self: a [class@ConcurrencyConfig]
 * @command_queue_timeout_seconds: how long a command waits for its turn
 *
 * Sets [property@ConcurrencyConfig:command-queue-timeout-seconds].
 *
 * Since: 1.0
 */
void
asb_concurrency_config_set_command_queue_timeout_seconds (AsbConcurrencyConfig *self,
                                                          double command_queue_timeout_seconds)
{
  g_return_if_fail (ASB_IS_CONCURRENCY_CONFIG (self));

  if (self->command_queue_timeout_seconds == command_queue_timeout_seconds)
    return;
  self->command_queue_timeout_seconds = command_queue_timeout_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_COMMAND_QUEUE_TIMEOUT_SECONDS]);
}

/**
 * asb_concurrency_config_get_file_queue_timeout_seconds:
 * @self: a [class@ConcurrencyConfig]
 *
 * Gets [property@ConcurrencyConfig:file-queue-timeout-seconds].
 *
 * Returns: how long a file operation waits for its turn
 *
 * Since: 1.0
 */
double
asb_concurrency_config_get_file_queue_timeout_seconds (AsbConcurrencyConfig *self)
{
  g_return_val_if_fail (ASB_IS_CONCURRENCY_CONFIG (self), 0);

  return self->file_queue_timeout_seconds;
}

/**
 * asb_concurrency_config_set_file_queue_timeout_seconds:
 * @self: a [class@ConcurrencyConfig]
 * @file_queue_timeout_seconds: how long a file operation waits for its turn
 *
 * Sets [property@ConcurrencyConfig:file-queue-timeout-seconds].
 *
 * Since: 1.0
 */
void
asb_concurrency_config_set_file_queue_timeout_seconds (AsbConcurrencyConfig *self,
                                                       double file_queue_timeout_seconds)
{
  g_return_if_fail (ASB_IS_CONCURRENCY_CONFIG (self));

  if (self->file_queue_timeout_seconds == file_queue_timeout_seconds)
    return;
  self->file_queue_timeout_seconds = file_queue_timeout_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FILE_QUEUE_TIMEOUT_SECONDS]);
}

/**
 * asb_concurrency_config_get_upload_queue_timeout_seconds:
 * @self: a [class@ConcurrencyConfig]
 *
 * Gets [property@ConcurrencyConfig:upload-queue-timeout-seconds].
 *
 * Returns: how long an archive or upload waits for its turn
 *
 * Since: 1.0
 */
double
asb_concurrency_config_get_upload_queue_timeout_seconds (AsbConcurrencyConfig *self)
{
  g_return_val_if_fail (ASB_IS_CONCURRENCY_CONFIG (self), 0);

  return self->upload_queue_timeout_seconds;
}

/**
 * asb_concurrency_config_set_upload_queue_timeout_seconds:
 * @self: a [class@ConcurrencyConfig]
 * @upload_queue_timeout_seconds: how long an archive or upload waits for its turn
 *
 * Sets [property@ConcurrencyConfig:upload-queue-timeout-seconds].
 *
 * Since: 1.0
 */
void
asb_concurrency_config_set_upload_queue_timeout_seconds (AsbConcurrencyConfig *self,
                                                         double upload_queue_timeout_seconds)
{
  g_return_if_fail (ASB_IS_CONCURRENCY_CONFIG (self));

  if (self->upload_queue_timeout_seconds == upload_queue_timeout_seconds)
    return;
  self->upload_queue_timeout_seconds = upload_queue_timeout_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_UPLOAD_QUEUE_TIMEOUT_SECONDS]);
}
