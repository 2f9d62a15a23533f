/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "byte-stream.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static ssize_t
plain_receive (ByteStream *stream, void *bytes, size_t size)
{
  ssize_t n;

  do
    n = read (stream->fd, bytes, size);
  while (n < 0 && errno == EINTR);
  return n;
}

static ssize_t
plain_send (ByteStream *stream, const struct iovec *vectors, int n_vectors)
{
  struct msghdr message = { .msg_iov = (struct iovec *)vectors, .msg_iovlen = (size_t)n_vectors };
  ssize_t n;

  if (n_vectors == 0)
    return 0;
  do
    n = sendmsg (stream->fd, &message, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  return n;
}

static void
plain_finish (ByteStream *stream)
{
  shutdown (stream->fd, SHUT_WR);
}

static void
plain_free (ByteStream *stream)
{
  close (stream->fd);
  free (stream);
}

static const ByteStreamKind PLAIN = {
  .receive = plain_receive,
  .send = plain_send,
  .finish = plain_finish,
  .free = plain_free,
};

ByteStream *
byte_stream_new (int fd)
{
  ByteStream *stream = calloc (1, sizeof *stream);

  if (!stream)
    return NULL;
  stream->kind = &PLAIN;
  stream->fd = fd;
  return stream;
}

ssize_t
byte_stream_receive (ByteStream *stream, void *bytes, size_t size)
{
  return stream->kind->receive (stream, bytes, size);
}

ssize_t
byte_stream_send (ByteStream *stream, const struct iovec *vectors, int n_vectors)
{
  return stream->kind->send (stream, vectors, n_vectors);
}

void
byte_stream_finish (ByteStream *stream)
{
  stream->kind->finish (stream);
}

void
byte_stream_free (ByteStream *stream)
{
  stream->kind->free (stream);
}
