/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "job-output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void
job_output_init (JobOutput *output, const char *directory, size_t (*room) (void *data, size_t size),
                 void *data)
{
  *output = (JobOutput){ .directory = directory, .fd = -1, .room = room, .data = data };
  for (unsigned i = 0; i < JOB_OUTPUT_N_STREAMS; i++)
    output->streams[i].capacity = JOB_OUTPUT_MAX_KEPT;
}

void
job_output_clear (JobOutput *output)
{
  if (output->fd >= 0)
    close (output->fd);
  output->fd = -1;
}

void
job_output_keep_nothing (JobOutput *output, unsigned stream)
{
  output->streams[stream].capacity = 0;
}

static uint64_t
kept (const JobStream *stream)
{
  return stream->total < stream->capacity ? stream->total : stream->capacity;
}

uint64_t
job_output_kept (const JobOutput *output)
{
  return kept (&output->streams[0]) + kept (&output->streams[1]);
}

uint64_t
job_output_first (const JobOutput *output, unsigned stream)
{
  return output->streams[stream].total - kept (&output->streams[stream]);
}

/* Not every file system has files that never had a name. Between the two steps only the user the
 * guest runs as could open this one. */
static int
open_and_unlink (const char *directory)
{
  char path[PATH_MAX];
  int fd;

  if ((size_t)snprintf (path, sizeof path, "%s/.job-XXXXXX", directory) >= sizeof path)
    {
      errno = ENAMETOOLONG;
      return -1;
    }
  fd = mkostemp (path, O_CLOEXEC);
  if (fd >= 0)
    unlink (path);
  return fd;
}

static int
open_nameless (const char *directory)
{
  int fd;

  mkdir (directory, 0700);
  fd = open (directory, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
    fd = open_and_unlink (directory);
  return fd;
}

/* A user without rights has no place beside the history. */
static int
open_anywhere (const char *directory)
{
  int fd = open_nameless (directory);

  if (fd < 0 && (errno == EACCES || errno == EROFS || errno == ENOENT || errno == ENOTDIR))
    fd = open_nameless ("/tmp");
  return fd;
}

static bool
is_open (JobOutput *output)
{
  if (output->fd >= 0)
    return true;
  output->fd = open_anywhere (output->directory);
  if (output->fd < 0)
    output->error = errno;
  return output->fd >= 0;
}

static off_t
place (unsigned stream, uint64_t position)
{
  return (off_t)(stream * JOB_OUTPUT_MAX_KEPT + position);
}

/* How many of @size bytes come into the file at once: 0 when the ring is to begin anew. */
static size_t
room_for (const JobOutput *output, const JobStream *stream, size_t size)
{
  uint64_t left = stream->capacity - stream->total % stream->capacity;

  if (size > left)
    size = (size_t)left;
  if (stream->total >= stream->capacity)
    return size;
  if (stream->total < JOB_OUTPUT_MIN_KEPT)
    {
      uint64_t sure = JOB_OUTPUT_MIN_KEPT - stream->total;

      return size < sure ? size : (size_t)sure;
    }
  return output->room (output->data, size);
}

/* What has been written stays, and is written over from now on; where even that fails nothing is
 * left. */
static void
shrink (JobStream *stream)
{
  stream->capacity = stream->total < stream->capacity ? stream->total : 0;
}

/* How many of the bytes are done with. */
static size_t
add_some (JobOutput *output, unsigned number, const void *bytes, size_t size)
{
  JobStream *stream = &output->streams[number];
  ssize_t n = -1;

  if (stream->capacity == 0)
    return size;
  size = room_for (output, stream, size);
  if (size > 0 && is_open (output))
    {
      do
        n = pwrite (output->fd, bytes, size, place (number, stream->total % stream->capacity));
      while (n < 0 && errno == EINTR);
      if (n < 0)
        output->error = errno;
    }
  if (n > 0)
    return (size_t)n;
  shrink (stream);
  return 0;
}

void
job_output_add (JobOutput *output, unsigned stream, const void *bytes, size_t size)
{
  const char *at = bytes;

  while (size > 0)
    {
      size_t n = add_some (output, stream, at, size);

      output->streams[stream].total += n;
      at += n;
      size -= n;
    }
}

ssize_t
job_output_read (const JobOutput *output, unsigned number, uint64_t offset, void *bytes,
                 size_t size)
{
  const JobStream *stream = &output->streams[number];
  uint64_t position = offset % stream->capacity;
  ssize_t n;

  if (size > stream->total - offset)
    size = (size_t)(stream->total - offset);
  if (size > stream->capacity - position)
    size = (size_t)(stream->capacity - position);
  do
    n = pread (output->fd, bytes, size, place (number, position));
  while (n < 0 && errno == EINTR);
  if (n == 0)
    errno = EIO;
  return n > 0 ? n : -1;
}
