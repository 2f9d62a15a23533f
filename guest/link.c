/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "link.h"

#include "asb-wire-json.h"
#include "frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_READS 4

struct Link
{
  Loop *loop;
  LoopSource *source;
  LoopTask task;
  int fd;
  const LinkCallbacks *callbacks;
  void *data;
  FrameReader reader;
  FrameQueue queue;
  size_t offset; /* of the first frame of the queue */
  bool broken;
  bool freed;
};

static void
link_break (Link *link)
{
  link->broken = true;
  loop_task_queue (link->loop, &link->task);
}

static void
advance (Link *link, size_t written)
{
  written += link->offset;
  while (link->queue.first && written >= out_frame_size (link->queue.first))
    {
      written -= out_frame_size (link->queue.first);
      free (frame_queue_pop (&link->queue));
    }
  link->offset = written;
}

static void
flush (Link *link)
{
  while (link->queue.first)
    {
      struct iovec vectors[OUT_FRAME_MAX_VECTORS];
      int n = out_frame_gather (link->queue.first, link->offset, SIZE_MAX, vectors,
                                OUT_FRAME_MAX_VECTORS);
      struct msghdr message = { .msg_iov = vectors, .msg_iovlen = (size_t)n };
      ssize_t written = sendmsg (link->fd, &message, MSG_NOSIGNAL);

      if (written >= 0)
        advance (link, (size_t)written);
      else if (errno == EAGAIN)
        break;
      else if (errno != EINTR)
        {
          link_break (link);
          return;
        }
    }
  if (!loop_set_events (link->source, EPOLLIN | (link->queue.first ? EPOLLOUT : 0)))
    link_break (link);
}

static void
run_task (void *data)
{
  Link *link = data;

  if (link->freed)
    {
      frame_queue_clear (&link->queue);
      frame_reader_clear (&link->reader);
      free (link);
    }
  else if (link->broken)
    {
      loop_remove (link->source);
      link->source = NULL;
      link->callbacks->closed (link->data);
    }
  else
    flush (link);
}

static void
read_frames (Link *link)
{
  AsbFrameHeader header;
  const uint8_t *payload;
  const char *reason;
  AsbFrameStatus status = ASB_FRAME_OK;

  while (status == ASB_FRAME_OK && !link->freed && !link->broken)
    {
      status = frame_reader_next (&link->reader, &header, &payload, &reason);
      if (status == ASB_FRAME_OK)
        link->callbacks->frame (link->data, &header, payload);
      else if (status == ASB_FRAME_INVALID)
        link_break (link);
    }
}

static void
link_ready (void *data, uint32_t events)
{
  Link *link = data;

  if (events & EPOLLOUT)
    loop_task_queue (link->loop, &link->task);
  if (!(events & ~(uint32_t)EPOLLOUT))
    return;
  for (int i = 0; i < MAX_READS && !link->freed && !link->broken; i++)
    {
      FrameReaderStatus status = frame_reader_fill (&link->reader, link->fd);

      if (status == FRAME_READER_CLOSED)
        link_break (link);
      if (status != FRAME_READER_DATA)
        return;
      read_frames (link);
      if (!frame_reader_was_filled (&link->reader))
        return;
    }
}

Link *
link_new (Loop *loop, int fd, const LinkCallbacks *callbacks, void *data)
{
  Link *link = calloc (1, sizeof *link);

  if (link)
    {
      link->loop = loop;
      link->fd = fd;
      link->callbacks = callbacks;
      link->data = data;
      loop_task_init (&link->task, run_task, link);
      link->source = loop_add (loop, fd, EPOLLIN, link_ready, link);
    }
  if (link && link->source)
    return link;
  free (link);
  close (fd);
  return NULL;
}

void
link_free (Link *link)
{
  if (!link || link->freed)
    return;
  link->freed = true;
  loop_remove (link->source);
  link->source = NULL;
  close (link->fd);
  loop_task_queue (link->loop, &link->task);
}

void
link_send (Link *link, const AsbFrameHeader *header, const void *payload)
{
  OutFrame *frame;

  if (link->broken || link->freed)
    return;
  frame = out_frame_new (header, payload);
  if (!frame)
    {
      link_break (link);
      return;
    }
  if (asb_frame_type_is_numbered (header->type))
    frame->header.sequence = 1;
  frame_queue_push (&link->queue, frame);
  loop_task_queue (link->loop, &link->task);
}

bool
link_send_json (Link *link, AsbFrameType type, uint32_t call, json_t *json)
{
  char *text = asb_wire_json_dump (json);
  size_t length = text ? strlen (text) : 0;
  AsbFrameHeader header = { .type = (uint8_t)type, .call = call, .length = (uint32_t)length };

  if (!text)
    link_break (link);
  else if (length <= ASB_FRAME_MAX_CONTROL)
    link_send (link, &header, text);
  free (text);
  return length <= ASB_FRAME_MAX_CONTROL;
}

void
link_send_credit (Link *link, uint32_t call, unsigned channel, uint64_t count)
{
  AsbFrameHeader header
      = { .type = ASB_FRAME_CREDIT, .channel = (uint16_t)channel, .call = call, .length = 8 };
  uint8_t payload[8];

  asb_frame_count_write (count, payload);
  link_send (link, &header, payload);
}

void
link_flush (Link *link)
{
  if (link->broken || link->freed)
    return;
  loop_task_cancel (&link->task);
  flush (link);
}

size_t
link_queued (const Link *link)
{
  return link->queue.size;
}
