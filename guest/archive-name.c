/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-name.h"

#include "archive-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define OPEN_BELOW (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

static bool
is_segment (const char *at, size_t length, const char *what)
{
  return strlen (what) == length && memcmp (at, what, length) == 0;
}

static const char *
check_segment (const char *at, size_t length, int depth)
{
  if (is_segment (at, length, ".."))
    return "its name leads out of the folder";
  if (length > NAME_MAX)
    return "a part of its name is longer than 255 bytes";
  if (depth >= ARCHIVE_MAX_DEPTH)
    return "it lies deeper than 200 folders";
  if (length >= strlen (ARCHIVE_STAGING_PREFIX)
      && memcmp (at, ARCHIVE_STAGING_PREFIX, strlen (ARCHIVE_STAGING_PREFIX)) == 0)
    return "names like this are kept for unpacking";
  return NULL;
}

const char *
archive_name_clean (const char *name, char clean[PATH_MAX])
{
  size_t size = 0;
  int depth = 0;

  clean[0] = '\0';
  if (*name == '/')
    return "its name is absolute";
  while (*name)
    {
      size_t length = strcspn (name, "/");
      const char *reason;

      if (length > 0 && !is_segment (name, length, "."))
        {
          reason = check_segment (name, length, depth++);
          if (reason)
            return reason;
          if (size + length + 2 > PATH_MAX)
            return "its name is longer than 4095 bytes";
          if (size > 0)
            clean[size++] = '/';
          memcpy (clean + size, name, length);
          size += length;
          clean[size] = '\0';
        }
      name += length + (name[length] == '/');
    }
  return NULL;
}

static int
count_slashes (const char *name)
{
  int n = 0;

  for (; *name; name++)
    n += *name == '/';
  return n;
}

const char *
archive_target_check (const char *name, const char *target)
{
  int depth = count_slashes (name);
  bool descends = false;

  if (*target == '\0')
    return "the link leads nowhere";
  if (*target == '/')
    return "the link leads to an absolute path";
  if (strlen (target) >= PATH_MAX)
    return "what the link says is longer than 4095 bytes";
  while (*target)
    {
      size_t length = strcspn (target, "/");

      if (is_segment (target, length, ".."))
        {
          if (descends)
            return "the link goes down and up again, perhaps by another link";
          if (depth-- == 0)
            return "the link leads out of the folder";
        }
      else if (length > 0 && !is_segment (target, length, "."))
        descends = true;
      target += length + (target[length] == '/');
    }
  return NULL;
}

/* Takes @fd. */
static int
descend (int fd, const char *name, size_t length)
{
  char segment[NAME_MAX + 1];
  int below;
  int error;

  memcpy (segment, name, length);
  segment[length] = '\0';
  below = openat (fd, segment, OPEN_BELOW);
  error = errno;
  close (fd);
  errno = error;
  return below;
}

int
archive_open_below (int root_fd, const char *path)
{
  int fd = openat (root_fd, ".", OPEN_BELOW);

  while (fd >= 0 && *path)
    {
      size_t length = strcspn (path, "/");

      fd = descend (fd, path, length);
      path += length + (path[length] == '/');
    }
  return fd;
}

const char *
archive_name_split (const char *name, char directory[PATH_MAX])
{
  const char *slash = strrchr (name, '/');
  size_t length = slash ? (size_t)(slash - name) : 0;

  memcpy (directory, name, length);
  directory[length] = '\0';
  return slash ? slash + 1 : name;
}
