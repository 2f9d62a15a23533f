/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An operation that is recorded while it happens. */

#pragma once

#include "history-memory.h"
#include "history-store.h"

#include "list.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_N_STREAMS 2
#define HISTORY_STDOUT 0
#define HISTORY_STDERR 1

#define HISTORY_MAX_LOSS 512
#define HISTORY_NEVER INT64_MAX

typedef struct
{
  HistoryBuffer pending;
  int64_t n_chunks;
  int64_t kept;
  int64_t total;
} HistoryOutput;

typedef struct HistoryOperation
{
  struct HistoryOperation *next;
  List active;
  uint32_t call;
  json_t *record;
  const char *event_id;
  bool is_command;
  char occurred_at[HISTORY_TIME_SIZE];
  int64_t started;

  /* Whether the row of its start stands in the database of @generation. */
  bool is_written;
  bool was_written;
  bool was_refused;
  unsigned generation;

  HistoryOutput outputs[HISTORY_N_STREAMS];
  int64_t accepted;
  bool is_capped;
  bool is_muted;
  unsigned stopped;
  char loss[HISTORY_MAX_LOSS];

  /* The arguments of its end, from when they are known until they are written. */
  json_t *end;
  char completed_at[HISTORY_TIME_SIZE];
  int64_t duration_ms;

  /* When something is to be written, on the monotonic clock. */
  int64_t due;
  bool is_failing;

  bool is_over;
} HistoryOperation;

extern const char *const HISTORY_STREAM_NAMES[HISTORY_N_STREAMS];

/* Checks "record" of "record.start"; NULL when it is not valid. */
HistoryOperation *history_operation_new (uint32_t call, json_t *record, HistoryError *error);
void history_operation_free (HistoryOperation *operation);

/* Whether parts of its output are missing that the configuration does not leave out, and why. */
void history_operation_lose (HistoryOperation *operation, const char *reason);
bool history_operation_has_lost (const HistoryOperation *operation);

/* Where the database is another than the one its start was written to: what that had is gone. */
void history_operation_follow (HistoryOperation *operation, const HistoryStore *store);

/* Writes the started row with what belongs to it. */
bool history_operation_write_start (HistoryOperation *operation, HistoryStore *store,
                                    HistoryError *error);

/* Writes the started row if that is not done, for what comes after it. */
bool history_operation_require_start (HistoryOperation *operation, HistoryStore *store,
                                      HistoryError *error);
