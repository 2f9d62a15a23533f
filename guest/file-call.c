/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The calls of files (docs/guest-protocol.md §4.2), which file workers do. */

#include "call-kinds.h"
#include "worker-pool.h"

static void
finish (Call *call, json_t *reply, Failure *failure)
{
  Outcome outcome = { 0 };

  if (failure->code)
    call_outcome_failed (&outcome, failure);
  else
    {
      outcome.result = json_incref (json_object_get (reply, "result"));
      outcome.recorded = json_incref (json_object_get (reply, "recorded"));
      outcome.status = "succeeded";
    }
  call_finish (call, &outcome);
}

static void
start (Call *call)
{
  if (worker_pool_submit (call->broker->workers, call, finish))
    return;
  failure_set (&call->failure, FAILURE_INTERNAL, "There is not enough memory");
  call_fail (call, &call->failure);
}

static void
start_watch (Call *call)
{
  if (worker_pool_may_watch (call->broker->workers))
    {
      start (call);
      return;
    }
  failure_set (&call->failure, FAILURE_TOO_MANY_REQUESTS,
               "There are %d watches already, and there can be no more at a time",
               WORKER_POOL_MAX_WATCHES);
  call_fail (call, &call->failure);
}

static void
cancel (Call *call)
{
  worker_task_cancel (call->operation);
}

static void
receive_input (Call *call)
{
  worker_task_input (call->operation);
}

static void
gain_room (Call *call, unsigned channel)
{
  worker_task_credit (call->operation);
}

static void
stop (Call *call, unsigned channel)
{
  worker_task_stop (call->operation);
}

/* Nobody will take what it would bring. */
static void
lose_reading (Call *call)
{
  call_cancel (call);
}

/* What has come as a whole is written all the same. */
static void
lose_writing (Call *call)
{
  if (!call->inlet.ended)
    call_cancel (call);
}

static unsigned
feeds_output (json_t *args)
{
  return 1u << ASB_CHANNEL_OUTPUT;
}

const CallKind FILE_KINDS[] = {
  {
      .name = "file.stat",
      .is_recorded = true,
      .start = start,
      .cancel = cancel,
      .lost = lose_reading,
  },
  {
      .name = "file.list",
      .is_recorded = true,
      .feeds = feeds_output,
      .start = start,
      .cancel = cancel,
      .room = gain_room,
      .stop = stop,
      .lost = lose_reading,
  },
  {
      .name = "file.walk",
      .is_recorded = true,
      .is_search = true,
      .feeds = feeds_output,
      .start = start,
      .cancel = cancel,
      .room = gain_room,
      .stop = stop,
      .lost = lose_reading,
  },
  {
      .name = "file.glob",
      .is_recorded = true,
      .is_search = true,
      .feeds = feeds_output,
      .start = start,
      .cancel = cancel,
      .room = gain_room,
      .stop = stop,
      .lost = lose_reading,
  },
  {
      .name = "file.grep",
      .is_recorded = true,
      .is_search = true,
      .feeds = feeds_output,
      .start = start,
      .cancel = cancel,
      .room = gain_room,
      .stop = stop,
      .lost = lose_reading,
  },
  {
      .name = "file.watch",
      .is_watch = true,
      .feeds = feeds_output,
      .start = start_watch,
      .cancel = cancel,
      .room = gain_room,
      .stop = stop,
      .lost = lose_reading,
  },
  {
      .name = "file.read_lines",
      .is_recorded = true,
      .feeds = feeds_output,
      .start = start,
      .cancel = cancel,
      .room = gain_room,
      .stop = stop,
      .lost = lose_reading,
  },
  {
      .name = "file.read",
      .is_recorded = true,
      .feeds = feeds_output,
      .start = start,
      .cancel = cancel,
      .room = gain_room,
      .stop = stop,
      .lost = lose_reading,
  },
  {
      .name = "file.write",
      .is_recorded = true,
      .prepare = call_open_inlet,
      .start = start,
      .cancel = cancel,
      .input = receive_input,
      .lost = lose_writing,
  },
  {
      .name = "file.edit",
      .is_recorded = true,
      .start = start,
      .cancel = cancel,
  },
  {
      .name = "file.set_attributes",
      .is_recorded = true,
      .start = start,
      .cancel = cancel,
  },
  {
      .name = "file.mkdir",
      .is_recorded = true,
      .start = start,
      .cancel = cancel,
  },
  {
      .name = "file.delete",
      .is_recorded = true,
      .start = start,
      .cancel = cancel,
  },
  {
      .name = "file.move",
      .is_recorded = true,
      .start = start,
      .cancel = cancel,
  },
  {
      .name = "file.unpack",
      .is_recorded = true,
      .is_search = true,
      .cleans_up = true,
      .prepare = call_open_inlet,
      .start = start,
      .cancel = cancel,
      .input = receive_input,
      .lost = lose_writing,
  },
  {
      .name = "file.pack",
      .is_recorded = true,
      .is_search = true,
      .feeds = feeds_output,
      .start = start,
      .cancel = cancel,
      .room = gain_room,
      .stop = stop,
      .lost = lose_reading,
  },
  { .name = NULL },
};
