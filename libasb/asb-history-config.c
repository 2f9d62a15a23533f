/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-history-config.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbHistoryConfig:
 *
 * What is recorded, how much of it, and for how long. Names, defaults and ranges are those of the
 * history database; [method@HistoryConfig.validate] checks them.
 *
 * Since: 1.0
 */

struct _AsbHistoryConfig
{
  GObject parent_instance;

  AsbHistoryMode mode;
  AsbHistoryConsistency consistency;
  gint64 ttl_days;
  gint64 max_database_bytes;
  gint64 max_operation_output_bytes;
  char *overflow_policy;
  gboolean capture_stdout;
  gboolean capture_stderr;
  gint64 output_chunk_bytes;
  gint64 output_flush_bytes;
  gint64 output_flush_interval_ms;
  gint64 output_queue_max_bytes;
  gint64 output_queue_max_chunks;
  double output_write_timeout_seconds;
  gint64 cleanup_min_interval_seconds;
  gint64 consumer_active_ttl_days;
  char *compression;
  gint64 compression_min_bytes;
  gint64 compression_level;
  gint64 sqlite_busy_timeout_ms;
  gint64 sqlite_cache_bytes;
  gint64 helper_query_max_bytes;
  gint64 helper_envelope_max_bytes;
  gint64 cleanup_interval_operations;
  gboolean cleanup_on_connect;
  gint64 stale_started_after_seconds;
};

enum
{
  PROP_0,
  PROP_MODE,
  PROP_CONSISTENCY,
  PROP_TTL_DAYS,
  PROP_MAX_DATABASE_BYTES,
  PROP_MAX_OPERATION_OUTPUT_BYTES,
  PROP_OVERFLOW_POLICY,
  PROP_CAPTURE_STDOUT,
  PROP_CAPTURE_STDERR,
  PROP_OUTPUT_CHUNK_BYTES,
  PROP_OUTPUT_FLUSH_BYTES,
  PROP_OUTPUT_FLUSH_INTERVAL_MS,
  PROP_OUTPUT_QUEUE_MAX_BYTES,
  PROP_OUTPUT_QUEUE_MAX_CHUNKS,
  PROP_OUTPUT_WRITE_TIMEOUT_SECONDS,
  PROP_CLEANUP_MIN_INTERVAL_SECONDS,
  PROP_CONSUMER_ACTIVE_TTL_DAYS,
  PROP_COMPRESSION,
  PROP_COMPRESSION_MIN_BYTES,
  PROP_COMPRESSION_LEVEL,
  PROP_SQLITE_BUSY_TIMEOUT_MS,
  PROP_SQLITE_CACHE_BYTES,
  PROP_HELPER_QUERY_MAX_BYTES,
  PROP_HELPER_ENVELOPE_MAX_BYTES,
  PROP_CLEANUP_INTERVAL_OPERATIONS,
  PROP_CLEANUP_ON_CONNECT,
  PROP_STALE_STARTED_AFTER_SECONDS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbHistoryConfig, asb_history_config, G_TYPE_OBJECT)

static void
asb_history_config_finalize (GObject *object)
{
  AsbHistoryConfig *self = ASB_HISTORY_CONFIG (object);

  g_clear_pointer (&self->overflow_policy, g_free);
  g_clear_pointer (&self->compression, g_free);

  G_OBJECT_CLASS (asb_history_config_parent_class)->finalize (object);
}

static void
asb_history_config_get_property (GObject *object, guint property_id, GValue *value,
                                 GParamSpec *pspec)
{
  AsbHistoryConfig *self = ASB_HISTORY_CONFIG (object);

  switch (property_id)
    {
    case PROP_MODE:
      g_value_set_enum (value, self->mode);
      break;
    case PROP_CONSISTENCY:
      g_value_set_enum (value, self->consistency);
      break;
    case PROP_TTL_DAYS:
      g_value_set_int64 (value, self->ttl_days);
      break;
    case PROP_MAX_DATABASE_BYTES:
      g_value_set_int64 (value, self->max_database_bytes);
      break;
    case PROP_MAX_OPERATION_OUTPUT_BYTES:
      g_value_set_int64 (value, self->max_operation_output_bytes);
      break;
    case PROP_OVERFLOW_POLICY:
      g_value_set_string (value, self->overflow_policy);
      break;
    case PROP_CAPTURE_STDOUT:
      g_value_set_boolean (value, self->capture_stdout);
      break;
    case PROP_CAPTURE_STDERR:
      g_value_set_boolean (value, self->capture_stderr);
      break;
    case PROP_OUTPUT_CHUNK_BYTES:
      g_value_set_int64 (value, self->output_chunk_bytes);
      break;
    case PROP_OUTPUT_FLUSH_BYTES:
      g_value_set_int64 (value, self->output_flush_bytes);
      break;
    case PROP_OUTPUT_FLUSH_INTERVAL_MS:
      g_value_set_int64 (value, self->output_flush_interval_ms);
      break;
    case PROP_OUTPUT_QUEUE_MAX_BYTES:
      g_value_set_int64 (value, self->output_queue_max_bytes);
      break;
    case PROP_OUTPUT_QUEUE_MAX_CHUNKS:
      g_value_set_int64 (value, self->output_queue_max_chunks);
      break;
    case PROP_OUTPUT_WRITE_TIMEOUT_SECONDS:
      g_value_set_double (value, self->output_write_timeout_seconds);
      break;
    case PROP_CLEANUP_MIN_INTERVAL_SECONDS:
      g_value_set_int64 (value, self->cleanup_min_interval_seconds);
      break;
    case PROP_CONSUMER_ACTIVE_TTL_DAYS:
      g_value_set_int64 (value, self->consumer_active_ttl_days);
      break;
    case PROP_COMPRESSION:
      g_value_set_string (value, self->compression);
      break;
    case PROP_COMPRESSION_MIN_BYTES:
      g_value_set_int64 (value, self->compression_min_bytes);
      break;
    case PROP_COMPRESSION_LEVEL:
      g_value_set_int64 (value, self->compression_level);
      break;
    case PROP_SQLITE_BUSY_TIMEOUT_MS:
      g_value_set_int64 (value, self->sqlite_busy_timeout_ms);
      break;
    case PROP_SQLITE_CACHE_BYTES:
      g_value_set_int64 (value, self->sqlite_cache_bytes);
      break;
    case PROP_HELPER_QUERY_MAX_BYTES:
      g_value_set_int64 (value, self->helper_query_max_bytes);
      break;
    case PROP_HELPER_ENVELOPE_MAX_BYTES:
      g_value_set_int64 (value, self->helper_envelope_max_bytes);
      break;
    case PROP_CLEANUP_INTERVAL_OPERATIONS:
      g_value_set_int64 (value, self->cleanup_interval_operations);
      break;
    case PROP_CLEANUP_ON_CONNECT:
      g_value_set_boolean (value, self->cleanup_on_connect);
      break;
    case PROP_STALE_STARTED_AFTER_SECONDS:
      g_value_set_int64 (value, self->stale_started_after_seconds);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_history_config_set_property (GObject *object, guint property_id, const GValue *value,
                                 GParamSpec *pspec)
{
  AsbHistoryConfig *self = ASB_HISTORY_CONFIG (object);

  switch (property_id)
    {
    case PROP_MODE:
      asb_history_config_set_mode (self, g_value_get_enum (value));
      break;
    case PROP_CONSISTENCY:
      asb_history_config_set_consistency (self, g_value_get_enum (value));
      break;
    case PROP_TTL_DAYS:
      asb_history_config_set_ttl_days (self, g_value_get_int64 (value));
      break;
    case PROP_MAX_DATABASE_BYTES:
      asb_history_config_set_max_database_bytes (self, g_value_get_int64 (value));
      break;
    case PROP_MAX_OPERATION_OUTPUT_BYTES:
      asb_history_config_set_max_operation_output_bytes (self, g_value_get_int64 (value));
      break;
    case PROP_OVERFLOW_POLICY:
      asb_history_config_set_overflow_policy (self, g_value_get_string (value));
      break;
    case PROP_CAPTURE_STDOUT:
      asb_history_config_set_capture_stdout (self, g_value_get_boolean (value));
      break;
    case PROP_CAPTURE_STDERR:
      asb_history_config_set_capture_stderr (self, g_value_get_boolean (value));
      break;
    case PROP_OUTPUT_CHUNK_BYTES:
      asb_history_config_set_output_chunk_bytes (self, g_value_get_int64 (value));
      break;
    case PROP_OUTPUT_FLUSH_BYTES:
      asb_history_config_set_output_flush_bytes (self, g_value_get_int64 (value));
      break;
    case PROP_OUTPUT_FLUSH_INTERVAL_MS:
      asb_history_config_set_output_flush_interval_ms (self, g_value_get_int64 (value));
      break;
    case PROP_OUTPUT_QUEUE_MAX_BYTES:
      asb_history_config_set_output_queue_max_bytes (self, g_value_get_int64 (value));
      break;
    case PROP_OUTPUT_QUEUE_MAX_CHUNKS:
      asb_history_config_set_output_queue_max_chunks (self, g_value_get_int64 (value));
      break;
    case PROP_OUTPUT_WRITE_TIMEOUT_SECONDS:
      asb_history_config_set_output_write_timeout_seconds (self, g_value_get_double (value));
      break;
    case PROP_CLEANUP_MIN_INTERVAL_SECONDS:
      asb_history_config_set_cleanup_min_interval_seconds (self, g_value_get_int64 (value));
      break;
    case PROP_CONSUMER_ACTIVE_TTL_DAYS:
      asb_history_config_set_consumer_active_ttl_days (self, g_value_get_int64 (value));
      break;
    case PROP_COMPRESSION:
      asb_history_config_set_compression (self, g_value_get_string (value));
      break;
    case PROP_COMPRESSION_MIN_BYTES:
      asb_history_config_set_compression_min_bytes (self, g_value_get_int64 (value));
      break;
    case PROP_COMPRESSION_LEVEL:
      asb_history_config_set_compression_level (self, g_value_get_int64 (value));
      break;
    case PROP_SQLITE_BUSY_TIMEOUT_MS:
      asb_history_config_set_sqlite_busy_timeout_ms (self, g_value_get_int64 (value));
      break;
    case PROP_SQLITE_CACHE_BYTES:
      asb_history_config_set_sqlite_cache_bytes (self, g_value_get_int64 (value));
      break;
    case PROP_HELPER_QUERY_MAX_BYTES:
      asb_history_config_set_helper_query_max_bytes (self, g_value_get_int64 (value));
      break;
    case PROP_HELPER_ENVELOPE_MAX_BYTES:
      asb_history_config_set_helper_envelope_max_bytes (self, g_value_get_int64 (value));
      break;
    case PROP_CLEANUP_INTERVAL_OPERATIONS:
      asb_history_config_set_cleanup_interval_operations (self, g_value_get_int64 (value));
      break;
    case PROP_CLEANUP_ON_CONNECT:
      asb_history_config_set_cleanup_on_connect (self, g_value_get_boolean (value));
      break;
    case PROP_STALE_STARTED_AFTER_SECONDS:
      asb_history_config_set_stale_started_after_seconds (self, g_value_get_int64 (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_history_config_class_init (AsbHistoryConfigClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_history_config_finalize;
  object_class->get_property = asb_history_config_get_property;
  object_class->set_property = asb_history_config_set_property;

  /**
   * AsbHistoryConfig:mode:
   *
   * Where the record goes. The default is %ASB_HISTORY_MODE_SANDBOX.
   *
   * Since: 1.0
   */
  properties[PROP_MODE] = g_param_spec_enum ("mode", NULL, NULL, ASB_TYPE_HISTORY_MODE,
                                             ASB_HISTORY_MODE_SANDBOX, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:consistency:
   *
   * What happens when the record cannot be written. The default is
   * %ASB_HISTORY_CONSISTENCY_STRICT_START.
   *
   * Since: 1.0
   */
  properties[PROP_CONSISTENCY] = g_param_spec_enum (
      "consistency", NULL, NULL, ASB_TYPE_HISTORY_CONSISTENCY, 0, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:ttl-days:
   *
   * Days to keep finished operations; ≥ 1, or 0 for ever. The default is 7.
   *
   * Since: 1.0
   */
  properties[PROP_TTL_DAYS]
      = g_param_spec_int64 ("ttl-days", NULL, NULL, G_MININT64, G_MAXINT64, 7, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:max-database-bytes:
   *
   * Bytes the record may have in use; ≥ 4 MiB. All its files together stay under twice as much. The
   * default is 128 MiB.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_DATABASE_BYTES]
      = g_param_spec_int64 ("max-database-bytes", NULL, NULL, G_MININT64, G_MAXINT64,
                            G_GINT64_CONSTANT (134217728), ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:max-operation-output-bytes:
   *
   * Bytes of output kept for one command; ≥ 1, less than the database may have. The default is 16
   * MiB.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_OPERATION_OUTPUT_BYTES]
      = g_param_spec_int64 ("max-operation-output-bytes", NULL, NULL, G_MININT64, G_MAXINT64,
                            16777216, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:overflow-policy:
   *
   * `delete_oldest`, `stop_recording` or `fail_operation`. The default is `delete_oldest`.
   *
   * Since: 1.0
   */
  properties[PROP_OVERFLOW_POLICY]
      = g_param_spec_string ("overflow-policy", NULL, NULL, "delete_oldest", ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:capture-stdout:
   *
   * Whether standard output is recorded. The default is %TRUE.
   *
   * Since: 1.0
   */
  properties[PROP_CAPTURE_STDOUT]
      = g_param_spec_boolean ("capture-stdout", NULL, NULL, TRUE, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:capture-stderr:
   *
   * Whether standard error is recorded. The default is %TRUE.
   *
   * Since: 1.0
   */
  properties[PROP_CAPTURE_STDERR]
      = g_param_spec_boolean ("capture-stderr", NULL, NULL, TRUE, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:output-chunk-bytes:
   *
   * Bytes in a stored piece of output; 4 KiB to 256 KiB. The default is 16 KiB.
   *
   * Since: 1.0
   */
  properties[PROP_OUTPUT_CHUNK_BYTES] = g_param_spec_int64 (
      "output-chunk-bytes", NULL, NULL, G_MININT64, G_MAXINT64, 16384, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:output-flush-bytes:
   *
   * Bytes after which output is stored; 1 to 1 MiB. The default is 32 KiB.
   *
   * Since: 1.0
   */
  properties[PROP_OUTPUT_FLUSH_BYTES] = g_param_spec_int64 (
      "output-flush-bytes", NULL, NULL, G_MININT64, G_MAXINT64, 32768, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:output-flush-interval-ms:
   *
   * Milliseconds after which output is stored; 0 (off) to 5,000. The default is 500.
   *
   * Since: 1.0
   */
  properties[PROP_OUTPUT_FLUSH_INTERVAL_MS] = g_param_spec_int64 (
      "output-flush-interval-ms", NULL, NULL, G_MININT64, G_MAXINT64, 500, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:output-queue-max-bytes:
   *
   * Bytes of output that may wait to be stored; 4 KiB to 64 MiB. The default is 4 MiB.
   *
   * Since: 1.0
   */
  properties[PROP_OUTPUT_QUEUE_MAX_BYTES] = g_param_spec_int64 (
      "output-queue-max-bytes", NULL, NULL, G_MININT64, G_MAXINT64, 4194304, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:output-queue-max-chunks:
   *
   * Pieces that may wait to be stored; 1 to 4,096. The default is 256.
   *
   * Since: 1.0
   */
  properties[PROP_OUTPUT_QUEUE_MAX_CHUNKS] = g_param_spec_int64 (
      "output-queue-max-chunks", NULL, NULL, G_MININT64, G_MAXINT64, 256, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:output-write-timeout-seconds:
   *
   * Seconds a write may take; more than 0, at most 300. The default is 10.
   *
   * Since: 1.0
   */
  properties[PROP_OUTPUT_WRITE_TIMEOUT_SECONDS] = g_param_spec_double (
      "output-write-timeout-seconds", NULL, NULL, 0, G_MAXDOUBLE, 10.0, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:cleanup-min-interval-seconds:
   *
   * Seconds between two clean-ups; 0 to 86,400. The default is 3,600.
   *
   * Since: 1.0
   */
  properties[PROP_CLEANUP_MIN_INTERVAL_SECONDS]
      = g_param_spec_int64 ("cleanup-min-interval-seconds", NULL, NULL, G_MININT64, G_MAXINT64,
                            3600, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:consumer-active-ttl-days:
   *
   * Days a reader that fell silent still holds back clean-up; 1 to 3,650. The default is 30.
   *
   * Since: 1.0
   */
  properties[PROP_CONSUMER_ACTIVE_TTL_DAYS] = g_param_spec_int64 (
      "consumer-active-ttl-days", NULL, NULL, G_MININT64, G_MAXINT64, 30, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:compression:
   *
   * `identity`, `zlib` or `gzip`. The default is `identity`.
   *
   * Since: 1.0
   */
  properties[PROP_COMPRESSION]
      = g_param_spec_string ("compression", NULL, NULL, "identity", ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:compression-min-bytes:
   *
   * Bytes from which output is compressed; ≥ 0. The default is 4 KiB.
   *
   * Since: 1.0
   */
  properties[PROP_COMPRESSION_MIN_BYTES] = g_param_spec_int64 (
      "compression-min-bytes", NULL, NULL, G_MININT64, G_MAXINT64, 4096, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:compression-level:
   *
   * How hard to compress; 1 to 9. The default is 1.
   *
   * Since: 1.0
   */
  properties[PROP_COMPRESSION_LEVEL] = g_param_spec_int64 (
      "compression-level", NULL, NULL, G_MININT64, G_MAXINT64, 1, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:sqlite-busy-timeout-ms:
   *
   * Milliseconds to wait for another writer; 100 to 60,000. The default is 5,000.
   *
   * Since: 1.0
   */
  properties[PROP_SQLITE_BUSY_TIMEOUT_MS] = g_param_spec_int64 (
      "sqlite-busy-timeout-ms", NULL, NULL, G_MININT64, G_MAXINT64, 5000, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:sqlite-cache-bytes:
   *
   * Memory for the database; 1 MiB to 64 MiB. The default is 4 MiB.
   *
   * Since: 1.0
   */
  properties[PROP_SQLITE_CACHE_BYTES] = g_param_spec_int64 (
      "sqlite-cache-bytes", NULL, NULL, G_MININT64, G_MAXINT64, 4194304, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:helper-query-max-bytes:
   *
   * Bytes in the answer to a query; 64 KiB to 32 MiB. The default is 4 MiB.
   *
   * Since: 1.0
   */
  properties[PROP_HELPER_QUERY_MAX_BYTES] = g_param_spec_int64 (
      "helper-query-max-bytes", NULL, NULL, G_MININT64, G_MAXINT64, 4194304, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:helper-envelope-max-bytes:
   *
   * Bytes in a batch; 64 KiB to 16 MiB. The default is 1 MiB.
   *
   * Since: 1.0
   */
  properties[PROP_HELPER_ENVELOPE_MAX_BYTES]
      = g_param_spec_int64 ("helper-envelope-max-bytes", NULL, NULL, G_MININT64, G_MAXINT64,
                            1048576, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:cleanup-interval-operations:
   *
   * Operations between two clean-ups by age; 1 to 10,000. What is too large is made smaller at
   * once. The default is 100.
   *
   * Since: 1.0
   */
  properties[PROP_CLEANUP_INTERVAL_OPERATIONS] = g_param_spec_int64 (
      "cleanup-interval-operations", NULL, NULL, G_MININT64, G_MAXINT64, 100, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:cleanup-on-connect:
   *
   * Whether to clean up when a client connects. The default is %TRUE.
   *
   * Since: 1.0
   */
  properties[PROP_CLEANUP_ON_CONNECT]
      = g_param_spec_boolean ("cleanup-on-connect", NULL, NULL, TRUE, ASB_PARAM_READWRITE);

  /**
   * AsbHistoryConfig:stale-started-after-seconds:
   *
   * Seconds after which an operation nobody ended counts as lost; 30 to 86,400. The default is 300.
   *
   * Since: 1.0
   */
  properties[PROP_STALE_STARTED_AFTER_SECONDS] = g_param_spec_int64 (
      "stale-started-after-seconds", NULL, NULL, G_MININT64, G_MAXINT64, 300, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_history_config_init (AsbHistoryConfig *self)
{
  self->mode = ASB_HISTORY_MODE_SANDBOX;
  self->ttl_days = 7;
  self->max_database_bytes = G_GINT64_CONSTANT (134217728);
  self->max_operation_output_bytes = 16777216;
  self->overflow_policy = g_strdup ("delete_oldest");
  self->capture_stdout = TRUE;
  self->capture_stderr = TRUE;
  self->output_chunk_bytes = 16384;
  self->output_flush_bytes = 32768;
  self->output_flush_interval_ms = 500;
  self->output_queue_max_bytes = 4194304;
  self->output_queue_max_chunks = 256;
  self->output_write_timeout_seconds = 10.0;
  self->cleanup_min_interval_seconds = 3600;
  self->consumer_active_ttl_days = 30;
  self->compression = g_strdup ("identity");
  self->compression_min_bytes = 4096;
  self->compression_level = 1;
  self->sqlite_busy_timeout_ms = 5000;
  self->sqlite_cache_bytes = 4194304;
  self->helper_query_max_bytes = 4194304;
  self->helper_envelope_max_bytes = 1048576;
  self->cleanup_interval_operations = 100;
  self->cleanup_on_connect = TRUE;
  self->stale_started_after_seconds = 300;
}

/**
 * asb_history_config_new:
 *
 * Makes a [class@HistoryConfig] with every property at its default.
 *
 * Returns: (transfer full): a new [class@HistoryConfig]
 *
 * Since: 1.0
 */
AsbHistoryConfig *
asb_history_config_new (void)
{
  return g_object_new (ASB_TYPE_HISTORY_CONFIG, NULL);
}

/**
 * asb_history_config_get_mode:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:mode].
 *
 * Returns: where the record goes
 *
 * Since: 1.0
 */
AsbHistoryMode
asb_history_config_get_mode (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->mode;
}

/**
 * asb_history_config_set_mode:
 * @self: a [class@HistoryConfig]
 * @mode: where the record goes
 *
 * Sets [property@HistoryConfig:mode].
 *
 * Since: 1.0
 */
void
asb_history_config_set_mode (AsbHistoryConfig *self, AsbHistoryMode mode)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->mode == mode)
    return;
  self->mode = mode;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODE]);
}

/**
 * asb_history_config_get_consistency:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:consistency].
 *
 * Returns: what happens when the record cannot be written
 *
 * Since: 1.0
 */
AsbHistoryConsistency
asb_history_config_get_consistency (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->consistency;
}

/**
 * asb_history_config_set_consistency:
 * @self: a [class@HistoryConfig]
 * @consistency: what happens when the record cannot be written
 *
 * Sets [property@HistoryConfig:consistency].
 *
 * Since: 1.0
 */
void
asb_history_config_set_consistency (AsbHistoryConfig *self, AsbHistoryConsistency consistency)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->consistency == consistency)
    return;
  self->consistency = consistency;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONSISTENCY]);
}

/**
 * asb_history_config_get_ttl_days:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:ttl-days].
 *
 * Returns: days to keep finished operations; ≥ 1, or 0 for ever
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_ttl_days (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->ttl_days;
}

/**
 * asb_history_config_set_ttl_days:
 * @self: a [class@HistoryConfig]
 * @ttl_days: days to keep finished operations; ≥ 1, or 0 for ever
 *
 * Sets [property@HistoryConfig:ttl-days].
 *
 * Since: 1.0
 */
void
asb_history_config_set_ttl_days (AsbHistoryConfig *self, gint64 ttl_days)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->ttl_days == ttl_days)
    return;
  self->ttl_days = ttl_days;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TTL_DAYS]);
}

/**
 * asb_history_config_get_max_database_bytes:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:max-database-bytes].
 *
 * Returns: bytes the record may have in use; ≥ 4 MiB
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_max_database_bytes (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->max_database_bytes;
}

/**
 * asb_history_config_set_max_database_bytes:
 * @self: a [class@HistoryConfig]
 * @max_database_bytes: bytes the record may have in use; ≥ 4 MiB
 *
 * Sets [property@HistoryConfig:max-database-bytes].
 *
 * Since: 1.0
 */
void
asb_history_config_set_max_database_bytes (AsbHistoryConfig *self, gint64 max_database_bytes)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->max_database_bytes == max_database_bytes)
    return;
  self->max_database_bytes = max_database_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_DATABASE_BYTES]);
}

/**
 * asb_history_config_get_max_operation_output_bytes:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:max-operation-output-bytes].
 *
 * Returns: bytes of output kept for one command; ≥ 1, less than the database may have
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_max_operation_output_bytes (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->max_operation_output_bytes;
}

/**
 * asb_history_config_set_max_operation_output_bytes:
 * @self: a [class@HistoryConfig]
 * @max_operation_output_bytes: bytes of output kept for one command; ≥ 1, less than the database
 * may have
 *
 * Sets [property@HistoryConfig:max-operation-output-bytes].
 *
 * Since: 1.0
 */
void
asb_history_config_set_max_operation_output_bytes (AsbHistoryConfig *self,
                                                   gint64 max_operation_output_bytes)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->max_operation_output_bytes == max_operation_output_bytes)
    return;
  self->max_operation_output_bytes = max_operation_output_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_OPERATION_OUTPUT_BYTES]);
}

/**
 * asb_history_config_get_overflow_policy:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:overflow-policy].
 *
 * Returns: (transfer none): `delete_oldest`, `stop_recording` or `fail_operation`
 *
 * Since: 1.0
 */
const char *
asb_history_config_get_overflow_policy (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), NULL);

  return self->overflow_policy;
}

/**
 * asb_history_config_set_overflow_policy:
 * @self: a [class@HistoryConfig]
 * @overflow_policy: `delete_oldest`, `stop_recording` or `fail_operation`
 *
 * Sets [property@HistoryConfig:overflow-policy].
 *
 * Since: 1.0
 */
void
asb_history_config_set_overflow_policy (AsbHistoryConfig *self, const char *overflow_policy)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (asb_property_replace_string (&self->overflow_policy, overflow_policy))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OVERFLOW_POLICY]);
}

/**
 * asb_history_config_get_capture_stdout:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:capture-stdout].
 *
 * Returns: whether standard output is recorded
 *
 * Since: 1.0
 */
gboolean
asb_history_config_get_capture_stdout (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), FALSE);

  return self->capture_stdout;
}

/**
 * asb_history_config_set_capture_stdout:
 * @self: a [class@HistoryConfig]
 * @capture_stdout: whether standard output is recorded
 *
 * Sets [property@HistoryConfig:capture-stdout].
 *
 * Since: 1.0
 */
void
asb_history_config_set_capture_stdout (AsbHistoryConfig *self, gboolean capture_stdout)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->capture_stdout == capture_stdout)
    return;
  self->capture_stdout = capture_stdout;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAPTURE_STDOUT]);
}

/**
 * asb_history_config_get_capture_stderr:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:capture-stderr].
 *
 * Returns: whether standard error is recorded
 *
 * Since: 1.0
 */
gboolean
asb_history_config_get_capture_stderr (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), FALSE);

  return self->capture_stderr;
}

/**
 * asb_history_config_set_capture_stderr:
 * @self: a [class@HistoryConfig]
 * @capture_stderr: whether standard error is recorded
 *
 * Sets [property@HistoryConfig:capture-stderr].
 *
 * Since: 1.0
 */
void
asb_history_config_set_capture_stderr (AsbHistoryConfig *self, gboolean capture_stderr)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->capture_stderr == capture_stderr)
    return;
  self->capture_stderr = capture_stderr;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAPTURE_STDERR]);
}

/**
 * asb_history_config_get_output_chunk_bytes:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:output-chunk-bytes].
 *
 * Returns: bytes in a stored piece of output; 4 KiB to 256 KiB
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_output_chunk_bytes (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->output_chunk_bytes;
}

/**
 * asb_history_config_set_output_chunk_bytes:
 * @self: a [class@HistoryConfig]
 * @output_chunk_bytes: bytes in a stored piece of output; 4 KiB to 256 KiB
 *
 * Sets [property@HistoryConfig:output-chunk-bytes].
 *
 * Since: 1.0
 */
void
asb_history_config_set_output_chunk_bytes (AsbHistoryConfig *self, gint64 output_chunk_bytes)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->output_chunk_bytes == output_chunk_bytes)
    return;
  self->output_chunk_bytes = output_chunk_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OUTPUT_CHUNK_BYTES]);
}

/**
 * asb_history_config_get_output_flush_bytes:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:output-flush-bytes].
 *
 * Returns: bytes after which output is stored; 1 to 1 MiB
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_output_flush_bytes (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->output_flush_bytes;
}

/**
 * asb_history_config_set_output_flush_bytes:
 * @self: a [class@HistoryConfig]
 * @output_flush_bytes: bytes after which output is stored; 1 to 1 MiB
 *
 * Sets [property@HistoryConfig:output-flush-bytes].
 *
 * Since: 1.0
 */
void
asb_history_config_set_output_flush_bytes (AsbHistoryConfig *self, gint64 output_flush_bytes)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->output_flush_bytes == output_flush_bytes)
    return;
  self->output_flush_bytes = output_flush_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OUTPUT_FLUSH_BYTES]);
}

/**
 * asb_history_config_get_output_flush_interval_ms:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:output-flush-interval-ms].
 *
 * Returns: milliseconds after which output is stored; 0 (off) to 5,000
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_output_flush_interval_ms (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->output_flush_interval_ms;
}

/**
 * asb_history_config_set_output_flush_interval_ms:
 * @self: a [class@HistoryConfig]
 * @output_flush_interval_ms: milliseconds after which output is stored; 0 (off) to 5,000
 *
 * Sets [property@HistoryConfig:output-flush-interval-ms].
 *
 * Since: 1.0
 */
void
asb_history_config_set_output_flush_interval_ms (AsbHistoryConfig *self,
                                                 gint64 output_flush_interval_ms)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->output_flush_interval_ms == output_flush_interval_ms)
    return;
  self->output_flush_interval_ms = output_flush_interval_ms;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OUTPUT_FLUSH_INTERVAL_MS]);
}

/**
 * asb_history_config_get_output_queue_max_bytes:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:output-queue-max-bytes].
 *
 * Returns: bytes of output that may wait to be stored; 4 KiB to 64 MiB
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_output_queue_max_bytes (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->output_queue_max_bytes;
}

/**
 * asb_history_config_set_output_queue_max_bytes:
 * @self: a [class@HistoryConfig]
 * @output_queue_max_bytes: bytes of output that may wait to be stored; 4 KiB to 64 MiB
 *
 * Sets [property@HistoryConfig:output-queue-max-bytes].
 *
 * Since: 1.0
 */
void
asb_history_config_set_output_queue_max_bytes (AsbHistoryConfig *self,
                                               gint64 output_queue_max_bytes)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->output_queue_max_bytes == output_queue_max_bytes)
    return;
  self->output_queue_max_bytes = output_queue_max_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OUTPUT_QUEUE_MAX_BYTES]);
}

/**
 * asb_history_config_get_output_queue_max_chunks:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:output-queue-max-chunks].
 *
 * Returns: pieces that may wait to be stored; 1 to 4,096
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_output_queue_max_chunks (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->output_queue_max_chunks;
}

/**
 * asb_history_config_set_output_queue_max_chunks:
 * @self: a [class@HistoryConfig]
 * @output_queue_max_chunks: pieces that may wait to be stored; 1 to 4,096
 *
 * Sets [property@HistoryConfig:output-queue-max-chunks].
 *
 * Since: 1.0
 */
void
asb_history_config_set_output_queue_max_chunks (AsbHistoryConfig *self,
                                                gint64 output_queue_max_chunks)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->output_queue_max_chunks == output_queue_max_chunks)
    return;
  self->output_queue_max_chunks = output_queue_max_chunks;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OUTPUT_QUEUE_MAX_CHUNKS]);
}

/**
 * asb_history_config_get_output_write_timeout_seconds:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:output-write-timeout-seconds].
 *
 * Returns: seconds a write may take; more than 0, at most 300
 *
 * Since: 1.0
 */
double
asb_history_config_get_output_write_timeout_seconds (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->output_write_timeout_seconds;
}

/**
 * asb_history_config_set_output_write_timeout_seconds:
 * @self: a [class@HistoryConfig]
 * @output_write_timeout_seconds: seconds a write may take; more than 0, at most 300
 *
 * Sets [property@HistoryConfig:output-write-timeout-seconds].
 *
 * Since: 1.0
 */
void
asb_history_config_set_output_write_timeout_seconds (AsbHistoryConfig *self,
                                                     double output_write_timeout_seconds)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->output_write_timeout_seconds == output_write_timeout_seconds)
    return;
  self->output_write_timeout_seconds = output_write_timeout_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OUTPUT_WRITE_TIMEOUT_SECONDS]);
}

/**
 * asb_history_config_get_cleanup_min_interval_seconds:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:cleanup-min-interval-seconds].
 *
 * Returns: seconds between two clean-ups; 0 to 86,400
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_cleanup_min_interval_seconds (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->cleanup_min_interval_seconds;
}

/**
 * asb_history_config_set_cleanup_min_interval_seconds:
 * @self: a [class@HistoryConfig]
 * @cleanup_min_interval_seconds: seconds between two clean-ups; 0 to 86,400
 *
 * Sets [property@HistoryConfig:cleanup-min-interval-seconds].
 *
 * Since: 1.0
 */
void
asb_history_config_set_cleanup_min_interval_seconds (AsbHistoryConfig *self,
                                                     gint64 cleanup_min_interval_seconds)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->cleanup_min_interval_seconds == cleanup_min_interval_seconds)
    return;
  self->cleanup_min_interval_seconds = cleanup_min_interval_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CLEANUP_MIN_INTERVAL_SECONDS]);
}

/**
 * asb_history_config_get_consumer_active_ttl_days:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:consumer-active-ttl-days].
 *
 * Returns: days a reader that fell silent still holds back clean-up; 1 to 3,650
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_consumer_active_ttl_days (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->consumer_active_ttl_days;
}

/**
 * asb_history_config_set_consumer_active_ttl_days:
 * @self: a [class@HistoryConfig]
 * @consumer_active_ttl_days: days a reader that fell silent still holds back clean-up; 1 to 3,650
 *
 * Sets [property@HistoryConfig:consumer-active-ttl-days].
 *
 * Since: 1.0
 */
void
asb_history_config_set_consumer_active_ttl_days (AsbHistoryConfig *self,
                                                 gint64 consumer_active_ttl_days)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->consumer_active_ttl_days == consumer_active_ttl_days)
    return;
  self->consumer_active_ttl_days = consumer_active_ttl_days;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONSUMER_ACTIVE_TTL_DAYS]);
}

/**
 * asb_history_config_get_compression:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:compression].
 *
 * Returns: (transfer none): `identity`, `zlib` or `gzip`
 *
 * Since: 1.0
 */
const char *
asb_history_config_get_compression (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), NULL);

  return self->compression;
}

/**
 * asb_history_config_set_compression:
 * @self: a [class@HistoryConfig]
 * @compression: `identity`, `zlib` or `gzip`
 *
 * Sets [property@HistoryConfig:compression].
 *
 * Since: 1.0
 */
void
asb_history_config_set_compression (AsbHistoryConfig *self, const char *compression)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (asb_property_replace_string (&self->compression, compression))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_COMPRESSION]);
}

/**
 * asb_history_config_get_compression_min_bytes:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:compression-min-bytes].
 *
 * Returns: bytes from which output is compressed; ≥ 0
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_compression_min_bytes (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->compression_min_bytes;
}

/**
 * asb_history_config_set_compression_min_bytes:
 * @self: a [class@HistoryConfig]
 * @compression_min_bytes: bytes from which output is compressed; ≥ 0
 *
 * Sets [property@HistoryConfig:compression-min-bytes].
 *
 * Since: 1.0
 */
void
asb_history_config_set_compression_min_bytes (AsbHistoryConfig *self, gint64 compression_min_bytes)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->compression_min_bytes == compression_min_bytes)
    return;
  self->compression_min_bytes = compression_min_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_COMPRESSION_MIN_BYTES]);
}

/**
 * asb_history_config_get_compression_level:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:compression-level].
 *
 * Returns: how hard to compress; 1 to 9
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_compression_level (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->compression_level;
}

/**
 * asb_history_config_set_compression_level:
 * @self: a [class@HistoryConfig]
 * @compression_level: how hard to compress; 1 to 9
 *
 * Sets [property@HistoryConfig:compression-level].
 *
 * Since: 1.0
 */
void
asb_history_config_set_compression_level (AsbHistoryConfig *self, gint64 compression_level)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->compression_level == compression_level)
    return;
  self->compression_level = compression_level;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_COMPRESSION_LEVEL]);
}

/**
 * asb_history_config_get_sqlite_busy_timeout_ms:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:sqlite-busy-timeout-ms].
 *
 * Returns: milliseconds to wait for another writer; 100 to 60,000
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_sqlite_busy_timeout_ms (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->sqlite_busy_timeout_ms;
}

/**
 * asb_history_config_set_sqlite_busy_timeout_ms:
 * @self: a [class@HistoryConfig]
 * @sqlite_busy_timeout_ms: milliseconds to wait for another writer; 100 to 60,000
 *
 * Sets [property@HistoryConfig:sqlite-busy-timeout-ms].
 *
 * Since: 1.0
 */
void
asb_history_config_set_sqlite_busy_timeout_ms (AsbHistoryConfig *self,
                                               gint64 sqlite_busy_timeout_ms)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->sqlite_busy_timeout_ms == sqlite_busy_timeout_ms)
    return;
  self->sqlite_busy_timeout_ms = sqlite_busy_timeout_ms;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SQLITE_BUSY_TIMEOUT_MS]);
}

/**
 * asb_history_config_get_sqlite_cache_bytes:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:sqlite-cache-bytes].
 *
 * Returns: memory for the database; 1 MiB to 64 MiB
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_sqlite_cache_bytes (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->sqlite_cache_bytes;
}

/**
 * asb_history_config_set_sqlite_cache_bytes:
 * @self: a [class@HistoryConfig]
 * @sqlite_cache_bytes: memory for the database; 1 MiB to 64 MiB
 *
 * Sets [property@HistoryConfig:sqlite-cache-bytes].
 *
 * Since: 1.0
 */
void
asb_history_config_set_sqlite_cache_bytes (AsbHistoryConfig *self, gint64 sqlite_cache_bytes)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->sqlite_cache_bytes == sqlite_cache_bytes)
    return;
  self->sqlite_cache_bytes = sqlite_cache_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SQLITE_CACHE_BYTES]);
}

/**
 * asb_history_config_get_helper_query_max_bytes:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:helper-query-max-bytes].
 *
 * Returns: bytes in the answer to a query; 64 KiB to 32 MiB
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_helper_query_max_bytes (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->helper_query_max_bytes;
}

/**
 * asb_history_config_set_helper_query_max_bytes:
 * @self: a [class@HistoryConfig]
 * @helper_query_max_bytes: bytes in the answer to a query; 64 KiB to 32 MiB
 *
 * Sets [property@HistoryConfig:helper-query-max-bytes].
 *
 * Since: 1.0
 */
void
asb_history_config_set_helper_query_max_bytes (AsbHistoryConfig *self,
                                               gint64 helper_query_max_bytes)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->helper_query_max_bytes == helper_query_max_bytes)
    return;
  self->helper_query_max_bytes = helper_query_max_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HELPER_QUERY_MAX_BYTES]);
}

/**
 * asb_history_config_get_helper_envelope_max_bytes:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:helper-envelope-max-bytes].
 *
 * Returns: bytes in a batch; 64 KiB to 16 MiB
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_helper_envelope_max_bytes (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->helper_envelope_max_bytes;
}

/**
 * asb_history_config_set_helper_envelope_max_bytes:
 * @self: a [class@HistoryConfig]
 * @helper_envelope_max_bytes: bytes in a batch; 64 KiB to 16 MiB
 *
 * Sets [property@HistoryConfig:helper-envelope-max-bytes].
 *
 * Since: 1.0
 */
void
asb_history_config_set_helper_envelope_max_bytes (AsbHistoryConfig *self,
                                                  gint64 helper_envelope_max_bytes)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->helper_envelope_max_bytes == helper_envelope_max_bytes)
    return;
  self->helper_envelope_max_bytes = helper_envelope_max_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HELPER_ENVELOPE_MAX_BYTES]);
}

/**
 * asb_history_config_get_cleanup_interval_operations:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:cleanup-interval-operations].
 *
 * Returns: operations between two clean-ups; 1 to 10,000
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_cleanup_interval_operations (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->cleanup_interval_operations;
}

/**
 * asb_history_config_set_cleanup_interval_operations:
 * @self: a [class@HistoryConfig]
 * @cleanup_interval_operations: operations between two clean-ups; 1 to 10,000
 *
 * Sets [property@HistoryConfig:cleanup-interval-operations].
 *
 * Since: 1.0
 */
void
asb_history_config_set_cleanup_interval_operations (AsbHistoryConfig *self,
                                                    gint64 cleanup_interval_operations)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->cleanup_interval_operations == cleanup_interval_operations)
    return;
  self->cleanup_interval_operations = cleanup_interval_operations;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CLEANUP_INTERVAL_OPERATIONS]);
}

/**
 * asb_history_config_get_cleanup_on_connect:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:cleanup-on-connect].
 *
 * Returns: whether to clean up when a client connects
 *
 * Since: 1.0
 */
gboolean
asb_history_config_get_cleanup_on_connect (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), FALSE);

  return self->cleanup_on_connect;
}

/**
 * asb_history_config_set_cleanup_on_connect:
 * @self: a [class@HistoryConfig]
 * @cleanup_on_connect: whether to clean up when a client connects
 *
 * Sets [property@HistoryConfig:cleanup-on-connect].
 *
 * Since: 1.0
 */
void
asb_history_config_set_cleanup_on_connect (AsbHistoryConfig *self, gboolean cleanup_on_connect)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->cleanup_on_connect == cleanup_on_connect)
    return;
  self->cleanup_on_connect = cleanup_on_connect;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CLEANUP_ON_CONNECT]);
}

/**
 * asb_history_config_get_stale_started_after_seconds:
 * @self: a [class@HistoryConfig]
 *
 * Gets [property@HistoryConfig:stale-started-after-seconds].
 *
 * Returns: seconds after which an operation nobody ended counts as lost; 30 to 86,400
 *
 * Since: 1.0
 */
gint64
asb_history_config_get_stale_started_after_seconds (AsbHistoryConfig *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), 0);

  return self->stale_started_after_seconds;
}

/**
 * asb_history_config_set_stale_started_after_seconds:
 * @self: a [class@HistoryConfig]
 * @stale_started_after_seconds: seconds after which an operation nobody ended counts as lost; 30
 * to 86,400
 *
 * Sets [property@HistoryConfig:stale-started-after-seconds].
 *
 * Since: 1.0
 */
void
asb_history_config_set_stale_started_after_seconds (AsbHistoryConfig *self,
                                                    gint64 stale_started_after_seconds)
{
  g_return_if_fail (ASB_IS_HISTORY_CONFIG (self));

  if (self->stale_started_after_seconds == stale_started_after_seconds)
    return;
  self->stale_started_after_seconds = stale_started_after_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STALE_STARTED_AFTER_SECONDS]);
}
