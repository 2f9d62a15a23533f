/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-operation.h"

#include "history-json.h"
#include "history-rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What other programs that copy the record have room for. */
#define MAX_ID 64
#define MAX_WORD 32
#define MAX_HASH 128

const char *const HISTORY_STREAM_NAMES[HISTORY_N_STREAMS] = { "stdout", "stderr" };

typedef struct
{
  HistoryEventRow event;

  const json_t *command;
  HistoryText command_text;
  HistoryText cwd;
  int64_t timeout_ms;

  const json_t *file_operation;
  HistoryText path;
  const char *change_type;
  HistoryFileRow file_row;
} Start;

static bool
parse_command (const json_t *record, Start *start, HistoryError *error)
{
  start->timeout_ms = -1;
  if (!history_json_get_object (record, "command", false, &start->command, error))
    return false;
  return !start->command
         || (history_json_get_bytes (start->command, "command", &start->command_text, error)
             && history_json_get_bytes (start->command, "cwd", &start->cwd, error)
             && history_json_get_integer (start->command, "timeout_ms", 0, HISTORY_MAX_INTEGER,
                                          &start->timeout_ms, error));
}

static bool
parse_file_operation (const json_t *record, Start *start, HistoryError *error)
{
  if (!history_json_get_object (record, "file_operation", false, &start->file_operation, error))
    return false;
  return !start->file_operation
         || (history_json_get_bytes (start->file_operation, "path", &start->path, error)
             && history_json_get_text (start->file_operation, "change_type", true, MAX_WORD,
                                       &start->change_type, error)
             && history_json_get_text (start->file_operation, "before_hash", false, MAX_HASH,
                                       &start->file_row.before_hash, error));
}

static bool
parse_start (const json_t *record, Start *start, HistoryError *error)
{
  HistoryEventRow *event = &start->event;

  *start = (Start){ .event.schema_version = 1 };
  return history_json_get_text (record, "event_id", true, MAX_ID, &event->event_id, error)
         && history_json_get_text (record, "operation_type", true, MAX_ID, &event->operation_type,
                                   error)
         && history_json_get_text (record, "source", false, MAX_WORD, &event->source, error)
         && history_json_get_object (record, "request", true, &event->request, error)
         && history_parse_actor (record, MAX_ID, MAX_WORD, event, error)
         && parse_command (record, start, error) && parse_file_operation (record, start, error);
}

static void
start_clear (Start *start)
{
  history_text_clear (&start->command_text);
  history_text_clear (&start->cwd);
  history_text_clear (&start->path);
}

HistoryOperation *
history_operation_new (uint32_t call, json_t *record, HistoryError *error)
{
  HistoryOperation *operation = NULL;
  Start start;

  if (!json_is_object (record))
    {
      history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must be an object", "record");
      return NULL;
    }
  if (parse_start (record, &start, error))
    {
      operation = history_allocate (1, sizeof *operation);
      operation->call = call;
      operation->record = json_incref (record);
      operation->event_id = start.event.event_id;
      operation->is_command = start.command != NULL;
      operation->started = history_time_monotonic ();
      operation->due = HISTORY_NEVER;
      list_init (&operation->active);
      history_time_now (operation->occurred_at);
    }
  start_clear (&start);
  return operation;
}

void
history_operation_free (HistoryOperation *operation)
{
  if (!operation)
    return;
  for (int i = 0; i < HISTORY_N_STREAMS; i++)
    history_buffer_clear (&operation->outputs[i].pending);
  json_decref (operation->record);
  json_decref (operation->end);
  free (operation);
}

void
history_operation_lose (HistoryOperation *operation, const char *reason)
{
  if (!history_operation_has_lost (operation))
    snprintf (operation->loss, sizeof operation->loss, "%s", reason);
}

bool
history_operation_has_lost (const HistoryOperation *operation)
{
  return operation->loss[0] != '\0';
}

void
history_operation_follow (HistoryOperation *operation, const HistoryStore *store)
{
  if (operation->generation == store->generation)
    return;
  operation->generation = store->generation;
  operation->is_written = false;
  for (int i = 0; i < HISTORY_N_STREAMS; i++)
    {
      if (operation->outputs[i].kept > 0)
        history_operation_lose (operation, "The database that held the output is gone");
      operation->outputs[i].kept = 0;
    }
}

static bool
write_satellites (const Start *start, HistoryDatabase *database, HistoryError *error)
{
  const char *event_id = start->event.event_id;

  return (!start->command
          || history_insert_command (database, event_id, &start->command_text, &start->cwd, NULL,
                                     start->timeout_ms < 0 ? NULL : &start->timeout_ms, error))
         && (!start->file_operation
             || history_insert_file_operation (database, event_id, &start->path, NULL,
                                               start->change_type, &start->file_row, error));
}

static bool
write_rest (const Start *start, HistoryStore *store, HistoryError *error)
{
  HistoryDatabase *database = &store->database;
  const char *event_id = start->event.event_id;
  char change_id[4 * MAX_ID + 16];

  snprintf (change_id, sizeof change_id, "%s:created", event_id);
  return write_satellites (start, database, error)
         && history_database_run (database, error,
                                  "INSERT OR REPLACE INTO asb_operations(event_id, boot_id)"
                                  " VALUES (?, ?)",
                                  "tt", event_id, store->boot_id)
         && history_insert_change (database, change_id, event_id, "created",
                                   start->event.occurred_at, error);
}

static bool
write_start (const HistoryOperation *operation, HistoryStore *store, bool must_be_new,
             HistoryError *error)
{
  bool is_new;
  Start start;
  bool done = parse_start (operation->record, &start, error);

  start.event.occurred_at = operation->occurred_at;
  done = done && history_insert_event (store, &start.event, &is_new, error);
  if (done && must_be_new && !is_new)
    done = history_error_set (error, HISTORY_INVALID_ARGUMENT,
                              "The operation “%s” is recorded already", operation->event_id);
  done = done && write_rest (&start, store, error);
  start_clear (&start);
  return done;
}

bool
history_operation_write_start (HistoryOperation *operation, HistoryStore *store,
                               HistoryError *error)
{
  operation->was_refused = !write_start (operation, store, !operation->was_written, error);
  return !operation->was_refused;
}

bool
history_operation_require_start (HistoryOperation *operation, HistoryStore *store,
                                 HistoryError *error)
{
  if (operation->was_refused)
    return history_error_set (error, HISTORY_UNAVAILABLE,
                              "The start of the operation was not recorded");
  return operation->is_written || write_start (operation, store, false, error);
}
