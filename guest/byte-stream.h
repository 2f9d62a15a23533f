/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The way bytes take between a client and the guest: a socket as it is, or something around it. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

typedef struct ByteStream ByteStream;

typedef struct
{
  /* Like read () and writev () that do not block: −1 with EAGAIN when there is nothing, or no room,
   * for now. Without vectors send goes on with what the stream itself still has to send, and
   * returns 0 when that is nothing. */
  ssize_t (*receive) (ByteStream *stream, void *bytes, size_t size);
  ssize_t (*send) (ByteStream *stream, const struct iovec *vectors, int n_vectors);

  /* Nothing will be sent any more, and the client is to know it. */
  void (*finish) (ByteStream *stream);

  void (*free) (ByteStream *stream);
} ByteStreamKind;

/* The beginning of each kind of stream. */
struct ByteStream
{
  const ByteStreamKind *kind;
  int fd;           /* readable when there may be something to receive */
  bool needs_token; /* anybody may have come this way */

  /* Set by whoever uses the stream: it has something of its own to send. */
  void (*wake) (void *data);
  void *wake_data;
};

/* The socket @fd as it is, which is taken and must not block. NULL when memory is short. */
ByteStream *byte_stream_new (int fd);

ssize_t byte_stream_receive (ByteStream *stream, void *bytes, size_t size);
ssize_t byte_stream_send (ByteStream *stream, const struct iovec *vectors, int n_vectors);
void byte_stream_finish (ByteStream *stream);

/* Closes the socket too. */
void byte_stream_free (ByteStream *stream);
