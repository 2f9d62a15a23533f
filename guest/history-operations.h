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
} HistoryOperations;

HistoryOperation *history_operations_find (const HistoryOperations *operations, uint32_t call);
void history_operations_add (HistoryOperations *operations, HistoryOperation *operation);
void history_operations_remove (HistoryOperations *operations, HistoryOperation *operation);
void history_operations_clear (HistoryOperations *operations);

/* The one after @previous (NULL: the first) in no particular order; @previous must not have been
 * removed. */
HistoryOperation *history_operations_next (const HistoryOperations *operations,
                                           const HistoryOperation *previous);

/* When the first of them has something to write, or HISTORY_NEVER. */
int64_t history_operations_due (const HistoryOperations *operations);
