/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-rows.h"

#include "history-memory.h"
#include "history-raw.h"

#include <stdlib.h>

bool
history_parse_actor (const json_t *object, size_t max_id, size_t max_word, HistoryEventRow *row,
                     HistoryError *error)
{
  const json_t *actor;

  if (!history_json_get_object (object, "actor", false, &actor, error)
      || !history_json_get_text (actor, "actor_type", false, max_word, &row->actor_type, error)
      || !history_json_get_text (actor, "actor_id", false, max_id, &row->actor_id, error)
      || !history_json_get_text (actor, "thread_id", false, max_id, &row->thread_id, error)
      || !history_json_get_text (actor, "run_id", false, max_id, &row->run_id, error)
      || !history_json_get_text (actor, "correlation_id", false, max_id, &row->correlation_id,
                                 error))
    return false;
  if (!row->actor_type)
    row->actor_type = "system";
  return true;
}

/* An absent or null value is SQL's null, anything else its JSON. */
static char *
json_column (const json_t *value)
{
  json_t *replaced;
  char *text;

  if (!value || json_is_null (value))
    return NULL;
  if (!json_is_object (value))
    return history_json_canonical (value);
  replaced = history_raw_replace (value);
  text = history_json_canonical (replaced);
  json_decref (replaced);
  return text;
}

bool
history_insert_event (HistoryStore *store, const HistoryEventRow *row, bool *is_new,
                      HistoryError *error)
{
  const HistoryIdentity *identity = &store->identity;
  char *request = json_column (row->request);
  bool done = history_database_run (
      &store->database, error,
      "INSERT OR IGNORE INTO history_events(event_id, provider_key, sandbox_id,"
      " sandbox_instance_id, source, actor_type, actor_id, thread_id, run_id, correlation_id,"
      " operation_type, status, occurred_at, request_json, schema_version)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'started', ?, ?, ?)",
      "ttttttttttttti", row->event_id, identity->provider_key, identity->sandbox_id,
      identity->sandbox_instance_id, row->source ? row->source : "sdk", row->actor_type,
      row->actor_id, row->thread_id, row->run_id, row->correlation_id, row->operation_type,
      row->occurred_at, request, row->schema_version);

  free (request);
  *is_new = done && history_database_changes (&store->database) > 0;
  return done
         && (!*is_new
             || history_raw_write_members (&store->database, row->event_id, "request", row->request,
                                           error));
}

bool
history_insert_command (HistoryDatabase *database, const char *event_id, const HistoryText *command,
                        const HistoryText *cwd, const char *environment, const int64_t *timeout_ms,
                        HistoryError *error)
{
  return history_database_run (database, error,
                               "INSERT OR IGNORE INTO command_executions(event_id, command, cwd,"
                               " environment_json, timeout_ms) VALUES (?, ?, ?, ?, ?)",
                               "ttttn", event_id, command->text,
                               cwd->text ? cwd->text : "/workspace", environment, timeout_ms)
         && history_raw_write (database, event_id, "command.command", command, error)
         && history_raw_write (database, event_id, "command.cwd", cwd, error);
}

bool
history_insert_file_operation (HistoryDatabase *database, const char *event_id,
                               const HistoryText *path, const char *old_path,
                               const char *change_type, const HistoryFileRow *row,
                               HistoryError *error)
{
  return history_database_run (database, error,
                               "INSERT OR IGNORE INTO file_operations(event_id, path, old_path,"
                               " change_type, before_hash, after_hash, before_size, after_size,"
                               " diff_complete) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                               "ttttttnni", event_id, path->text, old_path, change_type,
                               row->before_hash, row->after_hash, row->before_size, row->after_size,
                               row->diff_complete ? *row->diff_complete : 1)
         && history_raw_write (database, event_id, "file_operation.path", path, error);
}

bool
history_insert_change (HistoryDatabase *database, const char *change_id, const char *event_id,
                       const char *change_type, const char *changed_at, HistoryError *error)
{
  return history_database_run (database, error,
                               "INSERT OR IGNORE INTO history_changes(change_id, event_id,"
                               " change_type, changed_at) VALUES (?, ?, ?, ?)",
                               "tttt", change_id, event_id, change_type, changed_at);
}

bool
history_update_event (HistoryDatabase *database, const char *event_id, const char *status,
                      const char *completed_at, const int64_t *duration_ms, const json_t *result,
                      HistoryError *error)
{
  char *text = json_column (result);
  bool done = history_database_run (
      database, error,
      "UPDATE history_events SET status = ?, completed_at = ?, duration_ms = ?, result_json = ?"
      " WHERE event_id = ?",
      "ttntt", status, completed_at, duration_ms, text, event_id);

  free (text);
  return done && history_raw_write_members (database, event_id, "result", result, error);
}

bool
history_update_command (HistoryDatabase *database, const char *event_id, const int64_t *exit_code,
                        const char *provider_command_id, bool output_complete,
                        const char *storage_state, HistoryError *error)
{
  return history_database_run (
      database, error,
      "UPDATE command_executions SET exit_code = ?, provider_command_id = ?, output_complete = ?,"
      " history_storage_state = ? WHERE event_id = ?",
      "ntitt", exit_code, provider_command_id, (int64_t)output_complete, storage_state, event_id);
}

bool
history_update_file_operation (HistoryDatabase *database, const char *event_id,
                               const HistoryFileRow *row, HistoryError *error)
{
  return history_database_run (
      database, error,
      "UPDATE file_operations SET before_hash = coalesce(?, before_hash),"
      " after_hash = coalesce(?, after_hash), before_size = coalesce(?, before_size),"
      " after_size = coalesce(?, after_size), diff_data = coalesce(?, diff_data),"
      " diff_encoding = coalesce(?, diff_encoding), diff_complete = coalesce(?, diff_complete)"
      " WHERE event_id = ?",
      "ttnnttnt", row->before_hash, row->after_hash, row->before_size, row->after_size, row->diff,
      row->diff_encoding, row->diff_complete, event_id);
}

bool
history_find_status (HistoryDatabase *database, const char *event_id, char **status,
                     HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      database, error, "SELECT status FROM history_events WHERE event_id = ?", "t", event_id);
  HistoryStep step;

  *status = NULL;
  if (!statement)
    return false;
  step = history_database_step (database, statement, error);
  if (step == HISTORY_ROW)
    {
      const char *text = (const char *)sqlite3_column_text (statement, 0);

      *status = history_copy (text ? text : "");
    }
  history_database_end (statement);
  return step != HISTORY_FAILED;
}
