/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "socket-path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 64

/* Paths of sockets are short; one through the directory's descriptor always fits. */
static bool
make_address (int directory_fd, const char *path, struct sockaddr_un *address)
{
  const char *slash = strrchr (path, '/');
  int n;

  *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
  n = strlen (path) < sizeof address->sun_path
          ? snprintf (address->sun_path, sizeof address->sun_path, "%s", path)
          : snprintf (address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s",
                      directory_fd, slash + 1);
  if (n > 0 && (size_t)n < sizeof address->sun_path)
    return true;
  errno = ENAMETOOLONG;
  return false;
}

static bool
make_directories (char *directory)
{
  for (char *slash = strchr (directory + 1, '/'); slash; slash = strchr (slash + 1, '/'))
    {
      *slash = '\0';
      if (mkdir (directory, 0755) != 0 && errno != EEXIST && errno != EROFS)
        return false;
      *slash = '/';
    }
  return mkdir (directory, 0700) == 0 || errno == EEXIST;
}

static int
open_directory (const char *path, bool make)
{
  const char *slash = strrchr (path, '/');
  char directory[PATH_MAX];

  if (!slash || slash == path || (size_t)(slash - path) >= sizeof directory)
    {
      errno = EINVAL;
      return -1;
    }
  memcpy (directory, path, (size_t)(slash - path));
  directory[slash - path] = '\0';
  if (make && !make_directories (directory))
    return -1;
  return open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int
lock_file (const SocketPath *self, const char *suffix, int operation)
{
  char name[NAME_MAX + 1];
  int fd;

  if ((size_t)snprintf (name, sizeof name, "%s%s", self->name, suffix) >= sizeof name)
    {
      errno = ENAMETOOLONG;
      return -1;
    }
  fd = openat (self->directory_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0 && flock (fd, operation) != 0)
    {
      int error = errno;

      close (fd);
      errno = error;
      return -1;
    }
  return fd;
}

static int
listen_at (const SocketPath *self, const char *path)
{
  struct sockaddr_un address;
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  mode_t mask;
  bool done;

  if (fd < 0)
    return -1;
  /* What stands there belongs to an owner that is gone. */
  unlinkat (self->directory_fd, self->name, 0);
  mask = umask (0177);
  done = make_address (self->directory_fd, path, &address)
         && bind (fd, (struct sockaddr *)&address, sizeof address) == 0
         && listen (fd, BACKLOG) == 0;
  umask (mask);
  if (done)
    return fd;
  close (fd);
  return -1;
}

SocketPathStatus
socket_path_bind (SocketPath *self, const char *path, int *listen_fd)
{
  SocketPathStatus status = SOCKET_PATH_FAILED;
  int start_fd;

  self->lock_fd = -1;
  self->directory_fd = open_directory (path, true);
  if (self->directory_fd < 0)
    return SOCKET_PATH_FAILED;
  self->name = strrchr (path, '/') + 1;

  /* Held until the owner listens, so that who finds the path taken can connect at once. */
  start_fd = lock_file (self, ".start", LOCK_EX);
  if (start_fd < 0)
    return SOCKET_PATH_FAILED;
  self->lock_fd = lock_file (self, ".lock", LOCK_EX | LOCK_NB);
  if (self->lock_fd < 0)
    status = errno == EWOULDBLOCK ? SOCKET_PATH_TAKEN : SOCKET_PATH_FAILED;
  else
    {
      *listen_fd = listen_at (self, path);
      status = *listen_fd >= 0 ? SOCKET_PATH_BOUND : SOCKET_PATH_FAILED;
    }
  close (start_fd);
  return status;
}

void
socket_path_release (SocketPath *self)
{
  if (!self->name)
    return;
  unlinkat (self->directory_fd, self->name, 0);
  close (self->directory_fd);
  close (self->lock_fd);
}

int
socket_path_connect (const char *path)
{
  struct sockaddr_un address;
  int directory_fd = open_directory (path, false);
  int fd = directory_fd >= 0 ? socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
  bool done = fd >= 0 && make_address (directory_fd, path, &address)
              && connect (fd, (struct sockaddr *)&address, sizeof address) == 0;
  int error = errno;

  if (directory_fd >= 0)
    close (directory_fd);
  if (fd >= 0 && !done)
    close (fd);
  errno = error;
  return done ? fd : -1;
}
