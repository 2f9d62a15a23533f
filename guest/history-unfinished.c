/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-unfinished.h"

#include "history-memory.h"
#include "history-recorder.h"
#include "history-rows.h"

#include <stdlib.h>
#include <string.h>

static const char EXPLANATION[] = "Recording ended before the operation did";

/* As many are looked at in one go. */
#define MAX_ROWS 4096

typedef struct
{
  char *event_id;
  bool is_started;
  bool is_command;
  int64_t stored[2];
} Unfinished;

typedef struct
{
  Unfinished *items;
  size_t n_items;
  size_t n_rows;
  bool others_live; /* recorders, which will complete what is theirs */
} UnfinishedList;

static void
list_clear (UnfinishedList *list)
{
  for (size_t i = 0; i < list->n_items; i++)
    free (list->items[i].event_id);
  free (list->items);
}

static void
list_add (UnfinishedList *list, sqlite3_stmt *statement, const char *event_id)
{
  if (!list->items)
    list->items = history_allocate (MAX_ROWS, sizeof *list->items);
  list->items[list->n_items++] = (Unfinished){ .event_id = history_copy (event_id),
                                               .is_started = sqlite3_column_int (statement, 2),
                                               .is_command = sqlite3_column_int (statement, 3) };
}

/* Most rows are of the same recorder as the one before, *@last. */
static void
take_row (UnfinishedList *list, sqlite3_stmt *statement, char **last, bool *last_lives)
{
  const char *event_id = (const char *)sqlite3_column_text (statement, 0);
  const char *recorder = (const char *)sqlite3_column_text (statement, 1);

  if (!event_id || !recorder)
    return;
  if (!*last || strcmp (*last, recorder) != 0)
    {
      free (*last);
      *last = history_copy (recorder);
      *last_lives = history_recorder_lives (recorder);
    }
  if (*last_lives)
    list->others_live = true;
  else
    list_add (list, statement, event_id);
}

/* Longer ids were never ours. */
static bool
find_all (HistoryStore *store, UnfinishedList *list, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      &store->database, error,
      "SELECT o.event_id, o.boot_id, e.status = 'started', EXISTS (SELECT 1 FROM"
      " command_executions AS c WHERE c.event_id = o.event_id) FROM asb_operations AS o"
      " JOIN history_events AS e ON e.event_id = o.event_id WHERE o.boot_id <> ?"
      " AND typeof(o.event_id) = 'text' AND length(o.event_id) <= 255 LIMIT ?",
      "ti", store->boot_id, (int64_t)MAX_ROWS);
  HistoryStep step = HISTORY_FAILED;
  char *last = NULL;
  bool last_lives = false;

  *list = (UnfinishedList){ 0 };
  while (statement
         && (step = history_database_step (&store->database, statement, error)) == HISTORY_ROW)
    {
      list->n_rows++;
      take_row (list, statement, &last, &last_lives);
    }
  free (last);
  if (statement)
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

/* What others have completed in the meantime needs nothing more. */
static bool
complete_one (HistoryStore *store, Unfinished *unfinished, HistoryError *error)
{
  if (unfinished->is_started)
    return measure_output (store, unfinished, error) && write_completion (store, unfinished, error);
  return history_database_run (&store->database, error,
                               "DELETE FROM asb_operations WHERE event_id = ?", "t",
                               unfinished->event_id);
}

bool
history_unfinished_complete (HistoryStore *store, HistoryError *error)
{
  UnfinishedList list;
  bool done = find_all (store, &list, error);

  for (size_t i = 0; done && i < list.n_items; i++)
    done = complete_one (store, &list.items[i], error);
  store->has_others_unfinished = list.others_live || list.n_rows == MAX_ROWS;
  list_clear (&list);
  return done;
}

/* Whether there is something to complete; without a transaction, as nearly always there is not. */
static bool
has_any (HistoryStore *store)
{
  UnfinishedList list;
  HistoryError ignored;
  bool is_read = find_all (store, &list, &ignored);
  bool found = list.n_items > 0;

  if (is_read && !found)
    store->has_others_unfinished = list.others_live || list.n_rows == MAX_ROWS;
  list_clear (&list);
  return is_read && found;
}

void
history_unfinished_look_again (HistoryStore *store)
{
  HistoryError ignored;

  if (!store->has_others_unfinished || !has_any (store)
      || !history_database_begin (&store->database, &ignored))
    return;
  if (!history_unfinished_complete (store, &ignored)
      || !history_database_commit (&store->database, &ignored))
    {
      history_database_roll_back (&store->database);
      store->has_others_unfinished = true;
    }
}
