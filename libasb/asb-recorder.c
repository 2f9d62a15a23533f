/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-recorder-private.h"

#include "asb-error-private.h"
#include "asb-sync-private.h"
#include "asb-uuid.h"

/* What is kept while nothing can be written. */
#define MAX_KEPT 1024

struct _AsbRecorder
{
  GObject parent_instance;

  AsbHistoryStore *store;
  AsbHistoryConsistency consistency;
  char *agent_name;
  char *correlation_id; /* of the whole backend, where an agent has a name */

  GMutex mutex;
  GQueue waiting; /* GTask with a batch, in order; the first is being written */
  gboolean suspended;
  GQueue kept;        /* GVariant: batches that came meanwhile, … */
  guint n_unwritten;  /* … behind so many that were on their way before */
  GHashTable *starts; /* event id → monotonic time in microseconds */
};

G_DEFINE_FINAL_TYPE (AsbRecorder, asb_recorder, G_TYPE_OBJECT)

static void
asb_recorder_finalize (GObject *object)
{
  AsbRecorder *self = ASB_RECORDER (object);

  g_clear_object (&self->store);
  g_clear_pointer (&self->agent_name, g_free);
  g_clear_pointer (&self->correlation_id, g_free);
  g_clear_pointer (&self->starts, g_hash_table_unref);
  g_queue_clear_full (&self->waiting, g_object_unref);
  g_queue_clear_full (&self->kept, (GDestroyNotify)g_variant_unref);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (asb_recorder_parent_class)->finalize (object);
}

static void
asb_recorder_class_init (AsbRecorderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_recorder_finalize;
}

static void
asb_recorder_init (AsbRecorder *self)
{
  g_mutex_init (&self->mutex);
  g_queue_init (&self->waiting);
  g_queue_init (&self->kept);
  self->starts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

AsbRecorder *
asb_recorder_new (AsbHistoryStore *store, AsbHistoryConsistency consistency, const char *agent_name)
{
  AsbRecorder *self = g_object_new (ASB_TYPE_RECORDER, NULL);

  self->store = g_object_ref (store);
  self->consistency = consistency;
  self->agent_name = g_strdup (agent_name);
  self->correlation_id = agent_name ? asb_uuid_v7_new () : NULL;
  return self;
}

gboolean
asb_recorder_get_records_in_place (AsbRecorder *self)
{
  return asb_history_store_get_records_in_place (self->store);
}

gboolean
asb_recorder_get_strict (AsbRecorder *self)
{
  return self->consistency == ASB_HISTORY_CONSISTENCY_STRICT_START;
}

AsbOperation *
asb_recorder_new_operation (AsbRecorder *self, const char *operation_type, GVariant *request,
                            GVariant *command, GVariant *file_operation)
{
  g_autofree char *event_id = asb_uuid_v7_new ();
  g_autofree char *correlation_id
      = self->correlation_id ? g_strdup (self->correlation_id) : asb_uuid_v7_new ();

  return g_object_new (ASB_TYPE_OPERATION, "event-id", event_id, "operation-type", operation_type,
                       "required", asb_recorder_get_strict (self), "actor-type",
                       self->agent_name ? "agent" : "system", "actor-id", self->agent_name,
                       "correlation-id", correlation_id, "request", request, "command", command,
                       "file-operation", file_operation, NULL);
}

/* Batches, as docs/history-schema.md has them. */

static char *
format_time (gint64 real_time)
{
  g_autoptr (GDateTime) seconds = g_date_time_new_from_unix_utc (real_time / G_TIME_SPAN_SECOND);
  g_autofree char *text = g_date_time_format (seconds, "%Y-%m-%dT%H:%M:%S");
  int microseconds = (int)(real_time % G_TIME_SPAN_SECOND);

  return microseconds ? g_strdup_printf ("%s.%06dZ", text, microseconds)
                      : g_strconcat (text, "Z", NULL);
}

static void
insert_string (GVariantDict *dict, const char *key, const char *value)
{
  if (value)
    g_variant_dict_insert (dict, key, "s", value);
}

static void
insert_value (GVariantDict *dict, const char *key, GVariant *value)
{
  if (value)
    g_variant_dict_insert_value (dict, key, value);
}

static GVariant *
actor_to_variant (AsbOperation *operation)
{
  GVariantDict actor;

  g_variant_dict_init (&actor, NULL);
  insert_string (&actor, "actor_type", asb_operation_get_actor_type (operation));
  insert_string (&actor, "actor_id", asb_operation_get_actor_id (operation));
  insert_string (&actor, "thread_id", asb_operation_get_thread_id (operation));
  insert_string (&actor, "run_id", asb_operation_get_run_id (operation));
  insert_string (&actor, "correlation_id", asb_operation_get_correlation_id (operation));
  return g_variant_dict_end (&actor);
}

static GVariant *
started_record (AsbOperation *operation, gint64 occurred_at)
{
  const char *event_id = asb_operation_get_event_id (operation);
  g_autofree char *change_id = g_strconcat (event_id, ":created", NULL);
  g_autofree char *time = format_time (occurred_at);
  GVariant *request = asb_operation_get_request (operation);
  GVariantDict event, record;

  g_variant_dict_init (&event, NULL);
  insert_string (&event, "event_id", event_id);
  insert_string (&event, "operation_type", asb_operation_get_operation_type (operation));
  insert_string (&event, "occurred_at", time);
  insert_string (&event, "source", "sdk");
  insert_value (&event, "actor", actor_to_variant (operation));
  insert_value (&event, "request",
                request ? request : g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0));
  insert_value (&event, "command", asb_operation_get_command (operation));
  insert_value (&event, "file_operation", asb_operation_get_file_operation (operation));

  g_variant_dict_init (&record, NULL);
  insert_string (&record, "type", "operation_started");
  insert_string (&record, "change_id", change_id);
  insert_value (&record, "event", g_variant_dict_end (&event));
  return g_variant_dict_end (&record);
}

static GVariant *
output_record (AsbOperation *operation, GVariant *chunks)
{
  const char *event_id = asb_operation_get_event_id (operation);
  g_autofree char *change_id = g_strdup_printf ("%s:output:0-%" G_GSIZE_FORMAT, event_id,
                                                g_variant_n_children (chunks) - 1);
  GVariantDict record;

  g_variant_dict_init (&record, NULL);
  insert_string (&record, "type", "command_output");
  insert_string (&record, "change_id", change_id);
  insert_string (&record, "event_id", event_id);
  insert_value (&record, "chunks", chunks);
  return g_variant_dict_end (&record);
}

static GVariant *
completed_record (AsbOperation *operation, gint64 completed_at, gint64 duration_ms,
                  const AsbOutcome *outcome)
{
  const char *event_id = asb_operation_get_event_id (operation);
  g_autofree char *change_id = g_strconcat (event_id, ":completed:", outcome->status, NULL);
  g_autofree char *time = format_time (completed_at);
  GVariantDict event, record;

  g_variant_dict_init (&event, NULL);
  insert_string (&event, "event_id", event_id);
  insert_string (&event, "status", outcome->status);
  insert_string (&event, "completed_at", time);
  g_variant_dict_insert (&event, "duration_ms", "x", duration_ms);
  insert_value (&event, "result", outcome->result);
  insert_value (&event, "command", outcome->command);
  insert_value (&event, "file_operation", outcome->file_operation);

  g_variant_dict_init (&record, NULL);
  insert_string (&record, "type", "operation_completed");
  insert_string (&record, "change_id", change_id);
  insert_value (&record, "event", g_variant_dict_end (&event));
  return g_variant_dict_end (&record);
}

static GVariant *
new_batch (AsbOperation *operation, const char *suffix, GVariantBuilder *records)
{
  g_autofree char *batch_id
      = g_strconcat (asb_operation_get_event_id (operation), ":", suffix, NULL);
  GVariantDict batch;

  g_variant_dict_init (&batch, NULL);
  insert_string (&batch, "batch_id", batch_id);
  g_variant_dict_insert (&batch, "schema_version", "x", G_GINT64_CONSTANT (1));
  insert_value (&batch, "records", g_variant_builder_end (records));
  return g_variant_dict_end (&batch);
}

/* The queue. */

typedef struct
{
  GVariant *variant;
  gboolean is_queued;
  GThread *thread; /* that handed it over; not owned */
} AsbBatch;

static void
batch_free (gpointer data)
{
  AsbBatch *batch = data;

  g_clear_pointer (&batch->variant, g_variant_unref);
  g_free (batch);
}

static void write_first (AsbRecorder *self);

static void
leave_queue (AsbRecorder *self)
{
  gboolean more;

  g_mutex_lock (&self->mutex);
  g_object_unref (g_queue_pop_head (&self->waiting));
  more = !g_queue_is_empty (&self->waiting);
  g_mutex_unlock (&self->mutex);
  if (more)
    write_first (self);
}

/* The store has said that it cannot be reached, when that became known: the batch waits. */
static gboolean
keep_unwritten (AsbRecorder *self, AsbBatch *batch, const GError *error)
{
  g_autoptr (GMutexLocker) locker = NULL;

  if (!g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE))
    return FALSE;
  locker = g_mutex_locker_new (&self->mutex);
  if (self->suspended)
    g_queue_push_nth (&self->kept, g_variant_ref (batch->variant), (gint)self->n_unwritten++);
  return self->suspended;
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  AsbBatch *batch = g_task_get_task_data (task);
  GMainContext *context = g_task_get_context (task);
  g_autoptr (GError) error = NULL;

  asb_history_store_record_finish (ASB_HISTORY_STORE (source), result, &error);
  if (keep_unwritten (g_task_get_source_object (task), batch, error))
    g_clear_error (&error);
  if (batch->is_queued)
    leave_queue (g_task_get_source_object (task));

  if (error)
    g_task_return_error (task, g_steal_pointer (&error));
  else
    g_task_return_boolean (task, TRUE);
  asb_sync_release_context (context);
}

static gboolean
write_cb (gpointer user_data)
{
  GTask *task = user_data;
  AsbRecorder *self = g_task_get_source_object (task);
  AsbBatch *batch = g_task_get_task_data (task);

  asb_history_store_record_async (self->store, batch->variant, g_task_get_cancellable (task),
                                  written_cb, g_object_ref (task));
  return G_SOURCE_REMOVE;
}

/* Each batch is written from the context of the call it belongs to: stores made in a scripting
 * language answer nowhere else. */
static void
write_first (AsbRecorder *self)
{
  g_autoptr (GMainContext) context = NULL;
  GTask *task;

  g_mutex_lock (&self->mutex);
  task = g_object_ref (g_queue_peek_head (&self->waiting));
  g_mutex_unlock (&self->mutex);

  /* The other thread may be done with the task, and with its context, before this returns. */
  context = g_main_context_ref (g_task_get_context (task));
  g_main_context_invoke_full (context, G_PRIORITY_DEFAULT, write_cb, task, g_object_unref);
}

/* Must hold the mutex. Whether something waits that this thread itself holds up. */
static gboolean
is_blocked (AsbRecorder *self)
{
  for (GList *item = self->waiting.head; item; item = item->next)
    {
      AsbBatch *batch = g_task_get_task_data (item->data);

      if (batch->thread == g_thread_self ()
          && asb_sync_blocks_context (g_task_get_context (item->data)))
        return TRUE;
    }
  return FALSE;
}

/* Answers @task if the batch cannot be written now. */
static gboolean
keep (AsbRecorder *self, GVariant *variant, GTask *task)
{
  gboolean is_full;

  g_mutex_lock (&self->mutex);
  if (!self->suspended)
    {
      g_mutex_unlock (&self->mutex);
      return FALSE;
    }
  is_full = self->kept.length >= MAX_KEPT;
  if (!is_full)
    g_queue_push_tail (&self->kept, g_variant_ref (variant));
  g_mutex_unlock (&self->mutex);
  if (is_full)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_TOO_MANY_REQUESTS,
                             "Too much was done while the sandbox is paused to keep it all until "
                             "it can be recorded; resume the sandbox");
  else
    g_task_return_boolean (task, TRUE);
  return TRUE;
}

/* Takes the floating batch. */
static void
push (AsbRecorder *self, GVariant *variant, gpointer tag, GCancellable *cancellable,
      GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);
  g_autoptr (GVariant) sunk = g_variant_ref_sink (variant);
  AsbBatch *batch;
  gboolean first;

  if (keep (self, sunk, task))
    return;
  batch = g_new0 (AsbBatch, 1);
  batch->variant = g_steal_pointer (&sunk);
  batch->thread = g_thread_self ();
  g_task_set_source_tag (task, tag);
  g_task_set_task_data (task, batch, batch_free);
  asb_sync_hold_context (g_task_get_context (task));

  g_mutex_lock (&self->mutex);
  first = g_queue_is_empty (&self->waiting);
  /* What a blocking call would wait for, when that cannot go on before the call returns, is not
   * waited for: that would be for ever. */
  batch->is_queued = !is_blocked (self);
  if (batch->is_queued)
    g_queue_push_tail (&self->waiting, g_object_ref (task));
  g_mutex_unlock (&self->mutex);

  if (!batch->is_queued)
    write_cb (task);
  else if (first)
    write_first (self);
}

void
asb_recorder_set_suspended (AsbRecorder *self, gboolean suspended)
{
  GVariant *variant;
  GQueue kept;

  g_mutex_lock (&self->mutex);
  if (self->suspended != suspended)
    self->n_unwritten = 0;
  self->suspended = suspended;
  kept = self->kept;
  if (suspended)
    g_queue_init (&kept);
  else
    g_queue_init (&self->kept);
  g_mutex_unlock (&self->mutex);

  while ((variant = g_queue_pop_head (&kept)))
    {
      push (self, variant, asb_recorder_set_suspended, NULL, NULL, NULL);
      g_variant_unref (variant);
    }
}

static gboolean
pop_duration (AsbRecorder *self, const char *event_id, gint64 *duration_ms)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gint64 *start = g_hash_table_lookup (self->starts, event_id);

  *duration_ms = start ? (g_get_monotonic_time () - *start) / 1000 : 0;
  return g_hash_table_remove (self->starts, event_id);
}

void
asb_recorder_start_async (AsbRecorder *self, AsbOperation *operation, GAsyncReadyCallback callback,
                          gpointer user_data)
{
  gint64 now = g_get_monotonic_time ();
  GVariantBuilder records;

  g_mutex_lock (&self->mutex);
  g_hash_table_insert (self->starts, g_strdup (asb_operation_get_event_id (operation)),
                       g_memdup2 (&now, sizeof now));
  g_mutex_unlock (&self->mutex);

  g_variant_builder_init (&records, G_VARIANT_TYPE ("aa{sv}"));
  g_variant_builder_add_value (&records, started_record (operation, g_get_real_time ()));
  push (self, new_batch (operation, "started", &records), asb_recorder_start_async, NULL, callback,
        user_data);
}

gboolean
asb_recorder_start_finish (AsbRecorder *self, GAsyncResult *result, GError **error)
{
  g_autoptr (GError) local = NULL;

  if (g_task_propagate_boolean (G_TASK (result), &local))
    return TRUE;
  if (!asb_recorder_get_strict (self))
    {
      g_debug ("An operation goes on without a record: %s", local->message);
      return TRUE;
    }
  g_propagate_prefixed_error (
      error, g_steal_pointer (&local),
      "The operation was not done, since its start could not be recorded: ");
  return FALSE;
}

static void
add_end (GVariantBuilder *records, AsbOperation *operation, gint64 completed_at, gint64 duration_ms,
         const AsbOutcome *outcome)
{
  if (outcome->output && g_variant_n_children (outcome->output) > 0)
    g_variant_builder_add_value (records, output_record (operation, outcome->output));
  g_variant_builder_add_value (records,
                               completed_record (operation, completed_at, duration_ms, outcome));
}

void
asb_recorder_complete_async (AsbRecorder *self, AsbOperation *operation, const AsbOutcome *outcome,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  GVariantBuilder records;
  gint64 duration_ms;

  pop_duration (self, asb_operation_get_event_id (operation), &duration_ms);
  g_variant_builder_init (&records, G_VARIANT_TYPE ("aa{sv}"));
  add_end (&records, operation, g_get_real_time (), duration_ms, outcome);
  push (self, new_batch (operation, outcome->status, &records), asb_recorder_complete_async, NULL,
        callback, user_data);
}

gboolean
asb_recorder_complete_finish (AsbRecorder *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
asb_recorder_import_async (AsbRecorder *self, AsbOperation *operation, gint64 occurred_at,
                           const AsbOutcome *outcome, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  gint64 now = g_get_real_time ();
  GVariantBuilder records;

  g_variant_builder_init (&records, G_VARIANT_TYPE ("aa{sv}"));
  g_variant_builder_add_value (&records, started_record (operation, occurred_at));
  add_end (&records, operation, now, MAX (now - occurred_at, 0) / 1000, outcome);
  push (self, new_batch (operation, outcome->status, &records), asb_recorder_import_async,
        cancellable, callback, user_data);
}

gboolean
asb_recorder_import_finish (AsbRecorder *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

const char *
asb_recorder_status_of_error (const GError *error)
{
  if (asb_error_is_cancelled (error))
    return "cancelled";
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_TIMED_OUT))
    return "timeout";
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_INTERRUPTED))
    return "unknown";
  return "failed";
}

GVariant *
asb_recorder_describe_error (const GError *error)
{
  AsbErrorInfo *info = asb_error_get_info (error);
  const char *code = error->domain == ASB_ERROR ? asb_error_code_to_string (error->code) : NULL;
  GVariantDict dict;

  if (asb_error_is_cancelled (error))
    return NULL;
  g_variant_dict_init (&dict, NULL);
  insert_string (&dict, "error", error->message);
  insert_string (&dict, "error_type", code ? code : g_quark_to_string (error->domain));
  if (info)
    {
      insert_string (&dict, "provider_name", asb_error_info_get_provider_name (info));
      insert_string (&dict, "provider_key", asb_error_info_get_provider_key (info));
      insert_string (&dict, "sandbox_id", asb_error_info_get_sandbox_id (info));
      insert_string (&dict, "sandbox_instance_id", asb_error_info_get_sandbox_instance_id (info));
      insert_string (&dict, "provider_error_code", asb_error_info_get_provider_error_code (info));
      insert_string (&dict, "provider_request_id", asb_error_info_get_provider_request_id (info));
      g_variant_dict_insert (&dict, "retryable", "b", asb_error_info_get_retryable (info));
      insert_value (&dict, "details", asb_error_info_get_details (info));
    }
  return g_variant_dict_end (&dict);
}
