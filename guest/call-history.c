/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The calls of the history (docs/guest-protocol.md §4.3), which the historian answers. */

#include "call-kinds.h"
#include "recorder.h"

#include <stdlib.h>

#define MAX_QUEUED (8 * 1024 * 1024)

typedef struct
{
  Call *call;
  uint32_t number; /* with the historian */
  uint64_t received;
  uint64_t credited;
} HistoryCall;

static void
give_credit (HistoryCall *self, uint64_t count)
{
  if (count <= self->credited)
    return;
  self->credited = count;
  recorder_send_credit (self->call->broker->recorder, self->number, count);
}

static void
receive_reply (void *data, json_t *reply)
{
  HistoryCall *self = data;
  Call *call = self->call;
  Outcome outcome = { .status = "succeeded" };
  Failure failure = { 0 };

  free (self);
  if (!reply)
    failure_set (&failure, FAILURE_HISTORY_UNAVAILABLE, "The historian ended before it answered%s",
                 recorder_why_ended (call->broker->recorder));
  else if (!json_object_get (reply, "result"))
    failure_from_json (&failure, json_object_get (reply, "error"));
  if (failure.code)
    call_outcome_failed (&outcome, &failure);
  else
    outcome.result = json_incref (json_object_get (reply, "result"));
  call_finish (call, &outcome);
}

static void
receive_output (void *data, const uint8_t *payload, size_t length)
{
  HistoryCall *self = data;
  AsbFrameHeader header = { .length = (uint32_t)length };
  OutFrame *frame;

  self->received += length;
  if (!call_is_heard (self->call, ASB_CHANNEL_OUTPUT))
    {
      give_credit (self, self->received);
      return;
    }
  frame = out_frame_new (&header, payload);
  if (frame)
    call_send (self->call, ASB_CHANNEL_OUTPUT, frame);
  else
    call_cancel (self->call);
}

static const RecorderCallbacks PLAIN_CALLBACKS = { .reply = receive_reply };
static const RecorderCallbacks OUTPUT_CALLBACKS
    = { .reply = receive_reply, .output = receive_output };

static void
start (Call *call)
{
  Recorder *recorder = call->broker->recorder;
  json_t *request = json_pack ("{s:s, s:O}", "call", call->kind->name, "args", call->args);
  HistoryCall *self = calloc (1, sizeof *self);

  if (recorder_queued (recorder) > MAX_QUEUED)
    failure_set (&call->failure, FAILURE_TOO_MANY_REQUESTS,
                 "The historian has not kept up with what it was told");
  else if (self)
    {
      self->call = call;
      call->operation = self;
      self->number = recorder_call (recorder, request,
                                    call->kind->feeds ? &OUTPUT_CALLBACKS : &PLAIN_CALLBACKS, self);
    }
  json_decref (request);
  if (self && self->number != 0)
    return;
  free (self);
  if (!call->failure.code)
    failure_set (&call->failure, FAILURE_HISTORY_UNAVAILABLE, "The historian could not be reached");
  call_fail (call, &call->failure);
}

static void
gain_room (Call *call, unsigned channel)
{
  give_credit (call->operation, call->outlets[channel].credited);
}

/* What still comes is dropped; the historian must not wait for credit. */
static void
drop_output (Call *call)
{
  HistoryCall *self = call->operation;
  AsbFrameHeader header = { .type = ASB_FRAME_CANCEL, .call = self->number };

  recorder_send (call->broker->recorder, &header, NULL);
  give_credit (self, self->received);
}

static void
stop (Call *call, unsigned channel)
{
  drop_output (call);
}

static unsigned
feeds_output (json_t *args)
{
  return 1u << ASB_CHANNEL_OUTPUT;
}

#define PLAIN_KIND(call_name)                                                                      \
  {                                                                                                \
    .name = call_name, .start = start                                                              \
  }

#define OUTPUT_KIND(call_name)                                                                     \
  {                                                                                                \
    .name = call_name, .feeds = feeds_output, .start = start, .cancel = drop_output,               \
    .room = gain_room, .stop = stop, .lost = drop_output                                           \
  }

const CallKind HISTORY_KINDS[] = {
  PLAIN_KIND ("history.open"),        PLAIN_KIND ("history.record"),
  OUTPUT_KIND ("history.query"),      OUTPUT_KIND ("history.get_operations"),
  OUTPUT_KIND ("history.get_output"), OUTPUT_KIND ("history.export"),
  PLAIN_KIND ("history.acknowledge"), PLAIN_KIND ("history.cleanup"),
  PLAIN_KIND ("history.status"),      { .name = NULL },
};
