/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One connection to the database: guarded against what others may have put into the file, with
 * statements that are prepared once. What the record means is not known here. */

#pragma once

#include "history-error.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_MAX_STATEMENTS 96

/* No value of a row is longer. */
#define HISTORY_MAX_VALUE (16 * 1024 * 1024)

typedef struct
{
  const char *sql;
  sqlite3_stmt *statement;
} HistoryStatement;

typedef struct
{
  sqlite3 *handle;
  HistoryStatement statements[HISTORY_MAX_STATEMENTS];
  int64_t deadline;

  /* A copy that is being made; it ends with the connection. */
  sqlite3_backup *copying;

  /* The length of the write-ahead log after the last commit, in pages, and the length from which on
   * it is copied. */
  int log_pages;
  int max_log_pages;
  bool log_was_copied;

  /* The file is no database, or its tables are not ours: nothing more can be done with it. */
  bool damaged;
} HistoryDatabase;

typedef enum
{
  HISTORY_ROW,
  HISTORY_DONE,
  HISTORY_FAILED
} HistoryStep;

/* Before anything else, in a process with one thread. */
void history_database_prepare_process (void);

/* Opens @path, never through a link. @vfs as in sqlite3_open_v2 (). */
bool history_database_connect (HistoryDatabase *database, const char *path, const char *vfs,
                               HistoryError *error);

/* @checkpoint: what the write-ahead log holds goes into the database; FALSE where the files are not
 * ours any more. */
void history_database_disconnect (HistoryDatabase *database, bool checkpoint);

/* Copies the write-ahead log into the database and leaves it empty. @is_young: nothing of the file
 * can be relied on to be on the disk yet, so only what comes of it is written out, and not the log
 * first. */
bool history_database_empty_log (HistoryDatabase *database, bool is_young, HistoryError *error);

/* Ends statements that run longer than @seconds from now on. */
void history_database_limit_time (HistoryDatabase *database, double seconds);

/* Runs SQL without results. */
bool history_database_execute (HistoryDatabase *database, const char *sql, HistoryError *error);

/* Runs one statement to its end with values by @types: "t" const char * (NULL: null), "i" int64_t,
 * "b" const void * and size_t, "n" const int64_t * (NULL: null). @sql must be static: it is the key
 * the statement is found by. */
bool history_database_run (HistoryDatabase *database, HistoryError *error, const char *sql,
                           const char *types, ...);

/* Starts one statement; its rows come with history_database_step (), and history_database_end ()
 * must follow. NULL on errors. */
sqlite3_stmt *history_database_query (HistoryDatabase *database, HistoryError *error,
                                      const char *sql, const char *types, ...);
HistoryStep history_database_step (HistoryDatabase *database, sqlite3_stmt *statement,
                                   HistoryError *error);
void history_database_end (sqlite3_stmt *statement);

/* The first column of the first row of static SQL; *@value stays as it is where there is no row. */
bool history_database_get_integer (HistoryDatabase *database, HistoryError *error, const char *sql,
                                   int64_t *value);

/* The rows that the last statement changed. */
int history_database_changes (HistoryDatabase *database);

/* Copies a long write-ahead log into the database. Others copy it while they commit; here nobody
 * waits for it. */
void history_database_shorten_log (HistoryDatabase *database);

/* The bytes of the database that are in use, without those that are free to be used again. */
bool history_database_measure (HistoryDatabase *database, int64_t *bytes, HistoryError *error);

/* A transaction that writes, and parts of it that can be taken back. */
bool history_database_begin (HistoryDatabase *database, HistoryError *error);
bool history_database_commit (HistoryDatabase *database, HistoryError *error);
void history_database_roll_back (HistoryDatabase *database);
bool history_database_begin_part (HistoryDatabase *database, HistoryError *error);
bool history_database_end_part (HistoryDatabase *database, bool keep, HistoryError *error);

/* FALSE when SQLite has given up the transaction because of an error. */
bool history_database_in_transaction (const HistoryDatabase *database);
