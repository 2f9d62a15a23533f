/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "websocket-opening.h"

#include "connection.h"
#include "websocket-request.h"
#include "websocket-stream.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Anybody in the sandbox can come here: those who only wait make room for those who come. */
#define MAX_OPENINGS 16

#define REQUEST_TIMEOUT (INT64_C (10000) * LOOP_MILLISECOND)
#define FAREWELL_TIMEOUT (INT64_C (1000) * LOOP_MILLISECOND)

typedef struct
{
  List link;
  Broker *broker;
  int fd;
  LoopSource *source;
  LoopTimer timer;
  bool is_refused; /* and waits for the client to have read it */
  size_t size;
  char bytes[WEBSOCKET_MAX_REQUEST];
} Opening;

static void
free_opening (Opening *self)
{
  list_remove (&self->link);
  self->broker->n_openings--;
  loop_timer_stop (&self->timer);
  loop_remove (self->source);
  if (self->fd >= 0)
    close (self->fd);
  free (self);
}

/* A new socket has room for so little. */
static bool
answer (const Opening *self, int status, const WebsocketRequest *request)
{
  char bytes[WEBSOCKET_MAX_ANSWER];
  size_t size = websocket_answer (status, request, bytes);

  return size > 0 && send (self->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size;
}

static void
refuse (Opening *self, int status)
{
  if (!answer (self, status, NULL))
    {
      free_opening (self);
      return;
    }
  /* Closing at once would take the answer away from a client whose data is still unread. */
  self->is_refused = true;
  shutdown (self->fd, SHUT_WR);
  loop_timer_start (self->broker->loop, &self->timer, FAREWELL_TIMEOUT);
}

static void
complete (Opening *self, const WebsocketRequest *request)
{
  Broker *broker = self->broker;
  ByteStream *stream = NULL;

  if (answer (self, 101, request))
    stream = websocket_stream_new (broker->loop, self->fd);
  if (stream)
    self->fd = -1;
  free_opening (self);
  if (stream)
    connection_open (broker, stream);
}

static void
opening_ready (void *data, uint32_t events)
{
  Opening *self = data;
  WebsocketRequest request;
  size_t used = self->is_refused ? 0 : self->size;
  ssize_t n = read (self->fd, self->bytes + used, sizeof self->bytes - used);
  int status;

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0)
    {
      free_opening (self);
      return;
    }
  if (self->is_refused)
    return;
  self->size += (size_t)n;
  status = websocket_request_parse (self->bytes, self->size, &request);
  if (status == 101)
    complete (self, &request);
  else if (status != 0)
    refuse (self, status);
}

static void
time_out (void *data)
{
  Opening *self = data;

  if (self->is_refused)
    free_opening (self);
  else
    refuse (self, 408);
}

void
websocket_opening_begin (Broker *broker, int fd)
{
  Opening *self = calloc (1, sizeof *self);

  if (self)
    self->source = loop_add (broker->loop, fd, EPOLLIN, opening_ready, self);
  if (!self || !self->source)
    {
      free (self);
      close (fd);
      return;
    }
  if (broker->n_openings == MAX_OPENINGS)
    free_opening (LIST_ITEM (broker->openings.next, Opening, link));
  self->broker = broker;
  self->fd = fd;
  loop_timer_init (&self->timer, time_out, self);
  loop_timer_start (broker->loop, &self->timer, REQUEST_TIMEOUT);
  list_append (&broker->openings, &self->link);
  broker->n_openings++;
}

void
websocket_openings_close (Broker *broker)
{
  LIST_FOREACH (node, &broker->openings)
    free_opening (LIST_ITEM (node, Opening, link));
}
