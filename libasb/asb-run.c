/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-run-private.h"

#include "asb-backend-pause-private.h"
#include "asb-backend-restart-private.h"
#include "asb-call-private.h"
#include "asb-error-private.h"

static void
run_free (AsbRun *run)
{
  g_clear_object (&run->backend);
  g_clear_object (&run->task);
  g_clear_object (&run->operation);
  g_clear_object (&run->request);
  g_clear_object (&run->slot);
  if (G_IS_VALUE (&run->value))
    g_value_unset (&run->value);
  g_clear_error (&run->error);
  g_free (run);
}

void
asb_run_complete_error (AsbBackend *backend, const char *operation_type, AsbOperation *operation,
                        GError *error)
{
  AsbErrorInfo *info = asb_error_own_info (error);
  const char *told = info ? asb_error_info_get_sandbox_id (info) : NULL;

  if (!info)
    return;
  /* A provider may name the sandbox and nothing else of it. */
  if (!told || g_str_equal (told, ASB_BACKEND_SANDBOX_ID (backend)))
    g_object_set (info, "provider-name", asb_sandbox_ref_get_provider_name (backend->ref),
                  "provider-key", asb_sandbox_ref_get_provider_key (backend->ref), "sandbox-id",
                  ASB_BACKEND_SANDBOX_ID (backend), "sandbox-instance-id",
                  asb_sandbox_ref_get_sandbox_instance_id (backend->ref), NULL);
  if (operation_type)
    asb_error_info_set_operation (info, operation_type);
  if (operation)
    g_object_set (info, "operation-id", asb_operation_get_event_id (operation), "actor-id",
                  asb_operation_get_actor_id (operation), "correlation-id",
                  asb_operation_get_correlation_id (operation), NULL);
}

/* A guest that is ending, a connection that has ended, and a provider that knows of no such
 * sandbox, do not say what became of it. */
static gboolean
is_fate_unknown (AsbRun *run)
{
  AsbErrorInfo *info;
  const char *sandbox_id;

  if (!run->error || run->has_looked)
    return FALSE;
  if (g_error_matches (run->error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE)
      || g_error_matches (run->error, ASB_ERROR, ASB_ERROR_CLOSED))
    return TRUE;
  if (!g_error_matches (run->error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND))
    return FALSE;
  info = asb_error_get_info (run->error);
  sandbox_id = info ? asb_error_info_get_sandbox_id (info) : NULL;
  return !sandbox_id || g_str_equal (sandbox_id, ASB_BACKEND_SANDBOX_ID (run->backend));
}

static void answer (AsbRun *run);

/* That it was there is certain: a backend has been in it. */
static void
looked_for_fate_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_get_sandbox_finish (ASB_PROVIDER (source), result, &error);

  if (!info && asb_error_is_sandbox_gone (error))
    {
      g_clear_error (&run->error);
      run->error = g_steal_pointer (&error);
    }
  if (g_error_matches (run->error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND))
    {
      g_clear_error (&run->error);
      run->error
          = g_error_new (ASB_ERROR, ASB_ERROR_SANDBOX_DELETED, "Sandbox “%s” is not there any more",
                         ASB_BACKEND_SANDBOX_ID (run->backend));
    }
  answer (run);
}

static void
answer (AsbRun *run)
{
  if (is_fate_unknown (run))
    {
      run->has_looked = TRUE;
      asb_provider_get_sandbox_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                      g_task_get_cancellable (run->task), looked_for_fate_cb, run);
      return;
    }
  asb_keep_alive_end (run->backend->keep_alive);
  if (run->slot)
    asb_slot_queue_leave (run->slot);
  asb_activity_gate_leave (run->backend->gate);
  if (run->error)
    {
      asb_run_complete_error (run->backend, run->operation_type, run->operation, run->error);
      g_task_return_error (run->task, g_steal_pointer (&run->error));
    }
  else if (G_VALUE_HOLDS_BOOLEAN (&run->value))
    g_task_return_boolean (run->task, g_value_get_boolean (&run->value));
  else
    g_task_return_value (run->task, &run->value);
  run_free (run);
}

static void
completed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  /* The operation is done: its record cannot change that any more. */
  if (!asb_recorder_complete_finish (ASB_RECORDER (source), result, &error))
    g_debug ("The end of an operation was not recorded: %s", error->message);
  answer (user_data);
}

static void
finish (AsbRun *run, const AsbOutcome *outcome)
{
  if (run->recorded_here)
    asb_recorder_complete_async (run->backend->recorder, run->operation, outcome, completed_cb,
                                 run);
  else
    answer (run);
}

static void
started_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;

  if (asb_recorder_start_finish (ASB_RECORDER (source), result, &run->error))
    run->perform (run);
  else
    answer (run);
}

static void
prepare_record (AsbRun *run, const AsbRunRecord *record)
{
  AsbRecorder *recorder = run->backend->recorder;

  if (!recorder || !record->operation_type)
    return;
  run->operation = asb_recorder_new_operation (recorder, record->operation_type, record->request,
                                               record->command, record->file_operation);
  run->recorded_here
      = !record->travels || record->in_steps || !asb_recorder_get_records_in_place (recorder);
  if (!run->recorded_here && run->request)
    g_object_set (run->request, "operation", run->operation, NULL);
}

GVariant *
asb_run_describe_text (const char *text)
{
  return text ? g_variant_new_take_string (g_utf8_make_valid (text, -1))
              : g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL);
}

void
asb_run_drop_floating (GVariant *variant)
{
  if (variant)
    g_variant_unref (g_variant_ref_sink (variant));
}

static void
drop_record (const AsbRunRecord *record)
{
  asb_run_drop_floating (record->request);
  asb_run_drop_floating (record->command);
  asb_run_drop_floating (record->file_operation);
}

static void
go (AsbRun *run)
{
  if (run->recorded_here)
    asb_recorder_start_async (run->backend->recorder, run->operation, started_cb, run);
  else
    run->perform (run);
}

static void
fail (AsbRun *run, GError *error)
{
  g_clear_error (&run->error);
  run->error = error;
  answer (run);
}

static void go_on (AsbRun *run);

/* Somebody else may have resumed it. */
static void
looked_at_paused_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_get_sandbox_finish (ASB_PROVIDER (source), result, &run->error);

  if (run->error && !asb_error_is_cancelled (run->error) && !asb_error_is_sandbox_gone (run->error))
    g_clear_error (&run->error);
  if (run->error)
    answer (run);
  else if (info && asb_sandbox_info_get_state (info) == ASB_SANDBOX_STATE_RUNNING)
    {
      asb_backend_found_running (run->backend);
      go_on (run);
    }
  else
    fail (run, asb_backend_new_paused_error (run->backend));
}

/* What is not to be done inside goes on, and its record waits. */
static void
go_on_paused (AsbRun *run)
{
  AsbBackend *self = run->backend;

  if (!run->travels)
    go (run);
  else if (g_atomic_int_get (&self->pause) == ASB_PAUSE_STATE_PAUSED)
    asb_provider_get_sandbox_async (self->provider, ASB_BACKEND_SANDBOX_ID (self),
                                    g_task_get_cancellable (run->task), looked_at_paused_cb, run);
  else
    fail (run, asb_backend_new_paused_error (self));
}

/* Somebody else may have paused it. */
static void
looked_at_silent_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_get_sandbox_finish (ASB_PROVIDER (source), result, NULL);

  if (!info || asb_sandbox_info_get_state (info) != ASB_SANDBOX_STATE_PAUSED)
    {
      answer (run);
      return;
    }
  asb_backend_found_paused (run->backend);
  if (run->travels)
    fail (run, asb_backend_new_paused_error (run->backend));
  else
    {
      g_clear_error (&run->error);
      go (run);
    }
}

static void
restarted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;

  if (asb_backend_restart_finish (ASB_BACKEND (source), result, &run->error))
    go (run);
  else if (g_error_matches (run->error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE))
    asb_provider_get_sandbox_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                    g_task_get_cancellable (run->task), looked_at_silent_cb, run);
  else
    answer (run);
}

/* Whether it has to do with the guest, be it for the record. */
static gboolean
needs_guest (AsbRun *run)
{
  return run->travels
         || (run->recorded_here && asb_recorder_get_records_in_place (run->backend->recorder));
}

static void
go_on (AsbRun *run)
{
  AsbBackend *self = run->backend;

  if (asb_backend_is_paused (self))
    go_on_paused (run);
  else if (needs_guest (run) && asb_backend_needs_restart (self))
    asb_backend_restart_async (self, g_task_get_cancellable (run->task), restarted_cb, run);
  else
    go (run);
}

static void
have_slot_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  AsbSlotQueue *queue = ASB_SLOT_QUEUE (source);

  if (asb_slot_queue_take_finish (queue, result, &run->error))
    {
      run->slot = g_object_ref (queue);
      go_on (run);
    }
  else
    answer (run);
}

/* Until its turn has come nothing of it is done or recorded. */
static void
await_turn (AsbRun *run)
{
  AsbSlotQueue *queue = asb_work_rules_find_queue (run->backend->rules, run->operation_type);

  if (queue && !asb_slot_queue_try (queue))
    {
      asb_slot_queue_take_async (queue, g_task_get_cancellable (run->task), have_slot_cb, run);
      return;
    }
  run->slot = queue ? g_object_ref (queue) : NULL;
  go_on (run);
}

void
asb_run_begin (AsbBackend *backend, GTask *task, const AsbRunRecord *record, gpointer request,
               AsbRunPerform perform)
{
  AsbRun *run;
  GError *error = NULL;

  if (asb_call_is_cancelled (task))
    {
      drop_record (record);
      return;
    }
  if (!asb_activity_gate_enter (backend->gate, &error))
    {
      drop_record (record);
      asb_run_complete_error (backend, record->operation_type, NULL, error);
      g_task_return_error (task, error);
      g_object_unref (task);
      return;
    }

  asb_keep_alive_begin (backend->keep_alive);
  run = g_new0 (AsbRun, 1);
  run->backend = g_object_ref (backend);
  run->task = task;
  run->operation_type = record->operation_type;
  run->perform = perform;
  run->n_attempts = 1;
  run->began_at = g_get_monotonic_time ();
  run->travels = record->travels;
  run->request = request ? g_object_ref (request) : NULL;
  if (backend->recorder)
    prepare_record (run, record);
  else
    drop_record (record);
  await_turn (run);
}

static void
copy_member (GVariant *from, const char *name, GVariantDict *to, const char *new_name)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (from, name, NULL);

  if (value)
    g_variant_dict_insert_value (to, new_name, value);
}

/* What the result of a file operation says for the columns of files. Returns: floating */
static GVariant *
describe_file_change (GVariant *result)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  copy_member (result, "previous_hash", &dict, "before_hash");
  copy_member (result, "content_hash", &dict, "after_hash");
  copy_member (result, "size", &dict, "after_size");
  return g_variant_dict_end (&dict);
}

static void
succeed (AsbRun *run, GVariant *result)
{
  g_autoptr (GVariant) sunk = result ? g_variant_ref_sink (result) : NULL;
  AsbOutcome outcome = { .status = "succeeded", .result = sunk };

  if (sunk && run->recorded_here && asb_operation_get_file_operation (run->operation))
    outcome.file_operation = describe_file_change (sunk);
  finish (run, &outcome);
}

void
asb_run_return_boolean (AsbRun *run, gboolean value, GVariant *result)
{
  g_value_init (&run->value, G_TYPE_BOOLEAN);
  g_value_set_boolean (&run->value, value);
  succeed (run, result);
}

static void
hold_object (AsbRun *run, gpointer object)
{
  g_value_init (&run->value, G_OBJECT_TYPE (object));
  g_value_take_object (&run->value, object);
}

void
asb_run_return_object (AsbRun *run, gpointer object, GVariant *result)
{
  hold_object (run, object);
  succeed (run, result);
}

void
asb_run_return_bytes (AsbRun *run, GBytes *bytes, GVariant *result)
{
  g_value_init (&run->value, G_TYPE_BYTES);
  g_value_take_boxed (&run->value, bytes);
  succeed (run, result);
}

void
asb_run_return_variant (AsbRun *run, GVariant *variant, GVariant *result)
{
  g_value_init (&run->value, G_TYPE_VARIANT);
  g_value_take_variant (&run->value, variant);
  succeed (run, result);
}

void
asb_run_return_outcome (AsbRun *run, gpointer object, const AsbOutcome *outcome)
{
  hold_object (run, object);
  finish (run, outcome);
}

static gboolean
try_again_cb (gpointer user_data)
{
  AsbRun *run = user_data;

  if (g_cancellable_set_error_if_cancelled (g_task_get_cancellable (run->task), &run->error))
    asb_run_return_error (run, g_steal_pointer (&run->error));
  else
    run->perform (run);
  return G_SOURCE_REMOVE;
}

/* It stays one operation in the record. What records at the other end has recorded nothing of an
 * attempt that is worth another one: it was refused there before it began, or has never left. */
static gboolean
is_tried_again (AsbRun *run, const GError *error)
{
  guint delay_ms;

  if (!asb_work_rules_is_repeatable (run->operation_type)
      || !asb_work_rules_wants_retry (run->backend->rules, error, run->n_attempts, run->began_at,
                                      &delay_ms))
    return FALSE;
  run->n_attempts++;
  asb_work_rules_wait (delay_ms, g_task_get_context (run->task), g_task_get_cancellable (run->task),
                       try_again_cb, run);
  return TRUE;
}

/* It met the end of the connection, which whoever comes next finds closed. */
static gboolean
is_sent_elsewhere (AsbRun *run, const GError *error)
{
  AsbErrorInfo *info = error->domain == ASB_ERROR ? asb_error_get_info (error) : NULL;

  if (run->is_sent_elsewhere || !run->travels || run->recorded_here
      || !g_error_matches (error, ASB_ERROR, ASB_ERROR_CLOSED) || !info
      || !asb_error_info_get_retryable (info) || !asb_backend_needs_restart (run->backend))
    return FALSE;
  run->is_sent_elsewhere = TRUE;
  asb_backend_restart_async (run->backend, g_task_get_cancellable (run->task), restarted_cb, run);
  return TRUE;
}

/* Whoever made a sandbox elsewhere may have made no such folder. */
static void
suggest_workdir (AsbRun *run, GError *error)
{
  if (run->backend->created || !ASB_IS_COMMAND_SPEC (run->request)
      || !g_error_matches (error, ASB_ERROR, ASB_ERROR_WORKING_DIRECTORY)
      || g_strcmp0 (asb_command_spec_get_cwd (ASB_COMMAND_SPEC (run->request)),
                    run->backend->workdir)
             != 0)
    return;
  asb_error_advise (error, "name a folder that the sandbox has with "
                           "the option “workdir”");
}

void
asb_run_return_error (AsbRun *run, GError *error)
{
  AsbOutcome outcome = { .status = asb_recorder_status_of_error (error) };

  if (is_sent_elsewhere (run, error) || is_tried_again (run, error))
    {
      g_error_free (error);
      return;
    }
  suggest_workdir (run, error);
  run->error = error;
  if (run->recorded_here)
    outcome.result = asb_recorder_describe_error (error);
  finish (run, &outcome);
}

void
asb_run_answer (AsbRun *run, GObject *source, GAsyncResult *result, AsbRunDescribe describe)
{
  GError *error = NULL;
  gpointer answer = asb_call_finish_pointer (source, result, &error);

  if (answer)
    asb_run_return_object (run, answer, describe ? describe (answer) : NULL);
  else
    asb_run_return_error (run, error);
}

void
asb_run_answer_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  asb_run_answer (user_data, source, result, NULL);
}

AsbOperation *
asb_run_return_started (AsbRun *run, gpointer object)
{
  AsbOperation *operation = run->recorded_here ? g_object_ref (run->operation) : NULL;

  hold_object (run, object);
  answer (run);
  return operation;
}
