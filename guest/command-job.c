/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command-job.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Followed by the texts, each with its NUL: shell, cwd, arguments, environment. */
typedef struct
{
  int64_t deadline;
  CommandLimits limits;
  CommandUser user;
  uint32_t n_arguments;
  uint32_t n_variables;
  bool has_terminal;
  bool has_shell;
  bool has_cwd;
  bool is_taken;
  pid_t begun;
} Head;

static size_t
measure (char *const *texts, uint32_t *n)
{
  size_t size = 0;

  for (*n = 0; texts && texts[*n]; ++*n)
    size += strlen (texts[*n]) + 1;
  return size;
}

static char *
append (char *end, const char *text)
{
  return stpcpy (end, text) + 1;
}

static char *
append_all (char *end, char *const *texts)
{
  for (; texts && *texts; texts++)
    end = append (end, *texts);
  return end;
}

static char *
pack (const CommandSpec *spec, char *const *environment, size_t *size)
{
  Head head = { .deadline = spec->deadline,
                .limits = spec->limits,
                .user = spec->user,
                .has_terminal = spec->has_terminal,
                .has_shell = spec->shell != NULL,
                .has_cwd = spec->cwd != NULL };
  char *bytes;
  char *end;

  *size = sizeof head + (spec->shell ? strlen (spec->shell) + 1 : 0)
          + (spec->cwd ? strlen (spec->cwd) + 1 : 0) + measure (spec->argv.items, &head.n_arguments)
          + measure (environment, &head.n_variables);
  bytes = malloc (*size);
  if (!bytes)
    return NULL;
  memcpy (bytes, &head, sizeof head);
  end = bytes + sizeof head;
  if (spec->shell)
    end = append (end, spec->shell);
  if (spec->cwd)
    end = append (end, spec->cwd);
  end = append_all (end, spec->argv.items);
  append_all (end, environment);
  return bytes;
}

static bool
write_all (int fd, const char *bytes, size_t size)
{
  while (size > 0)
    {
      ssize_t n = write (fd, bytes, size);

      if (n < 0 && errno != EINTR)
        return false;
      bytes += n > 0 ? n : 0;
      size -= n > 0 ? (size_t)n : 0;
    }
  return true;
}

int
command_job_write (const CommandSpec *spec, char *const *environment)
{
  size_t size;
  char *bytes = pack (spec, environment, &size);
  int fd = bytes ? memfd_create ("asb-command", MFD_CLOEXEC) : -1;

  if (fd >= 0 && !write_all (fd, bytes, size))
    {
      close (fd);
      fd = -1;
    }
  free (bytes);
  return fd;
}

/* The next text of those that end at @end. */
static char *
take (char **at, const char *end)
{
  char *text = *at;
  size_t length = strnlen (text, (size_t)(end - text));

  if (text + length == end)
    return NULL;
  *at += length + 1;
  return text;
}

static char **
take_all (char **at, const char *end, uint32_t n)
{
  char **texts = calloc ((size_t)n + 1, sizeof *texts);

  for (uint32_t i = 0; texts && i < n; i++)
    {
      texts[i] = take (at, end);
      if (!texts[i])
        return NULL;
    }
  return texts;
}

static bool
unpack (char *bytes, size_t size, CommandJob *job)
{
  const char *end = bytes + size;
  char *at = bytes + sizeof (Head);
  Head head;

  memcpy (&head, bytes, sizeof head);
  *job = (CommandJob){ .deadline = head.deadline,
                       .limits = head.limits,
                       .user = head.user,
                       .has_terminal = head.has_terminal,
                       .bytes = bytes,
                       .size = size };
  if ((head.has_shell && !(job->shell = take (&at, end)))
      || (head.has_cwd && !(job->cwd = take (&at, end))))
    return false;
  job->argv = take_all (&at, end, head.n_arguments);
  job->environment = take_all (&at, end, head.n_variables);
  return job->argv && job->environment;
}

bool
command_job_is_taken (int fd)
{
  Head head;

  return pread (fd, &head, sizeof head, 0) != sizeof head || head.is_taken;
}

/* Not by writing to the file, which may already be longer than the command may make one. */
void
command_job_mark_begun (const CommandJob *job)
{
  pid_t pid = getpid ();

  memcpy ((char *)job->bytes + offsetof (Head, begun), &pid, sizeof pid);
}

pid_t
command_job_get_begun (int fd)
{
  Head head;

  return pread (fd, &head, sizeof head, 0) == sizeof head ? head.begun : 0;
}

static bool
mark_taken (int fd)
{
  bool taken = true;

  return pwrite (fd, &taken, sizeof taken, offsetof (Head, is_taken)) == sizeof taken;
}

bool
command_job_take (int fd, CommandJob *job)
{
  struct stat status;
  char *bytes;

  *job = (CommandJob){ 0 };
  if (fstat (fd, &status) != 0 || (size_t)status.st_size < sizeof (Head) || !mark_taken (fd))
    return false;
  bytes = mmap (NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return bytes != MAP_FAILED && unpack (bytes, (size_t)status.st_size, job);
}

void
command_job_release (CommandJob *job)
{
  free ((void *)job->argv);
  free (job->environment);
  if (job->bytes)
    munmap (job->bytes, job->size);
}
