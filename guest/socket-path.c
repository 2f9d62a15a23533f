/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "socket-path.h"

#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 64

/* Who starts is done in a moment, or holds the lock to keep others out. */
#define START_TIMEOUT_SECONDS 5
#define CONNECT_TIMEOUT_SECONDS 10

static bool
refuse (SocketPath *self, int error, const char *problem)
{
  self->problem = problem;
  errno = error;
  return false;
}

/* bind () or connect () to the name alone, from within the directory: a path may be too long for
 * an address, and lead elsewhere by now. */
static bool
call_inside (const SocketPath *self, int (*call) (int, const struct sockaddr *, socklen_t), int fd)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int back_fd;
  bool done;
  int error;

  if ((size_t)snprintf (address.sun_path, sizeof address.sun_path, "%s", self->name)
      >= sizeof address.sun_path)
    {
      errno = ENAMETOOLONG;
      return false;
    }
  back_fd = open (".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  done = back_fd >= 0 && fchdir (self->directory_fd) == 0
         && call (fd, (struct sockaddr *)&address, sizeof address) == 0;
  error = errno;
  if (back_fd >= 0 && fchdir (back_fd) == 0)
    close (back_fd);
  errno = error;
  return done;
}

static bool
make_directories (char *directory)
{
  for (char *slash = strchr (directory + 1, '/'); slash; slash = strchr (slash + 1, '/'))
    {
      *slash = '\0';
      if (mkdir (directory, 0700) != 0 && errno != EEXIST && errno != EROFS)
        return false;
      *slash = '/';
    }
  return mkdir (directory, 0700) == 0 || errno == EEXIST;
}

/* Whether nobody but this user and root can change what stands there. */
static bool
check_directory (SocketPath *self)
{
  struct stat status;

  if (fstat (self->directory_fd, &status) != 0)
    return false;
  if (status.st_uid != geteuid () && status.st_uid != 0)
    return refuse (self, EPERM, "Its directory belongs to another user");
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return refuse (self, EPERM, "Its directory can be written to by other users");
  return true;
}

static bool
open_directory (SocketPath *self, const char *path, bool make)
{
  const char *slash = strrchr (path, '/');
  char directory[PATH_MAX];

  *self = (SocketPath){ .lock_fd = -1, .directory_fd = -1 };
  if (!slash || slash == path || (size_t)(slash - path) >= sizeof directory)
    {
      errno = EINVAL;
      return false;
    }
  self->name = slash + 1;
  memcpy (directory, path, (size_t)(slash - path));
  directory[slash - path] = '\0';
  if (make && !make_directories (directory))
    return false;
  self->directory_fd = open (directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (self->directory_fd < 0 && (errno == ENOTDIR || errno == ELOOP))
    return refuse (self, errno, "Its directory is none, or a symbolic link");
  return self->directory_fd >= 0 && check_directory (self);
}

/* What stands at the name: S_IFSOCK, 0 for nothing, or the kind of anything else. */
static mode_t
kind_of_file (const SocketPath *self)
{
  struct stat status;

  if (fstatat (self->directory_fd, self->name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return 0;
  return status.st_mode & S_IFMT;
}

static int
open_lock (SocketPath *self, const char *suffix)
{
  char name[NAME_MAX + 1];
  struct stat status;
  int fd;

  if ((size_t)snprintf (name, sizeof name, "%s%s", self->name, suffix) >= sizeof name)
    {
      errno = ENAMETOOLONG;
      return -1;
    }
  fd = openat (self->directory_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
               0600);
  if (fd >= 0 && fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
      && (status.st_uid == geteuid () || status.st_uid == 0))
    return fd;
  if (fd >= 0 || errno == ELOOP)
    refuse (self, EPERM, "Its lock is no file, or that of another user");
  if (fd >= 0)
    close (fd);
  return -1;
}

static void
time_out (int signal_number)
{
}

static bool
wait_for_lock (SocketPath *self, int fd)
{
  struct sigaction action = { .sa_handler = time_out };
  struct sigaction before;
  /* More than once: the first may come before we wait, when all of us was stopped for so long. */
  struct itimerval timeout
      = { .it_value.tv_sec = START_TIMEOUT_SECONDS, .it_interval.tv_sec = START_TIMEOUT_SECONDS };
  struct itimerval none = { 0 };
  bool done;
  int error;

  sigaction (SIGALRM, &action, &before);
  setitimer (ITIMER_REAL, &timeout, NULL);
  done = flock (fd, LOCK_EX) == 0;
  error = errno;
  setitimer (ITIMER_REAL, &none, NULL);
  sigaction (SIGALRM, &before, NULL);
  errno = error;
  if (!done && error == EINTR)
    return refuse (self, ETIMEDOUT, "Another process holds its lock, and does not start");
  return done;
}

/* Whether somebody listens there, who may have lost the lock to one who removed it, and may have
 * no room for one more. */
static bool
is_alive (const SocketPath *self)
{
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  bool connected = fd >= 0 && (call_inside (self, connect, fd) || errno == EAGAIN);

  if (fd >= 0)
    close (fd);
  return connected;
}

static int
listen_inside (const SocketPath *self)
{
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  mode_t mask = umask (0177);
  bool done = fd >= 0 && call_inside (self, bind, fd) && listen (fd, BACKLOG) == 0;
  int error = errno;

  umask (mask);
  if (done)
    return fd;
  if (fd >= 0)
    close (fd);
  errno = error;
  return -1;
}

/* The lock is ours. */
static SocketPathStatus
take_place (SocketPath *self, int *listen_fd)
{
  mode_t kind = kind_of_file (self);

  if (kind != 0 && kind != S_IFSOCK)
    {
      refuse (self, EEXIST, "There is something that is no socket");
      return SOCKET_PATH_FAILED;
    }
  if (kind == S_IFSOCK && is_alive (self))
    return SOCKET_PATH_TAKEN;
  /* It belongs to an owner that is gone. */
  if (kind == S_IFSOCK)
    unlinkat (self->directory_fd, self->name, 0);
  *listen_fd = listen_inside (self);
  return *listen_fd >= 0 ? SOCKET_PATH_BOUND : SOCKET_PATH_FAILED;
}

/* Who holds the lock and does not listen any more is about to end, and then it is free. */
static SocketPathStatus
lock_and_take (SocketPath *self, int *listen_fd)
{
  self->lock_fd = open_lock (self, ".lock");
  if (self->lock_fd < 0)
    return SOCKET_PATH_FAILED;
  if (flock (self->lock_fd, LOCK_EX | LOCK_NB) == 0)
    return take_place (self, listen_fd);
  if (errno != EWOULDBLOCK)
    return SOCKET_PATH_FAILED;
  if (is_alive (self))
    return SOCKET_PATH_TAKEN;
  return wait_for_lock (self, self->lock_fd) ? take_place (self, listen_fd) : SOCKET_PATH_FAILED;
}

SocketPathStatus
socket_path_bind (SocketPath *self, const char *path, int *listen_fd)
{
  SocketPathStatus status = SOCKET_PATH_FAILED;
  int start_fd;

  if (!open_directory (self, path, true))
    return SOCKET_PATH_FAILED;
  /* Held until the owner listens, so that who finds the path taken can connect at once. */
  start_fd = open_lock (self, ".start");
  if (start_fd >= 0 && wait_for_lock (self, start_fd))
    status = lock_and_take (self, listen_fd);
  if (start_fd >= 0)
    {
      int error = errno;

      close (start_fd);
      errno = error;
    }
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

/* A guest that is stopped takes nobody in, and the queue may be full. */
static bool
connect_in_time (const SocketPath *self, int fd)
{
  struct timeval timeout = { .tv_sec = CONNECT_TIMEOUT_SECONDS };
  struct timeval none = { 0 };

  setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  return call_inside (self, connect, fd)
         && setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none) == 0;
}

/* A connection to what stands at the name, if that is a socket of this user or root. */
static int
connect_inside (SocketPath *self)
{
  mode_t kind = kind_of_file (self);
  int fd;

  if (kind == 0)
    return -1;
  if (kind != S_IFSOCK)
    {
      refuse (self, ENOTSOCK, "There is something that is no socket");
      return -1;
    }
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect_in_time (self, fd))
    {
      if (descriptor_peer_is_trusted (fd))
        return fd;
      refuse (self, EPERM, "Whoever listens there is another user");
    }
  if (fd >= 0)
    {
      int error = errno;

      close (fd);
      errno = error;
    }
  return -1;
}

int
socket_path_connect (const char *path, const char **problem)
{
  SocketPath self;
  int fd = open_directory (&self, path, false) ? connect_inside (&self) : -1;
  int error = errno;

  if (self.directory_fd >= 0)
    close (self.directory_fd);
  *problem = self.problem ? self.problem : strerrordesc_np (error);
  errno = error;
  return fd;
}
