/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READER_SMALL 4096
#define READER_LARGE (2 * (ASB_FRAME_HEADER_SIZE + ASB_FRAME_MAX_DATA))

OutFrame *
out_frame_alloc (size_t length)
{
  OutFrame *frame = malloc (sizeof *frame + ASB_FRAME_HEADER_SIZE + length);

  if (!frame)
    return NULL;
  frame->next = NULL;
  frame->header = (AsbFrameHeader){ .length = (uint32_t)length };
  return frame;
}

OutFrame *
out_frame_new (const AsbFrameHeader *header, const void *payload)
{
  OutFrame *frame = out_frame_alloc (header->length);

  if (!frame)
    return NULL;
  frame->header = *header;
  if (header->length > 0)
    memcpy (out_frame_payload (frame), payload, header->length);
  return frame;
}

uint8_t *
out_frame_payload (OutFrame *frame)
{
  return frame->bytes + ASB_FRAME_HEADER_SIZE;
}

size_t
out_frame_size (const OutFrame *frame)
{
  return ASB_FRAME_HEADER_SIZE + (size_t)frame->header.length;
}

void
frame_queue_push (FrameQueue *queue, OutFrame *frame)
{
  frame->next = NULL;
  if (queue->last)
    queue->last->next = frame;
  else
    queue->first = frame;
  queue->last = frame;
  queue->size += out_frame_size (frame);
}

OutFrame *
frame_queue_pop (FrameQueue *queue)
{
  OutFrame *frame = queue->first;

  if (!frame)
    return NULL;
  queue->first = frame->next;
  if (!queue->first)
    queue->last = NULL;
  queue->size -= out_frame_size (frame);
  frame->next = NULL;
  return frame;
}

void
frame_queue_clear (FrameQueue *queue)
{
  while (queue->first)
    free (frame_queue_pop (queue));
}

int
out_frame_gather (OutFrame *frame, size_t offset, size_t max_size, struct iovec *vectors,
                  int n_vectors)
{
  int n = 0;

  while (frame && n < n_vectors && out_frame_size (frame) - offset <= max_size)
    {
      asb_frame_header_write (&frame->header, frame->bytes);
      vectors[n].iov_base = frame->bytes + offset;
      vectors[n].iov_len = out_frame_size (frame) - offset;
      max_size -= vectors[n].iov_len;
      offset = 0;
      frame = frame->next;
      n++;
    }
  return n;
}

/* How much room the reader shall have: for the frame that has begun, and plenty when the last read
 * filled all there was. */
static size_t
wanted_capacity (const FrameReader *reader)
{
  AsbFrameHeader header;
  const char *reason;
  size_t used = reader->end - reader->start;
  size_t wanted = READER_SMALL;

  if (used >= ASB_FRAME_HEADER_SIZE
      && asb_frame_parse (reader->bytes + reader->start, used, &header, &reason)
             != ASB_FRAME_INVALID)
    wanted = ASB_FRAME_HEADER_SIZE + (size_t)header.length;
  if (wanted <= READER_LARGE && reader->end == reader->capacity && reader->capacity > 0)
    return READER_LARGE;
  return wanted > used ? wanted : used + READER_SMALL;
}

static bool
make_room (FrameReader *reader)
{
  size_t wanted = wanted_capacity (reader);
  size_t used = reader->end - reader->start;
  uint8_t *bytes;

  if (reader->start > 0)
    {
      memmove (reader->bytes, reader->bytes + reader->start, used);
      reader->start = 0;
      reader->end = used;
    }
  if (wanted <= reader->capacity && (used > 0 || reader->capacity <= READER_LARGE))
    return true;
  bytes = realloc (reader->bytes, wanted);
  if (!bytes)
    return false;
  reader->bytes = bytes;
  reader->capacity = wanted;
  return true;
}

FrameReaderStatus
frame_reader_fill_from (FrameReader *reader,
                        ssize_t (*receive) (void *source, void *bytes, size_t size), void *source)
{
  ssize_t n;

  if (!make_room (reader))
    return FRAME_READER_CLOSED;
  n = receive (source, reader->bytes + reader->end, reader->capacity - reader->end);
  if (n < 0 && errno == EAGAIN)
    return FRAME_READER_NOTHING;
  if (n <= 0)
    return FRAME_READER_CLOSED;
  reader->end += (size_t)n;
  reader->was_filled = reader->end == reader->capacity;
  return FRAME_READER_DATA;
}

static ssize_t
read_descriptor (void *source, void *bytes, size_t size)
{
  const int *fd = source;
  ssize_t n;

  do
    n = read (*fd, bytes, size);
  while (n < 0 && errno == EINTR);
  return n;
}

FrameReaderStatus
frame_reader_fill (FrameReader *reader, int fd)
{
  return frame_reader_fill_from (reader, read_descriptor, &fd);
}

bool
frame_reader_was_filled (const FrameReader *reader)
{
  return reader->was_filled;
}

AsbFrameStatus
frame_reader_next (FrameReader *reader, AsbFrameHeader *header, const uint8_t **payload,
                   const char **reason)
{
  const uint8_t *bytes;
  AsbFrameStatus status;

  if (!reader->bytes)
    return ASB_FRAME_NEED_MORE;
  bytes = reader->bytes + reader->start;
  status = asb_frame_parse (bytes, reader->end - reader->start, header, reason);
  if (status == ASB_FRAME_OK)
    {
      *payload = bytes + ASB_FRAME_HEADER_SIZE;
      reader->start += ASB_FRAME_HEADER_SIZE + (size_t)header->length;
    }
  return status;
}

void
frame_reader_clear (FrameReader *reader)
{
  free (reader->bytes);
  *reader = (FrameReader){ 0 };
}
