/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "websocket-stream.h"

#include "websocket-frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long nothing may come before the client is asked whether it is there, and how often. */
#define KEEP_ALIVE_INTERVAL (INT64_C (20000) * LOOP_MILLISECOND)
#define MAX_SILENT_INTERVALS 3

/* A client that sends nothing but headers shall not keep us from the others. */
#define MAX_READS 4

#define MAX_VECTORS 32
#define MAX_CONTROL_FRAME (2 + WEBSOCKET_MAX_CONTROL)

typedef struct
{
  ByteStream base;
  Loop *loop;
  LoopTimer timer;
  bool was_heard; /* since the timer was started */
  unsigned n_silent;
  WebsocketDecoder decoder;
  bool is_ended; /* by the client's Close, or by what it did wrong */

  /* What the system did not take of the last message or control frame. */
  uint8_t *rest;
  size_t rest_offset;
  size_t rest_size;

  /* To be sent as soon as there is room, of each kind the last one. */
  uint8_t pong[WEBSOCKET_MAX_CONTROL];
  size_t pong_size;
  bool pong_is_due;
  bool ping_is_due;
  uint16_t close_code; /* 0: not to be closed yet */
  bool was_closed;     /* Close is on its way: nothing may follow it */
} WebsocketStream;

static void
wake (WebsocketStream *self)
{
  if (self->base.wake)
    self->base.wake (self->base.wake_data);
}

/* What goes out. */

static ssize_t
send_vectors (const WebsocketStream *self, struct iovec *vectors, int n)
{
  struct msghdr message = { .msg_iov = vectors, .msg_iovlen = (size_t)n };
  ssize_t sent;

  do
    sent = sendmsg (self->base.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  return sent;
}

/* Keeps what stands in @vectors after the first @sent bytes: a frame that has begun must end. */
static bool
keep_rest (WebsocketStream *self, const struct iovec *vectors, int n, size_t sent)
{
  size_t size = 0;
  uint8_t *to;

  for (int i = 0; i < n; i++)
    size += vectors[i].iov_len;
  if (size == sent)
    return true;
  self->rest = malloc (size - sent);
  if (!self->rest)
    return false;
  self->rest_offset = 0;
  self->rest_size = size - sent;
  to = self->rest;
  for (int i = 0; i < n; i++)
    {
      size_t skipped = sent < vectors[i].iov_len ? sent : vectors[i].iov_len;
      size_t left = vectors[i].iov_len - skipped;

      if (left > 0)
        memcpy (to, (const uint8_t *)vectors[i].iov_base + skipped, left);
      to += left;
      sent -= skipped;
    }
  return true;
}

/* False with errno set when there is no room for the frame, or none for its rest any more. */
static bool
send_frame (WebsocketStream *self, struct iovec *vectors, int n)
{
  ssize_t sent = send_vectors (self, vectors, n);

  return sent >= 0 && keep_rest (self, vectors, n, (size_t)sent);
}

static bool
send_rest (WebsocketStream *self)
{
  while (self->rest)
    {
      struct iovec vector = { self->rest + self->rest_offset, self->rest_size - self->rest_offset };
      ssize_t sent = send_vectors (self, &vector, 1);

      if (sent < 0)
        return false;
      self->rest_offset += (size_t)sent;
      if (self->rest_offset == self->rest_size)
        {
          free (self->rest);
          self->rest = NULL;
        }
    }
  return true;
}

static bool
send_control (WebsocketStream *self, WebsocketOpcode opcode, const void *payload, size_t size)
{
  uint8_t frame[MAX_CONTROL_FRAME];
  struct iovec vector = { frame, websocket_header_write (opcode, size, frame) + size };

  memcpy (frame + vector.iov_len - size, payload, size);
  return send_frame (self, &vector, 1);
}

/* It adds nothing to the stream, and says to who comes through proxies that this is its end: some
 * say that the way is open before they know. */
static bool
send_greeting (WebsocketStream *self)
{
  return send_control (self, WEBSOCKET_BINARY, "", 0);
}

static bool
send_pong (WebsocketStream *self)
{
  if (!send_control (self, WEBSOCKET_PONG, self->pong, self->pong_size))
    return false;
  self->pong_is_due = false;
  return true;
}

static bool
send_ping (WebsocketStream *self)
{
  if (!send_control (self, WEBSOCKET_PING, "asb", 3))
    return false;
  self->ping_is_due = false;
  return true;
}

static bool
send_close (WebsocketStream *self)
{
  uint8_t payload[] = { (uint8_t)(self->close_code >> 8), (uint8_t)self->close_code };

  self->was_closed = send_control (self, WEBSOCKET_CLOSE, payload, sizeof payload);
  return self->was_closed;
}

/* What had to wait; false with errno set as long as it has to. */
static bool
send_waiting (WebsocketStream *self)
{
  bool done = send_rest (self);

  if (done && self->pong_is_due && !self->was_closed)
    done = send_pong (self) && send_rest (self);
  if (done && self->ping_is_due && !self->was_closed)
    done = send_ping (self) && send_rest (self);
  if (done && self->close_code > 0 && !self->was_closed)
    done = send_close (self) && send_rest (self);
  return done;
}

/* As much of @vectors as a message holds, after a place for its header. */
static int
gather_message (const struct iovec *vectors, int n_vectors, struct iovec *message, size_t *size)
{
  int n = 1;

  *size = 0;
  for (int i = 0; i < n_vectors && n < MAX_VECTORS && *size < WEBSOCKET_MAX_MESSAGE; i++)
    {
      size_t room = WEBSOCKET_MAX_MESSAGE - *size;

      message[n] = vectors[i];
      if (message[n].iov_len > room)
        message[n].iov_len = room;
      *size += message[n++].iov_len;
    }
  return n;
}

static ssize_t
websocket_send (ByteStream *stream, const struct iovec *vectors, int n_vectors)
{
  WebsocketStream *self = (WebsocketStream *)stream;
  struct iovec message[MAX_VECTORS];
  uint8_t header[WEBSOCKET_MAX_HEADER];
  size_t size;
  int n;

  if (!send_waiting (self))
    return -1;
  if (n_vectors == 0)
    return 0;
  if (self->close_code > 0)
    {
      errno = EPIPE;
      return -1;
    }
  n = gather_message (vectors, n_vectors, message, &size);
  message[0].iov_base = header;
  message[0].iov_len = websocket_header_write (WEBSOCKET_BINARY, size, header);
  return send_frame (self, message, n) ? (ssize_t)size : -1;
}

/* Answers the client's Close, or tells it why there is one, as far as it can be done at once. */
static void
end (WebsocketStream *self, uint16_t close_code)
{
  self->is_ended = true;
  if (self->close_code == 0)
    self->close_code = close_code;
  send_waiting (self);
  /* Whoever waits for something to come learns of the end. */
  shutdown (self->base.fd, SHUT_RD);
}

static void
websocket_finish (ByteStream *stream)
{
  WebsocketStream *self = (WebsocketStream *)stream;

  if (self->close_code == 0)
    self->close_code = WEBSOCKET_CLOSE_NORMAL;
}

/* What comes in. */

static void
take_control (WebsocketStream *self)
{
  const WebsocketDecoder *decoder = &self->decoder;

  if (decoder->opcode == WEBSOCKET_CLOSE)
    end (self, websocket_close_code (decoder));
  if (decoder->opcode != WEBSOCKET_PING)
    return;
  memcpy (self->pong, decoder->control, decoder->control_size);
  self->pong_size = decoder->control_size;
  self->pong_is_due = true;
  wake (self);
}

/* How many bytes of payload were among the @size that came, which they are the first of now. */
static size_t
decode (WebsocketStream *self, uint8_t *bytes, size_t size)
{
  WebsocketInput input = { .from = bytes, .end = bytes + size, .to = bytes };
  WebsocketEvent event = WEBSOCKET_CONTROL;

  while (event == WEBSOCKET_CONTROL && !self->is_ended)
    {
      event = websocket_decode (&self->decoder, &input);
      if (event == WEBSOCKET_CONTROL)
        take_control (self);
      else if (event == WEBSOCKET_INVALID)
        end (self, self->decoder.close_code);
    }
  return (size_t)(input.to - bytes);
}

/* -1 with errno set, or 0 at the end. */
static ssize_t
read_once (WebsocketStream *self, uint8_t *bytes, size_t size)
{
  ssize_t n;

  do
    n = read (self->base.fd, bytes, size);
  while (n < 0 && errno == EINTR);
  self->was_heard |= n > 0;
  return n;
}

static ssize_t
websocket_receive (ByteStream *stream, void *bytes, size_t size)
{
  WebsocketStream *self = (WebsocketStream *)stream;
  size_t received = 0;

  for (int i = 0; i < MAX_READS && !self->is_ended && received < size; i++)
    {
      size_t room = size - received;
      ssize_t n = read_once (self, (uint8_t *)bytes + received, room);

      if (n <= 0 && received == 0)
        return n;
      if (n <= 0)
        break;
      received += decode (self, (uint8_t *)bytes + received, (size_t)n);
      /* Without the headers it may be less than there was room for, though there is more. */
      if ((size_t)n < room)
        break;
    }
  if (received > 0 || self->is_ended)
    return (ssize_t)received;
  errno = EAGAIN;
  return -1;
}

/* Both. */

static void
keep_alive (void *data)
{
  WebsocketStream *self = data;

  self->n_silent = self->was_heard ? 0 : self->n_silent + 1;
  self->was_heard = false;
  loop_timer_start (self->loop, &self->timer, KEEP_ALIVE_INTERVAL);
  if (self->n_silent > MAX_SILENT_INTERVALS)
    shutdown (self->base.fd, SHUT_RDWR);
  else if (self->n_silent > 0)
    {
      self->ping_is_due = true;
      wake (self);
    }
}

static void
websocket_free (ByteStream *stream)
{
  WebsocketStream *self = (WebsocketStream *)stream;

  loop_timer_stop (&self->timer);
  if (self->close_code == 0)
    self->close_code = WEBSOCKET_CLOSE_GOING_AWAY;
  send_waiting (self);
  close (self->base.fd);
  free (self->rest);
  free (self);
}

static const ByteStreamKind WEBSOCKET = {
  .receive = websocket_receive,
  .send = websocket_send,
  .finish = websocket_finish,
  .free = websocket_free,
};

ByteStream *
websocket_stream_new (Loop *loop, int fd)
{
  WebsocketStream *self = calloc (1, sizeof *self);

  if (!self)
    return NULL;
  self->base.kind = &WEBSOCKET;
  self->base.fd = fd;
  self->base.needs_token = true;
  self->loop = loop;
  loop_timer_init (&self->timer, keep_alive, self);
  loop_timer_start (loop, &self->timer, KEEP_ALIVE_INTERVAL);
  send_greeting (self);
  return &self->base;
}
