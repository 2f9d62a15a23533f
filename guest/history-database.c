/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-database.h"

#include "history-log.h"
#include "history-time.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define STEPS_BETWEEN_CHECKS 20000
#define DEFAULT_SECONDS 10
#define DEFAULT_BUSY_TIMEOUT_MS 5000
#define MAX_LOG_PAGES 1000

static const int LIMITS[][2] = {
  { SQLITE_LIMIT_LENGTH, HISTORY_MAX_VALUE },
  { SQLITE_LIMIT_SQL_LENGTH, 1024 * 1024 },
  { SQLITE_LIMIT_COLUMN, 256 },
  { SQLITE_LIMIT_EXPR_DEPTH, 100 },
  { SQLITE_LIMIT_COMPOUND_SELECT, 10 },
  { SQLITE_LIMIT_FUNCTION_ARG, 16 },
  { SQLITE_LIMIT_ATTACHED, 0 },
  { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000 },
  { SQLITE_LIMIT_VARIABLE_NUMBER, 32 },
  { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
  { SQLITE_LIMIT_WORKER_THREADS, 0 },
};

static const int SETTINGS[][2] = {
  { SQLITE_DBCONFIG_DEFENSIVE, 1 },      { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
  { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 }, { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
  { SQLITE_DBCONFIG_ENABLE_FKEY, 1 },    { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
  { SQLITE_DBCONFIG_DQS_DML, 0 },        { SQLITE_DBCONFIG_DQS_DDL, 0 },
};

static bool
is_no_space (int number)
{
  return number == ENOSPC || number == EDQUOT || number == EFBIG;
}

/* SQLite tells only of a full disk apart from other failures, not of a quota or a limit. */
static bool
last_write_found_no_space (const HistoryDatabase *database)
{
  sqlite3_file *log = NULL;
  int of_database = 0;
  int of_log = 0;

  sqlite3_file_control (database->handle, "main", SQLITE_FCNTL_LAST_ERRNO, &of_database);
  sqlite3_file_control (database->handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log && log->pMethods)
    log->pMethods->xFileControl (log, SQLITE_FCNTL_LAST_ERRNO, &of_log);
  return is_no_space (of_database) || is_no_space (of_log);
}

static const char *
classify (const HistoryDatabase *database, int code)
{
  if ((code & 0xff) == SQLITE_FULL
      || ((code & 0xff) == SQLITE_IOERR && last_write_found_no_space (database)))
    return HISTORY_STORAGE_EXHAUSTED;
  return HISTORY_DATABASE_ERROR;
}

static bool
fail (HistoryDatabase *database, HistoryError *error)
{
  int code = sqlite3_extended_errcode (database->handle);
  const char *message = sqlite3_errmsg (database->handle);
  const char *path = database->handle ? sqlite3_db_filename (database->handle, "main") : NULL;

  if ((code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB)
    database->damaged = true;
  if (path && strcmp (classify (database, code), HISTORY_STORAGE_EXHAUSTED) == 0)
    history_error_set (error, HISTORY_STORAGE_EXHAUSTED,
                       "There is no room for the record in “%.256s”, make some there: %s", path,
                       message);
  else
    history_error_set (error, classify (database, code),
                       "The history database could not be used: %s", message);
  error->is_busy = (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
  return false;
}

static int
check_deadline (void *data)
{
  HistoryDatabase *database = data;

  return history_time_monotonic () > database->deadline;
}

void
history_database_limit_time (HistoryDatabase *database, double seconds)
{
  database->deadline = history_time_monotonic () + (int64_t)(seconds * 1e9);
}

static int
note_log_length (void *data, sqlite3 *handle, const char *name, int pages)
{
  HistoryDatabase *database = data;

  database->log_pages = pages;
  return SQLITE_OK;
}

static void
guard (HistoryDatabase *database)
{
  sqlite3_extended_result_codes (database->handle, 1);
  for (size_t i = 0; i < sizeof LIMITS / sizeof LIMITS[0]; i++)
    sqlite3_limit (database->handle, LIMITS[i][0], LIMITS[i][1]);
  for (size_t i = 0; i < sizeof SETTINGS / sizeof SETTINGS[0]; i++)
    sqlite3_db_config (database->handle, SETTINGS[i][0], SETTINGS[i][1], (int *)NULL);
  sqlite3_busy_timeout (database->handle, DEFAULT_BUSY_TIMEOUT_MS);
  history_database_limit_time (database, DEFAULT_SECONDS);
  sqlite3_wal_hook (database->handle, note_log_length, database);
  sqlite3_progress_handler (database->handle, STEPS_BETWEEN_CHECKS, check_deadline, database);
}

void
history_database_prepare_process (void)
{
  sqlite3_config (SQLITE_CONFIG_SINGLETHREAD);
  sqlite3_config (SQLITE_CONFIG_MEMSTATUS, 0);
}

bool
history_database_connect (HistoryDatabase *database, const char *path, const char *vfs,
                          HistoryError *error)
{
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX
              | SQLITE_OPEN_PRIVATECACHE;

  *database = (HistoryDatabase){ .max_log_pages = MAX_LOG_PAGES };
  if (sqlite3_open_v2 (path, &database->handle, flags, vfs ? vfs : history_log_register ())
      != SQLITE_OK)
    {
      fail (database, error);
      sqlite3_close (database->handle);
      database->handle = NULL;
      return false;
    }
  guard (database);
  /* What the tables check we have checked, at less cost: SQLite makes a table of the values that a
   * column may have, each time. */
  if (history_database_execute (database,
                                "PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY;"
                                "PRAGMA cell_size_check=ON; PRAGMA ignore_check_constraints=ON",
                                error))
    return true;
  history_database_disconnect (database, false);
  return false;
}

void
history_database_disconnect (HistoryDatabase *database, bool checkpoint)
{
  for (int i = 0; i < HISTORY_MAX_STATEMENTS; i++)
    sqlite3_finalize (database->statements[i].statement);
  sqlite3_backup_finish (database->copying);
  if (!checkpoint)
    sqlite3_db_config (database->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
  sqlite3_close (database->handle);
  *database = (HistoryDatabase){ 0 };
}

bool
history_database_execute (HistoryDatabase *database, const char *sql, HistoryError *error)
{
  int code = sqlite3_exec (database->handle, sql, NULL, NULL, NULL);

  if (code == SQLITE_ERROR)
    database->damaged = true;
  return code == SQLITE_OK || fail (database, error);
}

/* The SQL is ours, so it is the tables that are not if it does not compile. */
static bool
prepare (HistoryDatabase *database, HistoryStatement *entry, const char *sql, HistoryError *error)
{
  int code = sqlite3_prepare_v3 (database->handle, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                 &entry->statement, NULL);

  if (code == SQLITE_OK)
    {
      entry->sql = sql;
      return true;
    }
  if ((code & 0xff) == SQLITE_ERROR)
    database->damaged = true;
  return fail (database, error);
}

static sqlite3_stmt *
find_statement (HistoryDatabase *database, const char *sql, HistoryError *error)
{
  for (int i = 0; i < HISTORY_MAX_STATEMENTS; i++)
    {
      HistoryStatement *entry = &database->statements[i];

      if (!entry->sql && !prepare (database, entry, sql, error))
        return NULL;
      if (entry->sql == sql)
        return entry->statement;
    }
  history_error_set (error, HISTORY_DATABASE_ERROR, "There are too many kinds of statements");
  return NULL;
}

static int
bind_optional_integer (sqlite3_stmt *statement, int index, const int64_t *value)
{
  return value ? sqlite3_bind_int64 (statement, index, *value)
               : sqlite3_bind_null (statement, index);
}

static bool
bind (sqlite3_stmt *statement, const char *types, va_list values)
{
  int code = SQLITE_OK;

  for (int i = 1; code == SQLITE_OK && *types; i++, types++)
    {
      const void *bytes;

      switch (*types)
        {
        case 't':
          code = sqlite3_bind_text (statement, i, va_arg (values, const char *), -1,
                                    SQLITE_TRANSIENT);
          break;
        case 'b':
          bytes = va_arg (values, const void *);
          code = sqlite3_bind_blob64 (statement, i, bytes, va_arg (values, size_t),
                                      SQLITE_TRANSIENT);
          break;
        case 'n':
          code = bind_optional_integer (statement, i, va_arg (values, const int64_t *));
          break;
        default:
          code = sqlite3_bind_int64 (statement, i, va_arg (values, int64_t));
        }
    }
  return code == SQLITE_OK;
}

static sqlite3_stmt *
start (HistoryDatabase *database, HistoryError *error, const char *sql, const char *types,
       va_list values)
{
  sqlite3_stmt *statement = find_statement (database, sql, error);

  if (!statement)
    return NULL;
  if (bind (statement, types, values))
    return statement;
  fail (database, error);
  history_database_end (statement);
  return NULL;
}

sqlite3_stmt *
history_database_query (HistoryDatabase *database, HistoryError *error, const char *sql,
                        const char *types, ...)
{
  sqlite3_stmt *statement;
  va_list values;

  va_start (values, types);
  statement = start (database, error, sql, types, values);
  va_end (values);
  return statement;
}

HistoryStep
history_database_step (HistoryDatabase *database, sqlite3_stmt *statement, HistoryError *error)
{
  int code = sqlite3_step (statement);

  if (code == SQLITE_ROW)
    return HISTORY_ROW;
  if (code == SQLITE_DONE)
    return HISTORY_DONE;
  fail (database, error);
  if (code == SQLITE_ERROR)
    database->damaged = true;
  return HISTORY_FAILED;
}

void
history_database_end (sqlite3_stmt *statement)
{
  sqlite3_reset (statement);
  sqlite3_clear_bindings (statement);
}

bool
history_database_run (HistoryDatabase *database, HistoryError *error, const char *sql,
                      const char *types, ...)
{
  sqlite3_stmt *statement;
  HistoryStep step;
  va_list values;

  va_start (values, types);
  statement = start (database, error, sql, types, values);
  va_end (values);
  if (!statement)
    return false;
  do
    step = history_database_step (database, statement, error);
  while (step == HISTORY_ROW);
  history_database_end (statement);
  return step == HISTORY_DONE;
}

bool
history_database_get_integer (HistoryDatabase *database, HistoryError *error, const char *sql,
                              int64_t *value)
{
  sqlite3_stmt *statement = history_database_query (database, error, sql, "");
  HistoryStep step;

  if (!statement)
    return false;
  step = history_database_step (database, statement, error);
  if (step == HISTORY_ROW)
    *value = sqlite3_column_int64 (statement, 0);
  history_database_end (statement);
  return step != HISTORY_FAILED;
}

int
history_database_changes (HistoryDatabase *database)
{
  return sqlite3_changes (database->handle);
}

void
history_database_shorten_log (HistoryDatabase *database)
{
  int n_pages = 0;
  int n_copied = 0;

  if (database->log_pages < database->max_log_pages)
    return;
  sqlite3_wal_checkpoint_v2 (database->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, &n_pages,
                             &n_copied);
  database->log_was_copied = database->log_was_copied || n_copied > 0;
  /* Where a reader is in the way the log goes on growing, and its length stays known. */
  if (n_copied >= n_pages)
    database->log_pages = 0;
}

static bool
write_out (HistoryDatabase *database, HistoryError *error)
{
  sqlite3_file *file = NULL;

  sqlite3_file_control (database->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return (file && file->pMethods && file->pMethods->xSync (file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
         || history_error_set (error, HISTORY_DATABASE_ERROR,
                               "The history database could not be written to the disk");
}

bool
history_database_empty_log (HistoryDatabase *database, bool is_young, HistoryError *error)
{
  if (is_young
      && (!history_database_execute (
              database, "PRAGMA synchronous=OFF; PRAGMA wal_checkpoint(PASSIVE)", error)
          || !write_out (database, error)))
    return false;
  /* What a reader kept from being copied is copied now, with care. */
  return history_database_execute (
      database, "PRAGMA synchronous=NORMAL; PRAGMA wal_checkpoint(TRUNCATE)", error);
}

bool
history_database_measure (HistoryDatabase *database, int64_t *bytes, HistoryError *error)
{
  int64_t n_pages = 0;
  int64_t n_free = 0;
  int64_t page_size = 0;

  if (!history_database_get_integer (database, error, "PRAGMA page_count", &n_pages)
      || !history_database_get_integer (database, error, "PRAGMA freelist_count", &n_free)
      || !history_database_get_integer (database, error, "PRAGMA page_size", &page_size))
    return false;
  *bytes = (n_pages - n_free) * page_size;
  return true;
}

bool
history_database_begin (HistoryDatabase *database, HistoryError *error)
{
  if (!history_database_run (database, error, "BEGIN IMMEDIATE", ""))
    return false;
  history_log_begin (database->handle);
  return true;
}

bool
history_database_commit (HistoryDatabase *database, HistoryError *error)
{
  if (history_database_run (database, error, "COMMIT", ""))
    return true;
  history_database_roll_back (database);
  return false;
}

void
history_database_roll_back (HistoryDatabase *database)
{
  HistoryError ignored;

  if (history_database_in_transaction (database))
    history_database_run (database, &ignored, "ROLLBACK", "");
}

bool
history_database_begin_part (HistoryDatabase *database, HistoryError *error)
{
  return history_database_run (database, error, "SAVEPOINT part", "");
}

bool
history_database_end_part (HistoryDatabase *database, bool keep, HistoryError *error)
{
  if (!history_database_in_transaction (database))
    return false;
  if (!keep && !history_database_run (database, error, "ROLLBACK TO part", ""))
    return false;
  return history_database_run (database, error, "RELEASE part", "");
}

bool
history_database_in_transaction (const HistoryDatabase *database)
{
  return !sqlite3_get_autocommit (database->handle);
}
