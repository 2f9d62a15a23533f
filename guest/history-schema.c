/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-schema.h"

/* Other programs create and use these eight tables and five indexes: nothing about them may change.
 */
static const char SCHEMA_1[]
    = "CREATE TABLE IF NOT EXISTS history_meta (\n"
      "    key TEXT PRIMARY KEY,\n"
      "    value TEXT NOT NULL\n"
      ");\n"
      "CREATE TABLE IF NOT EXISTS history_events (\n"
      "    seq INTEGER PRIMARY KEY AUTOINCREMENT,\n"
      "    event_id TEXT NOT NULL UNIQUE,\n"
      "    provider_key TEXT NOT NULL,\n"
      "    sandbox_id TEXT NOT NULL,\n"
      "    sandbox_instance_id TEXT NOT NULL,\n"
      "    source TEXT NOT NULL DEFAULT 'sdk',\n"
      "    actor_type TEXT NOT NULL,\n"
      "    actor_id TEXT,\n"
      "    thread_id TEXT,\n"
      "    run_id TEXT,\n"
      "    correlation_id TEXT,\n"
      "    operation_type TEXT NOT NULL,\n"
      "    status TEXT NOT NULL,\n"
      "    occurred_at TEXT NOT NULL,\n"
      "    completed_at TEXT,\n"
      "    duration_ms INTEGER,\n"
      "    request_json TEXT,\n"
      "    result_json TEXT,\n"
      "    schema_version INTEGER NOT NULL DEFAULT 1\n"
      ");\n"
      "CREATE INDEX IF NOT EXISTS idx_history_sandbox_seq\n"
      "ON history_events(provider_key, sandbox_id, sandbox_instance_id, seq);\n"
      "CREATE INDEX IF NOT EXISTS idx_history_run\n"
      "ON history_events(thread_id, run_id, seq);\n"
      "CREATE INDEX IF NOT EXISTS idx_history_operation\n"
      "ON history_events(operation_type, status, seq);\n"
      "CREATE TABLE IF NOT EXISTS history_changes (\n"
      "    seq INTEGER PRIMARY KEY AUTOINCREMENT,\n"
      "    change_id TEXT NOT NULL UNIQUE,\n"
      "    event_id TEXT NOT NULL,\n"
      "    change_type TEXT NOT NULL\n"
      "        CHECK(change_type IN ('created', 'output_appended', 'completed',"
      " 'storage_state_changed')),\n"
      "    changed_at TEXT NOT NULL,\n"
      "    schema_version INTEGER NOT NULL DEFAULT 1\n"
      ");\n"
      "CREATE INDEX IF NOT EXISTS idx_history_changes_event\n"
      "ON history_changes(event_id, seq);\n"
      "CREATE TABLE IF NOT EXISTS command_executions (\n"
      "    event_id TEXT PRIMARY KEY,\n"
      "    command TEXT NOT NULL,\n"
      "    cwd TEXT NOT NULL,\n"
      "    environment_json TEXT,\n"
      "    timeout_ms INTEGER,\n"
      "    exit_code INTEGER,\n"
      "    provider_command_id TEXT,\n"
      "    output_complete INTEGER NOT NULL DEFAULT 1,\n"
      "    history_storage_state TEXT NOT NULL DEFAULT 'complete',\n"
      "    FOREIGN KEY(event_id) REFERENCES history_events(event_id) ON DELETE CASCADE\n"
      ");\n"
      "CREATE TABLE IF NOT EXISTS command_output_chunks (\n"
      "    id INTEGER PRIMARY KEY AUTOINCREMENT,\n"
      "    event_id TEXT NOT NULL,\n"
      "    stream TEXT NOT NULL CHECK(stream IN ('stdout', 'stderr')),\n"
      "    chunk_index INTEGER NOT NULL,\n"
      "    data BLOB NOT NULL,\n"
      "    encoding TEXT NOT NULL DEFAULT 'identity'\n"
      "        CHECK(encoding IN ('identity', 'gzip', 'zlib')),\n"
      "    original_size INTEGER NOT NULL,\n"
      "    created_at TEXT NOT NULL,\n"
      "    UNIQUE(event_id, stream, chunk_index),\n"
      "    FOREIGN KEY(event_id) REFERENCES history_events(event_id) ON DELETE CASCADE\n"
      ");\n"
      "CREATE INDEX IF NOT EXISTS idx_command_output_chunks\n"
      "ON command_output_chunks(event_id, stream, chunk_index);\n"
      "CREATE TABLE IF NOT EXISTS file_operations (\n"
      "    event_id TEXT PRIMARY KEY,\n"
      "    path TEXT NOT NULL,\n"
      "    old_path TEXT,\n"
      "    change_type TEXT NOT NULL,\n"
      "    before_hash TEXT,\n"
      "    after_hash TEXT,\n"
      "    before_size INTEGER,\n"
      "    after_size INTEGER,\n"
      "    diff_data BLOB,\n"
      "    diff_encoding TEXT\n"
      "        CHECK(diff_encoding IS NULL OR diff_encoding IN ('identity', 'gzip', 'zlib')),\n"
      "    diff_complete INTEGER NOT NULL DEFAULT 1,\n"
      "    FOREIGN KEY(event_id) REFERENCES history_events(event_id) ON DELETE CASCADE\n"
      ");\n"
      "CREATE TABLE IF NOT EXISTS history_consumers (\n"
      "    consumer_id TEXT PRIMARY KEY,\n"
      "    acknowledged_seq INTEGER NOT NULL DEFAULT 0,\n"
      "    updated_at TEXT NOT NULL\n"
      ");\n"
      "CREATE TABLE IF NOT EXISTS history_leases (\n"
      "    resource_key TEXT PRIMARY KEY,\n"
      "    owner_id TEXT NOT NULL,\n"
      "    expires_at TEXT NOT NULL,\n"
      "    updated_at TEXT NOT NULL\n"
      ");\n";

/* Ours alone; the foreign keys let other programs delete operations without knowing of them. */
static const char OWN_TABLES[]
    = "CREATE TABLE IF NOT EXISTS asb_operations (\n"
      "    event_id TEXT PRIMARY KEY NOT NULL,\n"
      "    boot_id TEXT NOT NULL,\n"
      "    FOREIGN KEY(event_id) REFERENCES history_events(event_id) ON DELETE CASCADE\n"
      ") WITHOUT ROWID;\n"
      "CREATE TABLE IF NOT EXISTS asb_raw_texts (\n"
      "    event_id TEXT NOT NULL,\n"
      "    field TEXT NOT NULL,\n"
      "    data BLOB NOT NULL,\n"
      "    PRIMARY KEY(event_id, field),\n"
      "    FOREIGN KEY(event_id) REFERENCES history_events(event_id) ON DELETE CASCADE\n"
      ") WITHOUT ROWID;\n"
      "CREATE TABLE IF NOT EXISTS asb_incidents (\n"
      "    id INTEGER PRIMARY KEY,\n"
      "    noticed_at TEXT NOT NULL,\n"
      "    kind TEXT NOT NULL,\n"
      "    detail TEXT NOT NULL\n"
      ");\n";

#define N_TABLES 11

/* Compiles only where all columns are there. */
static const char ALL_COLUMNS[]
    = "SELECT EXISTS (SELECT key, value FROM history_meta),"
      " EXISTS (SELECT seq, event_id, provider_key, sandbox_id, sandbox_instance_id, source,"
      "  actor_type, actor_id, thread_id, run_id, correlation_id, operation_type, status,"
      "  occurred_at, completed_at, duration_ms, request_json, result_json, schema_version"
      "  FROM history_events),"
      " EXISTS (SELECT seq, change_id, event_id, change_type, changed_at, schema_version"
      "  FROM history_changes),"
      " EXISTS (SELECT event_id, command, cwd, environment_json, timeout_ms, exit_code,"
      "  provider_command_id, output_complete, history_storage_state FROM command_executions),"
      " EXISTS (SELECT id, event_id, stream, chunk_index, data, encoding, original_size, created_at"
      "  FROM command_output_chunks),"
      " EXISTS (SELECT event_id, path, old_path, change_type, before_hash, after_hash, before_size,"
      "  after_size, diff_data, diff_encoding, diff_complete FROM file_operations),"
      " EXISTS (SELECT consumer_id, acknowledged_seq, updated_at FROM history_consumers),"
      " EXISTS (SELECT event_id, boot_id FROM asb_operations),"
      " EXISTS (SELECT event_id, field, data FROM asb_raw_texts),"
      " EXISTS (SELECT id, noticed_at, kind, detail FROM asb_incidents)";

bool
history_schema_examine (HistoryDatabase *database, HistorySchemaState *state, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      database, error,
      "SELECT count(*), sum(name = 'history_meta' AND is_table), sum(is_table AND name IN"
      " ('history_meta', 'history_events', 'history_changes', 'command_executions',"
      "  'command_output_chunks', 'file_operations', 'history_consumers', 'history_leases',"
      "  'asb_operations', 'asb_raw_texts', 'asb_incidents'))"
      " FROM (SELECT name, type = 'table' AND sql GLOB 'CREATE TABLE *' AS is_table"
      "  FROM sqlite_master)",
      "");
  HistoryStep step;

  if (!statement)
    return false;
  step = history_database_step (database, statement, error);
  if (step == HISTORY_ROW && sqlite3_column_int (statement, 0) == 0)
    *state = HISTORY_SCHEMA_EMPTY;
  else if (step == HISTORY_ROW && sqlite3_column_int (statement, 1) == 0)
    *state = HISTORY_SCHEMA_FOREIGN;
  else
    *state = sqlite3_column_int (statement, 2) == N_TABLES ? HISTORY_SCHEMA_OURS
                                                           : HISTORY_SCHEMA_INCOMPLETE;
  history_database_end (statement);
  return step == HISTORY_ROW;
}

bool
history_schema_create (HistoryDatabase *database, HistoryError *error)
{
  return history_database_execute (database, SCHEMA_1, error)
         && history_database_execute (database, OWN_TABLES, error)
         && history_database_execute (database, "PRAGMA user_version=1", error);
}

bool
history_schema_check_columns (HistoryDatabase *database, HistoryError *error)
{
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2 (database->handle, ALL_COLUMNS, -1, &statement, NULL);

  sqlite3_finalize (statement);
  if (code == SQLITE_OK)
    return true;
  database->damaged = true;
  return history_error_set (error, HISTORY_DATABASE_ERROR,
                            "The tables of the history database are not those of version %d: %s",
                            HISTORY_SCHEMA_VERSION, sqlite3_errmsg (database->handle));
}
