/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-cleanup.h"

#include "history-json.h"

#include <stdio.h>
#include <stdlib.h>

#define LEASE_SECONDS 300

bool
history_cleanup_take_lease (HistoryStore *store, bool *taken, HistoryError *error)
{
  char now[HISTORY_TIME_SIZE];
  char expiry[HISTORY_TIME_SIZE];

  history_time_now (now);
  history_time_ago (expiry, -LEASE_SECONDS);
  if (!history_database_run (
          &store->database, error,
          "INSERT INTO history_leases(resource_key, owner_id, expires_at, updated_at)"
          " VALUES ('history:cleanup', ?1, ?2, ?3) ON CONFLICT(resource_key) DO UPDATE SET"
          " owner_id = ?1, expires_at = ?2, updated_at = ?3"
          " WHERE expires_at <= ?3 OR owner_id = ?1",
          "ttt", store->boot_id, expiry, now))
    return false;
  *taken = history_database_changes (&store->database) > 0;
  return true;
}

bool
history_cleanup_drop_lease (HistoryStore *store, HistoryError *error)
{
  return history_database_run (
      &store->database, error,
      "DELETE FROM history_leases WHERE resource_key = 'history:cleanup' AND owner_id = ?", "t",
      store->boot_id);
}

/* A time that has not come yet is of a clock that was wrong. */
bool
history_cleanup_is_due (HistoryStore *store, bool *is_due, HistoryError *error)
{
  char now[HISTORY_TIME_SIZE];
  char before[HISTORY_TIME_SIZE];
  sqlite3_stmt *statement;
  HistoryStep step;

  history_time_now (now);
  history_time_ago (before, store->config.cleanup_min_interval_seconds);
  statement = history_database_query (
      &store->database, error,
      "SELECT 1 FROM history_meta WHERE key = 'last_cleanup_at' AND value > ? AND value <= ?", "tt",
      before, now);
  if (!statement)
    return false;
  step = history_database_step (&store->database, statement, error);
  *is_due = step == HISTORY_DONE;
  history_database_end (statement);
  return step != HISTORY_FAILED;
}

static bool
set (HistoryStore *store, const char *key, const char *value, HistoryError *error)
{
  return history_database_run (&store->database, error,
                               "INSERT OR REPLACE INTO history_meta(key, value) VALUES (?, ?)",
                               "tt", key, value);
}

static bool
set_number (HistoryStore *store, const char *key, int64_t value, HistoryError *error)
{
  char text[24];

  snprintf (text, sizeof text, "%lld", (long long)value);
  return set (store, key, text, error);
}

bool
history_cleanup_note (HistoryStore *store, json_t *result, int64_t n_deleted, int64_t bytes,
                      HistoryError *error)
{
  char now[HISTORY_TIME_SIZE];
  char next[HISTORY_TIME_SIZE];
  char *text;
  bool done;

  history_time_now (now);
  history_time_ago (next, -store->config.cleanup_min_interval_seconds);
  json_object_set_new (result, "last_cleanup_at", json_string (now));
  json_object_set_new (result, "next_cleanup_not_before", json_string (next));
  text = history_json_canonical (result);
  done = set (store, "last_cleanup_at", now, error)
         && set (store, "last_cleanup_result", text, error)
         && set (store, "last_cleanup_reason", "ttl_or_capacity", error)
         && set_number (store, "last_cleanup_deleted_operations", n_deleted, error)
         && set_number (store, "last_cleanup_database_bytes", bytes, error)
         && history_cleanup_drop_lease (store, error);
  free (text);
  return done;
}
