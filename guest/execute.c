/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "execute.h"

#include "environment.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *const BASH[] = { "/bin/bash", "/usr/bin/bash", NULL };
static const char *const SH[] = { "/bin/sh", "/usr/bin/sh", NULL };

static _Noreturn void
give_up (volatile ExecuteFault *fault, SupervisorStage stage, int error)
{
  fault->stage = stage;
  fault->error = error;
  _exit (127);
}

/* The numbers are all above 2, so none is overwritten before its turn. */
static void
place_streams (const int streams[3])
{
  for (int i = 0; i < 3; i++)
    dup2 (streams[i], i);
}

/* The error that says more: a file that is there and cannot be run, before one that is not there.
 */
static int
worse_error (int before, int now)
{
  if (now == ENOENT || now == ENOTDIR || now == ENAMETOOLONG)
    return before != 0 ? before : ENOENT;
  return before != 0 && before != ENOENT ? before : now;
}

/* ELIBACC: the file is there, and what it needs is not: the program of a script, or a loader. */
static int
execute_file (const char *file, char *const *argv, char *const *environment)
{
  int error;

  execve (file, argv, environment);
  error = errno;
  return error == ENOENT && access (file, F_OK) == 0 ? ELIBACC : error;
}

/* A directory that must not be searched says nothing about a file. */
static int
execute_found (const char *file, char *const *argv, char *const *environment)
{
  int error = execute_file (file, argv, environment);

  return error == EACCES && access (file, F_OK) != 0 ? ENOENT : error;
}

/* Tries @name in each directory of the command's own PATH. Returns only with an error. */
static int
execute_in_path (const char *name, char *const *argv, char *const *environment)
{
  const char *path = environment_get (environment, "PATH");
  int error = 0;

  if (!path)
    path = ENVIRONMENT_DEFAULT_PATH;
  for (;;)
    {
      char file[PATH_MAX];
      size_t length = strcspn (path, ":");
      int n = snprintf (file, sizeof file, "%.*s%s%s", (int)length, path, length > 0 ? "/" : "",
                        name);

      if (n > 0 && (size_t)n < sizeof file)
        error = worse_error (error, execute_found (file, argv, environment));
      if (path[length] == '\0' || error == E2BIG)
        return error != 0 ? error : ENOENT;
      path += length + 1;
    }
}

static int
execute_program (char *const *argv, char *const *environment)
{
  if (*argv[0] == '\0')
    return ENOENT;
  if (!strchr (argv[0], '/'))
    return execute_in_path (argv[0], argv, environment);
  return execute_file (argv[0], argv, environment);
}

static int
execute_shell (const char *name, const char *const *files, const char *text,
               char *const *environment)
{
  /* A text that looks like an option would be taken for one. */
  bool guarded = *text == '-' || *text == '+';
  const char *argv[] = { name, "-c", guarded ? "--" : text, guarded ? text : NULL, NULL };

  for (; *files; files++)
    {
      execve (*files, (char *const *)argv, environment);
      if (errno == E2BIG)
        return E2BIG;
    }
  return execute_in_path (name, (char *const *)argv, environment);
}

static int
execute_text (const char *text, char *const *environment)
{
  int error = execute_shell ("bash", BASH, text, environment);

  return error == E2BIG ? error : execute_shell ("sh", SH, text, environment);
}

static bool
wait_for_go (int fd)
{
  char byte;
  ssize_t n;

  do
    n = read (fd, &byte, 1);
  while (n < 0 && errno == EINTR);
  return n == 1;
}

_Noreturn void
execute_command (const CommandJob *job, const int descriptors[SUPERVISOR_N_DESCRIPTORS], int go_fd,
                 volatile ExecuteFault *fault)
{
  sigset_t none;

  setsid ();
  place_streams (descriptors);
  if (job->has_terminal && ioctl (STDIN_FILENO, TIOCSCTTY, 0) != 0)
    give_up (fault, SUPERVISOR_STAGE_FORK, errno);
  close_range (3, UINT_MAX, CLOSE_RANGE_CLOEXEC);
  if (go_fd >= 0 && !wait_for_go (go_fd))
    give_up (fault, SUPERVISOR_STAGE_FORK, ECANCELED);
  fault->detail = command_limits_apply (&job->limits);
  if (fault->detail >= 0)
    give_up (fault, SUPERVISOR_STAGE_LIMIT, errno);
  fault->detail = command_user_become (&job->user);
  if (fault->detail != 0)
    give_up (fault, SUPERVISOR_STAGE_USER, errno);
  /* Nobody starts where he may not be. */
  if (job->cwd && chdir (job->cwd) != 0)
    give_up (fault, SUPERVISOR_STAGE_DIRECTORY, errno);
  command_job_mark_begun (job);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  if (job->shell)
    give_up (fault, SUPERVISOR_STAGE_SHELL, execute_text (job->shell, job->environment));
  give_up (fault, SUPERVISOR_STAGE_EXECUTE, execute_program (job->argv, job->environment));
}
