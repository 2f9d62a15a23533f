/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "memory-shortage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNTER "oom_kill "

/* As containers see their own group, of both versions. */
static const char *const FILES[]
    = { "/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control" };

/* A line “oom_kill 3”. */
static uint64_t
read_counter (const char *path)
{
  char text[1024];
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  ssize_t length = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;
  const char *line = text;

  if (fd >= 0)
    close (fd);
  if (length <= 0)
    return 0;
  text[length] = '\0';
  while (line && strncmp (line, COUNTER, sizeof COUNTER - 1) != 0)
    {
      line = strchr (line, '\n');
      line = line ? line + 1 : NULL;
    }
  return line ? strtoull (line + sizeof COUNTER - 1, NULL, 10) : 0;
}

uint64_t
memory_shortage_count_kills (void)
{
  uint64_t count = 0;

  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++)
    count += read_counter (FILES[i]);
  return count;
}
