/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-open.h"

#include "history-memory.h"
#include "history-meta.h"
#include "history-schema.h"
#include "history-unfinished.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ATTEMPTS 4
#define MAX_KEPT_LOG_BYTES 8388608

/* The part of the size of the record that its log may have before it is copied. */
#define LOG_SHARE 8
#define LOG_PAGE_BYTES 4096

typedef enum
{
  ATTEMPT_DONE,
  ATTEMPT_FAILED,
  ATTEMPT_IN_THE_WAY
} Attempt;

/* How the database is worked with, in order of preference. */
typedef enum
{
  ACCESS_LOG,
  ACCESS_ROLLBACK,
  ACCESS_WITHOUT_LOCKS,
  N_ACCESSES
} Access;

/* Whether another way to work with the file may help. */
static bool
failure_is_of_access (HistoryStore *store, const HistoryError *error)
{
  int code
      = store->database.handle ? sqlite3_errcode (store->database.handle) & 0xff : SQLITE_CANTOPEN;

  return strcmp (error->code, HISTORY_DATABASE_ERROR) == 0
         && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_PROTOCOL
             || code == SQLITE_NOLFS);
}

/* A database in WAL mode can be read without shared memory only by one that locks all others out.
 */
static bool
leave_log (HistoryStore *store, HistoryError *error)
{
  if (!history_database_execute (
          &store->database, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE", error))
    return false;
  /* What a failed attempt left of it. */
  unlink (store->files.paths[HISTORY_FILE_SHARED_MEMORY]);
  return history_database_execute (&store->database, "PRAGMA locking_mode=NORMAL", error);
}

static const char *
journal_mode_name (const char *mode)
{
  static const char *const MODES[] = { "wal", "delete", "truncate", "persist", "memory", "off" };

  for (size_t i = 0; mode && i < sizeof MODES / sizeof MODES[0]; i++)
    if (strcmp (mode, MODES[i]) == 0)
      return MODES[i];
  return "unknown";
}

static bool
run_journal_mode (HistoryStore *store, const char *sql, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (&store->database, error, sql, "");
  HistoryStep step;

  if (!statement)
    return false;
  step = history_database_step (&store->database, statement, error);
  if (step == HISTORY_ROW)
    store->journal_mode = journal_mode_name ((const char *)sqlite3_column_text (statement, 0));
  history_database_end (statement);
  return step != HISTORY_FAILED;
}

/* That another program works with the database in its way just now is no reason to fail. */
static bool
enter_journal_mode (HistoryStore *store, Access access, HistoryError *error)
{
  if (access != ACCESS_LOG)
    return run_journal_mode (store, "PRAGMA journal_mode=DELETE", error);
  if (run_journal_mode (store, "PRAGMA journal_mode=WAL", error))
    return true;
  return error->is_busy && run_journal_mode (store, "PRAGMA journal_mode", error);
}

/* Nobody can have a new file in the log yet. */
static bool
make_tables_at_once (HistoryStore *store, HistoryError *error)
{
  HistoryDatabase *database = &store->database;

  store->is_new = true;
  if (history_database_execute (database,
                                "PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY;"
                                "BEGIN IMMEDIATE",
                                error)
      && history_schema_create (database, error) && history_database_commit (database, error))
    return true;
  history_database_roll_back (database);
  return false;
}

/* Until it holds something a new file need not survive a loss of power. */
static bool
connect_with (HistoryStore *store, Access access, HistoryError *error)
{
  HistoryDatabase *database = &store->database;
  const char *vfs = access == ACCESS_WITHOUT_LOCKS ? "unix-none" : NULL;
  bool is_empty = history_files_database_is_empty (&store->files);
  const char *setting = store->is_new ? "PRAGMA synchronous=OFF" : "PRAGMA synchronous=NORMAL";

  return history_database_connect (database, store->files.paths[HISTORY_FILE_DATABASE], vfs, error)
         && (access == ACCESS_LOG || leave_log (store, error))
         && (is_empty ? make_tables_at_once (store, error)
                      : history_database_execute (database, setting, error))
         && enter_journal_mode (store, access, error)
         /* Only the first look at the file shows whether shared memory works. */
         && history_database_execute (database, "PRAGMA schema_version", error);
}

static const char *
notice_of (const HistoryStore *store, Access access)
{
  if (access == ACCESS_WITHOUT_LOCKS)
    return "Locks do not work here: no other program may use the database at the same time";
  if (strcmp (store->journal_mode, "wal") != 0)
    return "The write-ahead log cannot be used here: the database has a rollback journal";
  return NULL;
}

static bool
connect (HistoryStore *store, HistoryError *error)
{
  Access access = history_files_can_lock (&store->files) ? ACCESS_LOG : ACCESS_WITHOUT_LOCKS;

  for (; access < N_ACCESSES; access++)
    {
      HistoryError attempt;

      if (connect_with (store, access, &attempt))
        {
          store->notice = notice_of (store, access);
          return true;
        }
      if (access == ACCESS_LOG || !failure_is_of_access (store, &attempt))
        *error = attempt;
      if (!failure_is_of_access (store, &attempt))
        return false;
      if (store->database.handle)
        history_database_disconnect (&store->database, false);
    }
  return false;
}

static bool
apply_config (HistoryStore *store, HistoryError *error)
{
  char sql[256];
  int64_t max_kept = store->config.max_database_bytes / 4;
  int64_t max_pages = store->config.max_database_bytes / LOG_SHARE / LOG_PAGE_BYTES;

  if (max_kept > MAX_KEPT_LOG_BYTES)
    max_kept = MAX_KEPT_LOG_BYTES;
  if (max_pages < store->database.max_log_pages)
    store->database.max_log_pages = (int)max_pages;
  sqlite3_busy_timeout (store->database.handle, store->config.busy_timeout_ms);
  snprintf (sql, sizeof sql,
            "PRAGMA synchronous=NORMAL; PRAGMA cache_size=-%lld;"
            " PRAGMA journal_size_limit=%lld",
            (long long)store->config.sqlite_cache_bytes / 1024, (long long)max_kept);
  return history_database_execute (&store->database, sql, error);
}

static Attempt
in_the_way (HistoryStore *store, const char *kind, const char *fault, HistoryError *error)
{
  const char *path = store->files.paths[HISTORY_FILE_DATABASE];

  if (!store->existing_only)
    history_store_note (store, kind, "“%s” %s", path, fault);
  history_error_set (error, HISTORY_UNAVAILABLE, "“%s” %s", path, fault);
  return ATTEMPT_IN_THE_WAY;
}

static Attempt
examine (HistoryStore *store, bool *create, HistoryError *error)
{
  HistorySchemaState state;
  int64_t version = 0;

  if (!history_database_get_integer (&store->database, error, "PRAGMA user_version", &version))
    return ATTEMPT_FAILED;
  if (version > HISTORY_SCHEMA_VERSION)
    {
      history_error_set (error, HISTORY_UNAVAILABLE,
                         "“%s” has schema version %lld, newer than %d, the last one known here",
                         store->files.paths[HISTORY_FILE_DATABASE], (long long)version,
                         HISTORY_SCHEMA_VERSION);
      return ATTEMPT_FAILED;
    }
  if (!history_schema_examine (&store->database, &state, error))
    return ATTEMPT_FAILED;
  if (state == HISTORY_SCHEMA_FOREIGN)
    return in_the_way (store, "foreign_database", "is a database of something else", error);
  store->is_new = store->is_new || state == HISTORY_SCHEMA_EMPTY;
  *create = state != HISTORY_SCHEMA_OURS || version != HISTORY_SCHEMA_VERSION;
  return ATTEMPT_DONE;
}

static bool
make_tables (HistoryStore *store, bool create, HistoryError *error)
{
  return (!create || history_schema_create (&store->database, error))
         && (store->is_new || history_schema_check_columns (&store->database, error));
}

static bool
write_opening (HistoryStore *store, json_t *meta, HistoryError *error)
{
  if (store->existing_only ? !history_meta_adopt_identity (store, meta, error)
                           : !history_meta_write (store, meta, error))
    return false;
  history_meta_adopt_config (store, meta);
  return history_unfinished_complete (store, error) && history_store_write_incidents (store, error)
         && history_database_commit (&store->database, error) && apply_config (store, error);
}

/* What is between the beginning of the transaction and its end. */
static Attempt
initialize (HistoryStore *store, bool create, HistoryError *error)
{
  json_t *meta
      = make_tables (store, create, error) ? history_meta_read (&store->database, error) : NULL;
  Attempt attempt = ATTEMPT_FAILED;

  if (meta && !store->existing_only && !history_meta_matches (meta, &store->identity))
    attempt = in_the_way (store, "other_identity", "is the record of another sandbox", error);
  else if (meta && write_opening (store, meta, error))
    attempt = ATTEMPT_DONE;
  json_decref (meta);
  return attempt;
}

static Attempt
open_connected (HistoryStore *store, HistoryError *error)
{
  bool create = false;
  Attempt attempt = examine (store, &create, error);

  if (attempt == ATTEMPT_DONE)
    attempt = history_database_begin (&store->database, error) ? initialize (store, create, error)
                                                               : ATTEMPT_FAILED;
  if (attempt != ATTEMPT_DONE)
    history_database_roll_back (&store->database);
  return attempt;
}

static bool
begin_database (HistoryStore *store, HistoryError *error)
{
  store->is_new = history_blank_place (&store->blank, store->files.paths[HISTORY_FILE_DATABASE]);
  return store->is_new || history_files_make_database (&store->files, error);
}

static bool
is_unusable (const HistoryStore *store)
{
  return store->database.handle
         && (store->database.damaged
             || (sqlite3_errcode (store->database.handle) & 0xff) == SQLITE_TOOBIG);
}

static Attempt
try_open (HistoryStore *store, HistoryError *error)
{
  const char *fault;
  Attempt attempt;

  store->is_new = false;
  if (!history_files_are_sound (&store->files, &fault))
    return in_the_way (store, "unsound_file", fault, error);
  if (!history_files_database_exists (&store->files) && store->existing_only)
    {
      history_error_set (error, HISTORY_UNAVAILABLE, "There is no history in “%s”",
                         store->files.directory);
      return ATTEMPT_FAILED;
    }
  if (!history_files_database_exists (&store->files) && !begin_database (store, error))
    return ATTEMPT_FAILED;

  attempt = connect (store, error) ? open_connected (store, error) : ATTEMPT_FAILED;
  if (attempt == ATTEMPT_FAILED && is_unusable (store))
    attempt = in_the_way (store, "damaged_database", "is damaged", error);
  if (attempt != ATTEMPT_DONE && store->database.handle)
    history_database_disconnect (&store->database, true);
  return attempt;
}

static bool
prepare_directory (HistoryStore *store, HistoryError *error)
{
  char *moved;
  bool done = history_files_prepare_directory (&store->files, !store->existing_only, &moved, error);

  if (moved)
    history_store_note (store, "unsound_folder", "“%s” was no folder any more; it is now “%s”",
                        store->files.directory, moved);
  free (moved);
  return done;
}

static bool
move_aside (HistoryStore *store, HistoryError *error)
{
  char *moved;

  if (!history_files_move_aside (&store->files, &moved, error))
    return false;
  history_store_note (store, "moved_aside", "“%s” is now “%s”",
                      store->files.paths[HISTORY_FILE_DATABASE], moved);
  free (store->renamed);
  store->renamed = moved;
  return true;
}

bool
history_open (HistoryStore *store, HistoryError *error)
{
  Attempt attempt = ATTEMPT_IN_THE_WAY;

  if (!prepare_directory (store, error))
    return false;
  if (store->is_spoiled && !store->existing_only)
    {
      in_the_way (store, "damaged_database", "is damaged", error);
      if (!move_aside (store, error))
        return false;
    }
  store->is_spoiled = false;
  for (int i = 0; i < MAX_ATTEMPTS && attempt == ATTEMPT_IN_THE_WAY; i++)
    {
      attempt = try_open (store, error);
      if (attempt == ATTEMPT_IN_THE_WAY && (store->existing_only || !move_aside (store, error)))
        return false;
    }
  if (attempt == ATTEMPT_DONE)
    {
      history_store_forget_incidents (store);
      history_blank_clear (&store->blank);
    }
  return attempt == ATTEMPT_DONE;
}
