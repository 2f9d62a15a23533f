/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The record of one sandbox: its files, its identity, its configuration, and whether they can be
 * used just now. */

#pragma once

#include "history-blank.h"
#include "history-config.h"
#include "history-database.h"
#include "history-files.h"
#include "history-recorder.h"
#include "history-time.h"

#include <jansson.h>

#define HISTORY_MAX_PENDING_INCIDENTS 16

typedef struct
{
  char *provider_key;
  char *sandbox_id;
  char *sandbox_instance_id;
  char *sandbox_name;
} HistoryIdentity;

/* What came in the way of the record, to be kept in it. */
typedef struct
{
  char noticed_at[HISTORY_TIME_SIZE];
  const char *kind;
  char detail[1536];
} HistoryIncident;

typedef struct
{
  HistoryFiles files;
  HistoryBlank blank; /* until a record is open */
  HistoryDatabase database;
  bool is_open;

  /* What the record shall be once somebody has asked for it; after a failure it is tried again. */
  bool is_wanted;
  bool existing_only;
  HistoryIdentity identity;
  char *sdk_version;
  HistoryConfig initial_config;

  /* What it is. */
  HistoryConfig config;
  int64_t revision;
  const char *journal_mode;
  char boot_id[HISTORY_RECORDER_SIZE];

  /* Counts the database files that were begun or found in the place of another. */
  unsigned generation;
  bool is_new;
  int64_t opened; /* on a clock that only goes forward */

  /* Another recorder that lives, or lived, has started operations that it has not completed. */
  bool has_others_unfinished;

  HistoryFileMark last_database;
  char *renamed;
  HistoryError trouble;
  const char *notice;
  int64_t data_version;
  int64_t foreign_commits;

  /* What was written since its size was looked at, and since it was cleaned up; both in about. */
  int64_t n_unmeasured;
  int64_t n_ended;

  /* It is as large as it may be, and nothing is deleted for what is new. */
  bool is_full;

  /* What is there is of no use: it is renamed before another is begun. */
  bool is_spoiled;

  HistoryIncident incidents[HISTORY_MAX_PENDING_INCIDENTS];
  int n_incidents;
} HistoryStore;

void history_store_init (HistoryStore *store, const char *directory);
void history_store_clear (HistoryStore *store);

/* The arguments of "history.open". *@result is its answer. */
bool history_store_open (HistoryStore *store, const json_t *arguments, json_t **result,
                         HistoryError *error);

/* Makes the record usable if it was asked for: looks whether its files are still there, and opens
 * what is not open. To be called before each use. */
bool history_store_ensure (HistoryStore *store, HistoryError *error);

/* After a failure: gives up a database that cannot be used, so that the next use opens another.
 * TRUE when that is worth trying at once. */
bool history_store_recover (HistoryStore *store);

/* Whether an operation may begin, and whether output may be added: not where the record is as large
 * as it may be and nothing can be deleted for them. */
bool history_store_has_room (const HistoryStore *store, HistoryError *error);
bool history_store_takes_output (const HistoryStore *store, const char **reason);

/* What can be done when nobody waits. */
void history_store_tend (HistoryStore *store);

/* Leaves one file, to be opened again when it is asked for. */
void history_store_close (HistoryStore *store);

void history_store_note (HistoryStore *store, const char *kind, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* Writes what was noted, in the transaction that has begun; after its commit it is forgotten. */
bool history_store_write_incidents (HistoryStore *store, HistoryError *error);
void history_store_forget_incidents (HistoryStore *store);
