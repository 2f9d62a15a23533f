/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve.h"

#include "descriptors.h"
#include "socket-path.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
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
}

static _Noreturn void
become_guest (const ServeOptions *options, int ready_fd)
{
  int fd = open ("/dev/null", O_RDWR | O_NOCTTY);

  for (int i = 0; fd >= 0 && i <= 2; i++)
    dup2 (fd, i);
  setsid ();
  /* A second one has no way back to the terminal. */
  if (fork () != 0)
    _exit (0);
  if (chdir ("/") != 0)
    _exit (1);
  exit (serve (options, ready_fd));
}

/* Returns when the new guest listens, or has found that another does, or has failed. */
static bool
start_guest (const ServeOptions *options)
{
  int ends[2];
  char byte;
  pid_t pid;

  if (pipe2 (ends, O_CLOEXEC) != 0)
    return false;
  pid = fork ();
  if (pid == 0)
    {
      close (ends[0]);
      become_guest (options, ends[1]);
    }
  close (ends[1]);
  if (pid > 0)
    {
      waitpid (pid, NULL, 0);
      while (read (ends[0], &byte, 1) < 0 && errno == EINTR)
        ;
    }
  close (ends[0]);
  return pid > 0;
}

int
connect_to_guest (const ServeOptions *options)
{
  int fd;

  signal (SIGPIPE, SIG_IGN);
  if (!descriptors_open_standard ())
    return 1;
  fd = socket_path_connect (options->socket_path);
  if (fd < 0 && (errno == ENOENT || errno == ECONNREFUSED) && start_guest (options))
    fd = socket_path_connect (options->socket_path);
  if (fd < 0)
    {
      fprintf (stderr, "asb-guest: Could not connect to “%s”: %s\n", options->socket_path,
               strerrordesc_np (errno));
      return 1;
    }
  join (fd);
  return 0;
}
