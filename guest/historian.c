/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "historian.h"

#include "historian-link.h"
#include "historian-reads.h"

#include "history-batch.h"
#include "history-finish.h"
#include "history-guard.h"
#include "history-json.h"
#include "history-operations.h"
#include "history-retention.h"
#include "history-status.h"
#include "history-store.h"

#include "asb-wire-json.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* How much is read before what came is committed. */
#define MAX_DRAIN (1024 * 1024)

/* With more waiting to be sent, nothing new is taken in. */
#define MAX_QUEUED_REPLIES (4 * 1024 * 1024)

typedef struct
{
  HistorianLink link;
  HistoryStore store;
  HistoryOperations operations;
  HistoryBatch batch;
  HistorianReads reads;
  HistoryRetention retention;
  bool has_written; /* in this turn */
  bool is_retaining;
  bool is_over;
  bool is_violated;
} Historian;

static void
reply_result (Historian *self, uint32_t call, json_t *result)
{
  historian_link_reply (&self->link, call, "result", result ? result : json_object ());
}

static void
reply_error (Historian *self, uint32_t call, const HistoryError *error)
{
  historian_link_reply (&self->link, call, "error", history_error_to_json (error));
}

static void
reply_job (Historian *self, HistoryJob *job)
{
  if (!job->call)
    return;
  if (!job->is_done)
    reply_error (self, job->call, &job->error);
  else if (job->kind == HISTORY_JOB_FINISH)
    reply_result (self, job->call, history_finish_describe (job->operation));
  else
    reply_result (self, job->call, json_incref (job->result));
}

/* Whether nothing more will be done with the operation: it has ended, or it never began. An end
 * that is no end to the storage's liking is tried again later. */
static bool
is_last_job (const HistoryJob *job)
{
  if (job->kind == HISTORY_JOB_START)
    return !job->is_done;
  return job->kind == HISTORY_JOB_FINISH
         && (job->is_done || !history_error_is_storage (&job->error)
             || job->operation->was_refused);
}

static void
remove_ended (Historian *self)
{
  for (size_t i = 0; i < self->batch.n_jobs; i++)
    {
      const HistoryJob *job = &self->batch.jobs[i];

      if (job->operation && is_last_job (job))
        job->operation->is_over = true;
    }
  for (size_t i = 0; i < self->batch.n_jobs; i++)
    {
      HistoryOperation *operation = self->batch.jobs[i].operation;

      if (!operation || !operation->is_over)
        continue;
      for (size_t j = i; j < self->batch.n_jobs; j++)
        if (self->batch.jobs[j].operation == operation)
          self->batch.jobs[j].operation = NULL;
      history_operations_remove (&self->operations, operation);
    }
}

/* An end that could not be written is tried again, also when there is no output with it. */
static void
update_others (Historian *self)
{
  for (size_t i = 0; i < self->batch.n_jobs; i++)
    if (self->batch.jobs[i].operation)
      history_operations_update (&self->operations, self->batch.jobs[i].operation);
}

static bool
something_was_done (const HistoryBatch *batch)
{
  for (size_t i = 0; i < batch->n_jobs; i++)
    if (batch->jobs[i].is_done)
      return true;
  return false;
}

static void
commit (Historian *self)
{
  if (self->batch.n_jobs == 0)
    return;
  history_batch_run (&self->batch, &self->store, &self->operations);
  for (size_t i = 0; i < self->batch.n_jobs; i++)
    reply_job (self, &self->batch.jobs[i]);
  remove_ended (self);
  update_others (self);
  if (something_was_done (&self->batch))
    {
      self->has_written = true;
      history_operations_retry_ends (&self->operations);
    }
  history_batch_clear (&self->batch);
}

/* Output that is due, or all of it, and ends that could not be written before. */
static void
add_due_jobs (Historian *self, bool all)
{
  int64_t now = history_time_monotonic ();

  LIST_FOREACH (node, &self->operations.active)
    {
      HistoryOperation *operation = LIST_ITEM (node, HistoryOperation, active);

      if (all || operation->due <= now)
        history_batch_add (&self->batch, operation->end ? HISTORY_JOB_FINISH : HISTORY_JOB_OUTPUT,
                           0, operation, NULL);
    }
}

/* Commits what was asked for, and then what is due. */
static void
commit_due (Historian *self, bool all)
{
  commit (self);
  add_due_jobs (self, all);
  commit (self);
}

static void
call_open (Historian *self, uint32_t call, json_t *arguments)
{
  HistoryError error;
  json_t *result;
  bool done = history_store_open (&self->store, arguments, &result, &error);

  if (!done && history_store_recover (&self->store))
    done = history_store_open (&self->store, arguments, &result, &error);
  if (done)
    reply_result (self, call, result);
  else
    reply_error (self, call, &error);
}

static void
call_status (Historian *self, uint32_t call)
{
  reply_result (self, call, history_status (&self->store));
  history_store_recover (&self->store);
}

static void
call_close (Historian *self, uint32_t call)
{
  commit_due (self, true);
  history_store_close (&self->store);
  self->has_written = true;
  reply_result (self, call, NULL);
}

static void
call_start (Historian *self, uint32_t call, json_t *payload)
{
  HistoryError error;
  HistoryOperation *operation = NULL;

  if (history_operations_find (&self->operations, call))
    history_error_set (&error, HISTORY_INVALID_ARGUMENT, "Call %u has an operation already", call);
  else if (self->operations.n_operations >= HISTORY_MAX_OPERATIONS)
    history_error_set (&error, HISTORY_TOO_MANY_REQUESTS, "%d operations are being recorded",
                       HISTORY_MAX_OPERATIONS);
  else if (history_store_has_room (&self->store, &error))
    operation = history_operation_new (call, json_object_get (payload, "record"), &error);
  if (!operation)
    {
      reply_error (self, call, &error);
      return;
    }
  history_operations_add (&self->operations, operation);
  history_batch_add (&self->batch, HISTORY_JOB_START, call, operation, NULL);
}

/* The answer may come later. */
static void
call_cleanup (Historian *self, uint32_t call, json_t *arguments)
{
  HistoryError error;
  json_t *result;

  if (!history_retention_start (&self->retention, &self->store, call, arguments, &result, &error))
    reply_error (self, call, &error);
  else if (result)
    reply_result (self, call, result);
}

/* Makes room, a little at a time. */
static void
retain (Historian *self)
{
  HistoryError error;
  json_t *result;
  HistoryRetentionStep step;

  do
    step = history_retention_step (&self->retention, &self->store, &result, &error);
  while (step == HISTORY_RETENTION_MORE
         && history_retention_is_urgent (&self->retention, &self->store));
  self->is_retaining = step == HISTORY_RETENTION_MORE;
  if (step == HISTORY_RETENTION_ANSWER && result)
    reply_result (self, self->retention.call, result);
  else if (step == HISTORY_RETENTION_ANSWER)
    reply_error (self, self->retention.call, &error);
}

static void
call_finish (Historian *self, uint32_t call, json_t *payload)
{
  int64_t start = 0;
  HistoryError error;
  HistoryOperation *operation;

  if (!history_json_get_integer (payload, "start", 1, UINT32_MAX, &start, &error))
    {
      reply_error (self, call, &error);
      return;
    }
  operation = history_operations_find (&self->operations, (uint32_t)start);
  if (!operation || operation->end)
    {
      history_error_set (&error, HISTORY_INVALID_ARGUMENT, "Call %lld has no operation to finish",
                         (long long)start);
      reply_error (self, call, &error);
    }
  else if (!history_finish_accept (operation, payload, &error))
    reply_error (self, call, &error);
  else
    history_batch_add (&self->batch, HISTORY_JOB_FINISH, call, operation, NULL);
}

static void
call_read (Historian *self, uint32_t call, HistoryReadKind kind, json_t *arguments)
{
  historian_reads_start (&self->reads, &self->link, &self->store, kind, call, arguments);
}

/* With all that is known. */
static void
call_export (Historian *self, uint32_t call, json_t *arguments)
{
  commit_due (self, true);
  call_read (self, call, HISTORY_READ_DATABASE, arguments);
}

/* Calls that write join the batch; the others come after what was asked for before them. */
static bool
dispatch_write (Historian *self, const char *name, uint32_t call, json_t *payload,
                json_t *arguments)
{
  if (strcmp (name, "record.start") == 0)
    call_start (self, call, payload);
  else if (strcmp (name, "record.finish") == 0)
    call_finish (self, call, payload);
  else if (strcmp (name, "history.record") == 0)
    history_batch_add (&self->batch, HISTORY_JOB_APPLY, call, NULL, arguments);
  else if (strcmp (name, "history.acknowledge") == 0)
    history_batch_add (&self->batch, HISTORY_JOB_ACKNOWLEDGE, call, NULL, arguments);
  else
    return false;
  return true;
}

static void
dispatch_other (Historian *self, const char *name, uint32_t call, json_t *arguments)
{
  HistoryError error;

  commit (self);
  if (strcmp (name, "history.open") == 0)
    call_open (self, call, arguments);
  else if (strcmp (name, "history.query") == 0)
    call_read (self, call, HISTORY_READ_CHANGES, arguments);
  else if (strcmp (name, "history.get_operations") == 0)
    call_read (self, call, HISTORY_READ_OPERATIONS, arguments);
  else if (strcmp (name, "history.get_output") == 0)
    call_read (self, call, HISTORY_READ_OUTPUT, arguments);
  else if (strcmp (name, "history.export") == 0)
    call_export (self, call, arguments);
  else if (strcmp (name, "history.status") == 0)
    call_status (self, call);
  else if (strcmp (name, "history.cleanup") == 0)
    call_cleanup (self, call, arguments);
  else if (strcmp (name, "historian.close") == 0)
    call_close (self, call);
  else
    {
      history_error_set (&error, HISTORY_UNSUPPORTED_CALL, "There is no call “%s”", name);
      reply_error (self, call, &error);
    }
}

static void
handle_call (Historian *self, uint32_t call, const uint8_t *payload, size_t size)
{
  const char *reason = "the call has no name";
  json_t *json = asb_wire_json_parse (payload, size, &reason);
  const char *name = json_string_value (json_object_get (json, "call"));
  HistoryError error;

  if (!name)
    {
      history_error_set (&error, HISTORY_INVALID_ARGUMENT, "The call is not valid: %s", reason);
      reply_error (self, call, &error);
    }
  else if (!dispatch_write (self, name, call, json, json_object_get (json, "args")))
    dispatch_other (self, name, call, json_object_get (json, "args"));
  json_decref (json);
}

static void
handle_data (Historian *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  HistoryOperation *operation = history_operations_find (&self->operations, header->call);
  const HistoryConfig *config = &self->store.config;
  int stream = header->channel - ASB_CHANNEL_OUTPUT;
  const char *reason;

  if (!operation || operation->end || header->channel == ASB_CHANNEL_INPUT)
    return;
  if (!history_store_takes_output (&self->store, &reason))
    history_output_refuse (operation, reason, &self->operations.all_pending);
  history_output_add (operation, config, stream, payload, header->length,
                      &self->operations.all_pending);
  history_operations_update (&self->operations, operation);
  if (history_output_wants (operation, config, stream) || operation->stopped & 1u << stream)
    return;
  operation->stopped |= 1u << stream;
  historian_link_send_stop (&self->link, header->call, header->channel);
}

static void
handle_frame (Historian *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  switch (header->type)
    {
    case ASB_FRAME_CALL:
      handle_call (self, header->call, payload, header->length);
      break;
    case ASB_FRAME_DATA:
      handle_data (self, header, payload);
      break;
    case ASB_FRAME_CREDIT:
      historian_reads_credit (&self->reads, header->call, asb_frame_count_read (payload));
      break;
    case ASB_FRAME_STOP:
      historian_reads_stop (&self->reads, &self->link, header->call);
      break;
    case ASB_FRAME_CANCEL:
      historian_reads_cancel (&self->reads, &self->link, header->call);
      break;
    default:
      self->is_violated = true;
    }
}

static void
handle_frames (Historian *self)
{
  AsbFrameStatus status = ASB_FRAME_OK;

  while (status == ASB_FRAME_OK && !self->is_violated)
    {
      AsbFrameHeader header;
      const uint8_t *payload;
      const char *reason;

      status = frame_reader_next (&self->link.reader, &header, &payload, &reason);
      if (status == ASB_FRAME_OK)
        handle_frame (self, &header, payload);
    }
  if (status == ASB_FRAME_INVALID)
    self->is_violated = true;
}

/* All that is there to be read, up to a bound, so that it is committed together. */
static void
drain (Historian *self)
{
  FrameReaderStatus status = FRAME_READER_DATA;

  for (size_t n = 0; status == FRAME_READER_DATA && n < MAX_DRAIN && !self->is_violated;)
    {
      size_t before = self->link.reader.end - self->link.reader.start;

      status = frame_reader_fill (&self->link.reader, self->link.fd);
      n += self->link.reader.end - self->link.reader.start - before;
      handle_frames (self);
      /* Then nothing is left to be read. */
      if (!frame_reader_was_filled (&self->link.reader))
        break;
    }
  if (status == FRAME_READER_CLOSED)
    self->is_over = true;
}

/* When there is something to do, if nothing comes before. */
static int64_t
get_due (const Historian *self)
{
  const int64_t operations_due = history_operations_due (&self->operations);
  const int64_t reads_due = historian_reads_due (&self->reads);

  if (self->reads.is_busy || self->is_retaining)
    return 0;
  return operations_due < reads_due ? operations_due : reads_due;
}

static void
turn (Historian *self)
{
  bool may_read = historian_link_queued (&self->link) < MAX_QUEUED_REPLIES;
  const HistoryWatch *watch = &self->reads.watch;

  historian_link_wait (&self->link, may_read, history_watch_is_running (watch) ? watch->fd : -1,
                       get_due (self));
  self->has_written = false;
  if (may_read)
    drain (self);
  commit_due (self, false);
  historian_reads_pump (&self->reads, &self->link, &self->store, self->has_written);
  historian_link_flush (&self->link);
  retain (self);
  history_store_tend (&self->store);
}

/* What ends the guest ends the historian by the end of its socket, with the record whole. */
static void
prepare_process (void)
{
  static const int IGNORED[] = { SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGXFSZ };

  for (size_t i = 0; i < sizeof IGNORED / sizeof IGNORED[0]; i++)
    signal (IGNORED[i], SIG_IGN);
  prctl (PR_SET_DUMPABLE, 0);
  umask (077);
  history_guard_install ();
  history_database_prepare_process ();
}

int
historian_main (int socket_fd, const char *history_dir)
{
  Historian self = { 0 };

  prepare_process ();
  historian_link_init (&self.link, socket_fd);
  history_store_init (&self.store, history_dir);
  history_operations_init (&self.operations);
  historian_reads_init (&self.reads);
  history_blank_make (&self.store.blank);
  while (!self.is_over && !self.is_violated && !self.link.is_closed)
    turn (&self);

  commit_due (&self, true);
  historian_reads_clear (&self.reads);
  history_store_clear (&self.store);
  history_operations_clear (&self.operations);
  historian_link_clear (&self.link);
  close (socket_fd);
  return self.is_violated ? 1 : 0;
}
