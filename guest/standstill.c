/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "standstill.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* A turn comes after about a tenth of a second then. */
#define MOST_FOR_A_PROCESSOR 32

/* 0 where it is not known. */
static unsigned
count_running (void)
{
  int fd = open ("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  char text[128];
  unsigned running = 0;
  ssize_t n;

  if (fd < 0)
    return 0;
  n = read (fd, text, sizeof text - 1);
  close (fd);
  text[n > 0 ? n : 0] = '\0';
  sscanf (text, "%*s %*s %*s %u/", &running);
  return running;
}

static unsigned
count_processors (void)
{
  cpu_set_t set;

  return sched_getaffinity (0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT (&set) : 1;
}

bool
standstill_is_needed (void)
{
  return count_running () > MOST_FOR_A_PROCESSOR * count_processors ();
}

int
standstill_lock (void)
{
  int fd = open ("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);

  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

void
standstill_begin (void)
{
  /* No fork outruns it. */
  kill (-1, SIGSTOP);
}

/* Who is told to stop and has stopped already keeps that for later. */
static bool
was_stopped_before (pid_t pid)
{
  char path[32];
  char text[4096];
  unsigned long long pending = 0;
  const char *line;
  ssize_t n;
  int fd;

  snprintf (path, sizeof path, "/proc/%d/status", pid);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  n = read (fd, text, sizeof text - 1);
  close (fd);
  text[n > 0 ? n : 0] = '\0';
  line = strstr (text, "\nShdPnd:");
  if (!strstr (text, "\nState:\tT") || !line || sscanf (line, "\nShdPnd: %llx", &pending) != 1)
    return false;
  return (pending >> (SIGSTOP - 1)) & 1;
}

void
standstill_release (pid_t pid)
{
  if (!was_stopped_before (pid))
    kill (pid, SIGCONT);
}

void
standstill_end (void)
{
  kill (-1, SIGCONT);
}
