/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The call “job.output”. */

#include "job.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  List link;
  Call *call;
  Job *job;
  unsigned stream;
  bool follow;
  uint64_t start;
  uint64_t offset; /* of the next byte */
  uint64_t end;    /* without follow: where to stop */
} Reader;

/* The reader is gone after this. */
static void
finish (Reader *self)
{
  const Job *job = self->job;
  uint64_t total = job->output.streams[self->stream].total;
  Outcome outcome = { .status = "succeeded" };

  outcome.result = json_pack ("{s:I, s:I, s:b}", "offset", (json_int_t)self->start, "next_offset",
                              (json_int_t)self->offset, "ended",
                              job->state == JOB_ENDED && self->offset >= total);
  list_remove (&self->link);
  call_finish (self->call, &outcome);
  free (self);
}

static void
fail (Reader *self)
{
  list_remove (&self->link);
  call_fail (self->call, &self->call->failure);
  free (self);
}

static void
fail_dropped (Reader *self)
{
  uint64_t first = job_output_first (&self->job->output, self->stream);
  Failure *failure = &self->call->failure;

  failure_set (failure, FAILURE_OUTPUT_DROPPED,
               "The output before byte %llu is no longer kept, and byte %llu was asked for",
               (unsigned long long)first, (unsigned long long)self->offset);
  failure_add_detail (failure, "offset", json_integer ((json_int_t)self->offset));
  failure_add_detail (failure, "first_offset", json_integer ((json_int_t)first));
  fail (self);
}

static bool
is_at_end (const Reader *self)
{
  if (!self->follow)
    return self->offset >= self->end;
  return self->job->state == JOB_ENDED
         && self->offset >= self->job->output.streams[self->stream].total;
}

/* False when it was the last: an error has been answered. */
static bool
send_some (Reader *self, size_t size)
{
  OutFrame *frame;
  ssize_t n;

  if (!self->follow && size > self->end - self->offset)
    size = (size_t)(self->end - self->offset);
  if (size > ASB_FRAME_MAX_DATA)
    size = ASB_FRAME_MAX_DATA;
  frame = out_frame_alloc (size);
  n = frame ? job_output_read (&self->job->output, self->stream, self->offset,
                               out_frame_payload (frame), size)
            : -1;
  if (n < 0)
    {
      failure_set_errno (&self->call->failure, frame ? errno : ENOMEM, "read the output of",
                         self->job->id);
      free (frame);
      fail (self);
      return false;
    }
  frame->header.length = (uint32_t)n;
  self->offset += (uint64_t)n;
  call_send (self->call, ASB_CHANNEL_OUTPUT, frame);
  return true;
}

static void
pump (Reader *self)
{
  const JobOutput *output = &self->job->output;
  size_t room;

  while (!is_at_end (self))
    {
      if (self->offset < job_output_first (output, self->stream))
        {
          fail_dropped (self);
          return;
        }
      room = call_room (self->call, ASB_CHANNEL_OUTPUT);
      if (self->offset >= output->streams[self->stream].total || room == 0)
        return;
      if (!send_some (self, room))
        return;
    }
  finish (self);
}

void
job_readers_pump (Job *job)
{
  LIST_FOREACH (node, &job->readers)
    pump (LIST_ITEM (node, Reader, link));
}

void
job_readers_fail (Job *job)
{
  LIST_FOREACH (node, &job->readers)
    {
      Reader *reader = LIST_ITEM (node, Reader, link);

      failure_set (&reader->call->failure, FAILURE_JOB_NOT_FOUND,
                   "The job “%s” was forgotten while its output was being read", job->id);
      fail (reader);
    }
}

static bool
parse_stream (Call *call, unsigned *stream)
{
  const char *name = json_string_value (json_object_get (call->args, "stream"));

  *stream = name && strcmp (name, "stderr") == 0 ? 1 : 0;
  if (name && (*stream == 1 || strcmp (name, "stdout") == 0))
    return true;
  return failure_set (&call->failure, FAILURE_INVALID_ARGUMENT,
                      "Argument “stream” must be “stdout” or “stderr”");
}

static bool
parse (Reader *self, Call *call)
{
  int64_t offset;

  self->job = job_find (call);
  if (!self->job || !parse_stream (call, &self->stream)
      || !argument_integer (call->args, "offset", 0, ASB_WIRE_MAX_INTEGER, -1, &offset,
                            &call->failure)
      || !argument_boolean (call->args, "follow", false, &self->follow, &call->failure))
    return false;
  self->offset
      = offset >= 0 ? (uint64_t)offset : job_output_first (&self->job->output, self->stream);
  self->start = self->offset;
  self->end = self->job->output.streams[self->stream].total;
  return true;
}

static void
tell_opened (const Reader *self)
{
  json_t *event
      = json_pack ("{s:s, s:I, s:I}", "event", "opened", "offset", (json_int_t)self->offset,
                   "first_offset", (json_int_t)job_output_first (&self->job->output, self->stream));

  call_event (self->call, event);
  json_decref (event);
}

void
job_output_start (Call *call)
{
  Reader *self = calloc (1, sizeof *self);

  if (!self)
    failure_set (&call->failure, FAILURE_INTERNAL, "There is not enough memory");
  if (!self || !parse (self, call))
    {
      free (self);
      call_fail (call, &call->failure);
      return;
    }
  self->call = call;
  call->operation = self;
  list_append (&self->job->readers, &self->link);
  if (self->offset >= job_output_first (&self->job->output, self->stream))
    tell_opened (self);
  pump (self);
}

void
job_output_cancel (Call *call)
{
  Reader *self = call->operation;

  failure_set (&call->failure, FAILURE_CANCELLED, "The reading was cancelled");
  fail (self);
}

void
job_output_room (Call *call, unsigned channel)
{
  pump (call->operation);
}

void
job_output_stop (Call *call, unsigned channel)
{
  if (channel == ASB_CHANNEL_OUTPUT)
    finish (call->operation);
}
