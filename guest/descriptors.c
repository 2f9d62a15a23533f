/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "descriptors.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MAX_KEPT 16
#define MAX_CLOSED_ONE_BY_ONE 65536

bool
descriptors_open_standard (void)
{
  int fd;

  do
    {
      fd = open ("/dev/null", O_RDWR | O_NOCTTY);
      if (fd < 0)
        fd = open ("/", O_PATH | O_DIRECTORY);
    }
  while (fd >= 0 && fd <= 2);
  if (fd > 2)
    close (fd);
  return fd >= 0;
}

static void
close_one_by_one (unsigned first, unsigned last)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur <= last)
    last = limit.rlim_cur > 0 ? (unsigned)limit.rlim_cur - 1 : 0;
  if (last > MAX_CLOSED_ONE_BY_ONE)
    last = MAX_CLOSED_ONE_BY_ONE;
  for (unsigned fd = first; fd <= last; fd++)
    close ((int)fd);
}

static void
close_between (unsigned first, unsigned last)
{
  if (first <= last && close_range (first, last, 0) != 0)
    close_one_by_one (first, last);
}

static int
compare_numbers (const void *a, const void *b)
{
  int left = *(const int *)a;
  int right = *(const int *)b;

  return (left > right) - (left < right);
}

void
descriptors_close_except (const int *kept, size_t n_kept)
{
  int sorted[MAX_KEPT];
  size_t n = 0;
  unsigned first = 3;

  for (size_t i = 0; i < n_kept && n < MAX_KEPT; i++)
    if (kept[i] > 2)
      sorted[n++] = kept[i];
  qsort (sorted, n, sizeof *sorted, compare_numbers);
  for (size_t i = 0; i < n; i++)
    {
      if ((unsigned)sorted[i] > first)
        close_between (first, (unsigned)sorted[i] - 1);
      first = (unsigned)sorted[i] + 1;
    }
  close_between (first, UINT_MAX);
}

bool
descriptor_set_nonblocking (int fd)
{
  int flags = fcntl (fd, F_GETFL);

  return flags >= 0 && fcntl (fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

bool
descriptor_set_cloexec (int fd)
{
  return fcntl (fd, F_SETFD, FD_CLOEXEC) == 0;
}

bool
descriptor_is_listening (int fd)
{
  int listening = 0;
  socklen_t size = sizeof listening;

  return getsockopt (fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening;
}

bool
descriptor_peer_is_trusted (int fd)
{
  struct ucred peer;
  socklen_t size = sizeof peer;

  return getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
         && (peer.uid == geteuid () || peer.uid == 0);
}

bool
descriptor_set_awakening (int fd)
{
  int flags = fcntl (fd, F_GETFL);

  /* Otherwise it would be SIGIO. */
  return getpid () != 1 && flags >= 0 && fcntl (fd, F_SETSIG, SIGCONT) == 0
         && fcntl (fd, F_SETOWN, getpid ()) == 0 && fcntl (fd, F_SETFL, flags | O_ASYNC) == 0;
}

void
descriptor_unset_awakening (int fd)
{
  int flags = fcntl (fd, F_GETFL);

  if (flags >= 0 && (flags & O_ASYNC))
    fcntl (fd, F_SETFL, flags & ~O_ASYNC);
}

static bool
is_null_device (int fd)
{
  struct stat status;

  return fstat (fd, &status) == 0 && S_ISCHR (status.st_mode) && status.st_rdev == makedev (1, 3);
}

int
descriptor_open_nothing (void)
{
  int fd = open ("/dev/null", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  int ends[2];

  if (fd >= 0 && is_null_device (fd))
    return fd;
  if (fd >= 0)
    close (fd);
  if (pipe2 (ends, O_CLOEXEC) != 0)
    return -1;
  close (ends[1]);
  return ends[0];
}
