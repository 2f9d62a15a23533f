/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes that came together and are committed together. */

#pragma once

#include "history-operations.h"
#include "history-output.h"
#include "history-store.h"

typedef enum
{
  HISTORY_JOB_START,
  HISTORY_JOB_OUTPUT,
  HISTORY_JOB_FINISH,
  HISTORY_JOB_APPLY,
  HISTORY_JOB_ACKNOWLEDGE
} HistoryJobKind;

/* @call is the call that asked for it, 0 if none did. */
typedef struct
{
  HistoryJobKind kind;
  uint32_t call;
  HistoryOperation *operation;
  json_t *arguments;

  bool is_done;
  json_t *result;
  HistoryOutputStep step;
  HistoryError error;
} HistoryJob;

typedef struct
{
  HistoryJob *jobs;
  size_t n_jobs;
  size_t allocated;
} HistoryBatch;

/* @arguments may be NULL. The job is good until the next is added. */
HistoryJob *history_batch_add (HistoryBatch *batch, HistoryJobKind kind, uint32_t call,
                               HistoryOperation *operation, json_t *arguments);

/* Writes all of it in one transaction, and where that fails each in its own. Each job is done then,
 * or has an error. */
void history_batch_run (HistoryBatch *batch, HistoryStore *store, HistoryOperations *operations);

void history_batch_clear (HistoryBatch *batch);
