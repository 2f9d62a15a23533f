/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "session.h"

#include "asb-wire-json.h"
#include "call.h"
#include "connection.h"
#include "secret.h"

#include <stdlib.h>
#include <string.h>

/* A client that has so much left to acknowledge, and asks for more, will never take it. */
#define MAX_UNTAKEN ((size_t)32 * 1024 * 1024)

/* What the interrupted ones may hold together. */
#define MAX_INTERRUPTED_SIZE ((size_t)32 * 1024 * 1024)

#define MAX_HELD_FRAMES 8

/* The end. */

static void
session_end (Session *self)
{
  LIST_FOREACH (node, &self->calls)
    call_lose (LIST_ITEM (node, Call, link));
  list_remove (&self->link);
  loop_timer_stop (&self->linger_timer);
  loop_task_cancel (&self->end_task);
  while (self->oldest)
    {
      OutFrame *frame = self->oldest;

      self->oldest = frame->next;
      free (frame);
    }
  broker_stop_check (self->broker);
  free (self);
}

static void
run_end (void *data)
{
  session_end (data);
}

/* Comes when nothing on the stack needs it any more. */
static void
end_soon (Session *self)
{
  self->is_over = true;
  if (self->connection)
    connection_lose (self->connection);
  else
    loop_task_queue (self->broker->loop, &self->end_task);
}

static void
linger_timed_out (void *data)
{
  end_soon (data);
}

static Session *
find_interrupted (const Broker *broker)
{
  LIST_FOREACH (node, &broker->sessions)
    {
      Session *self = LIST_ITEM (node, Session, link);

      if (!self->connection && !self->is_over)
        return self;
    }
  return NULL;
}

static size_t
interrupted_size (const Broker *broker)
{
  size_t size = 0;

  LIST_FOREACH (node, &broker->sessions)
    {
      const Session *self = LIST_ITEM (node, Session, link);

      if (!self->connection && !self->is_over)
        size += self->total_size;
    }
  return size;
}

static void
limit_interrupted (Broker *broker)
{
  while (interrupted_size (broker) > MAX_INTERRUPTED_SIZE)
    end_soon (find_interrupted (broker));
}

void
session_lose_connection (Session *self)
{
  self->connection = NULL;
  if (self->is_over || self->linger == 0)
    {
      session_end (self);
      return;
    }
  list_remove (&self->link);
  list_append (&self->broker->sessions, &self->link);
  loop_timer_start (self->broker->loop, &self->linger_timer, self->linger);
  limit_interrupted (self->broker);
}

void
sessions_end (Broker *broker)
{
  LIST_FOREACH (node, &broker->sessions)
    session_end (LIST_ITEM (node, Session, link));
}

/* The beginning, and beginning again. */

Session *
session_new (Broker *broker, Connection *connection, int64_t linger)
{
  Session *self = calloc (1, sizeof *self);

  if (!self)
    return NULL;
  self->broker = broker;
  self->connection = connection;
  self->linger = linger;
  broker_random_id (self->id);
  broker_random_id (self->secret);
  list_init (&self->calls);
  loop_timer_init (&self->linger_timer, linger_timed_out, self);
  loop_task_init (&self->end_task, run_end, self);
  list_append (&broker->sessions, &self->link);
  return self;
}

bool
session_make_room (Broker *broker)
{
  Session *interrupted = find_interrupted (broker);
  unsigned n = 0;

  LIST_FOREACH (node, &broker->sessions)
    n += !LIST_ITEM (node, Session, link)->is_over;
  if (n < BROKER_MAX_CONNECTIONS)
    return true;
  if (interrupted)
    end_soon (interrupted);
  return interrupted != NULL;
}

Session *
session_find (Broker *broker, const json_t *resume)
{
  const char *id = json_string_value (json_object_get (resume, "session"));
  const json_t *secret = json_object_get (resume, "secret");
  const char *boot_id = json_string_value (json_object_get (resume, "boot_id"));

  if (strcmp (boot_id, broker->boot_id) != 0)
    return NULL;
  LIST_FOREACH (node, &broker->sessions)
    {
      Session *self = LIST_ITEM (node, Session, link);

      if (!self->is_over && strcmp (self->id, id) == 0)
        return secret_is (self->secret, secret) ? self : NULL;
    }
  return NULL;
}

/* All that is not acknowledged is to be sent again, from its first byte. */
static void
rewind_frames (Session *self, uint64_t received)
{
  self->unsent = self->oldest;
  self->unsent_offset = 0;
  self->sent_size = 0;
  self->sent_sequence = received;
}

bool
session_resume (Session *self, Connection *connection, uint64_t received, int64_t linger)
{
  uint64_t acknowledged = self->oldest ? self->oldest->header.sequence - 1 : self->last_sequence;

  if (received < acknowledged || received > self->sent_sequence)
    {
      end_soon (self);
      return false;
    }
  loop_timer_stop (&self->linger_timer);
  if (self->connection)
    connection_abandon (self->connection);
  self->connection = connection;
  self->linger = linger;
  return true;
}

static void
restate_credit (Session *self)
{
  LIST_FOREACH (node, &self->calls)
    {
      const Call *call = LIST_ITEM (node, Call, link);

      if (call->inlet.credited > 0)
        session_send_credit (self, call->number, ASB_CHANNEL_INPUT, call->inlet.credited);
    }
}

void
session_go_on (Session *self, uint64_t received)
{
  session_acknowledge (self, received);
  rewind_frames (self, received);
  restate_credit (self);
  connection_touch (self->connection);
}

/* What goes out. */

static void
note_unsent (Session *self)
{
  if (self->connection)
    connection_touch (self->connection);
  else
    limit_interrupted (self->broker);
}

void
session_send (Session *self, OutFrame *frame)
{
  if (!frame && !self->is_over)
    end_soon (self);
  if (!frame || self->is_over)
    {
      free (frame);
      return;
    }
  frame->header.sequence = ++self->last_sequence;
  frame->next = NULL;
  if (self->oldest)
    self->newest->next = frame;
  else
    self->oldest = frame;
  self->newest = frame;
  if (!self->unsent)
    self->unsent = frame;
  self->total_size += out_frame_size (frame);
  note_unsent (self);
}

void
session_hold (Session *self, uint32_t call)
{
  const OutFrame *frame = self->unsent;

  for (int i = 0; i < MAX_HELD_FRAMES && frame && frame->header.call == call; i++)
    frame = frame->next;
  if (self->connection && self->unsent && !frame && self->unsent_offset == 0)
    connection_hold (self->connection);
}

void
session_send_json (Session *self, uint8_t type, uint32_t call, json_t *json)
{
  char *text = asb_wire_json_dump (json);
  size_t length = text ? strlen (text) : 0;
  AsbFrameHeader header = { .type = type, .call = call, .length = (uint32_t)length };

  if (text && length <= ASB_FRAME_MAX_CONTROL)
    session_send (self, out_frame_new (&header, text));
  else
    session_send (self, NULL);
  free (text);
}

void
session_send_credit (Session *self, uint32_t call, unsigned channel, uint64_t count)
{
  AsbFrameHeader header
      = { .type = ASB_FRAME_CREDIT, .channel = (uint16_t)channel, .call = call, .length = 8 };
  uint8_t payload[8];

  asb_frame_count_write (count, payload);
  if (self->connection)
    connection_send_urgent (self->connection, &header, payload);
}

size_t
session_room (const Session *self)
{
  return self->total_size < ASB_FRAME_MAX_UNACKNOWLEDGED
             ? ASB_FRAME_MAX_UNACKNOWLEDGED - self->total_size
             : 0;
}

int
session_gather_rest (const Session *self, struct iovec *vectors)
{
  if (self->unsent_offset == 0)
    return 0;
  return out_frame_gather (self->unsent, self->unsent_offset, SIZE_MAX, vectors, 1);
}

int
session_gather (const Session *self, size_t max_size, struct iovec *vectors, int n_vectors)
{
  OutFrame *next = self->unsent;
  size_t unacknowledged = self->sent_size;
  size_t room;

  if (self->unsent_offset > 0)
    {
      unacknowledged += out_frame_size (next);
      next = next->next;
    }
  if (unacknowledged >= ASB_FRAME_MAX_UNACKNOWLEDGED)
    return 0;
  room = ASB_FRAME_MAX_UNACKNOWLEDGED - unacknowledged;
  return out_frame_gather (next, 0, room < max_size ? room : max_size, vectors, n_vectors);
}

size_t
session_advance (Session *self, size_t written, bool one)
{
  while (self->unsent && written > 0)
    {
      OutFrame *frame = self->unsent;
      size_t left = out_frame_size (frame) - self->unsent_offset;

      if (written < left)
        {
          self->unsent_offset += written;
          return 0;
        }
      written -= left;
      self->unsent_offset = 0;
      self->sent_size += out_frame_size (frame);
      self->sent_sequence = frame->header.sequence;
      self->unsent = frame->next;
      if (one)
        return written;
    }
  return written;
}

/* What comes in. */

const char *
session_acknowledge (Session *self, uint64_t sequence)
{
  size_t before = session_room (self);

  if (sequence > self->sent_sequence)
    return "a frame was acknowledged that was not sent";
  while (self->oldest && self->oldest != self->unsent && self->oldest->header.sequence <= sequence)
    {
      OutFrame *frame = self->oldest;

      self->oldest = frame->next;
      self->sent_size -= out_frame_size (frame);
      self->total_size -= out_frame_size (frame);
      free (frame);
    }
  if (self->unsent)
    connection_touch (self->connection);
  if (before >= ASB_FRAME_WINDOW)
    return NULL;
  LIST_FOREACH (node, &self->calls)
    call_pump (LIST_ITEM (node, Call, link));
  return NULL;
}

static Call *
find_call (Session *self, uint32_t number)
{
  LIST_FOREACH (node, &self->calls)
    {
      Call *call = LIST_ITEM (node, Call, link);

      if (call->number == number)
        return call;
    }
  return NULL;
}

static const char *
receive_call (Session *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  const char *reason = NULL;
  json_t *request;

  if (find_call (self, header->call))
    return "a call came with a number that is in use";
  if (self->total_size > MAX_UNTAKEN)
    return "it asks for more and acknowledges nothing of what it was told";
  request = asb_wire_json_parse (payload, header->length, &reason);
  if (request && !call_begin (self, header->call, request))
    end_soon (self);
  json_decref (request);
  return request ? NULL : reason;
}

const char *
session_receive (Session *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  Call *call;

  if (header->type == ASB_FRAME_CALL)
    return receive_call (self, header, payload);
  call = find_call (self, header->call);
  return call ? call_receive (call, header, payload) : NULL;
}

void
session_note_call (Session *self, int change)
{
  self->n_calls += (unsigned)change;
}
