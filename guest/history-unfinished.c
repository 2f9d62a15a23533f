/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-unfinished.h"

#include "history-memory.h"
#include "history-rows.h"

#include <stdlib.h>
#include <string.h>

static const char EXPLANATION[] = "Recording ended before the operation did";

typedef struct
{
  char *event_id;
  bool is_command;
  int64_t stored[2];
} Unfinished;

static bool
has_any (HistoryStore *store, bool *found, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      &store->database, error, "SELECT 1 FROM asb_operations WHERE boot_id <> ? LIMIT 1", "t",
      store->boot_id);
  HistoryStep step;

  if (!statement)
    return false;
  step = history_database_step (&store->database, statement, error);
  *found = step == HISTORY_ROW;
  history_database_end (statement);
  return step != HISTORY_FAILED;
}

/* Those that other programs have completed in the meantime need nothing more. */
static bool
forget_completed (HistoryStore *store, HistoryError *error)
{
  return history_database_run (
      &store->database, error,
      "DELETE FROM asb_operations WHERE boot_id <> ? AND event_id IN"
      " (SELECT o.event_id FROM asb_operations AS o JOIN history_events AS e"
      "  ON e.event_id = o.event_id WHERE e.status <> 'started')",
      "t", store->boot_id);
}

static bool
find_one (HistoryStore *store, Unfinished *unfinished, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      &store->database, error,
      "SELECT o.event_id, EXISTS (SELECT 1 FROM command_executions AS c WHERE c.event_id ="
      " o.event_id) FROM asb_operations AS o JOIN history_events AS e ON e.event_id = o.event_id"
      " WHERE o.boot_id <> ? LIMIT 1",
      "t", store->boot_id);
  HistoryStep step;

  *unfinished = (Unfinished){ 0 };
  if (!statement)
    return false;
  step = history_database_step (&store->database, statement, error);
  if (step == HISTORY_ROW && sqlite3_column_text (statement, 0))
    {
      unfinished->event_id = history_copy ((const char *)sqlite3_column_text (statement, 0));
      unfinished->is_command = sqlite3_column_int (statement, 1);
    }
  history_database_end (statement);
  return step != HISTORY_FAILED;
}

static bool
measure_output (HistoryStore *store, Unfinished *unfinished, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      &store->database, error,
      "SELECT sum(CASE stream WHEN 'stdout' THEN length(data) ELSE 0 END),"
      " sum(CASE stream WHEN 'stderr' THEN length(data) ELSE 0 END)"
      " FROM command_output_chunks WHERE event_id = ?",
      "t", unfinished->event_id);
  HistoryStep step;

  if (!statement)
    return false;
  step = history_database_step (&store->database, statement, error);
  if (step == HISTORY_ROW)
    for (int i = 0; i < 2; i++)
      unfinished->stored[i] = sqlite3_column_int64 (statement, i);
  history_database_end (statement);
  return step != HISTORY_FAILED;
}

static json_t *
make_result (const Unfinished *unfinished)
{
  if (!unfinished->is_command)
    return json_pack ("{s:s, s:s}", "error", EXPLANATION, "error_type", "unknown");
  return json_pack ("{s:n, s:s, s:n, s:I, s:I, s:n, s:n, s:n, s:n, s:b, s:s, s:s}", "command_id",
                    "state", "unknown", "exit_code", "stdout_bytes",
                    (json_int_t)unfinished->stored[0], "stderr_bytes",
                    (json_int_t)unfinished->stored[1], "stdout_total_bytes", "stderr_total_bytes",
                    "stdout_truncated", "stderr_truncated", "output_complete", 0,
                    "history_storage_state", "partial", "history_storage_error", EXPLANATION);
}

static bool
write_completion (HistoryStore *store, const Unfinished *unfinished, HistoryError *error)
{
  HistoryDatabase *database = &store->database;
  const char *event_id = unfinished->event_id;
  HistoryBuffer change_id = { 0 };
  json_t *result = make_result (unfinished);
  char now[HISTORY_TIME_SIZE];
  bool done;

  history_time_now (now);
  history_buffer_append_text (&change_id, event_id);
  history_buffer_append (&change_id, ":completed:unknown", sizeof ":completed:unknown");
  done = history_update_event (database, event_id, "unknown", now, NULL, result, error)
         && history_database_run (database, error,
                                  "UPDATE command_executions SET output_complete = 0,"
                                  " history_storage_state = 'partial' WHERE event_id = ?",
                                  "t", event_id)
         && history_insert_change (database, history_buffer_bytes (&change_id), event_id,
                                   "completed", now, error)
         && history_database_run (database, error, "DELETE FROM asb_operations WHERE event_id = ?",
                                  "t", event_id);
  history_buffer_clear (&change_id);
  json_decref (result);
  return done;
}

bool
history_unfinished_complete (HistoryStore *store, HistoryError *error)
{
  bool found = false;
  bool done = has_any (store, &found, error);

  if (done && found)
    done = forget_completed (store, error);
  found = found && done;

  while (found)
    {
      Unfinished unfinished;

      done = find_one (store, &unfinished, error);
      found = done && unfinished.event_id;
      if (found)
        done = measure_output (store, &unfinished, error)
               && write_completion (store, &unfinished, error);
      free (unfinished.event_id);
      found = found && done;
    }
  return done;
}
