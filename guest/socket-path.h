/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The socket in the file system, of which one process at a time is the owner. Its directory must be
 * one in which only this user, or root, can put another in its place. */

#pragma once

#include <sys/types.h>

typedef struct
{
  int lock_fd; /* held as long as the owner lives */
  int directory_fd;
  const char *name;
  const char *problem; /* what was wrong, where it is not what errno says */
} SocketPath;

typedef enum
{
  SOCKET_PATH_BOUND,
  SOCKET_PATH_TAKEN, /* and whoever has it listens */
  SOCKET_PATH_FAILED /* with problem, or errno, set */
} SocketPathStatus;

/* Becomes the owner of the absolute @path and listens there. */
SocketPathStatus socket_path_bind (SocketPath *self, const char *path, int *listen_fd);

/* Takes the socket away again. */
void socket_path_release (SocketPath *self);

/* A connection to whoever listens at @path and is of this user or root, or -1 with errno set, and
 * *@problem to a sentence. */
int socket_path_connect (const char *path, const char **problem);
