/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of the database. The agent can write to their folder, so nothing is opened that is not
 * what it should be, no link is followed, and what is in the way is renamed, never removed. */

#pragma once

#include "history-error.h"

#include <stdbool.h>
#include <sys/stat.h>

typedef enum
{
  HISTORY_FILE_DATABASE,
  HISTORY_FILE_WAL,
  HISTORY_FILE_SHARED_MEMORY,
  HISTORY_FILE_JOURNAL,
  HISTORY_N_FILES
} HistoryFile;

typedef struct
{
  bool present;
  dev_t device;
  ino_t inode;
} HistoryFileMark;

typedef struct
{
  char *directory;
  char *paths[HISTORY_N_FILES];
  HistoryFileMark marks[HISTORY_N_FILES];
  bool directory_was_seen;
} HistoryFiles;

typedef enum
{
  HISTORY_FILES_SAME,
  HISTORY_FILES_DATABASE_MISSING,
  HISTORY_FILES_DATABASE_REPLACED,
  HISTORY_FILES_JOURNAL_CHANGED
} HistoryFilesChange;

/* Links in the folders above @directory are resolved here, once. */
void history_files_init (HistoryFiles *files, const char *directory);
void history_files_clear (HistoryFiles *files);

/* Makes the folder if need be (@make) and sees that it is one. *@moved is the new name of a link or
 * file that took the place of the folder since it was last seen, or NULL; to be freed. */
bool history_files_prepare_directory (HistoryFiles *files, bool make, char **moved,
                                      HistoryError *error);

/* Gives this user back the right to use the folder and the files where they are its own, which what
 * runs in the sandbox may have taken away. Whether something was changed. @has_log: the database is
 * open and works with its write-ahead log alone. @change: as of history_files_compare (). */
bool history_files_open_up (const HistoryFiles *files, bool has_log, HistoryFilesChange *change);

/* Whether there is a database file, and whether it, and what lies beside it, may be opened; *@fault
 * says why not. */
bool history_files_database_exists (const HistoryFiles *files);
bool history_files_database_is_empty (const HistoryFiles *files);
bool history_files_are_sound (const HistoryFiles *files, const char **fault);

/* Makes an empty database file. */
bool history_files_make_database (const HistoryFiles *files, HistoryError *error);

/* Whether record locks work in the folder. */
bool history_files_can_lock (const HistoryFiles *files);

/* Renames all there are; *@moved is the new path of the database, to be freed. */
bool history_files_move_aside (const HistoryFiles *files, char **moved, HistoryError *error);

/* Remembers which files there are, and says whether they still are. */
void history_files_mark (HistoryFiles *files);
HistoryFilesChange history_files_compare (const HistoryFiles *files);
