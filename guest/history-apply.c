/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-apply.h"

#include "history-json.h"
#include "history-memory.h"
#include "history-rows.h"

#include "asb-wire-json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* These come from other programs, whose ids and words may be longer than ours. */
#define MAX_ID 255
#define MAX_CHANGE_ID (64 * 1024)
#define MAX_PATH 4096
#define MAX_TIME 40

typedef struct
{
  HistoryStore *store;
  const char *change_id;
} Application;

static HistoryDatabase *
database_of (const Application *application)
{
  return &application->store->database;
}

/* NULL where the member is absent; else @value, set. */
static bool
optional_integer (const json_t *object, const char *name, int64_t *value, const int64_t **result,
                  HistoryError *error)
{
  *result = json_is_integer (json_object_get (object, name)) ? value : NULL;
  return history_json_get_integer (object, name, -HISTORY_MAX_INTEGER, HISTORY_MAX_INTEGER, value,
                                   error);
}

static bool
is_true_unless_said (const json_t *object, const char *name)
{
  const json_t *value = json_object_get (object, name);

  return !json_is_false (value) && !(json_is_integer (value) && json_integer_value (value) == 0);
}

static bool
find_status (const Application *application, const char *event_id, char **status,
             HistoryError *error)
{
  if (!history_find_status (database_of (application), event_id, status, error))
    return false;
  return *status
         || history_error_set (error, HISTORY_INVALID_ARGUMENT, "There is no operation “%s”",
                               event_id);
}

static bool
require_event (const Application *application, const char *event_id, HistoryError *error)
{
  char *status;
  bool found = find_status (application, event_id, &status, error);

  free (status);
  return found;
}

static bool
append_change (const Application *application, const char *event_id, const char *type,
               const char *changed_at, HistoryError *error)
{
  char now[HISTORY_TIME_SIZE];

  history_time_now (now);
  return history_insert_change (database_of (application), application->change_id, event_id, type,
                                changed_at ? changed_at : now, error);
}

static bool
parse_event (const json_t *event, HistoryEventRow *row, HistoryError *error)
{
  *row = (HistoryEventRow){ .schema_version = 1, .request = json_object_get (event, "request") };
  return history_json_get_text (event, "event_id", true, MAX_ID, &row->event_id, error)
         && history_json_get_text (event, "operation_type", true, MAX_ID, &row->operation_type,
                                   error)
         && history_json_get_text (event, "occurred_at", true, MAX_TIME, &row->occurred_at, error)
         && history_json_get_text (event, "source", false, MAX_ID, &row->source, error)
         && history_json_get_integer (event, "schema_version", 0, INT32_MAX, &row->schema_version,
                                      error)
         && history_parse_actor (event, MAX_ID, MAX_ID, row, error);
}

static bool
check_same_operation (const Application *application, const HistoryEventRow *row,
                      HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      database_of (application), error,
      "SELECT 1 FROM history_events WHERE event_id = ? AND operation_type = ?", "tt", row->event_id,
      row->operation_type);
  HistoryStep step;

  if (!statement)
    return false;
  step = history_database_step (database_of (application), statement, error);
  history_database_end (statement);
  if (step == HISTORY_DONE)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT,
                              "The operation “%s” was started as another type", row->event_id);
  return step == HISTORY_ROW;
}

static bool
require_text (const HistoryText *text, const char *name, HistoryError *error)
{
  return text->text[0]
         || history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must not be empty", name);
}

static bool
insert_command_row (const Application *application, const char *event_id, const json_t *command,
                    const HistoryText *text, HistoryError *error)
{
  const json_t *environment = json_object_get (command, "environment");
  const int64_t *timeout;
  int64_t timeout_ms = 0;
  HistoryText cwd = { 0 };
  char *environment_json;
  bool done;

  if (!require_text (text, "command", error)
      || !optional_integer (command, "timeout_ms", &timeout_ms, &timeout, error)
      || (json_object_get (command, "cwd")
          && !history_json_get_bytes (command, "cwd", &cwd, error)))
    return false;
  environment_json
      = environment && !json_is_null (environment) ? history_json_canonical (environment) : NULL;
  done = history_insert_command (database_of (application), event_id, text, &cwd, environment_json,
                                 timeout, error);
  free (environment_json);
  history_text_clear (&cwd);
  return done;
}

static bool
insert_command (const Application *application, const char *event_id, const json_t *event,
                HistoryError *error)
{
  const json_t *command;
  HistoryText text;
  bool done;

  if (!history_json_get_object (event, "command", false, &command, error))
    return false;
  if (!command)
    return true;
  if (!history_json_get_bytes (command, "command", &text, error))
    return false;
  done = insert_command_row (application, event_id, command, &text, error);
  history_text_clear (&text);
  return done;
}

/* Values that both records of a file operation may have, with the integers they point to. */
typedef struct
{
  HistoryFileRow row;
  int64_t before_size;
  int64_t after_size;
  int64_t diff_complete;
} FileValues;

static bool
is_encoding (const char *name)
{
  return !name || strcmp (name, "identity") == 0 || strcmp (name, "gzip") == 0
         || strcmp (name, "zlib") == 0;
}

static bool
check_diff_encoding (const HistoryFileRow *row, HistoryError *error)
{
  return is_encoding (row->diff_encoding)
         || history_error_set (error, HISTORY_INVALID_ARGUMENT,
                               "“%s” is “%s”, and must be identity, gzip or zlib", "diff_encoding",
                               row->diff_encoding);
}

static bool
parse_file_values (const json_t *object, FileValues *values, HistoryError *error)
{
  HistoryFileRow *row = &values->row;

  *values = (FileValues){ .diff_complete = is_true_unless_said (object, "diff_complete") };
  if (json_object_get (object, "diff_complete"))
    row->diff_complete = &values->diff_complete;
  return history_json_get_text (object, "before_hash", false, MAX_ID, &row->before_hash, error)
         && history_json_get_text (object, "after_hash", false, MAX_ID, &row->after_hash, error)
         && optional_integer (object, "before_size", &values->before_size, &row->before_size, error)
         && optional_integer (object, "after_size", &values->after_size, &row->after_size, error)
         && history_json_get_text (object, "diff_data", false, HISTORY_MAX_VALUE, &row->diff, error)
         && history_json_get_text (object, "diff_encoding", false, MAX_ID, &row->diff_encoding,
                                   error)
         && check_diff_encoding (row, error);
}

static bool
insert_file_operation (const Application *application, const char *event_id, const json_t *event,
                       HistoryError *error)
{
  const json_t *object;
  const char *change_type;
  const char *old_path;
  FileValues values;
  HistoryText path;
  bool done;

  if (!history_json_get_object (event, "file_operation", false, &object, error))
    return false;
  if (!object)
    return true;
  if (!history_json_get_bytes (object, "path", &path, error))
    return false;
  done = require_text (&path, "path", error)
         && history_json_get_text (object, "change_type", true, MAX_ID, &change_type, error)
         && history_json_get_text (object, "old_path", false, MAX_PATH, &old_path, error)
         && parse_file_values (object, &values, error)
         && history_insert_file_operation (database_of (application), event_id, &path, old_path,
                                           change_type, &values.row, error);
  history_text_clear (&path);
  return done;
}

static bool
apply_started (const Application *application, const json_t *record, HistoryError *error)
{
  const json_t *event;
  HistoryEventRow row;
  bool is_new;

  return history_json_get_object (record, "event", true, &event, error)
         && parse_event (event, &row, error)
         && history_insert_event (application->store, &row, &is_new, error)
         && (is_new || check_same_operation (application, &row, error))
         && insert_command (application, row.event_id, event, error)
         && insert_file_operation (application, row.event_id, event, error)
         && append_change (application, row.event_id, "created", row.occurred_at, error);
}

/* Others than these are left out, as the table's own checks would do it. */
static bool
may_be_chunk (const char *stream, const char *encoding)
{
  return is_encoding (encoding)
         && (strcmp (stream, "stdout") == 0 || strcmp (stream, "stderr") == 0);
}

static bool
insert_chunk (const Application *application, const char *event_id, const json_t *chunk,
              HistoryError *error)
{
  const char *stream;
  const char *encoded;
  const char *encoding;
  const char *created_at;
  char now[HISTORY_TIME_SIZE];
  int64_t index = -1;
  int64_t original_size;
  size_t size;
  void *bytes;
  bool done;

  history_time_now (now);
  if (!history_json_get_text (chunk, "stream", true, MAX_ID, &stream, error)
      || !history_json_get_text (chunk, "data_base64", true, HISTORY_MAX_VALUE, &encoded, error)
      || !history_json_get_text (chunk, "encoding", false, MAX_ID, &encoding, error)
      || !history_json_get_text (chunk, "created_at", false, MAX_TIME, &created_at, error)
      || !history_json_get_integer (chunk, "chunk_index", 0, HISTORY_MAX_INTEGER, &index, error))
    return false;
  bytes = asb_wire_base64_decode (encoded, strlen (encoded), &size);
  if (!bytes || index < 0)
    {
      free (bytes);
      return history_error_set (error, HISTORY_INVALID_ARGUMENT,
                                bytes ? "“%s” is missing" : "“%s” is not valid base64",
                                bytes ? "chunk_index" : "data_base64");
    }
  original_size = (int64_t)size;
  done = history_json_get_integer (chunk, "original_size", 0, HISTORY_MAX_INTEGER, &original_size,
                                   error)
         && (!may_be_chunk (stream, encoding)
             || history_database_run (
                 database_of (application), error,
                 "INSERT OR IGNORE INTO command_output_chunks(event_id, stream, chunk_index, data,"
                 " encoding, original_size, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                 "ttibtit", event_id, stream, index, bytes, size, encoding ? encoding : "identity",
                 original_size, created_at ? created_at : now));
  free (bytes);
  return done;
}

static bool
apply_output (const Application *application, const json_t *record, HistoryError *error)
{
  const json_t *chunks = json_object_get (record, "chunks");
  const char *event_id;

  if (!history_json_get_text (record, "event_id", true, MAX_ID, &event_id, error))
    return false;
  if (!json_is_array (chunks) || json_array_size (chunks) == 0)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT,
                              "“%s” must be an array that is not empty", "chunks");
  if (!require_event (application, event_id, error))
    return false;
  for (size_t i = 0; i < json_array_size (chunks); i++)
    if (!insert_chunk (application, event_id, json_array_get (chunks, i), error))
      return false;
  return append_change (application, event_id, "output_appended", NULL, error);
}

static bool
check_terminal_status (const Application *application, const char *event_id, const char *status,
                       HistoryError *error)
{
  char *current;
  bool may_follow;

  if (strcmp (status, "started") == 0)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT,
                              "“%s” is no status an operation ends with", status);
  if (!find_status (application, event_id, &current, error))
    return false;
  may_follow = strcmp (current, "started") == 0 || strcmp (current, status) == 0;
  if (!may_follow)
    history_error_set (error, HISTORY_INVALID_ARGUMENT,
                       "The operation “%s” is completed as “%s” already", event_id, current);
  free (current);
  return may_follow;
}

static bool
update_event (const Application *application, const char *event_id, const char *status,
              const char *completed_at, const json_t *event, HistoryError *error)
{
  const int64_t *duration;
  int64_t duration_ms = 0;

  return optional_integer (event, "duration_ms", &duration_ms, &duration, error)
         && history_update_event (database_of (application), event_id, status, completed_at,
                                  duration, json_object_get (event, "result"), error);
}

static bool
update_command (const Application *application, const char *event_id, const json_t *event,
                HistoryError *error)
{
  const json_t *command;
  const char *command_id;
  const char *state;
  const int64_t *code;
  int64_t exit_code = 0;

  if (!history_json_get_object (event, "command", false, &command, error))
    return false;
  return !command
         || (optional_integer (command, "exit_code", &exit_code, &code, error)
             && history_json_get_text (command, "provider_command_id", false, MAX_ID, &command_id,
                                       error)
             && history_json_get_text (command, "history_storage_state", false, MAX_ID, &state,
                                       error)
             && history_update_command (database_of (application), event_id, code, command_id,
                                        is_true_unless_said (command, "output_complete"),
                                        state ? state : "complete", error));
}

static bool
update_file_operation (const Application *application, const char *event_id, const json_t *event,
                       HistoryError *error)
{
  const json_t *object;
  FileValues values;

  if (!history_json_get_object (event, "file_operation", false, &object, error))
    return false;
  return !object
         || (parse_file_values (object, &values, error)
             && history_update_file_operation (database_of (application), event_id, &values.row,
                                               error));
}

static bool
apply_completed (const Application *application, const json_t *record, HistoryError *error)
{
  const json_t *event;
  const char *event_id;
  const char *status;
  const char *completed_at;

  return history_json_get_object (record, "event", true, &event, error)
         && history_json_get_text (event, "event_id", true, MAX_ID, &event_id, error)
         && history_json_get_text (event, "status", true, MAX_ID, &status, error)
         && history_json_get_text (event, "completed_at", true, MAX_TIME, &completed_at, error)
         && check_terminal_status (application, event_id, status, error)
         && update_event (application, event_id, status, completed_at, event, error)
         && update_command (application, event_id, event, error)
         && update_file_operation (application, event_id, event, error)
         && append_change (application, event_id, "completed", completed_at, error);
}

static bool
apply_storage_state (const Application *application, const json_t *record, HistoryError *error)
{
  const char *event_id;
  const char *state;

  return history_json_get_text (record, "event_id", true, MAX_ID, &event_id, error)
         && history_json_get_text (record, "history_storage_state", true, MAX_ID, &state, error)
         && require_event (application, event_id, error)
         && history_database_run (
             database_of (application), error,
             "UPDATE command_executions SET history_storage_state = ? WHERE event_id = ?", "tt",
             state, event_id)
         && append_change (application, event_id, "storage_state_changed", NULL, error);
}

static bool
apply_record (const Application *application, const json_t *record, const char *type,
              HistoryError *error)
{
  if (strcmp (type, "operation_started") == 0)
    return apply_started (application, record, error);
  if (strcmp (type, "command_output") == 0)
    return apply_output (application, record, error);
  if (strcmp (type, "operation_completed") == 0)
    return apply_completed (application, record, error);
  if (strcmp (type, "storage_state_changed") == 0)
    return apply_storage_state (application, record, error);
  return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” is no type of record", type);
}

static char *
make_change_id (const char *batch_id, size_t index, const char *type)
{
  size_t size = strlen (batch_id) + strlen (type) + 32;
  char *change_id = history_allocate (size, 1);

  snprintf (change_id, size, "%s:%zu:%s", batch_id, index, type);
  return change_id;
}

static bool
apply_one (HistoryStore *store, const char *batch_id, size_t index, const json_t *record,
           HistoryError *error)
{
  const char *given;
  const char *type;
  char *change_id;
  bool done;

  if (!json_is_object (record))
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must hold objects only",
                              "records");
  if (!history_json_get_text (record, "type", true, MAX_ID, &type, error)
      || !history_json_get_text (record, "change_id", false, MAX_CHANGE_ID, &given, error))
    return false;
  change_id = given && *given ? history_copy (given) : make_change_id (batch_id, index, type);
  done = apply_record (&(Application){ store, change_id }, record, type, error);
  free (change_id);
  return done;
}

bool
history_apply (HistoryStore *store, const json_t *arguments, int64_t *n_applied,
               HistoryError *error)
{
  const json_t *records = json_object_get (arguments, "records");
  const char *batch_id;

  *n_applied = 0;
  if (!history_json_get_text (arguments, "batch_id", true, MAX_CHANGE_ID, &batch_id, error))
    return false;
  if (!json_is_array (records) || json_array_size (records) == 0)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT,
                              "“%s” must be an array that is not empty", "records");
  for (size_t i = 0; i < json_array_size (records); i++, ++*n_applied)
    if (!apply_one (store, batch_id, i, json_array_get (records, i), error))
      return false;
  return true;
}

bool
history_apply_begins_operations (const json_t *arguments)
{
  const json_t *records = json_object_get (arguments, "records");

  for (size_t i = 0; i < json_array_size (records); i++)
    {
      const char *type = json_string_value (json_object_get (json_array_get (records, i), "type"));

      if (type && strcmp (type, "operation_started") == 0)
        return true;
    }
  return false;
}

static json_t *
read_acknowledgement (HistoryStore *store, const char *consumer_id, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      &store->database, error,
      "SELECT acknowledged_seq, updated_at FROM history_consumers WHERE consumer_id = ?", "t",
      consumer_id);
  json_t *result = NULL;

  if (!statement)
    return NULL;
  if (history_database_step (&store->database, statement, error) == HISTORY_ROW)
    {
      const char *updated_at = (const char *)sqlite3_column_text (statement, 1);

      result = json_pack ("{s:s, s:I, s:s}", "consumer_id", consumer_id, "acknowledged_seq",
                          (json_int_t)sqlite3_column_int64 (statement, 0), "updated_at",
                          updated_at ? updated_at : "");
    }
  history_database_end (statement);
  return result;
}

bool
history_acknowledge (HistoryStore *store, const json_t *arguments, json_t **result,
                     HistoryError *error)
{
  const char *consumer_id;
  char now[HISTORY_TIME_SIZE];
  int64_t seq = -1;

  if (!history_json_get_text (arguments, "consumer_id", true, MAX_ID, &consumer_id, error)
      || !history_json_get_integer (arguments, "seq", 0, HISTORY_MAX_INTEGER, &seq, error))
    return false;
  if (seq < 0)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” is missing", "seq");
  history_time_now (now);
  if (!history_database_run (
          &store->database, error,
          "INSERT INTO history_consumers(consumer_id, acknowledged_seq, updated_at)"
          " VALUES (?, ?, ?) ON CONFLICT(consumer_id) DO UPDATE SET acknowledged_seq ="
          " max(history_consumers.acknowledged_seq, excluded.acknowledged_seq),"
          " updated_at = excluded.updated_at",
          "tit", consumer_id, seq, now))
    return false;
  *result = read_acknowledgement (store, consumer_id, error);
  return *result != NULL;
}
