/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-finish.h"

#include "history-json.h"
#include "history-rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HASH 128
#define MAX_COMMAND_ID 255
#define MAX_CODE 128

static const char *const STATUSES[]
    = { "succeeded", "failed", "cancelled", "timeout", "unknown", NULL };

/* What command_executions and file_operations are told at the end. */
typedef struct
{
  const char *provider_command_id;
  int64_t exit_code;
  bool has_exit_code;

  HistoryFileRow file_row;
  int64_t before_size;
  int64_t after_size;
  int64_t diff_complete;
} Details;

static bool
check_status (const json_t *arguments, HistoryError *error)
{
  const char *status;

  if (!history_json_get_text (arguments, "status", true, MAX_CODE, &status, error))
    return false;
  for (int i = 0; STATUSES[i]; i++)
    if (strcmp (STATUSES[i], status) == 0)
      return true;
  return history_error_set (error, HISTORY_INVALID_ARGUMENT,
                            "“%s” is no status an operation ends with", status);
}

static bool
parse_command (const json_t *object, Details *details, HistoryError *error)
{
  int64_t exit_code = -1;

  if (!history_json_get_text (object, "provider_command_id", false, MAX_COMMAND_ID,
                              &details->provider_command_id, error)
      || !history_json_get_integer (object, "exit_code", INT32_MIN, INT32_MAX, &exit_code, error))
    return false;
  details->exit_code = exit_code;
  details->has_exit_code = json_is_integer (json_object_get (object, "exit_code"));
  return true;
}

static bool
parse_size (const json_t *object, const char *name, int64_t *size, const int64_t **result,
            HistoryError *error)
{
  *result = json_is_integer (json_object_get (object, name)) ? size : NULL;
  return history_json_get_integer (object, name, 0, HISTORY_MAX_INTEGER, size, error);
}

static bool
parse_file_operation (const json_t *object, Details *details, HistoryError *error)
{
  HistoryFileRow *row = &details->file_row;

  details->diff_complete = !json_is_false (json_object_get (object, "diff_complete"));
  return history_json_get_text (object, "before_hash", false, MAX_HASH, &row->before_hash, error)
         && history_json_get_text (object, "after_hash", false, MAX_HASH, &row->after_hash, error)
         && history_json_get_text (object, "diff_data", false, HISTORY_MAX_VALUE, &row->diff, error)
         && parse_size (object, "before_size", &details->before_size, &row->before_size, error)
         && parse_size (object, "after_size", &details->after_size, &row->after_size, error);
}

static const char *
text_of (const json_t *object, const char *name)
{
  return json_string_value (json_object_get (object, name));
}

/* The result says the same under other names. */
static void
complete_command (const json_t *result, Details *details)
{
  const json_t *exit_code = json_object_get (result, "exit_code");

  if (!details->provider_command_id)
    details->provider_command_id = text_of (result, "command_id");
  if (details->has_exit_code || !json_is_integer (exit_code))
    return;
  details->exit_code = json_integer_value (exit_code);
  details->has_exit_code = true;
}

static void
complete_file_operation (const json_t *result, Details *details)
{
  HistoryFileRow *row = &details->file_row;
  const json_t *size = json_object_get (result, "size");

  if (!row->before_hash)
    row->before_hash = text_of (result, "previous_hash");
  if (!row->after_hash)
    row->after_hash = text_of (result, "content_hash");
  if (!row->after_size && json_is_integer (size) && json_integer_value (size) >= 0)
    {
      details->after_size = json_integer_value (size);
      row->after_size = &details->after_size;
    }
  if (!row->diff && text_of (result, "diff"))
    {
      row->diff = text_of (result, "diff");
      details->diff_complete = !json_is_true (json_object_get (result, "diff_truncated"));
    }
  row->diff_encoding = row->diff ? "identity" : NULL;
  row->diff_complete = row->diff ? &details->diff_complete : NULL;
}

static bool
parse_details (const json_t *arguments, Details *details, HistoryError *error)
{
  const json_t *result;
  const json_t *command;
  const json_t *file_operation;

  *details = (Details){ 0 };
  if (!history_json_get_object (arguments, "result", false, &result, error)
      || !history_json_get_object (arguments, "command", false, &command, error)
      || !history_json_get_object (arguments, "file_operation", false, &file_operation, error)
      || !parse_command (command, details, error)
      || !parse_file_operation (file_operation, details, error))
    return false;
  complete_command (result, details);
  complete_file_operation (result, details);
  return true;
}

bool
history_finish_accept (HistoryOperation *operation, json_t *arguments, HistoryError *error)
{
  Details details;
  const char *error_code;

  if (!check_status (arguments, error) || !parse_details (arguments, &details, error)
      || !history_json_get_text (arguments, "error_code", false, MAX_CODE, &error_code, error))
    return false;
  operation->end = json_incref (arguments);
  operation->duration_ms = (history_time_monotonic () - operation->started) / 1000000;
  history_time_now (operation->completed_at);
  if (json_is_true (json_object_get (arguments, "output_lost")))
    history_operation_lose (operation, "Some of the output came too fast to be recorded");
  return true;
}

static const char *
loss_of (const HistoryOperation *operation, const HistoryOutputStep *step)
{
  if (history_operation_has_lost (operation))
    return operation->loss;
  return step->loss[0] ? step->loss : NULL;
}

static const char *
state_of (const HistoryOperation *operation, const HistoryOutputStep *step)
{
  if (loss_of (operation, step))
    return "partial";
  return operation->is_capped ? "truncated_by_policy" : "complete";
}

static bool
is_complete (const HistoryOperation *operation, const HistoryOutputStep *step)
{
  return !operation->is_capped && !loss_of (operation, step);
}

/* What the broker counted is more than what came here where some was lost on the way. */
static int64_t
total_of (const HistoryOperation *operation, int stream, const json_t *result)
{
  char name[32];
  int64_t total = operation->outputs[stream].total;
  const json_t *told;

  snprintf (name, sizeof name, "%s_total_bytes", HISTORY_STREAM_NAMES[stream]);
  told = json_object_get (result, name);
  if (!told)
    {
      snprintf (name, sizeof name, "%s_bytes", HISTORY_STREAM_NAMES[stream]);
      told = json_object_get (result, name);
    }
  return json_is_integer (told) && json_integer_value (told) > total ? json_integer_value (told)
                                                                     : total;
}

static void
set_stream (json_t *result, const HistoryOperation *operation, const HistoryOutputStep *step,
            int stream)
{
  const char *stream_name = HISTORY_STREAM_NAMES[stream];
  int64_t total = total_of (operation, stream, result);
  int64_t kept = operation->outputs[stream].kept + (int64_t)step->taken[stream];
  char name[32];

  snprintf (name, sizeof name, "%s_bytes", stream_name);
  json_object_set_new (result, name, json_integer (kept));
  snprintf (name, sizeof name, "%s_total_bytes", stream_name);
  json_object_set_new (result, name, json_integer (total));
  snprintf (name, sizeof name, "%s_truncated", stream_name);
  json_object_set_new (result, name, json_boolean (kept < total));
}

static void
set_output (json_t *result, const HistoryOperation *operation, const HistoryOutputStep *step)
{
  const char *loss = loss_of (operation, step);

  set_stream (result, operation, step, HISTORY_STDOUT);
  set_stream (result, operation, step, HISTORY_STDERR);
  json_object_set_new (result, "output_complete", json_boolean (is_complete (operation, step)));
  json_object_set_new (result, "history_storage_state", json_string (state_of (operation, step)));
  json_object_set_new (result, "history_storage_error",
                       loss ? history_json_text (loss) : json_null ());
}

static json_t *
make_result (const HistoryOperation *operation, const HistoryOutputStep *step)
{
  const json_t *given = json_object_get (operation->end, "result");
  json_t *result = json_is_object (given) ? json_copy ((json_t *)given) : json_object ();
  json_t *code = json_object_get (operation->end, "error_code");

  if (json_is_string (code))
    json_object_set (result, "error_code", code);
  if (operation->is_command)
    set_output (result, operation, step);
  if (json_object_size (result) > 0)
    return result;
  json_decref (result);
  return NULL;
}

/* Nothing else of it can be known without one of these. */
static bool
has_file_row (const Details *details)
{
  const HistoryFileRow *row = &details->file_row;

  return row->before_hash || row->after_hash || row->before_size || row->after_size || row->diff;
}

static bool
write_outcome (const HistoryOperation *operation, HistoryDatabase *database,
               const HistoryOutputStep *step, const Details *details, HistoryError *error)
{
  const char *event_id = operation->event_id;
  json_t *result = make_result (operation, step);
  bool done = history_update_event (database, event_id, text_of (operation->end, "status"),
                                    operation->completed_at, &operation->duration_ms, result, error)
              && (!operation->is_command
                  || history_update_command (
                      database, event_id, details->has_exit_code ? &details->exit_code : NULL,
                      details->provider_command_id, is_complete (operation, step),
                      state_of (operation, step), error))
              && (!has_file_row (details)
                  || history_update_file_operation (database, event_id, &details->file_row, error));

  json_decref (result);
  return done;
}

static void
note_removed (HistoryOperation *operation, HistoryStore *store, HistoryOutputStep *step)
{
  history_store_note (store, "row_removed", "Operation “%s” was removed before it ended",
                      operation->event_id);
  if (operation->outputs[HISTORY_STDOUT].kept + operation->outputs[HISTORY_STDERR].kept > 0)
    snprintf (step->loss, sizeof step->loss, "The output recorded first was removed");
  operation->is_written = false;
}

/* Others may write to the database: a row that is gone is written again, one that is completed
 * already is overwritten, and both are noted. "unknown" is what another guest makes of what it
 * believes to be dead. */
static bool
check_row (HistoryOperation *operation, HistoryStore *store, HistoryOutputStep *step,
           HistoryError *error)
{
  char *status;

  if (!history_find_status (&store->database, operation->event_id, &status, error))
    return false;
  if (!status)
    note_removed (operation, store, step);
  else if (strcmp (status, "started") != 0 && strcmp (status, "unknown") != 0)
    history_store_note (store, "row_changed", "Operation “%s” was “%s” before it ended",
                        operation->event_id, status);
  free (status);
  return history_operation_require_start (operation, store, error);
}

/* The outcome is recorded even where the output cannot be. */
static bool
write_output (HistoryOperation *operation, HistoryStore *store, HistoryOutputStep *step,
              HistoryError *error)
{
  HistoryDatabase *database = &store->database;
  HistoryError output_error;
  bool done;

  if (history_output_pending (operation) == 0)
    return true;
  if (!history_database_begin_part (database, error))
    return false;
  done = history_output_write (operation, store, step, &output_error);
  if (!done && !history_database_in_transaction (database))
    {
      *error = output_error;
      return false;
    }
  if (!done)
    {
      *step = (HistoryOutputStep){ 0 };
      snprintf (step->loss, sizeof step->loss, "%s", output_error.message);
    }
  return history_database_end_part (database, done, error);
}

static bool
write_completion (const HistoryOperation *operation, HistoryDatabase *database, HistoryError *error)
{
  char change_id[512];

  snprintf (change_id, sizeof change_id, "%s:completed:%s", operation->event_id,
            text_of (operation->end, "status"));
  return history_insert_change (database, change_id, operation->event_id, "completed",
                                operation->completed_at, error)
         && history_database_run (database, error, "DELETE FROM asb_operations WHERE event_id = ?",
                                  "t", operation->event_id);
}

bool
history_finish_write (HistoryOperation *operation, HistoryStore *store, HistoryOutputStep *step,
                      HistoryError *error)
{
  HistoryDatabase *database = &store->database;
  Details details;

  *step = (HistoryOutputStep){ 0 };
  return parse_details (operation->end, &details, error)
         && history_operation_require_start (operation, store, error)
         && check_row (operation, store, step, error)
         && write_output (operation, store, step, error)
         && write_outcome (operation, database, step, &details, error)
         && write_completion (operation, database, error);
}

json_t *
history_finish_describe (const HistoryOperation *operation)
{
  const HistoryOutputStep none = { 0 };
  json_t *json = json_pack ("{s:s}", "state", state_of (operation, &none));

  if (loss_of (operation, &none))
    json_object_set_new (json, "message", history_json_text (loss_of (operation, &none)));
  return json;
}
