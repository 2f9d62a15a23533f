/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_NEWS 1024

static void
complain_of_fork (void)
{
  fprintf (stderr, "asb-guest: Could not start another process: %s\n", strerrordesc_np (errno));
}

static _Noreturn void
become_guest (const ServeOptions *options, int news_fd)
{
  pid_t pid;
  int fd = open ("/dev/null", O_RDWR | O_NOCTTY | O_CLOEXEC);

  if (fd >= 0)
    {
      dup2 (fd, STDIN_FILENO);
      dup2 (fd, STDOUT_FILENO);
    }
  dup2 (news_fd, STDERR_FILENO);
  setsid ();
  /* A second one has no way back to the terminal. */
  pid = fork ();
  if (pid < 0)
    complain_of_fork ();
  if (pid != 0)
    _exit (0);
  if (chdir ("/") != 0)
    _exit (1);
  exit (serve (options, true));
}

/* What the new guest has to say: that it is ready, in a line, or all it complains of. */
static size_t
read_news (int fd, char news[MAX_NEWS])
{
  size_t size = 0;
  ssize_t n;

  do
    {
      n = read (fd, news + size, MAX_NEWS - size);
      if (n > 0)
        size += (size_t)n;
    }
  while ((n < 0 && errno == EINTR)
         || (n > 0 && size < MAX_NEWS && !(news[0] == SERVE_IS_READY && news[size - 1] == '\n')));
  return size;
}

static int
pass_on (const char *news, size_t size)
{
  if (size == 0 || news[0] != SERVE_IS_READY)
    {
      fwrite (news, 1, size, stderr);
      return 1;
    }
  /* Of nothing but the end of the line there is nothing to say. */
  if (size == 2 || (fwrite (news + 1, 1, size - 1, stdout) == size - 1 && fflush (stdout) == 0))
    return 0;
  fprintf (stderr, "asb-guest: Could not write to standard output: %s\n", strerrordesc_np (errno));
  return 1;
}

int
serve_in_background (const ServeOptions *options)
{
  char news[MAX_NEWS];
  int ends[2];
  size_t size = 0;
  pid_t pid = -1;

  if (pipe2 (ends, O_CLOEXEC) == 0)
    {
      pid = fork ();
      if (pid == 0)
        become_guest (options, ends[1]);
      close (ends[1]);
      if (pid > 0)
        {
          waitpid (pid, NULL, 0);
          size = read_news (ends[0], news);
        }
      close (ends[0]);
    }
  if (pid < 0)
    complain_of_fork ();
  return pass_on (news, size);
}
