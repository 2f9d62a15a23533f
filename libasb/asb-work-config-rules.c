/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-work-config-rules-private.h"

#include "asb-error.h"

static gboolean
check_count (const char *name, guint value, guint minimum, guint maximum, GError **error)
{
  if (value >= minimum && value <= maximum)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "Option “%s” is %u; it must be %u to %u", name, value, minimum, maximum);
  return FALSE;
}

static gboolean
check_number (const char *name, double value, double minimum, double maximum, GError **error)
{
  /* This way round, since it may be no number. */
  if (value >= minimum && value <= maximum)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "Option “%s” is %g; it must be %g to %g", name, value, minimum, maximum);
  return FALSE;
}

gboolean
asb_concurrency_config_check (AsbConcurrencyConfig *self, GError **error)
{
  return check_count ("concurrency.max-parallel-commands",
                      asb_concurrency_config_get_max_parallel_commands (self), 1, 256, error)
         && check_count ("concurrency.max-parallel-file-reads",
                         asb_concurrency_config_get_max_parallel_file_reads (self), 1, 1024, error)
         && check_count ("concurrency.max-parallel-file-writes",
                         asb_concurrency_config_get_max_parallel_file_writes (self), 1, 256, error)
         && check_count ("concurrency.max-parallel-uploads",
                         asb_concurrency_config_get_max_parallel_uploads (self), 1, 64, error)
         && check_number ("concurrency.lifecycle-lock-timeout-seconds",
                          asb_concurrency_config_get_lifecycle_lock_timeout_seconds (self), 0.001,
                          3600, error)
         && check_number ("concurrency.command-queue-timeout-seconds",
                          asb_concurrency_config_get_command_queue_timeout_seconds (self), 0.001,
                          3600, error)
         && check_number ("concurrency.file-queue-timeout-seconds",
                          asb_concurrency_config_get_file_queue_timeout_seconds (self), 0.001, 3600,
                          error)
         && check_number ("concurrency.upload-queue-timeout-seconds",
                          asb_concurrency_config_get_upload_queue_timeout_seconds (self), 0.001,
                          7200, error);
}

gboolean
asb_retry_config_check (AsbRetryConfig *self, GError **error)
{
  double deadline = asb_retry_config_get_total_deadline_seconds (self);
  guint base = asb_retry_config_get_base_delay_ms (self);

  return check_count ("retry.max-attempts", asb_retry_config_get_max_attempts (self), 1, 10, error)
         && check_count ("retry.base-delay-ms", base, 0, 10000, error)
         && check_count ("retry.max-delay-ms", asb_retry_config_get_max_delay_ms (self), base,
                         60000, error)
         && check_number ("retry.jitter-ratio", asb_retry_config_get_jitter_ratio (self), 0, 1,
                          error)
         && (deadline == 0
             || check_number ("retry.total-deadline-seconds", deadline, 0.001, 3600, error));
}
