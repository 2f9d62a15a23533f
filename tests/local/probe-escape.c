/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ways out of a sandbox that lead over its guest and over programs with more rights. */

#include "probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void
told (pid_t pid, const char *what)
{
  printf ("%s of process %d\n", what, (int)pid);
}

static void
try_files (pid_t pid)
{
  static const char *const names[]
      = { "mem", "environ", "maps", "auxv", "io", "stack", "syscall", "personality" };
  static const char *const links[] = { "exe", "cwd", "root", "fd", "map_files" };
  char path[64], target[4096];

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
      int fd;
      char byte;

      snprintf (path, sizeof path, "/proc/%d/%s", (int)pid, names[i]);
      fd = open (path, O_RDONLY);
      if (fd >= 0 && read (fd, &byte, 1) == 1)
        told (pid, names[i]);
      if (fd >= 0)
        close (fd);
    }
  snprintf (path, sizeof path, "/proc/%d/mem", (int)pid);
  if (open (path, O_RDWR) >= 0)
    told (pid, "writing the memory");
  for (size_t i = 0; i < sizeof links / sizeof *links; i++)
    {
      snprintf (path, sizeof path, "/proc/%d/%s", (int)pid, links[i]);
      if (readlink (path, target, sizeof target) > 0 || opendir (path))
        told (pid, links[i]);
    }
}

static void
try_calls (pid_t pid)
{
  char byte;
  struct iovec here = { &byte, 1 };
  struct iovec there = { (void *)probe_guest, 1 };
  int process = (int)syscall (SYS_pidfd_open, pid, 0);

  if (ptrace (PTRACE_SEIZE, pid, NULL, NULL) == 0)
    told (pid, "tracing");
  errno = 0;
  process_vm_readv (pid, &here, 1, &there, 1, 0);
  if (errno != EPERM)
    told (pid, "reading the memory");
  errno = 0;
  process_vm_writev (pid, &here, 1, &there, 1, 0);
  if (errno != EPERM)
    told (pid, "changing the memory");
  for (int fd = 0; process >= 0 && fd < 32; fd++)
    if (syscall (SYS_pidfd_getfd, process, fd, 0) >= 0)
      told (pid, "a descriptor");
}

/* All that runs beside this one is the guest's. */
void
probe_guest (void)
{
  DIR *dir = opendir ("/proc");
  struct dirent *entry;
  int count = 0;

  while (dir && (entry = readdir (dir)))
    {
      pid_t pid = (pid_t)atoi (entry->d_name);

      if (pid <= 0 || pid == getpid ())
        continue;
      count++;
      try_files (pid);
      try_calls (pid);
    }
  if (count < 2)
    printf ("only %d processes to try it on\n", count);
  /* The first process of a namespace hears no signal it does not want, not even that one. */
  kill (1, SIGKILL);
  kill (1, SIGSTOP);
}

void
probe_setuid (int argc, char **argv)
{
  for (int i = 2; i < argc; i++)
    {
      struct statvfs status;

      if (statvfs (argv[i], &status) != 0 || !(status.f_flag & ST_NOSUID))
        printf ("setuid counts in %s\n", argv[i]);
      if (!(status.f_flag & ST_NODEV))
        printf ("devices count in %s\n", argv[i]);
    }
  if (prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
    printf ("new rights can be had\n");
}

/* Opens what a link of the sandbox points to, in all ways. */
void
probe_link (const char *path)
{
  if (open (path, O_WRONLY | O_APPEND) >= 0)
    printf ("%s leads out\n", path);
  if (open (path, O_RDONLY) >= 0)
    printf ("%s can be read\n", path);
  if (truncate (path, 0) == 0)
    printf ("%s can be cut\n", path);
  if (chmod (path, 0666) == 0)
    printf ("%s can be opened up\n", path);
}
