/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rows of the record, as both kinds of recording write them. All belong to the transaction that
 * has begun. */

#pragma once

#include "history-json.h"
#include "history-store.h"

typedef struct
{
  const char *event_id;
  const char *operation_type;
  const char *occurred_at;
  const char *source;
  const char *actor_type;
  const char *actor_id;
  const char *thread_id;
  const char *run_id;
  const char *correlation_id;
  const json_t *request;
  int64_t schema_version;
} HistoryEventRow;

/* What file_operations may be told; what is NULL stays as it is. */
typedef struct
{
  const char *before_hash;
  const char *after_hash;
  const int64_t *before_size;
  const int64_t *after_size;
  const char *diff;
  const char *diff_encoding;
  const int64_t *diff_complete;
} HistoryFileRow;

/* "actor" of an event or envelope, with texts of at most @max_id and @max_word characters. */
bool history_parse_actor (const json_t *object, size_t max_id, size_t max_word,
                          HistoryEventRow *row, HistoryError *error);

/* An event id that is there already leaves all as it is; *@is_new says so. */
bool history_insert_event (HistoryStore *store, const HistoryEventRow *row, bool *is_new,
                           HistoryError *error);
bool history_insert_command (HistoryDatabase *database, const char *event_id,
                             const HistoryText *command, const HistoryText *cwd,
                             const char *environment, const int64_t *timeout_ms,
                             HistoryError *error);
bool history_insert_file_operation (HistoryDatabase *database, const char *event_id,
                                    const HistoryText *path, const char *old_path,
                                    const char *change_type, const HistoryFileRow *row,
                                    HistoryError *error);
bool history_insert_change (HistoryDatabase *database, const char *change_id, const char *event_id,
                            const char *change_type, const char *changed_at, HistoryError *error);

/* @result may be NULL. */
bool history_update_event (HistoryDatabase *database, const char *event_id, const char *status,
                           const char *completed_at, const int64_t *duration_ms,
                           const json_t *result, HistoryError *error);
bool history_update_command (HistoryDatabase *database, const char *event_id,
                             const int64_t *exit_code, const char *provider_command_id,
                             bool output_complete, const char *storage_state, HistoryError *error);
bool history_update_file_operation (HistoryDatabase *database, const char *event_id,
                                    const HistoryFileRow *row, HistoryError *error);

/* The status of an event as a string to be freed, NULL when there is no such event. */
bool history_find_status (HistoryDatabase *database, const char *event_id, char **status,
                          HistoryError *error);
