/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All operations that are being recorded, by the number of the call that started them. */

#pragma once

#include "history-operation.h"

#define HISTORY_OPERATION_BUCKETS 256

/* More than all connections of a guest can have open. */
#define HISTORY_MAX_OPERATIONS 20000

typedef struct
{
  HistoryOperation *buckets[HISTORY_OPERATION_BUCKETS];
  size_t n_operations;
  size_t all_pending;

  /* Those that have something to write, now or later. */
  List active;
  unsigned generation;
} HistoryOperations;

void history_operations_init (HistoryOperations *operations);

HistoryOperation *history_operations_find (const HistoryOperations *operations, uint32_t call);
void history_operations_add (HistoryOperations *operations, HistoryOperation *operation);
void history_operations_remove (HistoryOperations *operations, HistoryOperation *operation);
void history_operations_clear (HistoryOperations *operations);

/* Makes an operation active if it has something to write, and passive if not; to be called when
 * that may have changed. */
void history_operations_update (HistoryOperations *operations, HistoryOperation *operation);

/* Tells all of them when the store has begun another database. */
void history_operations_follow (HistoryOperations *operations, const HistoryStore *store);

/* When the first of them has something to write, or HISTORY_NEVER. */
int64_t history_operations_due (const HistoryOperations *operations);

/* Ends that could not be written before are due now: something else could. */
void history_operations_retry_ends (HistoryOperations *operations);
