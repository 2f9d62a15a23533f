/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-status.h"

#include "history-json.h"
#include "history-meta.h"

#include <string.h>
#include <sys/stat.h>

/* Of an incident, which others may have written, as many characters are told: more than there are
 * of ours, and less than a frame has in all. */
#define SHOWN "1600"

static int64_t
size_of (const char *path)
{
  struct stat info;

  return lstat (path, &info) == 0 && S_ISREG (info.st_mode) ? (int64_t)info.st_size : 0;
}

static bool
set_count (HistoryStore *store, json_t *status, const char *name, const char *sql,
           HistoryError *error)
{
  int64_t value = 0;

  if (!history_database_get_integer (&store->database, error, sql, &value))
    return false;
  json_object_set_new (status, name, json_integer (value));
  return true;
}

bool
history_status_set_sizes (HistoryStore *store, json_t *json, HistoryError *error)
{
  int64_t database = size_of (store->files.paths[HISTORY_FILE_DATABASE]);
  int64_t log = size_of (store->files.paths[HISTORY_FILE_WAL]);

  json_object_set_new (json, "physical_database_bytes", json_integer (database + log));
  json_object_set_new (json, "main_database_bytes", json_integer (database));
  json_object_set_new (json, "wal_bytes", json_integer (log));
  json_object_set_new (json, "shm_bytes",
                       json_integer (size_of (store->files.paths[HISTORY_FILE_SHARED_MEMORY])));
  return set_count (store, json, "min_available_change_seq",
                    "SELECT coalesce(min(seq), 0) FROM history_changes", error)
         && set_count (store, json, "max_change_seq",
                       "SELECT coalesce(max(seq), 0) FROM history_changes", error);
}

static const char *
column_text (sqlite3_stmt *statement, int column)
{
  const char *text = (const char *)sqlite3_column_text (statement, column);

  return text ? text : "";
}

static json_t *
read_incidents (HistoryStore *store)
{
  HistoryError ignored;
  sqlite3_stmt *statement = history_database_query (
      &store->database, &ignored,
      "SELECT substr(noticed_at, 1, " SHOWN "), substr(kind, 1, " SHOWN "),"
      " substr(detail, 1, " SHOWN ") FROM asb_incidents ORDER BY id DESC LIMIT 20",
      "");
  json_t *incidents = json_array ();

  if (!statement)
    return incidents;
  while (history_database_step (&store->database, statement, &ignored) == HISTORY_ROW)
    {
      json_t *incident = json_object ();

      json_object_set_new (incident, "noticed_at", history_json_text (column_text (statement, 0)));
      json_object_set_new (incident, "kind", history_json_text (column_text (statement, 1)));
      json_object_set_new (incident, "detail", history_json_text (column_text (statement, 2)));
      json_array_append_new (incidents, incident);
    }
  history_database_end (statement);
  return incidents;
}

static bool
set_counts (HistoryStore *store, json_t *status, HistoryError *error)
{
  return set_count (store, status, "user_version", "PRAGMA user_version", error)
         && set_count (store, status, "operations", "SELECT count(*) FROM history_events", error)
         && set_count (store, status, "min_available_change_seq",
                       "SELECT coalesce(min(seq), 0) FROM history_changes", error)
         && set_count (store, status, "max_change_seq",
                       "SELECT coalesce(max(seq), 0) FROM history_changes", error);
}

static void
set_incidents (HistoryStore *store, json_t *status)
{
  json_t *incidents = read_incidents (store);
  const char *latest
      = json_string_value (json_object_get (json_array_get (incidents, 0), "detail"));

  if (store->notice)
    json_object_set_new (status, "message", json_string (store->notice));
  else if (latest)
    json_object_set_new (status, "message", json_string (latest));
  json_object_set_new (status, "incidents", incidents);
  json_object_set_new (status, "foreign_commits", json_integer (store->foreign_commits));
}

/* An operation has failed, or the last opening has. */
static void
set_trouble (const HistoryStore *store, json_t *status)
{
  json_object_set_new (status, "state", json_string ("failed"));
  json_object_set_new (status, "message", history_json_text (store->trouble.message));
}

json_t *
history_status (HistoryStore *store)
{
  HistoryError error;
  bool is_usable = history_store_ensure (store, &error);
  int64_t bytes = size_of (store->files.paths[HISTORY_FILE_DATABASE])
                  + size_of (store->files.paths[HISTORY_FILE_WAL]);
  json_t *status = json_pack (
      "{s:s, s:i, s:s, s:I, s:i, s:i, s:i}", "state", is_usable ? "open" : "closed", "user_version",
      0, "journal_mode", is_usable ? store->journal_mode : "none", "database_bytes",
      (json_int_t)bytes, "operations", 0, "min_available_change_seq", 0, "max_change_seq", 0);

  if (is_usable)
    {
      json_object_set_new (status, "identity", history_identity_to_json (&store->identity));
      set_incidents (store, status);
      if (!set_counts (store, status, &error))
        store->trouble = error;
    }
  if (store->trouble.code)
    set_trouble (store, status);
  return status;
}
