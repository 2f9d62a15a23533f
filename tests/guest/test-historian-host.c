/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs the historian on an inherited socket, in a world that may be broken on request:
 *
 *   test-historian-host FD DIRECTORY [FAULT]
 *   test-historian-host --drive SCRIPT       runs SCRIPT, which runs the former
 *
 * "no-locks": record locks fail; "no-shared-memory": files cannot be mapped shared; "full": writes
 * beyond the size that the environment variable ASB_TEST_DISK_BYTES names find no space while the
 * file that ASB_TEST_DISK_FULL names is there; "slow": a long time passes between any two looks at
 * the clock; "late": a second does. The names of the files that are written out to the disk go to
 * the file that ASB_TEST_SYNCED names.
 */

/* Both names of each function are replaced here. */
#undef _FILE_OFFSET_BITS

#include "historian.h"
#include "test-drive.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *fault = "";

static void *
real (const char *name)
{
  return dlsym (RTLD_NEXT, name);
}

static bool
has_fault (const char *name)
{
  return strcmp (fault, name) == 0;
}

int
clock_gettime (clockid_t clock, struct timespec *time)
{
  int (*function) (clockid_t, struct timespec *) = real ("clock_gettime");
  static long passed;
  int result = function (clock, time);

  if ((has_fault ("slow") || has_fault ("late")) && clock == CLOCK_MONOTONIC)
    {
      passed += has_fault ("late") ? 1000000000 : 10000000;
      time->tv_sec += (time->tv_nsec + passed) / 1000000000;
      time->tv_nsec = (time->tv_nsec + passed) % 1000000000;
    }
  return result;
}

static bool
disk_is_full (void)
{
  const char *flag = getenv ("ASB_TEST_DISK_FULL");

  return has_fault ("full") && flag && access (flag, F_OK) == 0;
}

static int
lock_or_pass (const char *name, int fd, int command, void *argument)
{
  int (*function) (int, int, ...) = real (name);

  if (has_fault ("no-locks") && (command == F_SETLK || command == F_SETLKW || command == F_GETLK))
    {
      errno = ENOLCK;
      return -1;
    }
  return function (fd, command, argument);
}

int
fcntl (int fd, int command, ...)
{
  va_list arguments;
  void *argument;

  va_start (arguments, command);
  argument = va_arg (arguments, void *);
  va_end (arguments);
  return lock_or_pass ("fcntl", fd, command, argument);
}

int
fcntl64 (int fd, int command, ...)
{
  va_list arguments;
  void *argument;

  va_start (arguments, command);
  argument = va_arg (arguments, void *);
  va_end (arguments);
  return lock_or_pass ("fcntl64", fd, command, argument);
}

static void *
map_or_fail (const char *name, void *address, size_t length, int protection, int flags, int fd,
             off_t offset)
{
  void *(*function) (void *, size_t, int, int, int, off_t) = real (name);

  if (has_fault ("no-shared-memory") && fd >= 0 && (flags & MAP_TYPE) == MAP_SHARED)
    {
      errno = ENODEV;
      return MAP_FAILED;
    }
  return function (address, length, protection, flags, fd, offset);
}

void *
mmap (void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
  return map_or_fail ("mmap", address, length, protection, flags, fd, offset);
}

void *
mmap64 (void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
  return map_or_fail ("mmap64", address, length, protection, flags, fd, offset);
}

static ssize_t
write_or_fail (const char *name, int fd, const void *bytes, size_t size, off_t offset)
{
  ssize_t (*function) (int, const void *, size_t, off_t) = real (name);
  struct stat info;

  if (disk_is_full () && fstat (fd, &info) == 0 && offset + (off_t)size > info.st_size)
    {
      errno = ENOSPC;
      return -1;
    }
  return function (fd, bytes, size, offset);
}

ssize_t
pwrite (int fd, const void *bytes, size_t size, off_t offset)
{
  return write_or_fail ("pwrite", fd, bytes, size, offset);
}

ssize_t
pwrite64 (int fd, const void *bytes, size_t size, off_t offset)
{
  return write_or_fail ("pwrite64", fd, bytes, size, offset);
}

static void
note_synced (int fd)
{
  const char *log = getenv ("ASB_TEST_SYNCED");
  FILE *file = log ? fopen (log, "a") : NULL;
  char link[32];
  char path[PATH_MAX] = "";

  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  if (file && readlink (link, path, sizeof path - 1) > 0)
    fprintf (file, "%s\n", basename (path));
  if (file)
    fclose (file);
}

int
fdatasync (int fd)
{
  int (*function) (int) = real ("fdatasync");

  note_synced (fd);
  return function (fd);
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  if (strcmp (argv[1], "--drive") == 0)
    return drive ("ASB_TEST_HISTORIAN_HOST", argv[2]);
  if (argc > 3)
    fault = argv[3];
  return historian_main (atoi (argv[1]), argv[2]);
}
