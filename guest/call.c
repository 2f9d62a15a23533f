/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "call.h"

#include "call-kinds.h"
#include "json-size.h"
#include "removal.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

/* What was asked for stays in memory until it is done. */
#define MAX_REQUESTS_MIB 64
#define MAX_REQUESTS_SIZE ((size_t)MAX_REQUESTS_MIB * 1024 * 1024)

static void check_over (Call *call);

static void
free_call (void *data)
{
  Call *call = data;

  loop_task_cancel (&call->free_task);
  list_remove (&call->broker_link);
  list_remove (&call->link);
  for (unsigned i = 0; i < ASB_N_CHANNELS; i++)
    frame_queue_clear (&call->outlets[i].waiting);
  frame_queue_clear (&call->inlet.waiting);
  call->broker->requests_size -= call->size;
  json_decref (call->args);
  json_decref (call->reply);
  record_clear (&call->record);
  failure_clear (&call->failure);
  broker_stop_check (call->broker);
  free (call);
}

void
call_free_all (Broker *broker)
{
  while (!list_is_empty (&broker->calls))
    free_call (LIST_ITEM (broker->calls.next, Call, broker_link));
}

static void
record_finished (void *data)
{
  Call *call = data;
  json_t *record = record_to_json (&call->record);

  for (unsigned i = 0; i < ASB_N_CHANNELS; i++)
    call_end_channel (call, i);
  if (record)
    json_object_set_new (call->reply, "record", record);
  if (call->session)
    session_send_json (call->session, ASB_FRAME_REPLY, call->number, call->reply);
  call->replied = true;
  if (call->kind->replied)
    call->kind->replied (call);
  check_over (call);
}

static void
set_reply (Call *call, const Outcome *outcome)
{
  if (outcome->result)
    call->reply = json_pack ("{s:O}", "result", outcome->result);
  else
    call->reply = json_pack ("{s:o}", "error", failure_to_json (&outcome->failure));
}

static json_t *
failure_to_record (const Failure *failure)
{
  return json_pack ("{s:s, s:s, s:O*}", "error", failure->message, "error_type", failure->code,
                    "details", failure->details);
}

static void
finish_record (Call *call, const Outcome *outcome)
{
  json_t *finish = json_object ();

  json_object_set_new (finish, "status", json_string (outcome->status));
  if (outcome->details)
    json_object_update (finish, outcome->details);
  if (outcome->failure.code)
    {
      json_object_set_new (finish, "error_code", json_string (outcome->failure.code));
      json_object_set_new (finish, "result", failure_to_record (&outcome->failure));
    }
  else if (outcome->recorded)
    json_object_set (finish, "result", outcome->recorded);
  record_finish (&call->record, finish, record_finished, call);
  json_decref (finish);
}

void
call_finish (Call *call, Outcome *outcome)
{
  call->operation = NULL;
  call->finished = true;
  frame_queue_clear (&call->inlet.waiting);
  set_reply (call, outcome);
  finish_record (call, outcome);
  /* What it brought at last goes with its reply if that comes in a moment. */
  if (call->session && !call->replied)
    session_hold (call->session, call->number);

  json_decref (outcome->result);
  json_decref (outcome->recorded);
  json_decref (outcome->details);
  failure_clear (&outcome->failure);
}

void
call_outcome_failed (Outcome *outcome, Failure *failure)
{
  outcome->failure = *failure;
  outcome->status = strcmp (failure->code, FAILURE_CANCELLED) == 0 ? "cancelled" : "failed";
  *failure = (Failure){ 0 };
}

void
call_fail (Call *call, Failure *failure)
{
  Outcome outcome = { 0 };

  call_outcome_failed (&outcome, failure);
  call_finish (call, &outcome);
}

static void
fail_before_start (Call *call)
{
  if (call->kind->abandon)
    call->kind->abandon (call);
  call_fail (call, &call->failure);
}

/* It is prepared, and its start is recorded or will not be. */
static void
start (Call *call)
{
  if (call->record.required && record_is_failed (&call->record))
    {
      failure_clear (&call->failure);
      call->failure = call->record.failure;
      json_incref (call->failure.details);
    }
  else if (call->cancelled)
    failure_set (&call->failure, FAILURE_CANCELLED, "The call was cancelled before it began");
  if (call->failure.code)
    {
      fail_before_start (call);
      return;
    }
  call->started = true;
  call->kind->start (call);
  if (!call->session && !call->finished && call->kind->lost)
    call->kind->lost (call);
}

static void
record_answered (void *data)
{
  Call *call = data;

  call->record_answered = true;
  if (call->prepared)
    start (call);
}

static void
begin (Call *call, json_t *record, bool required)
{
  /* The historian works on it while we get ready. */
  if (record)
    record_start (&call->record, call->broker->recorder, record, required, record_answered, call);
  else
    call->record_answered = true;
  if (call->kind->prepare)
    call->kind->prepare (call);
  call->prepared = true;
  if (call->record_answered)
    start (call);
}

/* NULL without a failure: no record is asked for. */
static json_t *
check_record (Call *call, json_t *request, bool *required)
{
  json_t *record = json_object_get (request, "record");
  json_t *flag = json_object_get (record, "required");

  if (!record || !call->kind->is_recorded)
    return NULL;
  *required = json_is_true (flag);
  if (json_is_object (record) && (!flag || json_is_boolean (flag)))
    return record;
  failure_set (&call->failure, FAILURE_INVALID_ARGUMENT, "The record of the call is not in order");
  return NULL;
}

static void
check_request (Call *call, json_t *request)
{
  json_t *name = json_object_get (request, "call");
  json_t *args = json_object_get (request, "args");

  call->args = json_is_object (args) ? json_incref (args) : json_object ();
  call->kind = call_kind_find (json_string_value (name), call->broker->options->record_only);
  if (!json_is_string (name))
    failure_set (&call->failure, FAILURE_INVALID_ARGUMENT, "The call has no name");
  else if (args && !json_is_object (args))
    failure_set (&call->failure, FAILURE_INVALID_ARGUMENT, "The arguments are not an object");
  else if (!call->kind->start)
    failure_set (&call->failure, FAILURE_UNSUPPORTED_CALL, "The guest does not know “%.64s”",
                 json_string_value (name));
}

static void
check_bounds (Call *call)
{
  if (call->session->n_calls > ASB_FRAME_MAX_CALLS)
    failure_set (&call->failure, FAILURE_TOO_MANY_REQUESTS,
                 "More than %d calls are open on the connection", ASB_FRAME_MAX_CALLS);
  else if (call->broker->requests_size > MAX_REQUESTS_SIZE)
    failure_set (&call->failure, FAILURE_TOO_MANY_REQUESTS,
                 "The requests of all that is being done would be larger than %d MiB",
                 MAX_REQUESTS_MIB);
  else if (call->broker->stop_stage != STOP_NOT)
    failure_set (&call->failure, FAILURE_DRAINING, "%s",
                 call->broker->is_removed
                     ? "The files of this sandbox were removed by somebody, its guest is ending"
                     : "The guest is ending");
}

static Call *
call_new (Session *session, uint32_t number, size_t size)
{
  Call *call = calloc (1, sizeof *call);

  if (!call)
    return NULL;
  call->broker = session->broker;
  call->session = session;
  call->number = number;
  call->size = size;
  list_init (&call->record.link);
  loop_task_init (&call->free_task, free_call, call);
  list_append (&session->calls, &call->link);
  list_append (&call->broker->calls, &call->broker_link);
  call->broker->requests_size += size;
  session_note_call (session, 1);
  return call;
}

bool
call_begin (Session *session, uint32_t number, json_t *request)
{
  Call *call;
  json_t *record;
  bool required = false;
  unsigned fed;

  removal_check (session->broker);
  call = call_new (session, number, json_size (request));
  if (!call)
    return false;
  check_request (call, request);
  fed = call->kind->feeds ? call->kind->feeds (call->args) : 0;
  for (unsigned i = 0; i < ASB_N_CHANNELS; i++)
    call->outlets[i].fed = (fed & 1u << i) != 0;

  check_bounds (call);
  record = check_record (call, request, &required);
  if (call->failure.code)
    call_fail (call, &call->failure);
  else
    begin (call, record, required);
  return true;
}

void
call_cancel (Call *call)
{
  if (call->cancelled || call->finished)
    return;
  call->cancelled = true;
  if (call->started && call->kind->cancel)
    call->kind->cancel (call);
}

void
call_lose (Call *call)
{
  list_remove (&call->link);
  call->session = NULL;
  for (unsigned i = 0; i < ASB_N_CHANNELS; i++)
    frame_queue_clear (&call->outlets[i].waiting);
  if (call->started && !call->finished && call->kind->lost)
    call->kind->lost (call);
  check_over (call);
}

void
call_detach (Call *call, json_t *result)
{
  Session *session = call->session;
  json_t *record;
  json_t *reply;

  if (!session)
    return;
  record = record_start_to_json (&call->record);
  reply = json_pack ("{s:O, s:o*}", "result", result, "record", record);
  session_send_json (session, ASB_FRAME_REPLY, call->number, reply);
  json_decref (reply);
  list_remove (&call->link);
  session_note_call (session, -1);
  call->session = NULL;
}

void
call_event (Call *call, json_t *event)
{
  if (call->session)
    session_send_json (call->session, ASB_FRAME_EVENT, call->number, event);
}

/* The outlets. */

bool
call_is_heard (const Call *call, unsigned channel)
{
  return call->session && call->outlets[channel].fed && !call->outlets[channel].stopped;
}

static size_t
sendable (const Call *call, const Outlet *outlet)
{
  uint64_t window = ASB_FRAME_WINDOW - (outlet->sent - outlet->credited);
  size_t room = session_room (call->session);

  return window < room ? (size_t)window : room;
}

size_t
call_room (const Call *call, unsigned channel)
{
  if (!call_is_heard (call, channel))
    return SIZE_MAX;
  return call->outlets[channel].waiting.first ? 0 : sendable (call, &call->outlets[channel]);
}

static void
transmit (Call *call, unsigned channel, OutFrame *frame, uint8_t flags)
{
  Outlet *outlet = &call->outlets[channel];

  if (frame)
    {
      outlet->sent += frame->header.length;
      frame->header = (AsbFrameHeader){ .length = frame->header.length,
                                        .type = ASB_FRAME_DATA,
                                        .flags = flags,
                                        .channel = (uint16_t)channel,
                                        .call = call->number };
    }
  session_send (call->session, frame);
}

/* The first @size bytes of what waits, as a frame of their own. */
static OutFrame *
split (Outlet *outlet, size_t size)
{
  OutFrame *first = outlet->waiting.first;
  size_t left = first->header.length - outlet->offset;
  OutFrame *part;

  if (outlet->offset == 0 && size >= left)
    return frame_queue_pop (&outlet->waiting);
  if (size > left)
    size = left;
  part = out_frame_alloc (size);
  if (!part)
    return NULL;
  memcpy (out_frame_payload (part), out_frame_payload (first) + outlet->offset, size);
  outlet->offset += size;
  if (size == left)
    {
      free (frame_queue_pop (&outlet->waiting));
      outlet->offset = 0;
    }
  return part;
}

static void
pump_outlet (Call *call, unsigned channel)
{
  Outlet *outlet = &call->outlets[channel];

  while (call->session && outlet->waiting.first)
    {
      size_t room = sendable (call, outlet);
      OutFrame *part = room > 0 ? split (outlet, room) : NULL;

      if (room == 0)
        return;
      transmit (call, channel, part, 0);
      /* For want of memory the session ends, and this with it. */
      if (!part)
        return;
    }
  if (!outlet->ending || outlet->ended)
    return;
  outlet->ended = true;
  if (call->session)
    transmit (call, channel, out_frame_alloc (0), ASB_FRAME_FLAG_FIN);
}

void
call_pump (Call *call)
{
  for (unsigned i = 0; i < ASB_N_CHANNELS; i++)
    {
      if (!call->outlets[i].fed)
        continue;
      pump_outlet (call, i);
      if (!call->finished && call->started && call->kind->room)
        call->kind->room (call, i);
    }
  check_over (call);
}

void
call_send (Call *call, unsigned channel, OutFrame *frame)
{
  Outlet *outlet = &call->outlets[channel];

  if (!call_is_heard (call, channel) || outlet->ending)
    {
      free (frame);
      return;
    }
  /* For want of memory what was read is gone, and the session ends. */
  if (!frame || (!outlet->waiting.first && frame->header.length <= sendable (call, outlet)))
    {
      transmit (call, channel, frame, 0);
      return;
    }
  frame_queue_push (&outlet->waiting, frame);
  pump_outlet (call, channel);
}

void
call_end_channel (Call *call, unsigned channel)
{
  Outlet *outlet = &call->outlets[channel];

  if (!outlet->fed || outlet->ending)
    return;
  outlet->ending = true;
  pump_outlet (call, channel);
}

static const char *
receive_credit (Call *call, unsigned channel, uint64_t count)
{
  Outlet *outlet = &call->outlets[channel];

  if (count > outlet->sent)
    return "credit was given for more than was sent";
  if (count <= outlet->credited)
    return NULL;
  outlet->credited = count;
  pump_outlet (call, channel);
  if (!call->finished && call->started && call->kind->room)
    call->kind->room (call, channel);
  check_over (call);
  return NULL;
}

static const char *
receive_stop (Call *call, unsigned channel)
{
  Outlet *outlet = &call->outlets[channel];

  if (channel == ASB_CHANNEL_INPUT)
    return "a client cannot stop the channel it feeds itself";
  if (!outlet->fed || outlet->stopped)
    return NULL;
  outlet->stopped = true;
  frame_queue_clear (&outlet->waiting);
  outlet->offset = 0;
  pump_outlet (call, channel);
  if (!call->finished && call->started && call->kind->stop)
    call->kind->stop (call, channel);
  check_over (call);
  return NULL;
}

/* The inlet. */

void
call_open_inlet (Call *call)
{
  call->inlet.open = true;
}

static const char *
check_data (const Call *call, const AsbFrameHeader *header)
{
  const Inlet *inlet = &call->inlet;

  if (header->channel != ASB_CHANNEL_INPUT)
    return "data came on a channel that the client does not feed";
  if (!inlet->open && !call->failure.code && !call->finished)
    return "data came for a call that takes none";
  if (inlet->ended)
    return "data came after the end of its channel";
  if (inlet->open && inlet->received + header->length > inlet->credited + ASB_FRAME_WINDOW)
    return "data came beyond the window of its channel";
  return NULL;
}

static const char *
receive_data (Call *call, const AsbFrameHeader *header, const uint8_t *payload)
{
  Inlet *inlet = &call->inlet;
  const char *fault = check_data (call, header);
  OutFrame *frame;

  if (fault)
    return fault;
  inlet->received += header->length;
  inlet->ended = (header->flags & ASB_FRAME_FLAG_FIN) != 0;
  if (call->finished || inlet->stopped || !inlet->open)
    return NULL;
  frame = out_frame_new (header, payload);
  if (!frame)
    return "there is not enough memory";
  frame_queue_push (&inlet->waiting, frame);
  if (call->started && call->kind->input)
    call->kind->input (call);
  return NULL;
}

void
call_credit_input (Call *call, uint64_t count)
{
  if (count <= call->inlet.credited || count > call->inlet.received)
    return;
  call->inlet.credited = count;
  if (call->session)
    session_send_credit (call->session, call->number, ASB_CHANNEL_INPUT, count);
}

void
call_stop_input (Call *call)
{
  AsbFrameHeader header
      = { .type = ASB_FRAME_STOP, .channel = ASB_CHANNEL_INPUT, .call = call->number };

  if (!call->inlet.open || call->inlet.stopped)
    return;
  call->inlet.stopped = true;
  frame_queue_clear (&call->inlet.waiting);
  if (call->session && !call->inlet.ended)
    session_send (call->session, out_frame_new (&header, NULL));
}

const char *
call_receive (Call *call, const AsbFrameHeader *header, const uint8_t *payload)
{
  switch (header->type)
    {
    case ASB_FRAME_DATA:
      return receive_data (call, header, payload);
    case ASB_FRAME_CREDIT:
      return receive_credit (call, header->channel, asb_frame_count_read (payload));
    case ASB_FRAME_STOP:
      return receive_stop (call, header->channel);
    case ASB_FRAME_CANCEL:
      call_cancel (call);
      return NULL;
    default:
      return "a frame came that only the guest sends";
    }
}

static bool
is_over (const Call *call)
{
  if (!call->replied)
    return false;
  for (unsigned i = 0; call->session && i < ASB_N_CHANNELS; i++)
    if (call->outlets[i].fed && !call->outlets[i].ended)
      return false;
  return true;
}

static void
check_over (Call *call)
{
  if (!is_over (call))
    return;
  if (call->session)
    {
      list_remove (&call->link);
      session_note_call (call->session, -1);
      call->session = NULL;
    }
  loop_task_queue (call->broker->loop, &call->free_task);
}
