/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve.h"

#include "background.h"
#include "descriptors.h"
#include "socket-path.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER_SIZE (128 * 1024)

/* One that was about to end may have been met, and hardly a second one. */
#define MAX_ATTEMPTS 3

/* One direction. */
typedef struct
{
  int from;
  int to;
  bool ended;   /* nothing more can be read */
  bool broken;  /* … since nobody takes it */
  bool shut;    /* and the other side has been told */
  size_t total; /* of what has been read */
  size_t start;
  size_t end;
  char bytes[BUFFER_SIZE];
} Pump;

static bool
is_empty (const Pump *pump)
{
  return pump->start == pump->end;
}

static void
take (Pump *pump)
{
  ssize_t n = read (pump->from, pump->bytes, sizeof pump->bytes);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  pump->start = 0;
  pump->end = n > 0 ? (size_t)n : 0;
  pump->ended = n <= 0;
  pump->total += pump->end;
}

static void
give (Pump *pump)
{
  ssize_t n = write (pump->to, pump->bytes + pump->start, pump->end - pump->start);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n < 0)
    {
      pump->ended = true;
      pump->broken = true;
      pump->start = pump->end;
    }
  else
    pump->start += (size_t)n;
}

/* Waits for what the pump can do next; one that has ended waits for nothing. */
static struct pollfd
wish (const Pump *pump)
{
  if (!is_empty (pump))
    return (struct pollfd){ .fd = pump->to, .events = POLLOUT };
  return (struct pollfd){ .fd = pump->ended ? -1 : pump->from, .events = POLLIN };
}

static void
work (Pump *pump, const struct pollfd *polled)
{
  if (!polled->revents)
    return;
  if (is_empty (pump))
    take (pump);
  else
    give (pump);
}

/* As long as all that the client has said is still in the buffer, another guest can be told. */
static bool
can_be_repeated (const Pump *in)
{
  return in->total == in->end && (in->total > 0 || !in->ended);
}

/* Until the guest has closed its side. */
static void
pump_both (Pump *in, Pump *out)
{
  while (!out->ended || !is_empty (out))
    {
      struct pollfd polled[] = { wish (in), wish (out) };

      if (poll (polled, 2, -1) < 0)
        continue;
      work (in, &polled[0]);
      work (out, &polled[1]);
      if (in->ended && is_empty (in) && !in->shut)
        {
          in->shut = true;
          shutdown (in->to, SHUT_WR);
        }
    }
}

/* False when the guest ended before it said anything, and another may be asked the same. */
static bool
join (int socket_fd)
{
  /* Without a value but zero, which would stand in the program with all of the buffer. */
  static Pump in;
  static Pump out;

  in.from = STDIN_FILENO;
  in.to = socket_fd;
  in.start = 0;
  in.ended = in.ended && !in.broken;
  in.broken = false;
  in.shut = false;
  out.from = socket_fd;
  out.to = STDOUT_FILENO;
  out.ended = false;
  descriptor_set_awakening (STDIN_FILENO);
  descriptor_set_awakening (socket_fd);
  pump_both (&in, &out);
  descriptor_unset_awakening (STDIN_FILENO);
  descriptor_unset_awakening (socket_fd);
  return out.total > 0 || !can_be_repeated (&in);
}

/* −1 when there is none, and none can be started. */
static int
reach_guest (const ServeOptions *options)
{
  const char *problem;
  int fd = socket_path_connect (options->socket_path, &problem);

  if (fd < 0 && (errno == ENOENT || errno == ECONNREFUSED) && serve_in_background (options) == 0)
    fd = socket_path_connect (options->socket_path, &problem);
  if (fd < 0)
    fprintf (stderr, "asb-guest: Could not connect to “%s”: %s\n", options->socket_path, problem);
  return fd;
}

int
connect_to_guest (const ServeOptions *options)
{
  signal (SIGPIPE, SIG_IGN);
  signal (SIGIO, SIG_IGN);
  if (!descriptors_open_standard ())
    return 1;
  for (int i = 0; i < MAX_ATTEMPTS; i++)
    {
      int fd = reach_guest (options);
      bool is_over = fd < 0 || join (fd);

      if (is_over)
        return fd < 0;
      close (fd);
    }
  fprintf (stderr, "asb-guest: Could not connect to “%s”: The guest ended before it answered\n",
           options->socket_path);
  return 1;
}
