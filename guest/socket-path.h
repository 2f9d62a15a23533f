/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The socket in the file system, of which one process at a time is the owner. */

#pragma once

#include <sys/types.h>

typedef struct
{
  int lock_fd; /* held as long as the owner lives */
  int directory_fd;
  const char *name;
} SocketPath;

typedef enum
{
  SOCKET_PATH_BOUND,
  SOCKET_PATH_TAKEN, /* and whoever has it listens */
  SOCKET_PATH_FAILED /* with errno set */
} SocketPathStatus;

/* Becomes the owner of the absolute @path and listens there. */
SocketPathStatus socket_path_bind (SocketPath *self, const char *path, int *listen_fd);

/* Takes the socket away again. */
void socket_path_release (SocketPath *self);

/* A connection to whoever listens at @path, or -1 with errno set. */
int socket_path_connect (const char *path);
