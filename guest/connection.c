/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "connection.h"

#include "asb-wire-json.h"
#include "descriptors.h"
#include "hello.h"
#include "session.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beyond the connections that are served: some more may wait to be refused politely. */
#define MAX_CLIENTS (BROKER_MAX_CONNECTIONS + 16)

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

  Session *session; /* NULL: before HELLO, or another connection has taken it over */

  unsigned unacked_frames;
  size_t unacked_size;
  LoopTimer ack_timer;

  /* Whole frames without a number. They overtake the others. */
  uint8_t *urgent;
  size_t urgent_size;
  size_t urgent_offset;
  size_t urgent_capacity;
};

void
connection_touch (Connection *self)
{
  loop_task_queue (self->broker->loop, &self->task);
}

/* The timer of the ACK that waits, too, ends it; so there has to be one. */
void
connection_hold (Connection *self)
{
  bool waits = self->unacked_frames > 0 && self->unacked_frames < MAX_ACK_FRAMES
               && self->unacked_size < MAX_ACK_SIZE && self->urgent_size == 0 && !self->blocked;

  if (self->state == CONNECTION_OPEN && waits)
    loop_task_cancel (&self->task);
}

/* The end of it comes when nothing on the stack needs it any more. */
void
connection_lose (Connection *self)
{
  self->state = CONNECTION_LOST;
  connection_touch (self);
}

void
connection_abandon (Connection *self)
{
  self->session = NULL;
  loop_timer_stop (&self->ack_timer);
  connection_lose (self);
}

static void
free_connection (Connection *self)
{
  if (self->session)
    session_lose_connection (self->session);
  list_remove (&self->link);
  self->broker->n_connections--;
  loop_timer_stop (&self->timer);
  loop_timer_stop (&self->ack_timer);
  loop_task_cancel (&self->task);
  loop_remove (self->source);
  byte_stream_free (self->stream);
  frame_reader_clear (&self->reader);
  free (self->urgent);
  free (self);
  /* What its client did not read may have been much, and lies below what came later. */
  malloc_trim (0);
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

void
connection_send_urgent (Connection *self, const AsbFrameHeader *header, const void *payload)
{
  size_t size = ASB_FRAME_HEADER_SIZE + (size_t)header->length;

  if (self->state == CONNECTION_LOST)
    return;
  if (!reserve_urgent (self, size))
    {
      connection_lose (self);
      return;
    }
  asb_frame_header_write (header, self->urgent + self->urgent_size);
  if (header->length > 0)
    memcpy (self->urgent + self->urgent_size + ASB_FRAME_HEADER_SIZE, payload, header->length);
  self->urgent_size += size;
  connection_touch (self);
}

static void
send_urgent_json (Connection *self, uint8_t type, json_t *json)
{
  char *text = asb_wire_json_dump (json);
  AsbFrameHeader header = { .type = type, .length = text ? (uint32_t)strlen (text) : 0 };

  if (text)
    connection_send_urgent (self, &header, text);
  else
    connection_lose (self);
  free (text);
}

static void
send_ack (Connection *self)
{
  AsbFrameHeader header = { .type = ASB_FRAME_ACK, .length = 8 };
  uint8_t payload[8];

  asb_frame_count_write (self->session->received, payload);
  self->unacked_frames = 0;
  self->unacked_size = 0;
  loop_timer_stop (&self->ack_timer);
  connection_send_urgent (self, &header, payload);
}

/* The rest of a frame that has begun, then what is urgent, then as many numbered frames as the
 * client may leave unacknowledged. */
static int
gather (Connection *self, struct iovec *vectors)
{
  int n = self->session ? session_gather_rest (self->session, vectors) : 0;

  if (self->urgent_size > 0)
    {
      vectors[n].iov_base = self->urgent + self->urgent_offset;
      vectors[n++].iov_len = self->urgent_size - self->urgent_offset;
    }
  /* Nothing comes after GOODBYE. */
  if (self->state == CONNECTION_LEAVING || !self->session)
    return n;
  return n + session_gather (self->session, MAX_SEND, vectors + n, OUT_FRAME_MAX_VECTORS - n);
}

static void
advance (Connection *self, size_t written)
{
  size_t urgent = self->urgent_size - self->urgent_offset;

  if (self->session && self->session->unsent_offset > 0)
    written = session_advance (self->session, written, true);
  if (written < urgent)
    {
      self->urgent_offset += written;
      return;
    }
  self->urgent_size = 0;
  self->urgent_offset = 0;
  if (self->session)
    session_advance (self->session, written - urgent, false);
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
        connection_lose (self);
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
    connection_lose (self);
}

static bool
is_ack_due (const Connection *self)
{
  /* While the client does not read, one ACK at most is waiting. */
  if (!self->session || self->unacked_frames == 0 || (self->blocked && self->urgent_size > 0))
    return false;
  return self->urgent_size > 0 || self->session->unsent || self->unacked_frames >= MAX_ACK_FRAMES
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
  if (self->session)
    self->session->is_over = true;
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
  connection_lose (data);
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
  connection_touch (self);
}

static void
begin_session (Connection *self, const json_t *hello)
{
  if (self->broker->is_draining || self->broker->stop_stage != STOP_NOT)
    {
      leave (self, "draining",
             self->broker->is_draining ? "A newer guest serves in place of this one"
                                       : "The guest is ending");
      return;
    }
  if (!session_make_room (self->broker))
    {
      leave (self, "too_many_connections", "The guest has as many connections as it takes");
      return;
    }
  self->session = session_new (self->broker, self, hello_linger (hello));
  if (!self->session)
    connection_lose (self);
}

static void
greet (Connection *self, const json_t *hello, json_t *resumed)
{
  json_t *answer = hello_answer (self->session, hello, resumed);

  loop_timer_stop (&self->timer);
  self->state = CONNECTION_OPEN;
  send_urgent_json (self, ASB_FRAME_HELLO, answer);
  json_decref (answer);
}

static void
resume_session (Connection *self, Session *session, const json_t *hello)
{
  const json_t *resume = json_object_get (hello, "resume");
  uint64_t received = (uint64_t)json_integer_value (json_object_get (resume, "received"));

  if (!session_resume (session, self, received, hello_linger (hello)))
    {
      violate (self, "the HELLO tells of having received what was not sent");
      return;
    }
  self->session = session;
  greet (self, hello, json_pack ("{s:I}", "received", (json_int_t)session->received));
  session_go_on (session, received);
}

static void
open_to_client (Connection *self, const json_t *hello)
{
  const json_t *resume = json_object_get (hello, "resume");
  Session *session = resume ? session_find (self->broker, resume) : NULL;

  if (session)
    resume_session (self, session, hello);
  else
    begin_session (self, hello);
  if (self->session && !session)
    greet (self, hello, NULL);
}

static void
receive_hello (Connection *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  const char *reason = "the first frame must be HELLO";
  const char *code = "protocol_error";
  json_t *hello = NULL;

  if (header->type == ASB_FRAME_HELLO)
    hello = asb_wire_json_parse (payload, header->length, &reason);
  if (hello && hello_asks_to_drain (hello) && !self->stream->needs_token)
    broker_drain (self->broker);
  if (hello)
    code = hello_check (hello, self->stream->needs_token ? self->broker : NULL, &reason);
  if (!code)
    open_to_client (self, hello);
  else if (strcmp (code, "protocol_error") == 0)
    violate (self, reason);
  else
    leave (self, code, reason);
  json_decref (hello);
}

static void
receive_pong (Connection *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  AsbFrameHeader pong = *header;

  pong.type = ASB_FRAME_PONG;
  connection_send_urgent (self, &pong, payload);
}

static void
dispatch (Connection *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  const char *fault = NULL;

  switch (header->type)
    {
    case ASB_FRAME_CALL:
    case ASB_FRAME_DATA:
    case ASB_FRAME_CANCEL:
    case ASB_FRAME_STOP:
    case ASB_FRAME_CREDIT:
      fault = session_receive (self->session, header, payload);
      break;
    case ASB_FRAME_ACK:
      fault = session_acknowledge (self->session, asb_frame_count_read (payload));
      break;
    case ASB_FRAME_PING:
      receive_pong (self, header, payload);
      break;
    case ASB_FRAME_PONG:
      break;
    case ASB_FRAME_GOODBYE:
      self->session->is_over = true;
      connection_lose (self);
      break;
    default:
      fault = "a frame came that has no place here";
    }
  if (fault)
    violate (self, fault);
}

static void
receive (Connection *self, const AsbFrameHeader *header, const uint8_t *payload)
{
  Session *session = self->session;

  if (self->state == CONNECTION_NEW)
    receive_hello (self, header, payload);
  else if (!asb_frame_type_is_numbered (header->type))
    dispatch (self, header, payload);
  else if (header->sequence > session->received + 1)
    violate (self, "a frame is missing before this one");
  else
    {
      note_received (self, header);
      if (header->sequence <= session->received)
        return;
      session->received++;
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
  connection_touch (data);
}

static void
connection_ready (void *data, uint32_t events)
{
  Connection *self = data;

  if (events & EPOLLOUT)
    connection_touch (self);
  if (!(events & ~(uint32_t)EPOLLOUT))
    return;
  for (int i = 0; i < MAX_READS && self->state != CONNECTION_LOST; i++)
    {
      FrameReaderStatus status
          = frame_reader_fill_from (&self->reader, receive_bytes, self->stream);

      if (status == FRAME_READER_CLOSED)
        connection_lose (self);
      if (status != FRAME_READER_DATA)
        return;
      read_frames (self);
      if (!frame_reader_was_filled (&self->reader))
        return;
    }
}

/* Who only waits, or has been told to go, makes room for who comes. */
static void
lose_oldest_idle (Broker *broker)
{
  LIST_FOREACH (node, &broker->connections)
    {
      Connection *self = LIST_ITEM (node, Connection, link);

      if (self->state == CONNECTION_NEW || self->state == CONNECTION_LEAVING)
        {
          connection_lose (self);
          return;
        }
    }
}

/* NULL when there is no room for it. */
static Connection *
new_connection (Broker *broker, ByteStream *stream)
{
  Connection *self = calloc (1, sizeof *self);

  if (self)
    self->source = loop_add (broker->loop, stream->fd, EPOLLIN, connection_ready, self);
  if (!self || !self->source)
    {
      free (self);
      byte_stream_free (stream);
      return NULL;
    }
  self->broker = broker;
  self->stream = stream;
  stream->wake = wake;
  stream->wake_data = self;
  loop_task_init (&self->task, run_task, self);
  loop_timer_init (&self->timer, time_out, self);
  loop_timer_init (&self->ack_timer, ack_timed_out, self);
  loop_timer_start (broker->loop, &self->timer, GREETING_TIMEOUT);
  if (broker->n_connections >= MAX_CLIENTS)
    lose_oldest_idle (broker);
  list_append (&broker->connections, &self->link);
  broker->n_connections++;
  return self;
}

void
connection_open (Broker *broker, ByteStream *stream)
{
  new_connection (broker, stream);
}

static Connection *
new_plain_connection (Broker *broker, int fd)
{
  ByteStream *stream = byte_stream_new (fd);

  if (stream)
    return new_connection (broker, stream);
  close (fd);
  return NULL;
}

void
connection_open_socket (Broker *broker, int fd)
{
  new_plain_connection (broker, fd);
}

void
connection_open_local (Broker *broker, int fd)
{
  bool is_trusted = descriptor_peer_is_trusted (fd);
  Connection *self = new_plain_connection (broker, fd);

  if (self && !is_trusted)
    leave (self, "access_denied", "Only the user of the guest, and root, may connect to it");
}

bool
connections_are_flushed (const Broker *broker)
{
  LIST_FOREACH (node, &broker->connections)
    {
      const Connection *self = LIST_ITEM (node, Connection, link);

      if (self->state == CONNECTION_OPEN && (self->session->unsent || self->urgent_size > 0))
        return false;
    }
  return true;
}

void
connections_close (Broker *broker)
{
  LIST_FOREACH (node, &broker->connections)
    free_connection (LIST_ITEM (node, Connection, link));
  sessions_end (broker);
}
