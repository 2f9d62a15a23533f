/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Takes as much of one thing as there is, and prints how much that was. What it may take in vain is
 * bounded here as well: without limits it must not bring down the machine. */

#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_FORKS 300
#define BLOCK_SIZE (1024 * 1024)
#define MAX_BLOCKS 512

static void
report (const char *what, int count)
{
  printf ("%d %s, then %s\n", count, what, errno ? strerrorname_np (errno) : "enough");
}

/* They end with the pipe that all of them hold, that is, when there is nobody left to write. */
void
probe_forks (void)
{
  int ends[2];
  int count = 0;
  char byte;

  if (pipe (ends) != 0)
    return;
  errno = 0;
  while (count < MAX_FORKS)
    {
      pid_t child = fork ();

      if (child < 0)
        break;
      if (child == 0)
        {
          close (ends[1]);
          _exit ((int)read (ends[0], &byte, 1));
        }
      count++;
    }
  report ("processes", count);
  close (ends[1]);
  while (wait (NULL) > 0)
    continue;
}

void
probe_bomb (void)
{
  int count = 0;
  pid_t child;

  errno = 0;
  while (count < MAX_FORKS && (child = fork ()) >= 0)
    {
      if (child == 0)
        {
          setsid ();
          for (int fd = 0; fd < 3; fd++)
            close (fd);
          for (;;)
            pause ();
        }
      count++;
    }
  report ("processes", count);
}

void
probe_memory (void)
{
  int count = 0;

  errno = 0;
  while (count < MAX_BLOCKS)
    {
      char *block
          = mmap (NULL, BLOCK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

      if (block == MAP_FAILED)
        break;
      memset (block, 1, BLOCK_SIZE);
      count++;
    }
  report ("MiB", count);
}

void
probe_file (const char *path)
{
  static char block[BLOCK_SIZE];
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int count = 0;

  signal (SIGXFSZ, SIG_IGN);
  errno = 0;
  while (fd >= 0 && count < MAX_BLOCKS && write (fd, block, sizeof block) == (ssize_t)sizeof block)
    count++;
  report ("MiB", count);
  unlink (path);
}
