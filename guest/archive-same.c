/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-same.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_SIZE 65536

static bool
is_same_link (int from_fd, int to_fd, const char *name)
{
  char from[PATH_MAX];
  char to[PATH_MAX];
  ssize_t n = readlinkat (from_fd, name, from, sizeof from);

  return n >= 0 && readlinkat (to_fd, name, to, sizeof to) == n
         && memcmp (from, to, (size_t)n) == 0;
}

/* −1 where there is less. */
static ssize_t
read_block (int fd, char *block, size_t size)
{
  size_t n = 0;

  while (n < size)
    {
      ssize_t more = read (fd, block + n, size - n);

      if (more < 0 && errno == EINTR)
        continue;
      if (more < 0)
        return -1;
      if (more == 0)
        break;
      n += (size_t)more;
    }
  return (ssize_t)n;
}

static bool
is_same_content (const ArchiveCaller *caller, int from, int to)
{
  static char blocks[2][BLOCK_SIZE];
  ssize_t n;

  do
    {
      n = read_block (from, blocks[0], BLOCK_SIZE);
      if (!caller->goes_on (caller->data) || n < 0 || read_block (to, blocks[1], BLOCK_SIZE) != n
          || memcmp (blocks[0], blocks[1], (size_t)n) != 0)
        return false;
    }
  while (n == BLOCK_SIZE);
  return true;
}

static int
open_file (int directory_fd, const char *name)
{
  return openat (directory_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static bool
is_same_file (const ArchiveCaller *caller, int from_fd, int to_fd, const char *name)
{
  int from = open_file (from_fd, name);
  int to = open_file (to_fd, name);
  bool is_same = from >= 0 && to >= 0 && is_same_content (caller, from, to);

  if (from >= 0)
    close (from);
  if (to >= 0)
    close (to);
  return is_same;
}

bool
archive_is_same (const ArchiveCaller *caller, int from_fd, int to_fd, const char *name)
{
  struct stat from;
  struct stat to;

  if (fstatat (from_fd, name, &from, AT_SYMLINK_NOFOLLOW) != 0
      || fstatat (to_fd, name, &to, AT_SYMLINK_NOFOLLOW) != 0
      || (from.st_mode & S_IFMT) != (to.st_mode & S_IFMT) || from.st_size != to.st_size)
    return false;
  if (S_ISLNK (from.st_mode))
    return is_same_link (from_fd, to_fd, name);
  return S_ISREG (from.st_mode) && is_same_file (caller, from_fd, to_fd, name);
}
