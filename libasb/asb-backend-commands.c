/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-commands-private.h"
#include "asb-backend-private.h"
#include "asb-call-private.h"
#include "asb-command-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-output-collector-private.h"
#include "asb-path-private.h"
#include "asb-resource-limits-private.h"
#include "asb-run-private.h"
#include "asb-sync-private.h"

#include <string.h>

#define OUTPUT_CHUNK_SIZE (16 * 1024)

/* What is asked for, with the rules of the backend applied. The caller may go on changing its own.
 */
static AsbCommandSpec *
resolve_spec (AsbBackend *self, AsbCommandSpec *spec, AsbCommandFlags flags, GError **error)
{
  const char *const *argv = asb_command_spec_get_argv (spec);
  const char *shell = asb_command_spec_get_shell (spec);
  const char *cwd = asb_command_spec_get_cwd (spec);
  g_autoptr (AsbResourceLimits) limits
      = asb_resource_limits_copy (asb_command_spec_get_limits (spec));
  g_autofree char *directory = NULL;

  if ((argv && argv[0] ? 1 : 0) + (shell ? 1 : 0) != 1)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "A command needs either arguments or text for a shell");
      return NULL;
    }
  if (shell && shell[strspn (shell, " \t\r\n")] == '\0')
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "The text for the shell is blank");
      return NULL;
    }
  directory = cwd ? asb_path_resolve (self->workdir, cwd, error) : g_strdup (self->workdir);
  if (!directory)
    return NULL;
  return g_object_new (ASB_TYPE_COMMAND_SPEC, "argv", argv, "shell", shell, "cwd", directory,
                       "environment", asb_command_spec_get_environment (spec), "unset-environment",
                       asb_command_spec_get_unset_environment (spec), "flags", flags, "timeout-ms",
                       asb_command_spec_get_timeout_ms (spec), "limits", limits, "uid",
                       asb_command_spec_get_uid (spec), "gid", asb_command_spec_get_gid (spec),
                       "tty", asb_command_spec_get_tty (spec), "columns",
                       asb_command_spec_get_columns (spec), "rows",
                       asb_command_spec_get_rows (spec), "exact-output",
                       asb_command_spec_get_exact_output (spec), NULL);
}

/* The command as people type it. */
static char *
describe_command (AsbCommandSpec *spec)
{
  const char *const *argv = asb_command_spec_get_argv (spec);
  GString *text;

  if (!argv)
    return g_strdup (asb_command_spec_get_shell (spec));
  text = g_string_new (NULL);
  for (gsize i = 0; argv[i]; i++)
    {
      g_autofree char *quoted = g_shell_quote (argv[i]);
      gboolean plain
          = argv[i][0] != '\0'
            && argv[i][strspn (argv[i],
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "_-+=:,./@%")]
                   == '\0';

      if (i > 0)
        g_string_append_c (text, ' ');
      g_string_append (text, plain ? argv[i] : quoted);
    }
  return g_string_free (text, FALSE);
}

static GVariant *
nothing (void)
{
  return g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL);
}

/* What the reference does not know stands there only when it was asked for. */
static void
describe_rights (AsbCommandSpec *spec, GVariantDict *request)
{
  AsbResourceLimits *limits = asb_command_spec_get_limits (spec);
  g_autoptr (GVariant) described
      = limits ? g_variant_ref_sink (asb_resource_limits_to_variant (limits)) : NULL;

  if (asb_command_spec_get_uid (spec) >= 0)
    g_variant_dict_insert (request, "uid", "x", asb_command_spec_get_uid (spec));
  if (asb_command_spec_get_gid (spec) >= 0)
    g_variant_dict_insert (request, "gid", "x", asb_command_spec_get_gid (spec));
  if (described && g_variant_n_children (described) > 0)
    g_variant_dict_insert_value (request, "limits", described);
}

/* @cwd: as the caller gave it. */
static AsbRunRecord
describe_run (AsbCommandSpec *spec, const char *cwd)
{
  AsbRunRecord record = { .operation_type = "command.execute", .travels = TRUE };
  g_autofree char *text = describe_command (spec);
  guint64 timeout_ms = asb_command_spec_get_timeout_ms (spec);
  GVariantDict request, command;

  g_variant_dict_init (&request, NULL);
  g_variant_dict_insert_value (&request, "command", asb_path_to_variant (text));
  g_variant_dict_insert_value (&request, "cwd", cwd ? asb_path_to_variant (cwd) : nothing ());
  g_variant_dict_insert_value (&request, "timeout_seconds",
                               timeout_ms ? g_variant_new_double ((double)timeout_ms / 1000)
                                          : nothing ());
  describe_rights (spec, &request);
  record.request = g_variant_dict_end (&request);

  g_variant_dict_init (&command, NULL);
  g_variant_dict_insert_value (&command, "command", asb_path_to_variant (text));
  g_variant_dict_insert_value (&command, "cwd",
                               asb_path_to_variant (asb_command_spec_get_cwd (spec)));
  if (timeout_ms)
    g_variant_dict_insert (&command, "timeout_ms", "x", (gint64)timeout_ms);
  record.command = g_variant_dict_end (&command);
  return record;
}

void
asb_backend_begin_command (AsbBackend *self, GTask *task, AsbCommandSpec *spec,
                           AsbCommandFlags flags, GMainContext *context, AsbRunPerform perform)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandSpec) resolved = resolve_spec (self, spec, flags, &error);
  AsbRunRecord record;

  if (!resolved)
    {
      g_task_return_error (task, g_steal_pointer (&error));
      g_object_unref (task);
      return;
    }
  if (context)
    g_object_set_data_full (G_OBJECT (resolved), "asb-context", g_main_context_ref (context),
                            (GDestroyNotify)g_main_context_unref);
  record = describe_run (resolved, asb_command_spec_get_cwd (spec));
  asb_run_begin (self, task, &record, resolved, perform);
}

/* How a command ended, for a record that is written here. */

static void
add_chunks (GVariantBuilder *chunks, GBytes *bytes, const char *stream)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  for (gsize at = 0, index = 0; at < size; at += OUTPUT_CHUNK_SIZE, index++)
    {
      gsize length = MIN (OUTPUT_CHUNK_SIZE, size - at);
      g_autofree char *encoded = g_base64_encode (data + at, length);
      GVariantDict chunk;

      g_variant_dict_init (&chunk, NULL);
      g_variant_dict_insert (&chunk, "stream", "s", stream);
      g_variant_dict_insert (&chunk, "chunk_index", "x", (gint64)index);
      g_variant_dict_insert (&chunk, "data_base64", "s", encoded);
      g_variant_dict_insert (&chunk, "encoding", "s", "identity");
      g_variant_dict_insert (&chunk, "original_size", "x", (gint64)length);
      g_variant_builder_add_value (chunks, g_variant_dict_end (&chunk));
    }
}

static GVariant *
describe_output (AsbCommandResult *result)
{
  GBytes *stdout_bytes = asb_command_result_get_stdout_bytes (result);
  GBytes *stderr_bytes = asb_command_result_get_stderr_bytes (result);
  GVariantBuilder chunks;

  g_variant_builder_init (&chunks, G_VARIANT_TYPE ("aa{sv}"));
  if (stdout_bytes)
    add_chunks (&chunks, stdout_bytes, "stdout");
  if (stderr_bytes)
    add_chunks (&chunks, stderr_bytes, "stderr");
  return g_variant_builder_end (&chunks);
}

static const char *
state_to_nick (AsbCommandState state)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (ASB_TYPE_COMMAND_STATE);

  return g_enum_get_value (enum_class, state)->value_nick;
}

static gint64
kept_size (GBytes *bytes)
{
  return bytes ? (gint64)g_bytes_get_size (bytes) : 0;
}

/* Of a command that was only started the output went elsewhere. */
static const char *
storage_state (AsbCommandResult *result)
{
  if ((asb_command_result_get_stdout_total (result)
       && !asb_command_result_get_stdout_bytes (result))
      || (asb_command_result_get_stderr_total (result)
          && !asb_command_result_get_stderr_bytes (result)))
    return "metadata_only";
  if (asb_command_result_get_stdout_truncated (result)
      || asb_command_result_get_stderr_truncated (result))
    return "truncated_by_policy";
  return "complete";
}

static void
insert_storage_state (GVariantDict *dict, AsbCommandResult *result)
{
  const char *state = storage_state (result);

  g_variant_dict_insert (dict, "output_complete", "b", g_str_equal (state, "complete"));
  g_variant_dict_insert (dict, "history_storage_state", "s", state);
}

static GVariant *
describe_result (AsbCommandResult *result)
{
  gboolean has_status = asb_command_result_get_has_exit_status (result);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "command_id", "s", asb_command_result_get_command_id (result));
  g_variant_dict_insert (&dict, "state", "s",
                         state_to_nick (asb_command_result_get_state (result)));
  g_variant_dict_insert_value (
      &dict, "exit_code",
      has_status ? g_variant_new_int64 (asb_command_result_get_exit_status (result)) : nothing ());
  if (asb_command_result_get_term_signal (result))
    g_variant_dict_insert (&dict, "signal", "x",
                           (gint64)asb_command_result_get_term_signal (result));
  g_variant_dict_insert (&dict, "stdout_bytes", "x",
                         kept_size (asb_command_result_get_stdout_bytes (result)));
  g_variant_dict_insert (&dict, "stderr_bytes", "x",
                         kept_size (asb_command_result_get_stderr_bytes (result)));
  g_variant_dict_insert (&dict, "stdout_total_bytes", "x",
                         (gint64)asb_command_result_get_stdout_total (result));
  g_variant_dict_insert (&dict, "stderr_total_bytes", "x",
                         (gint64)asb_command_result_get_stderr_total (result));
  g_variant_dict_insert (&dict, "stdout_truncated", "b",
                         asb_command_result_get_stdout_truncated (result));
  g_variant_dict_insert (&dict, "stderr_truncated", "b",
                         asb_command_result_get_stderr_truncated (result));
  insert_storage_state (&dict, result);
  g_variant_dict_insert_value (&dict, "history_storage_error", nothing ());
  return g_variant_dict_end (&dict);
}

static GVariant *
describe_satellite (AsbCommandResult *result)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  if (asb_command_result_get_has_exit_status (result))
    g_variant_dict_insert (&dict, "exit_code", "x",
                           (gint64)asb_command_result_get_exit_status (result));
  g_variant_dict_insert (&dict, "provider_command_id", "s",
                         asb_command_result_get_command_id (result));
  insert_storage_state (&dict, result);
  return g_variant_dict_end (&dict);
}

static void
describe_outcome (AsbCommandResult *result, AsbOutcome *outcome)
{
  outcome->status = state_to_nick (asb_command_result_get_state (result));
  outcome->result = describe_result (result);
  outcome->command = describe_satellite (result);
  outcome->output = g_variant_ref_sink (describe_output (result));
}

/* Executing: start, then both outputs and the end at the same time. */

typedef struct
{
  AsbRun *run;
  AsbProcess *process;
  guint n_pending;
  gulong cancelled_id;
  AsbCommandResult *result;
  AsbCollectedOutput *outputs[2];
  GError *error;
} AsbExecution;

static void
execution_free (AsbExecution *execution)
{
  g_clear_object (&execution->process);
  g_clear_object (&execution->result);
  g_clear_error (&execution->error);
  for (gsize i = 0; i < G_N_ELEMENTS (execution->outputs); i++)
    g_clear_pointer (&execution->outputs[i], asb_collected_output_free);
  g_free (execution);
}

static AsbCommandResult *
join_result (AsbExecution *execution)
{
  AsbCommandResult *result = execution->result;
  const AsbCollectedOutput *out = execution->outputs[ASB_OUTPUT_STREAM_STDOUT];
  const AsbCollectedOutput *err = execution->outputs[ASB_OUTPUT_STREAM_STDERR];
  g_autoptr (GBytes) empty = g_bytes_new_static ("", 0);

  return g_object_new (
      ASB_TYPE_COMMAND_RESULT, "command-id", asb_command_result_get_command_id (result), "state",
      asb_command_result_get_state (result), "has-exit-status",
      asb_command_result_get_has_exit_status (result), "exit-status",
      asb_command_result_get_exit_status (result), "term-signal",
      asb_command_result_get_term_signal (result), "stdout-bytes", out ? out->bytes : empty,
      "stderr-bytes", err ? err->bytes : empty, "stdout-total",
      MAX (asb_command_result_get_stdout_total (result), out ? out->total : 0), "stderr-total",
      MAX (asb_command_result_get_stderr_total (result), err ? err->total : 0), "stdout-truncated",
      out && out->truncated, "stderr-truncated", err && err->truncated, "exact",
      asb_command_result_get_exact (result), "duration-us",
      asb_command_result_get_duration_us (result), "started-at",
      asb_command_result_get_started_at (result), "ended-at",
      asb_command_result_get_ended_at (result), "record-error",
      asb_command_result_get_record_error (result), NULL);
}

static void
return_execution (AsbExecution *execution)
{
  g_autoptr (AsbCommandResult) joined = join_result (execution);
  AsbOutcome outcome = { 0 };

  if (!execution->run->recorded_here)
    {
      asb_run_return_object (execution->run, g_object_ref (joined), NULL);
      return;
    }
  describe_outcome (joined, &outcome);
  asb_run_return_outcome (execution->run, g_object_ref (joined), &outcome);
  g_variant_unref (outcome.output);
}

/* Takes @error (nullable). */
static void
execution_part_done (AsbExecution *execution, GError *error)
{
  GCancellable *cancellable = g_task_get_cancellable (execution->run->task);
  g_autoptr (GError) cancelled = NULL;

  if (error && !execution->error)
    execution->error = error;
  else
    g_clear_error (&error);
  if (--execution->n_pending > 0)
    return;

  /* Not g_cancellable_disconnect (): a process may end in the handler, which that would wait for.
   */
  if (execution->cancelled_id)
    g_signal_handler_disconnect (cancellable, execution->cancelled_id);
  if (g_cancellable_set_error_if_cancelled (cancellable, &cancelled))
    asb_run_return_error (execution->run, g_steal_pointer (&cancelled));
  else if (execution->error)
    asb_run_return_error (execution->run, g_steal_pointer (&execution->error));
  else
    return_execution (execution);
  execution_free (execution);
}

static void
execution_collected (AsbExecution *execution, GObject *source, GAsyncResult *result,
                     AsbOutputStream which)
{
  GError *error = NULL;

  execution->outputs[which] = asb_output_collect_finish (G_INPUT_STREAM (source), result, &error);
  execution_part_done (execution, error);
}

static void
execution_stdout_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  execution_collected (user_data, source, result, ASB_OUTPUT_STREAM_STDOUT);
}

static void
execution_stderr_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  execution_collected (user_data, source, result, ASB_OUTPUT_STREAM_STDERR);
}

static void
execution_ended_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbExecution *execution = user_data;
  GError *error = NULL;

  execution->result = asb_process_wait_finish (ASB_PROCESS (source), result, &error);
  execution_part_done (execution, error);
}

static void
execution_cancelled_cb (GCancellable *cancellable, gpointer user_data)
{
  asb_process_force_exit (user_data);
}

static void
collect_output (AsbExecution *execution, GInputStream *stream, guint64 max_size,
                GAsyncReadyCallback callback)
{
  AsbCommandResultConfig *config = execution->run->backend->result_config;

  if (!stream)
    return;
  execution->n_pending++;
  asb_output_collect_async (stream, max_size,
                            asb_command_result_config_get_preserve_tail_bytes (config), NULL,
                            callback, execution);
}

static void
execution_started_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  AsbCommandResultConfig *config = run->backend->result_config;
  GCancellable *cancellable = g_task_get_cancellable (run->task);
  GError *error = NULL;
  AsbProcess *process = asb_transport_start_command_finish (ASB_TRANSPORT (source), result, &error);
  AsbExecution *execution;

  if (!process)
    {
      asb_run_return_error (run, error);
      return;
    }
  execution = g_new0 (AsbExecution, 1);
  execution->run = run;
  execution->process = process;
  execution->n_pending = 1;
  /* The end is awaited also when cancelled: then nothing of the command is left. */
  collect_output (execution, asb_process_get_stdout (process),
                  asb_command_result_config_get_max_stdout_bytes (config), execution_stdout_cb);
  collect_output (execution, asb_process_get_stderr (process),
                  asb_command_result_config_get_max_stderr_bytes (config), execution_stderr_cb);
  asb_process_wait_async (process, NULL, execution_ended_cb, execution);
  if (cancellable)
    execution->cancelled_id = g_cancellable_connect (
        cancellable, G_CALLBACK (execution_cancelled_cb), g_object_ref (process), g_object_unref);
}

static void
perform_execute (AsbRun *run)
{
  /* Whoever gets all of it at the end loses nothing by waiting for it. */
  asb_command_spec_set_exact_output (ASB_COMMAND_SPEC (run->request), TRUE);
  asb_transport_start_command_async (run->backend->transport, ASB_COMMAND_SPEC (run->request),
                                     g_task_get_cancellable (run->task), execution_started_cb, run);
}

/* Starting. */

void
asb_backend_record_command_end (AsbRecorder *recorder, AsbOperation *operation,
                                AsbCommandResult *result, const GError *error,
                                GAsyncReadyCallback callback, gpointer user_data)
{
  AsbOutcome outcome = { 0 };

  if (result)
    describe_outcome (result, &outcome);
  else
    {
      outcome.status = asb_recorder_status_of_error (error);
      outcome.result = asb_recorder_describe_error (error);
    }
  asb_recorder_complete_async (recorder, operation, &outcome, callback, user_data);
  g_clear_pointer (&outcome.output, g_variant_unref);
}

static void
record_end (AsbCommandResult *result, const GError *error, gpointer user_data,
            GAsyncReadyCallback recorded, gpointer recorded_data)
{
  AsbOperation *operation = user_data;

  asb_backend_record_command_end (g_object_get_data (G_OBJECT (operation), "asb-recorder"),
                                  operation, result, error, recorded, recorded_data);
}

static void
command_started_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GMainContext *context = g_object_get_data (G_OBJECT (run->request), "asb-context");
  AsbCommandFlags flags = asb_command_spec_get_flags (ASB_COMMAND_SPEC (run->request));
  GError *error = NULL;
  g_autoptr (AsbProcess) process
      = asb_transport_start_command_finish (ASB_TRANSPORT (source), result, &error);
  g_autoptr (AsbOperation) operation = NULL;
  AsbCommand *command;

  if (!process)
    {
      asb_run_return_error (run, error);
      return;
    }
  asb_call_share_pauses (process, source);
  operation = run->recorded_here ? g_object_ref (run->operation) : NULL;
  if (operation)
    g_object_set_data_full (G_OBJECT (operation), "asb-recorder",
                            g_object_ref (run->backend->recorder), g_object_unref);
  command = asb_command_new (run->backend, process, flags, context, operation ? record_end : NULL,
                             operation ? g_object_ref (operation) : NULL,
                             operation ? g_object_unref : NULL);
  asb_command_take_slot (command, g_steal_pointer (&run->slot));
  g_clear_object (&operation);
  operation = asb_run_return_started (run, command);
}

static void
perform_start (AsbRun *run)
{
  asb_transport_start_command_async (run->backend->transport, ASB_COMMAND_SPEC (run->request),
                                     g_task_get_cancellable (run->task), command_started_cb, run);
}

/**
 * asb_backend_execute_async:
 * @self: a [class@Backend]
 * @spec: the command; its flags are not looked at: input is empty and output is collected
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Runs a command to its end. A command that fails is a result, not an error;
 * %ASB_ERROR_COMMAND_NOT_FOUND and its neighbours mean that it did not start. Cancelling ends the
 * command and everything it started. An operation whose time is up gives a result with
 * %ASB_COMMAND_STATE_TIMEOUT and what was printed until then.
 *
 * Since: 1.0
 */
void
asb_backend_execute_async (AsbBackend *self, AsbCommandSpec *spec, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "execute the command", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (ASB_IS_COMMAND_SPEC (spec));

  task = asb_call_begin (self, &kind, ASB_TYPE_COMMAND_RESULT, cancellable, callback, user_data,
                         asb_backend_execute_async);
  asb_backend_begin_command (self, task, spec, ASB_COMMAND_FLAGS_NONE, NULL, perform_execute);
}

/**
 * asb_backend_execute_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.execute_async].
 *
 * Returns: (transfer full): how it ended and what it printed, bounded by
 * [property@BackendOptions:command-result-config]
 *
 * Since: 1.0
 */
AsbCommandResult *
asb_backend_execute_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_execute:
 * @self: a [class@Backend]
 * @spec: the command; its flags are not looked at: input is empty and output is collected
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Runs a command to its end. A command that fails is a result, not an error;
 * %ASB_ERROR_COMMAND_NOT_FOUND and its neighbours mean that it did not start. Cancelling ends the
 * command and everything it started. An operation whose time is up gives a result with
 * %ASB_COMMAND_STATE_TIMEOUT and what was printed until then. Blocks; see
 * [method@Backend.execute_async].
 *
 * Returns: (transfer full): how it ended and what it printed, bounded by
 * [property@BackendOptions:command-result-config]
 *
 * Since: 1.0
 */
AsbCommandResult *
asb_backend_execute (AsbBackend *self, AsbCommandSpec *spec, GCancellable *cancellable,
                     GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (spec), NULL);

  asb_sync_begin (&sync);
  asb_backend_execute_async (self, spec, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_execute_finish (self, asb_sync_wait (&sync), error);
}

/* @context: where the command lives; not the private one of a blocking call. */
static void
start_command (AsbBackend *self, AsbCommandSpec *spec, GMainContext *context,
               GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "start the command", 0, NULL };
  GTask *task = asb_call_begin (self, &kind, ASB_TYPE_COMMAND, cancellable, callback, user_data,
                                asb_backend_start_command_async);

  asb_backend_begin_command (self, task, spec, asb_command_spec_get_flags (spec), context,
                             perform_start);
}

/**
 * asb_backend_start_command_async:
 * @self: a [class@Backend]
 * @spec: the command
 * @cancellable: (nullable): a way to cancel the starting; afterwards use
 * [method@Command.force_exit]
 * @callback: (scope async): called when the program runs
 * @user_data: data for @callback
 *
 * Starts a command. Done when the program runs.
 *
 * Since: 1.0
 */
void
asb_backend_start_command_async (AsbBackend *self, AsbCommandSpec *spec, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GMainContext) context = NULL;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (ASB_IS_COMMAND_SPEC (spec));

  context = g_main_context_ref_thread_default ();
  start_command (self, spec, context, cancellable, callback, user_data);
}

/**
 * asb_backend_start_command_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.start_command_async].
 *
 * Returns: (transfer full): the running command
 *
 * Since: 1.0
 */
AsbCommand *
asb_backend_start_command_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_start_command:
 * @self: a [class@Backend]
 * @spec: the command
 * @cancellable: (nullable): a way to cancel the starting; afterwards use
 * [method@Command.force_exit]
 * @error: return location for an error
 *
 * Starts a command. Blocks until the program runs; see [method@Backend.start_command_async].
 *
 * Returns: (transfer full): the running command
 *
 * Since: 1.0
 */
AsbCommand *
asb_backend_start_command (AsbBackend *self, AsbCommandSpec *spec, GCancellable *cancellable,
                           GError **error)
{
  g_autoptr (GMainContext) context = NULL;
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (spec), NULL);

  context = g_main_context_ref_thread_default ();
  asb_sync_begin (&sync);
  start_command (self, spec, context, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_start_command_finish (self, asb_sync_wait (&sync), error);
}
