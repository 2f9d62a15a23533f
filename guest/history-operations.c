/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-operations.h"

#include "history-output.h"

void
history_operations_init (HistoryOperations *operations)
{
  *operations = (HistoryOperations){ 0 };
  list_init (&operations->active);
}

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
  operation->generation = operations->generation;
  operations->n_operations++;
}

void
history_operations_remove (HistoryOperations *operations, HistoryOperation *operation)
{
  HistoryOperation **link = &operations->buckets[bucket_of (operation->call)];

  while (*link != operation)
    link = &(*link)->next;
  *link = operation->next;
  list_remove (&operation->active);
  operations->n_operations--;
  operations->all_pending -= history_output_pending (operation);
  history_operation_free (operation);
}

void
history_operations_clear (HistoryOperations *operations)
{
  for (size_t i = 0; i < HISTORY_OPERATION_BUCKETS; i++)
    while (operations->buckets[i])
      history_operations_remove (operations, operations->buckets[i]);
}

void
history_operations_update (HistoryOperations *operations, HistoryOperation *operation)
{
  bool has_work = operation->end || history_output_pending (operation) > 0;

  if (has_work && list_is_empty (&operation->active))
    list_append (&operations->active, &operation->active);
  else if (!has_work)
    list_remove (&operation->active);
}

void
history_operations_follow (HistoryOperations *operations, const HistoryStore *store)
{
  if (operations->generation == store->generation)
    return;
  operations->generation = store->generation;
  for (size_t i = 0; i < HISTORY_OPERATION_BUCKETS; i++)
    for (HistoryOperation *operation = operations->buckets[i]; operation;
         operation = operation->next)
      history_operation_follow (operation, store);
}

int64_t
history_operations_due (const HistoryOperations *operations)
{
  int64_t due = HISTORY_NEVER;

  LIST_FOREACH (node, &operations->active)
    {
      const HistoryOperation *operation = LIST_ITEM (node, HistoryOperation, active);

      if (operation->due < due)
        due = operation->due;
    }
  return due;
}

void
history_operations_retry_ends (HistoryOperations *operations)
{
  LIST_FOREACH (node, &operations->active)
    {
      HistoryOperation *operation = LIST_ITEM (node, HistoryOperation, active);

      if (operation->end && operation->is_failing)
        operation->due = 0;
    }
}
