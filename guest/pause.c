/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pause.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Nanoseconds, by the second number there; 0 where the kernel does not count. */
static int64_t
read_starved (void)
{
  char text[96];
  char *end;
  int fd = open ("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
  ssize_t length = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;

  if (fd >= 0)
    close (fd);
  if (length <= 0)
    return 0;
  text[length] = 0;
  strtoll (text, &end, 10);
  return strtoll (end, NULL, 10);
}

void
pause_watch_init (PauseWatch *watch, int64_t now)
{
  *watch = (PauseWatch){ .last = now, .starved = read_starved (), .starved_at = now };
}

int64_t
pause_watch_look (PauseWatch *watch, int64_t wait, int64_t now)
{
  int64_t late = now - watch->last - wait;
  int64_t starved = watch->starved;

  watch->last = now;
  if (late < PAUSE_LEAST && (wait > PAUSE_HEARTBEAT || now - watch->starved_at < PAUSE_HEARTBEAT))
    return 0;
  watch->starved = read_starved ();
  watch->starved_at = now;
  if (watch->starved > starved)
    late -= watch->starved - starved;
  return late < PAUSE_LEAST ? 0 : late;
}
