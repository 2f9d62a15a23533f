/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "record.h"

#include "recorder.h"

#include <string.h>

static void start_answered (void *data, json_t *reply);
static void finish_answered (void *data, json_t *reply);
static void stop_channel (void *data, unsigned channel);

static const RecorderCallbacks START_CALLBACKS = { .reply = start_answered, .stop = stop_channel };
static const RecorderCallbacks FINISH_CALLBACKS = { .reply = finish_answered };

static void
set_unavailable (Record *record, const char *message)
{
  failure_set (&record->failure, FAILURE_HISTORY_UNAVAILABLE, "%s", message);
}

static void
set_ended (Record *record)
{
  failure_set (&record->failure, FAILURE_HISTORY_UNAVAILABLE,
               "The historian ended before it had recorded this%s",
               recorder_why_ended (record->recorder));
}

/* Nothing more will be recorded. */
static void
end (Record *record)
{
  record->state = RECORD_ENDED;
  if (record->start != 0)
    recorder_forget (record->recorder, record->start);
  record->done (record->data);
}

/* Takes the failure out of an answer that holds one. */
static bool
check_answer (Record *record, json_t *reply)
{
  if (!reply)
    set_ended (record);
  else if (!json_object_get (reply, "result"))
    failure_from_json (&record->failure, json_object_get (reply, "error"));
  else
    return true;
  return false;
}

/* Where the record is as large as it may be, the configuration says what becomes of operations. */
static void
follow_policy (Record *record)
{
  const char *policy
      = json_string_value (json_object_get (record->failure.details, "overflow_policy"));

  if (policy)
    record->required = strcmp (policy, "stop_recording") != 0;
}

static void
start_answered (void *data, json_t *reply)
{
  Record *record = data;

  if (!check_answer (record, reply))
    {
      follow_policy (record);
      end (record);
      return;
    }
  record->state = RECORD_ACTIVE;
  record->session = recorder_session (record->recorder);
  record->done (record->data);
}

static void
stop_channel (void *data, unsigned channel)
{
  Record *record = data;

  record->stopped |= 1u << channel;
}

void
record_start (Record *record, Recorder *recorder, json_t *envelope, bool required,
              void (*done) (void *data), void *data)
{
  json_t *call;

  record->recorder = recorder;
  record->state = RECORD_STARTING;
  record->required = required;
  record->done = done;
  record->data = data;
  if (!recorder_is_open (recorder))
    {
      set_unavailable (record, "The history has not been opened");
      end (record);
      return;
    }
  call = json_pack ("{s:s, s:O}", "call", "record.start", "record", envelope);
  record->start = recorder_call (recorder, call, &START_CALLBACKS, record);
  recorder_flush (recorder);
  json_decref (call);
  if (record->start == 0)
    {
      set_unavailable (record, "The historian could not be reached");
      end (record);
    }
}

bool
record_is_failed (const Record *record)
{
  return record->failure.code != NULL;
}

static bool
is_being_kept (const Record *record)
{
  return record->state == RECORD_ACTIVE && record->session == recorder_session (record->recorder);
}

void
record_output (Record *record, unsigned channel, const void *bytes, size_t size)
{
  AsbFrameHeader header = { .type = ASB_FRAME_DATA,
                            .channel = (uint16_t)channel,
                            .call = record->start,
                            .length = (uint32_t)size };

  if (!is_being_kept (record) || record->stopped & 1u << channel || record->output_lost)
    return;
  if (recorder_queued (record->recorder) + size > RECORDER_MAX_QUEUED_OUTPUT)
    record->output_lost = true;
  else
    recorder_send (record->recorder, &header, bytes);
}

static void
finish_answered (void *data, json_t *reply)
{
  Record *record = data;

  if (check_answer (record, reply))
    record->result = json_incref (json_object_get (reply, "result"));
  end (record);
}

void
record_finish (Record *record, json_t *finish, void (*done) (void *data), void *data)
{
  uint32_t number = 0;

  record->done = done;
  record->data = data;
  if (record->state != RECORD_ACTIVE)
    {
      done (data);
      return;
    }
  record->state = RECORD_FINISHING;
  json_object_set_new (finish, "call", json_string ("record.finish"));
  json_object_set_new (finish, "start", json_integer (record->start));
  json_object_set_new (finish, "output_lost", json_boolean (record->output_lost));
  if (record->session == recorder_session (record->recorder))
    number = recorder_call (record->recorder, finish, &FINISH_CALLBACKS, record);
  /* The result waits for it, and the historian may begin while we do the rest. */
  recorder_flush (record->recorder);
  if (number == 0)
    {
      set_ended (record);
      end (record);
    }
}

json_t *
record_to_json (const Record *record)
{
  const char *state = json_string_value (json_object_get (record->result, "state"));
  const char *message = json_string_value (json_object_get (record->result, "message"));
  bool complete = state && strcmp (state, "partial") != 0;

  if (record->state == RECORD_NONE)
    return NULL;
  if (record_is_failed (record))
    message = record->failure.message;
  else if (!complete && !message)
    message = "Some of the output could not be recorded";
  return json_pack ("{s:s, s:s*}", "state",
                    complete && !record_is_failed (record) ? "complete" : "failed", "message",
                    message);
}

json_t *
record_start_to_json (const Record *record)
{
  if (record->state != RECORD_ACTIVE)
    return record_to_json (record);
  return json_pack ("{s:s}", "state", "complete");
}

void
record_clear (Record *record)
{
  json_decref (record->result);
  failure_clear (&record->failure);
}
