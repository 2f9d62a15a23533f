/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-expunge.h"

int
history_expunge_find (HistoryDatabase *database, int64_t after, int64_t last, const char *cutoff,
                      int64_t protected_seq, HistoryExpungible *found, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      database, error,
      "SELECT e.seq, coalesce((SELECT max(c.seq) FROM history_changes AS c"
      "  WHERE c.event_id = e.event_id), 0) AS last_change"
      " FROM history_events AS e WHERE e.seq > ?1 AND e.seq <= ?2 AND e.status <> 'started'"
      " AND e.completed_at IS NOT NULL AND (?3 IS NULL OR e.completed_at < ?3)"
      " AND NOT EXISTS (SELECT 1 FROM asb_operations AS o WHERE o.event_id = e.event_id)"
      " AND last_change <= ?4 ORDER BY e.seq LIMIT 64",
      "iiti", after, last, cutoff, protected_seq);
  HistoryStep step = HISTORY_FAILED;
  int n = 0;

  if (!statement)
    return -1;
  while ((step = history_database_step (database, statement, error)) == HISTORY_ROW
         && n < HISTORY_MAX_EXPUNGED)
    found[n++] = (HistoryExpungible){ sqlite3_column_int64 (statement, 0),
                                      sqlite3_column_int64 (statement, 1) };
  history_database_end (statement);
  return step == HISTORY_FAILED ? -1 : n;
}

bool
history_expunge_one (HistoryDatabase *database, const HistoryExpungible *operation,
                     int64_t *n_changes, HistoryError *error)
{
  if (!history_database_run (database, error,
                             "DELETE FROM history_changes WHERE event_id ="
                             " (SELECT event_id FROM history_events WHERE seq = ?)",
                             "i", operation->seq))
    return false;
  *n_changes += history_database_changes (database);
  return history_database_run (database, error, "DELETE FROM history_events WHERE seq = ?", "i",
                               operation->seq);
}

bool
history_expunge_note (HistoryDatabase *database, int64_t change_seq, HistoryError *error)
{
  return history_database_run (
      database, error,
      "INSERT INTO history_meta(key, value) VALUES ('" HISTORY_DELETED_KEY "', ?1)"
      " ON CONFLICT(key) DO UPDATE SET value = ?1 WHERE CAST(value AS INTEGER) < ?1",
      "i", change_seq);
}

bool
history_expunge_last (HistoryDatabase *database, int64_t *seq, HistoryError *error)
{
  *seq = 0;
  return history_database_get_integer (database, error,
                                       "SELECT coalesce(max(seq), 1) - 1 FROM history_events", seq);
}

bool
history_expunge_protected (HistoryDatabase *database, const char *since, int64_t *seq,
                           HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      database, error, "SELECT min(acknowledged_seq) FROM history_consumers WHERE updated_at >= ?",
      "t", since);
  HistoryStep step;

  *seq = INT64_MAX;
  if (!statement)
    return false;
  step = history_database_step (database, statement, error);
  if (step == HISTORY_ROW && sqlite3_column_type (statement, 0) == SQLITE_INTEGER)
    *seq = sqlite3_column_int64 (statement, 0);
  history_database_end (statement);
  return step != HISTORY_FAILED;
}
