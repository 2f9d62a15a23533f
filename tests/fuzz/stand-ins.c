/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "stand-ins.h"

#include "fuzz.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

StandIns stand_ins;

void
stand_ins_reset (void)
{
  stand_ins = (StandIns){ .now = INT64_C (1700000000000000000), .tick = 1000 };
  json_set_alloc_funcs (fuzz_malloc, free);
}

int
fuzz_kill (pid_t pid, int signal_number)
{
  /* 0 and below would be groups of processes, and this program with them. */
  FUZZ_CHECK (pid > 0);
  if (stand_ins.kill)
    stand_ins.kill (pid, signal_number);
  return 0;
}

pid_t
fuzz_waitpid (pid_t pid, int *status, int options)
{
  if (status)
    *status = SIGKILL;
  return stand_ins.wait ? stand_ins.wait () : 0;
}

int
fuzz_clock_gettime (clockid_t clock, struct timespec *time)
{
  stand_ins.now += stand_ins.tick;
  time->tv_sec = stand_ins.now / 1000000000;
  time->tv_nsec = stand_ins.now % 1000000000;
  return 0;
}

/* Never twice the same in a run, and the same in each run: the first is all zeros. */
ssize_t
fuzz_getrandom (void *bytes, size_t size, unsigned flags)
{
  unsigned number = stand_ins.random++;
  size_t n = size < sizeof number ? size : sizeof number;

  memset (bytes, 0, size);
  memcpy (bytes, &number, n);
  return (ssize_t)size;
}

int
fuzz_signalfd (int fd, const sigset_t *signals, int flags)
{
  errno = EINVAL;
  return stand_ins.open_signals ? stand_ins.open_signals () : -1;
}

int
fuzz_sigprocmask (int how, const sigset_t *set, sigset_t *old)
{
  return 0;
}

int
fuzz_poll (struct pollfd *polled, nfds_t n, int timeout)
{
  int ready;

  FUZZ_CHECK (n == 1 || n == 2);
  ready = n == 2 ? poll (polled + 1, 1, 0) : 0;
  polled->revents = 0;
  if (n == 1 || stand_ins.polls_pairs)
    return ready + (stand_ins.poll ? stand_ins.poll (polled) : 0);
  /* Who waits for something else, too, is not kept waiting: what is read next comes, or the end. */
  polled->revents = POLLIN;
  return ready + 1;
}

ssize_t
fuzz_read (int fd, void *bytes, size_t size)
{
  return stand_ins.read && fd == stand_ins.read_fd ? stand_ins.read (bytes, size)
                                                   : read (fd, bytes, size);
}

ssize_t
fuzz_writev (int fd, const struct iovec *vectors, int n)
{
  errno = EPIPE;
  return stand_ins.send ? stand_ins.send (vectors, n) : -1;
}

int
fuzz_prctl (int option, ...)
{
  return 0;
}

void (*fuzz_signal (int signal_number, void (*handler) (int))) (int)
{
  return NULL;
}

static bool
allocation_fails (void)
{
  if (stand_ins.failing_allocation == 0 || --stand_ins.failing_allocation > 0)
    return false;
  errno = ENOMEM;
  return true;
}

void *
fuzz_malloc (size_t size)
{
  return allocation_fails () ? NULL : malloc (size);
}

void *
fuzz_calloc (size_t n, size_t size)
{
  return allocation_fails () ? NULL : calloc (n, size);
}

void *
fuzz_realloc (void *memory, size_t size)
{
  return allocation_fails () ? NULL : realloc (memory, size);
}

char *
fuzz_strdup (const char *text)
{
  return allocation_fails () ? NULL : strdup (text);
}
