/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "connection.h"

#include "asb-wire-json.h"
#include "call.h"
#include "hello.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_READS 4
#define MAX_URGENT (64 * 1024)
#define MAX_SEND (1024 * 1024 + ASB_FRAME_HEADER_SIZE)

/* An ACK waits for something to travel with, but not for more than this. */
#define MAX_ACK_FRAMES 64
#define MAX_ACK_SIZE (256 * 1024)
#define ACK_DELAY (5 * LOOP_MILLISECOND)

/* Who has not said HELLO by then never will; who has not read GOODBYE by then neither. */
#define GREETING_TIMEOUT (INT64_C (10000) * LOOP_MILLISECOND)
#define FAREWELL_TIMEOUT (INT64_C (1000) * LOOP_MILLISECOND)

typedef enum
{
  CONNECTION_NEW,
  CONNECTION_OPEN,
  CONNECTION_LEAVING, /* GOODBYE is on its way; what comes is dropped */
  CONNECTION_LOST
} ConnectionState;

struct Connection
{
  List link;
  Broker *broker;
  ByteStream *stream;
  LoopSource *source;
  LoopTask task;
  LoopTimer timer;
  ConnectionState state;
  bool writing_shut;
  bool blocked; /* the system takes no more for now */
  FrameReader reader;

  uint64_t received; /* highest sequence number */
  unsigned unacked_frames;
  size_t unacked_size;
  LoopTimer ack_timer;

  /* Whole frames without a number. They overtake the others. */
  uint8_t *urgent;
  size_t urgent_size;
  size_t urgent_offset;
  size_t urgent_capacity;

  /* Numbered frames: first those that wait for ACK, then, from unsent on, those not yet sent. */
  OutFrame *oldest;
  OutFrame *unsent;
  OutFrame *newest;
  size_t unsent_offset;
  size_t sent_size; /* unacknowledged */
  size_t total_size;
  uint64_t last_sequence; /* given to a frame */
  uint64_t sent_sequence; /* sent as a whole */

  List calls;
  unsigned n_calls;
};

static void
touch (Connection *self)
{
  loop_task_queue (self->broker->loop, &self->task);
}

/* The end of it comes when nothing on the stack needs it any more. */
static void
lose (Connection *self)
{
  self->state = CONNECTION_LOST;
  touch (self);
}

static void
free_connection (Connection *self)
{
  LIST_FOREACH (node, &self->calls)
  call_lose (LIST_ITEM (node, Call, link));
  list_remove (&self->link);
  self->broker->n_connections--;
  loop_timer_stop (&self->timer);
  loop_timer_stop (&self->ack_timer);
  loop_task_cancel (&self->task);
  loop_remove (self->source);
  byte_stream_free (self->stream);
  frame_reader_clear (&self->reader);
  free (self->urgent);
  while (self->oldest)
    {
      OutFrame *frame = self->oldest;

      self->oldest = frame->next;
      free (frame);
    }
  free (self);
}

/* What goes out. */

static bool
reserve_urgent (Connection *self, size_t size)
{
  size_t wanted = self->urgent_size + size;
  uint8_t *urgent;

  if (wanted <= self->urgent_capacity)
    return true;
  /* A client that never reads, yet makes us answer, would have all memory. */
  if (wanted > MAX_URGENT)
    return false;
  urgent = realloc (self->urgent, 2 * wanted);
  if (!urgent)
    return false;
  self->urgent = urgent;
  self->urgent_capacity = 2 * wanted;
  return true;
}

static void
send_urgent (Connection *self, const AsbFrameHeader *header, const void *payload)
{
  size_t size = ASB_FRAME_HEADER_SIZE + (size_t)header->length;

  if (self->state == CONNECTION_LOST)
    return;
  if (!reserve_urgent (self, size))
    {
      lose (self);
      return;
    }
  asb_frame_header_write (header, self->urgent + self->urgent_size);
  if (header->length > 0)
    memcpy (self->urgent + self->urgent_size + ASB_FRAME_HEADER_SIZE, payload, header->length);
  self->urgent_size += size;
  touch (self);
}

static void
send_urgent_json (Connection *self, uint8_t type, json_t *json)
{
  char *text = json ? json_dumps (json, JSON_COMPACT) : NULL;
  AsbFrameHeader header = { .type = type, .length = text ? (uint32_t)strlen (text) : 0 };

  if (text)
    send_urgent (self, &header, text);
  else
    lose (self);
  free (text);
}

static void
send_ack (Connection *self)
{
  AsbFrameHeader header = { .type = ASB_FRAME_ACK, .length = 8 };
  uint8_t payload[8];

  asb_frame_count_write (self->received, payload);
  self->unacked_frames = 0;
  self->unacked_size = 0;
  loop_timer_stop (&self->ack_timer);
  send_urgent (self, &header, payload);
}

void
connection_send_credit (Connection *self, uint32_t call, unsigned channel, uint64_t count)
{
  AsbFrameHeader header
      = { .type = ASB_FRAME_CREDIT, .channel = (uint16_t)channel, .call = call, .length = 8 };
  uint8_t payload[8];

  asb_frame_count_write (count, payload);
  send_urgent (self, &header, payload);
}

void
connection_send (Connection *self, OutFrame *frame)
{
  if (!frame || self->state != CONNECTION_OPEN)
    {
      free (frame);
      if (self->state == CONNECTION_OPEN)
        lose (self);
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
  touch (self);
}

void
connection_send_json (Connection *self, uint8_t type, uint32_t call, json_t *json)
{
  char *text = json ? json_dumps (json, JSON_COMPACT) : NULL;
  size_t length = text ? strlen (text) : 0;
  AsbFrameHeader header = { .type = type, .call = call, .length = (uint32_t)length };

  if (text && length <= ASB_FRAME_MAX_CONTROL)
    connection_send (self, out_frame_new (&header, text));
  else
    connection_send (self, NULL);
  free (text);
}

size_t
connection_room (const Connection *self)
{
  return self->total_size < ASB_FRAME_MAX_UNACKNOWLEDGED
             ? ASB_FRAME_MAX_UNACKNOWLEDGED - self->total_size
             : 0;
}

/* The rest of a frame that has begun, then what is urgent, then as many numbered frames as the
 * client may leave unacknowledged. */
static int
gather (Connection *self, struct iovec *vectors)
{
  OutFrame *next = self->unsent;
  size_t unacknowledged = self->sent_size;
  size_t room;
  int n = 0;

  if (self->unsent_offset > 0)
    {
      n = out_frame_gather (next, self->unsent_offset, SIZE_MAX, vectors, 1);
      unacknowledged += out_frame_size (next);
      next = next->next;
    }
  if (self->urgent_size > 0)
    {
      vectors[n].iov_base = self->urgent + self->urgent_offset;
      vectors[n++].iov_len = self->urgent_size - self->urgent_offset;
    }
  /* Nothing comes after GOODBYE. */
  if (self->state == CONNECTION_LEAVING || unacknowledged >= ASB_FRAME_MAX_UNACKNOWLEDGED)
    return n;
  room = ASB_FRAME_MAX_UNACKNOWLEDGED - unacknowledged;
  if (room > MAX_SEND)
    room = MAX_SEND;
  return n + out_frame_gather (next, 0, room, vectors + n, OUT_FRAME_MAX_VECTORS - n);
}

/* Moves on over @written bytes of numbered frames, at most to the end of the first when @one. */
static size_t
advance_numbered (Connection *self, size_t written, bool one)
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

static void
advance (Connection *self, size_t written)
{
  size_t urgent = self->urgent_size - self->urgent_offset;

  if (self->unsent_offset > 0)
    written = advance_numbered (self, written, true);
  if (written < urgent)
    {
      self->urgent_offset += written;
      return;
    }
  self->urgent_size = 0;
  self->urgent_offset = 0;
  advance_numbered (self, written - urgent, false);
}

/* False when the system takes no more for now, or the connection is lost. */
static bool
send_some (Connection *self, bool *more)
{
  struct iovec vectors[OUT_FRAME_MAX_VECTORS];
  int n = gather (self, vectors);
  ssize_t written = byte_stream_send (self->stream, vectors, n);

  *more = n > 0;
  if (written < 0)
    {
      if (errno != EAGAIN)
        lose (self);
      return false;
    }
  advance (self, (size_t)written);
  return true;
}

static void
watch (Connection *self, bool blocked)
{
  self->blocked = blocked;
  if (!loop_set_events (self->source, EPOLLIN | (blocked ? EPOLLOUT : 0)))
    lose (self);
}

static bool
is_ack_due (const Connection *self)
{
  bool has_company = self->urgent_size > 0 || self->unsent;

  /* While the client does not read, one ACK at most is waiting. */
  if (self->unacked_frames == 0 || (self->blocked && self->urgent_size > 0))
    return false;
  return has_company || self->unacked_frames >= MAX_ACK_FRAMES
         || self->unacked_size >= MAX_ACK_SIZE;
}

static void
flush (Connection *self)
{
  bool more = true;
  bool done = true;

  if (is_ack_due (self))
    send_ack (self);
  while (more && done && self->state != CONNECTION_LOST)
    done = send_some (self, &more);
  if (self->state == CONNECTION_LOST)
    return;
  if (self->state == CONNECTION_LEAVING && done && !self->writing_shut)
    {
      /* Closing at once would take the GOODBYE away from a client whose data is still unread. */
      self->writing_shut = true;
      byte_stream_finish (self->stream);
      done = byte_stream_send (self->stream, NULL, 0) == 0;
    }
  watch (self, !done);
}

static void
run_task (void *data)
{
  Connection *self = data;

  if (self->state != CONNECTION_LOST)
    flush (self);
  loop_task_cancel (&self->task);
  if (self->state == CONNECTION_LOST)
    free_connection (self);
}

/* What comes in. */

static void
leave (Connection *self, const char *code, const char *message)
{
  json_t *goodbye;

  if (self->state > CONNECTION_OPEN)
    return;
  if (self->unacked_frames > 0)
    send_ack (self);
  goodbye = json_pack ("{s:s, s:s}", "code", code, "message", message);
  send_urgent_json (self, ASB_FRAME_GOODBYE, goodbye);
  json_decref (goodbye);
  if (self->state == CONNECTION_LOST)
    return;
  self->state = CONNECTION_LEAVING;
  loop_timer_start (self->broker->loop, &self->timer, FAREWELL_TIMEOUT);
}

static void
violate (Connection *self, const char *reason)
{
  char message[160];

  snprintf (message, sizeof message, "The client broke the protocol: %s", reason);
  leave (self, "protocol_error", message);
}

static void
time_out (void *data)
{
  lose (data);
}

static void
ack_timed_out (void *data)
{
  send_ack (data);
}

static void
note_received (Connection *self, const AsbFrameHeader *header)
{
  self->unacked_frames++;
  self->unacked_size += header->length;
  if (self->unacked_frames == 1)
    loop_timer_start (self->broker->loop, &self->ack_timer, ACK_DELAY);
  touch (self);
}

static unsigned
count_open (const Broker *broker)
{
  unsigned n = 0;

  LIST_FOREACH (node, &broker->connections)
  n += LIST_ITEM (node, Connection, link)->state == CONNECTION_OPEN;
  return n;
}

static void
open_to_client (Connection *self)
{
  json_t *answer = hello_answer (self->broker);

  loop_timer_stop (&self->timer);
  self->state = CONNECTION_OPEN;
  send_urgent_json (self, ASB_FRAME_HELLO, answer);
  json_decref (answer);
}

static void
receive_hello (Connection *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  const char *reason = "the first frame must be HELLO";
  const char *code = "protocol_error";
  json_t *hello = NULL;

  if (header->type == ASB_FRAME_HELLO)
    hello = asb_wire_json_parse (payload, header->length, &reason);
  if (hello)
    code = hello_check (hello, count_open (self->broker) >= BROKER_MAX_CONNECTIONS, &reason);
  json_decref (hello);
  if (!code)
    {
      open_to_client (self);
      return;
    }
  if (strcmp (code, "protocol_error") == 0)
    violate (self, reason);
  else
    leave (self, code, reason);
}

static Call *
find_call (Connection *self, uint32_t number)
{
  LIST_FOREACH (node, &self->calls)
  {
    Call *call = LIST_ITEM (node, Call, link);

    if (call->number == number)
      return call;
  }
  return NULL;
}

static void
receive_call (Connection *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  const char *reason;
  json_t *request;

  if (find_call (self, header->call))
    {
      violate (self, "a call came with a number that is in use");
      return;
    }
  request = asb_wire_json_parse (payload, header->length, &reason);
  if (!request)
    violate (self, reason);
  else if (!call_begin (self, header->call, request))
    lose (self);
  json_decref (request);
}

/* Frees what the client has. False when it cannot have that. */
static bool
acknowledge (Connection *self, uint64_t sequence)
{
  size_t before = connection_room (self);

  if (sequence > self->sent_sequence)
    return false;
  while (self->oldest && self->oldest != self->unsent && self->oldest->header.sequence <= sequence)
    {
      OutFrame *frame = self->oldest;

      self->oldest = frame->next;
      self->sent_size -= out_frame_size (frame);
      self->total_size -= out_frame_size (frame);
      free (frame);
    }
  if (self->unsent)
    touch (self);
  if (before >= ASB_FRAME_WINDOW)
    return true;
  LIST_FOREACH (node, &self->calls)
  call_pump (LIST_ITEM (node, Call, link));
  return true;
}

static void
receive_for_call (Connection *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  Call *call = find_call (self, header->call);
  const char *fault = call ? call_receive (call, header, payload) : NULL;

  if (fault)
    violate (self, fault);
}

static void
receive_pong (Connection *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  AsbFrameHeader pong = *header;

  pong.type = ASB_FRAME_PONG;
  send_urgent (self, &pong, payload);
}

static void
dispatch (Connection *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  switch (header->type)
    {
    case ASB_FRAME_CALL:
      receive_call (self, header, payload);
      break;
    case ASB_FRAME_DATA:
    case ASB_FRAME_CANCEL:
    case ASB_FRAME_STOP:
    case ASB_FRAME_CREDIT:
      receive_for_call (self, header, payload);
      break;
    case ASB_FRAME_ACK:
      if (!acknowledge (self, asb_frame_count_read (payload)))
        violate (self, "a frame was acknowledged that was not sent");
      break;
    case ASB_FRAME_PING:
      receive_pong (self, header, payload);
      break;
    case ASB_FRAME_PONG:
      break;
    case ASB_FRAME_GOODBYE:
      lose (self);
      break;
    default:
      violate (self, "a frame came that has no place here");
    }
}

static void
receive (Connection *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  if (self->state == CONNECTION_NEW)
    receive_hello (self, header, payload);
  else if (!asb_frame_type_is_numbered (header->type))
    dispatch (self, header, payload);
  else if (header->sequence > self->received + 1)
    violate (self, "a frame is missing before this one");
  else
    {
      note_received (self, header);
      if (header->sequence <= self->received)
        return;
      self->received++;
      dispatch (self, header, payload);
    }
}

static void
read_frames (Connection *self)
{
  AsbFrameHeader header;
  const uint8_t *payload;
  const char *reason;
  AsbFrameStatus status = ASB_FRAME_OK;

  while (status == ASB_FRAME_OK && self->state <= CONNECTION_OPEN)
    {
      status = frame_reader_next (&self->reader, &header, &payload, &reason);
      if (status == ASB_FRAME_OK)
        receive (self, &header, payload);
      else if (status == ASB_FRAME_INVALID)
        violate (self, reason);
    }
  if (self->state == CONNECTION_LEAVING)
    self->reader.start = self->reader.end;
}

static ssize_t
receive_bytes (void *stream, void *bytes, size_t size)
{
  return byte_stream_receive (stream, bytes, size);
}

static void
wake (void *data)
{
  touch (data);
}

static void
connection_ready (void *data, uint32_t events)
{
  Connection *self = data;

  if (events & EPOLLOUT)
    touch (self);
  if (!(events & ~(uint32_t)EPOLLOUT))
    return;
  for (int i = 0; i < MAX_READS && self->state != CONNECTION_LOST; i++)
    {
      FrameReaderStatus status
          = frame_reader_fill_from (&self->reader, receive_bytes, self->stream);

      if (status == FRAME_READER_CLOSED)
        lose (self);
      if (status != FRAME_READER_DATA)
        return;
      read_frames (self);
      if (!frame_reader_was_filled (&self->reader))
        return;
    }
}

void
connection_open (Broker *broker, ByteStream *stream)
{
  Connection *self = calloc (1, sizeof *self);

  if (self)
    self->source = loop_add (broker->loop, stream->fd, EPOLLIN, connection_ready, self);
  if (!self || !self->source)
    {
      free (self);
      byte_stream_free (stream);
      return;
    }
  self->broker = broker;
  self->stream = stream;
  stream->wake = wake;
  stream->wake_data = self;
  list_init (&self->calls);
  loop_task_init (&self->task, run_task, self);
  loop_timer_init (&self->timer, time_out, self);
  loop_timer_init (&self->ack_timer, ack_timed_out, self);
  loop_timer_start (broker->loop, &self->timer, GREETING_TIMEOUT);
  list_append (&broker->connections, &self->link);
  broker->n_connections++;
}

bool
connections_are_flushed (const Broker *broker)
{
  LIST_FOREACH (node, &broker->connections)
  {
    const Connection *self = LIST_ITEM (node, Connection, link);

    if (self->state == CONNECTION_OPEN && (self->unsent || self->urgent_size > 0))
      return false;
  }
  return true;
}

void
connections_close (Broker *broker)
{
  LIST_FOREACH (node, &broker->connections)
  free_connection (LIST_ITEM (node, Connection, link));
}

Broker *
connection_broker (const Connection *self)
{
  return self->broker;
}

List *
connection_calls (Connection *self)
{
  return &self->calls;
}

unsigned
connection_count_calls (const Connection *self)
{
  return self->n_calls;
}

void
connection_note_call (Connection *self, int change)
{
  self->n_calls += (unsigned)change;
}
