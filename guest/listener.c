/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "listener.h"

#include "descriptors.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define RETRY_DELAY (100 * LOOP_MILLISECOND)

struct Listener
{
  Broker *broker;
  void (*take) (Broker *broker, int fd);
  int fd;
  LoopSource *source;
  LoopTimer retry;
  int reserve_fd; /* given up for a moment when there are no descriptors left */
};

static void
set_listening (Listener *listener, bool listening)
{
  if (!loop_set_events (listener->source, listening ? EPOLLIN : 0) && listening)
    loop_timer_start (listener->broker->loop, &listener->retry, RETRY_DELAY);
}

static void
retry (void *data)
{
  Listener *listener = data;

  if (listener->reserve_fd < 0)
    listener->reserve_fd = descriptor_open_nothing ();
  set_listening (listener, true);
}

/* Without a descriptor for it the client would stay in the queue and wake us for ever. */
static void
turn_away (Listener *listener)
{
  int fd;

  close (listener->reserve_fd);
  fd = accept4 (listener->fd, NULL, NULL, SOCK_CLOEXEC);
  if (fd >= 0)
    close (fd);
  listener->reserve_fd = descriptor_open_nothing ();
}

static void
accept_failed (Listener *listener, int error)
{
  if (error == EAGAIN || error == EINTR || error == ECONNABORTED)
    return;
  if ((error == EMFILE || error == ENFILE) && listener->reserve_fd >= 0)
    {
      turn_away (listener);
      return;
    }
  set_listening (listener, false);
  loop_timer_start (listener->broker->loop, &listener->retry, RETRY_DELAY);
}

static void
listener_ready (void *data, uint32_t events)
{
  Listener *listener = data;
  int fd = accept4 (listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  int on = 1;

  /* The socket that was passed in may be of TCP, whose delays are not for us. */
  if (fd >= 0)
    setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (fd < 0)
    accept_failed (listener, errno);
  else
    listener->take (listener->broker, fd);
}

Listener *
listener_new (Broker *broker, int fd, void (*take) (Broker *broker, int fd))
{
  Listener *listener = calloc (1, sizeof *listener);

  if (!listener)
    return NULL;
  listener->broker = broker;
  listener->take = take;
  listener->fd = fd;
  listener->reserve_fd = descriptor_open_nothing ();
  loop_timer_init (&listener->retry, retry, listener);
  /* Without the reserve clients would wait and never be told. */
  if (listener->reserve_fd >= 0 && descriptor_set_nonblocking (fd))
    listener->source = loop_add (broker->loop, fd, EPOLLIN, listener_ready, listener);
  if (listener->source)
    return listener;
  if (listener->reserve_fd >= 0)
    close (listener->reserve_fd);
  free (listener);
  return NULL;
}

void
listener_free (Listener *listener)
{
  if (!listener)
    return;
  loop_timer_stop (&listener->retry);
  loop_remove (listener->source);
  close (listener->fd);
  if (listener->reserve_fd >= 0)
    close (listener->reserve_fd);
  free (listener);
}
