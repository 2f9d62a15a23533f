/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "job.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "call-kinds.h"
#include "wire-time.h"

#include <stdlib.h>
#include <string.h>

/* What means nothing to a shell. */
#define PLAIN                                                                                      \
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"                                 \
  "_-+=:,./@%"

static void
free_job (Job *job)
{
  list_remove (&job->link);
  list_remove (&job->ended_link);
  job->broker->n_jobs--;
  job_output_clear (&job->output);
  json_decref (job->result);
  json_decref (job->record);
  free (job->name);
  free (job);
}

void
job_forget (Job *job)
{
  job_readers_fail (job);
  free_job (job);
}

void
job_free_all (Broker *broker)
{
  while (!list_is_empty (&broker->jobs))
    free_job (LIST_ITEM (broker->jobs.next, Job, link));
}

/* The bounds. */

static bool
forget_oldest (Broker *broker)
{
  if (list_is_empty (&broker->ended_jobs))
    return false;
  job_forget (LIST_ITEM (broker->ended_jobs.next, Job, ended_link));
  return true;
}

static uint64_t
total_kept (const Broker *broker)
{
  uint64_t total = 0;

  LIST_FOREACH (node, &broker->jobs)
    total += job_output_kept (&LIST_ITEM (node, Job, link)->output);
  return total;
}

static size_t
make_room (void *data, size_t size)
{
  Broker *broker = data;
  uint64_t total = total_kept (broker);

  while (total + size > JOB_MAX_TOTAL_KEPT && forget_oldest (broker))
    total = total_kept (broker);
  if (total >= JOB_MAX_TOTAL_KEPT)
    return 0;
  return size < JOB_MAX_TOTAL_KEPT - total ? size : (size_t)(JOB_MAX_TOTAL_KEPT - total);
}

/* How it is seen. */

Job *
job_find (Call *call)
{
  json_t *id = json_object_get (call->args, "job_id");

  if (!json_is_string (id))
    {
      failure_set (&call->failure, FAILURE_INVALID_ARGUMENT,
                   id ? "Argument “job_id” must be a string" : "Argument “job_id” is missing");
      return NULL;
    }
  LIST_FOREACH (node, &call->broker->jobs)
    {
      Job *job = LIST_ITEM (node, Job, link);

      if (job->state != JOB_STARTING && strcmp (job->id, json_string_value (id)) == 0)
        return job;
    }
  failure_set (&call->failure, FAILURE_JOB_NOT_FOUND, "There is no job “%.64s”",
               json_string_value (id));
  return NULL;
}

static json_t *
stream_status (const Job *job, unsigned stream)
{
  return json_pack ("{s:I, s:I}", "bytes", (json_int_t)job->output.streams[stream].total, "first",
                    (json_int_t)job_output_first (&job->output, stream));
}

json_t *
job_status (const Job *job)
{
  json_t *status = json_pack (
      "{s:s, s:I, s:o, s:i, s:s, s:o, s:o, s:o, s:O*, s:O*}", "job_id", job->id, "number",
      (json_int_t)job->number, "command", asb_wire_text_new (job->shown, strlen (job->shown)),
      "pid", (int)job->pid, "state", job->state == JOB_ENDED ? "ended" : "running", "started_at",
      wire_time_new (&job->started_at), "stdout", stream_status (job, 0), "stderr",
      stream_status (job, 1), "result", job->result, "record", job->record);

  if (status && job->name)
    json_object_set_new (status, "name", asb_wire_text_new (job->name, strlen (job->name)));
  if (status && job->output.error)
    json_object_set_new (status, "output_error", json_string (strerrordesc_np (job->output.error)));
  return status;
}

/* False when it does not fit. It is cut between characters, so that text stays text. */
static bool
show_bytes (Job *job, const char *text, size_t length)
{
  size_t used = strlen (job->shown);
  bool fits = used + length <= JOB_MAX_SHOWN;

  if (!fits)
    {
      length = JOB_MAX_SHOWN - used;
      while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    }
  memcpy (job->shown + used, text, length);
  job->shown[used + length] = '\0';
  return fits;
}

static bool
show_text (Job *job, const char *text)
{
  return show_bytes (job, text, strlen (text));
}

/* As one types it for a shell. */
static bool
show_argument (Job *job, const char *argument)
{
  if (*argument && argument[strspn (argument, PLAIN)] == '\0')
    return show_text (job, argument);
  if (!show_text (job, "'"))
    return false;
  for (;;)
    {
      size_t length = strcspn (argument, "'");

      if (!show_bytes (job, argument, length))
        return false;
      argument += length;
      if (*argument == '\0')
        return show_text (job, "'");
      if (!show_text (job, "'\\''"))
        return false;
      argument++;
    }
}

static void
show_command (Job *job, const CommandSpec *spec)
{
  if (spec->shell)
    show_text (job, spec->shell);
  for (size_t i = 0; i < spec->argv.n_items; i++)
    if ((i > 0 && !show_text (job, " ")) || !show_argument (job, spec->argv.items[i]))
      break;
}

/* How it begins and ends. */

static Job *
job_new (Call *call)
{
  Broker *broker = call->broker;
  Job *job = NULL;

  if (broker->n_jobs >= JOB_MAX_COUNT && !forget_oldest (broker))
    failure_set (&call->failure, FAILURE_TOO_MANY_REQUESTS, "%d jobs are running", JOB_MAX_COUNT);
  else if (!(job = calloc (1, sizeof *job)))
    failure_set (&call->failure, FAILURE_INTERNAL, "There is not enough memory");
  if (!job)
    return NULL;
  job->broker = broker;
  job->call = call;
  list_init (&job->ended_link);
  list_init (&job->readers);
  list_init (&job->waiters);
  list_append (&broker->jobs, &job->link);
  broker->n_jobs++;
  job_output_init (&job->output, broker->options->history_dir, make_room, broker);
  return job;
}

static bool
parse_name (Job *job, Call *call)
{
  if (!argument_text (call->args, "name", &job->name, &call->failure))
    return false;
  if (job->name && (!*job->name || strlen (job->name) > JOB_MAX_NAME))
    return failure_set (&call->failure, FAILURE_INVALID_ARGUMENT,
                        "Argument “name” is empty, or longer than %d bytes", JOB_MAX_NAME);
  return true;
}

static void
prepare (Call *call)
{
  const char *input = json_string_value (json_object_get (call->args, "stdin"));
  const Command *command;

  call->job = job_new (call);
  if (!call->job || !parse_name (call->job, call))
    return;
  if (input && strcmp (input, "stream") == 0)
    {
      failure_set (&call->failure, FAILURE_INVALID_ARGUMENT, "A job cannot be given an input");
      return;
    }
  command_prepare (call);
  if (call->failure.code)
    return;
  command = call->operation;
  memcpy (call->job->id, command->id, sizeof command->id);
  show_command (call->job, &command->spec);
  for (unsigned i = 0; i < JOB_OUTPUT_N_STREAMS; i++)
    if (command->spec.outputs[i] != OUTPUT_STREAM)
      job_output_keep_nothing (&call->job->output, i);
}

/* In the list they stand in the order of their numbers. */
void
job_started (Job *job, const SupervisorMessage *started)
{
  json_t *status;

  job->state = JOB_RUNNING;
  job->number = ++job->broker->last_job;
  list_remove (&job->link);
  list_append (&job->broker->jobs, &job->link);
  job->pid = started->value;
  job->started_at = started->realtime;
  status = job_status (job);
  call_detach (job->call, status);
  json_decref (status);
}

void
job_add_output (Job *job, unsigned channel, const void *bytes, size_t size)
{
  job_output_add (&job->output, channel - ASB_CHANNEL_OUTPUT, bytes, size);
  job_readers_pump (job);
}

/* Also its record is complete, or will never be. */
static void
replied (Call *call)
{
  Job *job = call->job;

  call->job = NULL;
  if (!job)
    return;
  job->call = NULL;
  if (job->state == JOB_STARTING)
    {
      free_job (job);
      return;
    }
  job->state = JOB_ENDED;
  job->result = json_incref (json_object_get (call->reply, "result"));
  job->record = json_incref (json_object_get (call->reply, "record"));
  list_append (&job->broker->ended_jobs, &job->ended_link);
  job_readers_pump (job);
  job_waiters_answer (job);
}

const CallKind JOB_START_KINDS[] = {
  {
      .name = "job.start",
      .is_recorded = true,
      .prepare = prepare,
      .start = command_start,
      .abandon = command_abandon,
      .cancel = command_cancel,
      .lost = command_lost,
      .replied = replied,
  },
  { .name = NULL },
};
