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

/* One direction. */
typedef struct
{
  int from;
  int to;
  bool ended; /* nothing more can be read */
  bool shut;  /* and the other side has been told */
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

/* Until the guest has closed its side. */
static void
join (int socket_fd)
{
  static Pump in;
  static Pump out;

  in.from = STDIN_FILENO;
  in.to = socket_fd;
  out.from = socket_fd;
  out.to = STDOUT_FILENO;
  descriptor_set_awakening (STDIN_FILENO);
  descriptor_set_awakening (socket_fd);
  while (!out.ended || !is_empty (&out))
    {
      struct pollfd polled[] = { wish (&in), wish (&out) };

      if (poll (polled, 2, -1) < 0)
        continue;
      work (&in, &polled[0]);
      work (&out, &polled[1]);
      if (in.ended && is_empty (&in) && !in.shut)
        {
          in.shut = true;
          shutdown (socket_fd, SHUT_WR);
        }
    }
  descriptor_unset_awakening (STDIN_FILENO);
  descriptor_unset_awakening (socket_fd);
}

int
connect_to_guest (const ServeOptions *options)
{
  const char *problem;
  int fd;

  signal (SIGPIPE, SIG_IGN);
  signal (SIGIO, SIG_IGN);
  if (!descriptors_open_standard ())
    return 1;
  fd = socket_path_connect (options->socket_path, &problem);
  if (fd < 0 && (errno == ENOENT || errno == ECONNREFUSED) && serve_in_background (options) == 0)
    fd = socket_path_connect (options->socket_path, &problem);
  if (fd < 0)
    {
      fprintf (stderr, "asb-guest: Could not connect to “%s”: %s\n", options->socket_path, problem);
      return 1;
    }
  join (fd);
  return 0;
}
