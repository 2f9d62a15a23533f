/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What becomes of old operations: they are deleted, oldest first, when they are older than the
 * configuration says or the record is larger. It is done in small steps, so that nobody waits. */

#pragma once

#include "history-store.h"

typedef enum
{
  HISTORY_RETENTION_IDLE,
  HISTORY_RETENTION_AGE,
  HISTORY_RETENTION_SIZE,
  HISTORY_RETENTION_END
} HistoryRetentionPhase;

typedef struct
{
  HistoryRetentionPhase phase;

  /* Who asked for it, or 0. */
  uint32_t call;

  /* It does all there is to do, and the record tells of it. Otherwise only room is made. */
  bool is_whole;

  bool by_age;
  char cutoff[HISTORY_TIME_SIZE];
  bool by_size;
  int64_t max_bytes;
  int64_t target_bytes;

  /* Up to where all readers have read, and up to where it was looked. */
  int64_t protected_seq;
  int64_t cursor;

  int64_t bytes_before;
  int64_t bytes;
  int64_t n_aged;
  int64_t n_crowded;
  int64_t n_changes;
  int64_t deleted_seq;
} HistoryRetention;

/* Begins what the call "history.cleanup" asks for. *@result is its answer where there is nothing to
 * be done; otherwise it comes from history_retention_step (). FALSE with @error set on errors. */
bool history_retention_start (HistoryRetention *retention, HistoryStore *store, uint32_t call,
                              const json_t *arguments, json_t **result, HistoryError *error);

/* A small part of what there is to be done. */
typedef enum
{
  /* Nothing is left. */
  HISTORY_RETENTION_NOTHING,

  /* There is more. */
  HISTORY_RETENTION_MORE,

  /* What retention->call asked for is done, or has failed; *@result is then NULL. */
  HISTORY_RETENTION_ANSWER
} HistoryRetentionStep;

HistoryRetentionStep history_retention_step (HistoryRetention *retention, HistoryStore *store,
                                             json_t **result, HistoryError *error);

/* Whether the record is so much too large that the next step is to come at once: where everything
 * is slow it grows faster than steps between other things make it smaller. */
bool history_retention_is_urgent (const HistoryRetention *retention, const HistoryStore *store);
