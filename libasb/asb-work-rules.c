/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-work-rules-private.h"

#include "asb-cancel-source-private.h"
#include "asb-error-private.h"

#define LIFECYCLE_SECONDS 30
#define UPLOAD_SECONDS 300

typedef enum
{
  KIND_COMMAND,
  KIND_FILE_READ,
  KIND_FILE_WRITE,
  KIND_UPLOAD,
  KIND_LIFECYCLE,
  N_KINDS
} Kind;

struct _AsbWorkRules
{
  AsbSlotQueue *queues[N_KINDS]; /* (nullable) each */
  guint drain_ms;
  double upload_seconds;
  gboolean retries;
  guint max_attempts;
  guint base_delay_ms;
  guint max_delay_ms;
  double jitter_ratio;
  double total_deadline_seconds;
};

/* What may be done at once. What stands here is the name of the operation in the record. */
static const struct
{
  const char *operation_type;
  Kind kind;
} kinds[] = {
  { "command.execute", KIND_COMMAND }, { "file.list", KIND_FILE_READ },
  { "file.stat", KIND_FILE_READ },     { "file.read", KIND_FILE_READ },
  { "file.glob", KIND_FILE_READ },     { "file.grep", KIND_FILE_READ },
  { "file.walk", KIND_FILE_READ },     { "file.pack", KIND_FILE_READ },
  { "file.write", KIND_FILE_WRITE },   { "file.edit", KIND_FILE_WRITE },
  { "file.mkdir", KIND_FILE_WRITE },   { "file.delete", KIND_FILE_WRITE },
  { "file.move", KIND_FILE_WRITE },    { "file.set_attributes", KIND_FILE_WRITE },
  { "file.unpack", KIND_UPLOAD },      { "file.upload", KIND_UPLOAD },
  { "sandbox.pause", KIND_LIFECYCLE }, { "sandbox.resume", KIND_LIFECYCLE },
};

static Kind
find_kind (const char *operation_type)
{
  for (gsize i = 0; operation_type && i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (kinds[i].operation_type, operation_type))
      return kinds[i].kind;
  return N_KINDS;
}

/* Making them. */

static void
bound (AsbWorkRules *self, AsbConcurrencyConfig *config)
{
  double file_seconds = asb_concurrency_config_get_file_queue_timeout_seconds (config);

  self->queues[KIND_COMMAND]
      = asb_slot_queue_new (asb_concurrency_config_get_max_parallel_commands (config),
                            asb_concurrency_config_get_command_queue_timeout_seconds (config),
                            ASB_ERROR_COMMAND_QUEUE_TIMEOUT, "commands");
  self->queues[KIND_FILE_READ]
      = asb_slot_queue_new (asb_concurrency_config_get_max_parallel_file_reads (config),
                            file_seconds, ASB_ERROR_LOCK_ACQUISITION_TIMEOUT, "readers of files");
  self->queues[KIND_FILE_WRITE]
      = asb_slot_queue_new (asb_concurrency_config_get_max_parallel_file_writes (config),
                            file_seconds, ASB_ERROR_LOCK_ACQUISITION_TIMEOUT, "writers of files");
  self->queues[KIND_UPLOAD]
      = asb_slot_queue_new (asb_concurrency_config_get_max_parallel_uploads (config),
                            asb_concurrency_config_get_upload_queue_timeout_seconds (config),
                            ASB_ERROR_LOCK_ACQUISITION_TIMEOUT, "uploads");
}

static void
repeat (AsbWorkRules *self, AsbRetryConfig *config)
{
  self->retries = TRUE;
  self->max_attempts = asb_retry_config_get_max_attempts (config);
  self->base_delay_ms = asb_retry_config_get_base_delay_ms (config);
  self->max_delay_ms = asb_retry_config_get_max_delay_ms (config);
  self->jitter_ratio = asb_retry_config_get_jitter_ratio (config);
  self->total_deadline_seconds = asb_retry_config_get_total_deadline_seconds (config);
}

AsbWorkRules *
asb_work_rules_new (AsbConcurrencyConfig *concurrency, AsbRetryConfig *retry)
{
  AsbWorkRules *self = g_new0 (AsbWorkRules, 1);
  double seconds = concurrency
                       ? asb_concurrency_config_get_lifecycle_lock_timeout_seconds (concurrency)
                       : LIFECYCLE_SECONDS;

  self->drain_ms = (guint)(seconds * 1000);
  self->upload_seconds = concurrency
                             ? asb_concurrency_config_get_upload_queue_timeout_seconds (concurrency)
                             : UPLOAD_SECONDS;
  self->queues[KIND_LIFECYCLE] = asb_slot_queue_new (1, seconds, ASB_ERROR_LOCK_ACQUISITION_TIMEOUT,
                                                     "pauses and resumptions");
  if (concurrency)
    bound (self, concurrency);
  if (retry)
    repeat (self, retry);
  return self;
}

void
asb_work_rules_free (AsbWorkRules *self)
{
  for (guint i = 0; i < N_KINDS; i++)
    g_clear_object (&self->queues[i]);
  g_free (self);
}

AsbSlotQueue *
asb_work_rules_find_queue (AsbWorkRules *self, const char *operation_type)
{
  Kind kind = find_kind (operation_type);

  return kind < N_KINDS ? self->queues[kind] : NULL;
}

guint
asb_work_rules_get_drain_ms (AsbWorkRules *self)
{
  return self->drain_ms;
}

double
asb_work_rules_get_upload_seconds (AsbWorkRules *self)
{
  return self->upload_seconds;
}

/* Trying again. */

gboolean
asb_work_rules_is_repeatable (const char *operation_type)
{
  return find_kind (operation_type) == KIND_FILE_READ;
}

/* Doubled with each attempt, and by chance longer or shorter. */
static guint
get_delay (AsbWorkRules *self, guint n_attempts)
{
  guint64 delay = MIN ((guint64)MAX (self->base_delay_ms, 1) << (n_attempts - 1),
                       MAX (self->max_delay_ms, 1));
  double chance = g_random_double_range (-1, 1);

  return (guint)((double)delay * (1 + chance * self->jitter_ratio));
}

gboolean
asb_work_rules_wants_retry (AsbWorkRules *self, const GError *error, guint n_attempts,
                            gint64 began_at, guint *delay_ms)
{
  AsbErrorInfo *info = asb_error_get_info (error);
  double elapsed = (double)(g_get_monotonic_time () - began_at) / G_USEC_PER_SEC;

  if (!self->retries || n_attempts >= self->max_attempts || !info
      || !asb_error_info_get_retryable (info))
    return FALSE;
  *delay_ms = get_delay (self, n_attempts);
  return self->total_deadline_seconds == 0
         || elapsed + *delay_ms / 1000.0 < self->total_deadline_seconds;
}

void
asb_work_rules_wait (guint delay_ms, GMainContext *context, GCancellable *cancellable,
                     GSourceFunc func, gpointer user_data)
{
  g_autoptr (GSource) source = g_timeout_source_new (delay_ms);

  if (cancellable)
    {
      g_autoptr (GSource) cancelled = asb_cancel_source_new (cancellable);

      g_source_add_child_source (source, cancelled);
    }
  g_source_set_static_name (source, "asb retry");
  g_source_set_callback (source, func, user_data, NULL);
  g_source_attach (source, context);
}
