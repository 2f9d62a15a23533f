/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-operations.h"

static size_t
bucket_of (uint32_t call)
{
  return call % HISTORY_OPERATION_BUCKETS;
}

HistoryOperation *
history_operations_find (const HistoryOperations *operations, uint32_t call)
{
  HistoryOperation *operation = operations->buckets[bucket_of (call)];

  while (operation && operation->call != call)
    operation = operation->next;
  return operation;
}

void
history_operations_add (HistoryOperations *operations, HistoryOperation *operation)
{
  HistoryOperation **bucket = &operations->buckets[bucket_of (operation->call)];

  operation->next = *bucket;
  *bucket = operation;
  operations->n_operations++;
}

void
history_operations_remove (HistoryOperations *operations, HistoryOperation *operation)
{
  HistoryOperation **link = &operations->buckets[bucket_of (operation->call)];

  while (*link != operation)
    link = &(*link)->next;
  *link = operation->next;
  operations->n_operations--;
  for (int i = 0; i < HISTORY_N_STREAMS; i++)
    operations->all_pending -= history_buffer_size (&operation->outputs[i].pending);
  history_operation_free (operation);
}

static HistoryOperation *
first_from (const HistoryOperations *operations, size_t bucket)
{
  for (; bucket < HISTORY_OPERATION_BUCKETS; bucket++)
    if (operations->buckets[bucket])
      return operations->buckets[bucket];
  return NULL;
}

HistoryOperation *
history_operations_next (const HistoryOperations *operations, const HistoryOperation *previous)
{
  if (!previous)
    return first_from (operations, 0);
  return previous->next ? previous->next : first_from (operations, bucket_of (previous->call) + 1);
}

void
history_operations_clear (HistoryOperations *operations)
{
  HistoryOperation *operation;

  while ((operation = history_operations_next (operations, NULL)))
    history_operations_remove (operations, operation);
}

int64_t
history_operations_due (const HistoryOperations *operations)
{
  int64_t due = HISTORY_NEVER;

  for (HistoryOperation *operation = history_operations_next (operations, NULL); operation;
       operation = history_operations_next (operations, operation))
    if (operation->due < due)
      due = operation->due;
  return due;
}
