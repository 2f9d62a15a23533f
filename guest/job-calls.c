/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The calls about jobs that are there. */

#include "job.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "call-kinds.h"

#include <stdlib.h>

#define MAX_LISTED 100

typedef struct
{
  List link;
  Call *call;
} Waiter;

static void
answer (Call *call, json_t *result)
{
  Outcome outcome = { .result = result, .status = "succeeded" };

  if (!result)
    failure_set (&outcome.failure, FAILURE_INTERNAL, "There is not enough memory");
  call_finish (call, &outcome);
}

/* Listing. */

static json_t *
list_jobs (const Broker *broker, int64_t after, int64_t limit)
{
  json_t *jobs = json_array ();
  bool more = false;

  LIST_FOREACH (node, &broker->jobs)
    {
      const Job *job = LIST_ITEM (node, Job, link);

      if (job->state == JOB_STARTING || job->number <= after)
        continue;
      more = json_array_size (jobs) >= (size_t)limit;
      if (more)
        break;
      json_array_append_new (jobs, job_status (job));
    }
  return json_pack ("{s:o, s:b}", "jobs", jobs, "more", more);
}

static void
start_list (Call *call)
{
  int64_t after;
  int64_t limit;

  if (argument_integer (call->args, "after", 0, ASB_WIRE_MAX_INTEGER, 0, &after, &call->failure)
      && argument_integer (call->args, "limit", 1, MAX_LISTED, MAX_LISTED, &limit, &call->failure))
    answer (call, list_jobs (call->broker, after, limit));
  else
    call_fail (call, &call->failure);
}

static void
start_status (Call *call)
{
  const Job *job = job_find (call);

  if (job)
    answer (call, job_status (job));
  else
    call_fail (call, &call->failure);
}

/* Waiting. */

static void
drop_waiter (Waiter *waiter)
{
  list_remove (&waiter->link);
  free (waiter);
}

void
job_waiters_answer (Job *job)
{
  LIST_FOREACH (node, &job->waiters)
    {
      Waiter *waiter = LIST_ITEM (node, Waiter, link);
      Call *call = waiter->call;

      drop_waiter (waiter);
      answer (call, job_status (job));
    }
}

static void
wait_for (Job *job, Call *call)
{
  Waiter *waiter;

  if (job->state == JOB_ENDED)
    {
      answer (call, job_status (job));
      return;
    }
  waiter = calloc (1, sizeof *waiter);
  if (!waiter)
    {
      answer (call, NULL);
      return;
    }
  waiter->call = call;
  call->operation = waiter;
  list_append (&job->waiters, &waiter->link);
}

static void
start_wait (Call *call)
{
  Job *job = job_find (call);

  if (job)
    wait_for (job, call);
  else
    call_fail (call, &call->failure);
}

static void
cancel_wait (Call *call)
{
  drop_waiter (call->operation);
  failure_set (&call->failure, FAILURE_CANCELLED, "The waiting was cancelled");
  call_fail (call, &call->failure);
}

/* Whoever waits has no use for an answer when nobody is there to get it. */
static void
lose_call (Call *call)
{
  call_cancel (call);
}

static void
start_stop (Call *call)
{
  Job *job = job_find (call);

  if (!job)
    {
      call_fail (call, &call->failure);
      return;
    }
  if (job->call)
    call_cancel (job->call);
  wait_for (job, call);
}

static void
start_signal (Call *call)
{
  const Job *job = job_find (call);

  if (job)
    command_signal_send (call, job->id);
  else
    call_fail (call, &call->failure);
}

static void
start_remove (Call *call)
{
  Job *job = job_find (call);

  if (job && job->state != JOB_ENDED)
    failure_set (&call->failure, FAILURE_JOB_RUNNING, "The job “%s” has not ended", job->id);
  if (call->failure.code)
    {
      call_fail (call, &call->failure);
      return;
    }
  job_forget (job);
  answer (call, json_object ());
}

static unsigned
feeds_output (json_t *args)
{
  return 1u << ASB_CHANNEL_OUTPUT;
}

const CallKind JOB_KINDS[] = {
  { .name = "job.list", .start = start_list },
  { .name = "job.status", .start = start_status },
  {
      .name = "job.output",
      .feeds = feeds_output,
      .start = job_output_start,
      .cancel = job_output_cancel,
      .room = job_output_room,
      .stop = job_output_stop,
      .lost = lose_call,
  },
  { .name = "job.wait", .start = start_wait, .cancel = cancel_wait, .lost = lose_call },
  { .name = "job.signal", .start = start_signal },
  { .name = "job.stop", .start = start_stop, .cancel = cancel_wait, .lost = lose_call },
  { .name = "job.remove", .start = start_remove },
  { .name = NULL },
};
