/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-batch.h"

#include "history-apply.h"
#include "history-finish.h"
#include "history-memory.h"

#include <stdlib.h>

/* Bytes, for an estimate. */
#define ABOUT_A_ROW 1024
#define ABOUT_A_BATCH (16 * 1024)

typedef enum
{
  RUN_DONE,

  /* Nothing was tried: it would not go otherwise with fewer jobs. */
  RUN_REFUSED,

  /* The transaction is lost, maybe because of one of them. */
  RUN_LOST
} Run;

HistoryJob *
history_batch_add (HistoryBatch *batch, HistoryJobKind kind, uint32_t call,
                   HistoryOperation *operation, json_t *arguments)
{
  HistoryJob *job;

  if (batch->n_jobs == batch->allocated)
    {
      batch->allocated = batch->allocated ? 2 * batch->allocated : 16;
      batch->jobs = realloc (batch->jobs, batch->allocated * sizeof *batch->jobs);
      if (!batch->jobs)
        abort ();
    }
  job = &batch->jobs[batch->n_jobs++];
  *job = (HistoryJob){ kind, call, operation, json_incref (arguments) };
  return job;
}

void
history_batch_clear (HistoryBatch *batch)
{
  for (size_t i = 0; i < batch->n_jobs; i++)
    {
      json_decref (batch->jobs[i].arguments);
      json_decref (batch->jobs[i].result);
    }
  free (batch->jobs);
  *batch = (HistoryBatch){ 0 };
}

/* What begins while nothing more is recorded is left out, as the configuration says. */
static bool
apply (HistoryJob *job, HistoryStore *store)
{
  int64_t n_applied = 0;

  if (history_apply_begins_operations (job->arguments)
      && !history_store_has_room (store, &job->error))
    {
      if (store->config.overflow != HISTORY_STOP_RECORDING || !store->is_full)
        return false;
      job->result = json_pack ("{s:i, s:s}", "records_applied", 0, "message", job->error.message);
      return true;
    }
  if (!history_apply (store, job->arguments, &n_applied, &job->error))
    return false;
  job->result = json_pack ("{s:I}", "records_applied", (json_int_t)n_applied);
  return true;
}

static bool
write_output (HistoryJob *job, HistoryStore *store)
{
  return history_operation_require_start (job->operation, store, &job->error)
         && history_output_write (job->operation, store, &job->step, &job->error);
}

static bool
perform (HistoryJob *job, HistoryStore *store)
{
  json_decref (job->result);
  job->result = NULL;
  job->step = (HistoryOutputStep){ 0 };
  switch (job->kind)
    {
    case HISTORY_JOB_START:
      return history_operation_write_start (job->operation, store, &job->error);
    case HISTORY_JOB_OUTPUT:
      return write_output (job, store);
    case HISTORY_JOB_FINISH:
      return history_finish_write (job->operation, store, &job->step, &job->error);
    case HISTORY_JOB_APPLY:
      return apply (job, store);
    default:
      return history_acknowledge (store, job->arguments, &job->result, &job->error);
    }
}

/* What another program says is not looked into: it counts for much. */
static void
count (const HistoryJob *job, HistoryStore *store)
{
  store->n_unmeasured += job->kind == HISTORY_JOB_APPLY ? ABOUT_A_BATCH : ABOUT_A_ROW;
  for (int i = 0; i < HISTORY_N_STREAMS; i++)
    store->n_unmeasured += (int64_t)job->step.taken[i];
  if (job->kind == HISTORY_JOB_FINISH || job->kind == HISTORY_JOB_APPLY)
    store->n_ended++;
}

static void
settle (HistoryJob *job, HistoryStore *store, HistoryOperations *operations)
{
  count (job, store);
  if (job->operation)
    {
      job->operation->is_written = true;
      job->operation->was_written = true;
    }
  if (job->kind == HISTORY_JOB_START)
    job->operation->started = history_time_monotonic ();
  if (job->kind == HISTORY_JOB_OUTPUT || job->kind == HISTORY_JOB_FINISH)
    history_output_settle (job->operation, &job->step, &operations->all_pending);
}

/* Another program that commits changes the number; the first one that is seen is where counting
 * starts. */
static bool
count_foreign_commits (HistoryStore *store, HistoryError *error)
{
  int64_t version = 0;

  if (!history_database_get_integer (&store->database, error, "PRAGMA data_version", &version))
    return false;
  if (store->data_version && version != store->data_version)
    store->foreign_commits++;
  store->data_version = version;
  return true;
}

/* Opens what must be opened, and begins. */
static bool
begin (HistoryStore *store, HistoryOperations *operations, HistoryError *error)
{
  if (!history_store_ensure (store, error))
    return false;
  history_operations_follow (operations, store);
  if (history_database_begin (&store->database, error) && count_foreign_commits (store, error))
    return true;
  history_database_roll_back (&store->database);
  return false;
}

static bool
end (HistoryStore *store, HistoryError *error)
{
  if (history_store_write_incidents (store, error)
      && history_database_commit (&store->database, error))
    {
      history_store_forget_incidents (store);
      return true;
    }
  history_database_roll_back (&store->database);
  return false;
}

static void
refuse (HistoryBatch *batch, const HistoryError *error)
{
  for (size_t i = 0; i < batch->n_jobs; i++)
    batch->jobs[i].error = *error;
}

/* One job in a part of the transaction. FALSE when the transaction is lost with it. */
static bool
run_part (HistoryJob *job, HistoryStore *store)
{
  HistoryError error;
  bool done;

  if (!history_database_begin_part (&store->database, &error))
    return false;
  done = perform (job, store);
  job->is_done = done;
  return history_database_end_part (&store->database, done, &error);
}

static Run
run_together (HistoryBatch *batch, HistoryStore *store, HistoryOperations *operations)
{
  HistoryError error = { 0 };
  bool whole = true;

  if (!begin (store, operations, &error))
    {
      refuse (batch, &error);
      return RUN_REFUSED;
    }
  for (size_t i = 0; whole && i < batch->n_jobs; i++)
    whole = run_part (&batch->jobs[i], store);
  if (!whole)
    history_database_roll_back (&store->database);
  else if (!end (store, &error))
    {
      whole = false;
      refuse (batch, &error);
    }
  if (!whole)
    return error.is_busy ? RUN_REFUSED : RUN_LOST;
  for (size_t i = 0; i < batch->n_jobs; i++)
    if (batch->jobs[i].is_done)
      settle (&batch->jobs[i], store, operations);
  return RUN_DONE;
}

static bool
run_once (HistoryJob *job, HistoryStore *store, HistoryOperations *operations)
{
  job->is_done = begin (store, operations, &job->error);
  if (!job->is_done)
    return false;
  job->is_done = perform (job, store);
  if (!job->is_done)
    history_database_roll_back (&store->database);
  else
    job->is_done = end (store, &job->error);
  if (job->is_done)
    settle (job, store, operations);
  return job->is_done;
}

/* With little room left, what happened matters more than what was printed. */
static bool
can_do_with_less (HistoryJob *job, HistoryOperations *operations)
{
  if (job->kind != HISTORY_JOB_FINISH || !history_error_is_storage (&job->error)
      || history_output_pending (job->operation) == 0)
    return false;
  history_output_drop (job->operation, job->error.message, &operations->all_pending);
  return true;
}

static void
run_alone (HistoryJob *job, HistoryStore *store, HistoryOperations *operations)
{
  bool done = run_once (job, store, operations);
  bool is_recovered = history_store_recover (store);

  if (!done && (is_recovered || can_do_with_less (job, operations))
      && !run_once (job, store, operations))
    history_store_recover (store);
}

/* What could not be written is kept for another attempt, as far as there is room. */
static void
conclude (HistoryBatch *batch, HistoryStore *store, HistoryOperations *operations)
{
  store->trouble.code = NULL;
  for (size_t i = 0; i < batch->n_jobs; i++)
    {
      HistoryJob *job = &batch->jobs[i];

      if (!job->is_done && store->is_wanted && history_error_is_storage (&job->error))
        store->trouble = job->error;
      if (!job->is_done && (job->kind == HISTORY_JOB_OUTPUT || job->kind == HISTORY_JOB_FINISH))
        history_output_keep (job->operation, &store->config, &job->error, &operations->all_pending);
    }
}

/* Those that are not done yet. Where another process holds its lock for long, all have waited for
 * it once. */
static void
run_each (HistoryBatch *batch, HistoryStore *store, HistoryOperations *operations)
{
  const HistoryError *busy = NULL;

  for (size_t i = 0; i < batch->n_jobs; i++)
    {
      HistoryJob *job = &batch->jobs[i];

      if (!job->is_done && busy)
        job->error = *busy;
      else if (!job->is_done)
        run_alone (job, store, operations);
      if (!job->is_done && job->error.is_busy)
        busy = &job->error;
    }
}

static void
run_many (HistoryBatch *batch, HistoryStore *store, HistoryOperations *operations)
{
  Run run = run_together (batch, store, operations);
  bool is_recovered = history_store_recover (store);

  for (size_t i = 0; i < batch->n_jobs; i++)
    batch->jobs[i].is_done = batch->jobs[i].is_done && run == RUN_DONE;
  if (run == RUN_LOST || is_recovered)
    run_each (batch, store, operations);
}

void
history_batch_run (HistoryBatch *batch, HistoryStore *store, HistoryOperations *operations)
{
  if (batch->n_jobs == 1)
    run_alone (&batch->jobs[0], store, operations);
  else
    run_many (batch, store, operations);
  conclude (batch, store, operations);
}
