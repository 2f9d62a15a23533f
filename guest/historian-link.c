/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "historian-link.h"

#include "history-json.h"
#include "history-memory.h"
#include "history-time.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#define MAX_SEND (256 * 1024)
#define MILLISECOND 1000000

void
historian_link_init (HistorianLink *link, int fd)
{
  *link = (HistorianLink){ .fd = fd };
  fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) | O_NONBLOCK);
}

void
historian_link_clear (HistorianLink *link)
{
  frame_reader_clear (&link->reader);
  frame_queue_clear (&link->queue);
}

static int
timeout_until (int64_t due)
{
  int64_t left;

  if (due == INT64_MAX)
    return -1;
  left = (due - history_time_monotonic () + MILLISECOND - 1) / MILLISECOND;
  if (left < 0)
    return 0;
  return left < INT_MAX ? (int)left : INT_MAX;
}

void
historian_link_wait (HistorianLink *link, bool may_read, int other, int64_t due)
{
  struct pollfd descriptors[] = { { .fd = link->fd }, { .fd = other, .events = POLLIN } };

  if (may_read)
    descriptors[0].events |= POLLIN;
  if (link->queue.first)
    descriptors[0].events |= POLLOUT;
  poll (descriptors, 2, timeout_until (due));
}

static void
drop_sent (HistorianLink *link, size_t size)
{
  link->offset += size;
  while (link->queue.first && link->offset >= out_frame_size (link->queue.first))
    {
      link->offset -= out_frame_size (link->queue.first);
      free (frame_queue_pop (&link->queue));
    }
}

void
historian_link_flush (HistorianLink *link)
{
  while (link->queue.first && !link->is_closed)
    {
      struct iovec vectors[OUT_FRAME_MAX_VECTORS];
      struct msghdr message = { .msg_iov = vectors };
      size_t most = out_frame_size (link->queue.first) + MAX_SEND;
      ssize_t n;

      message.msg_iovlen = (size_t)out_frame_gather (link->queue.first, link->offset, most, vectors,
                                                     OUT_FRAME_MAX_VECTORS);
      n = sendmsg (link->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n >= 0)
        drop_sent (link, (size_t)n);
      else if (errno == EAGAIN)
        return;
      else if (errno != EINTR)
        link->is_closed = true;
    }
}

size_t
historian_link_queued (const HistorianLink *link)
{
  return link->queue.size;
}

static void
push (HistorianLink *link, const AsbFrameHeader *header, const void *payload)
{
  OutFrame *frame = out_frame_new (header, payload);

  if (!frame)
    abort ();
  frame_queue_push (&link->queue, frame);
}

void
historian_link_send_data (HistorianLink *link, uint32_t call, const void *bytes, size_t size,
                          bool is_last)
{
  AsbFrameHeader header = { .length = (uint32_t)size,
                            .type = ASB_FRAME_DATA,
                            .flags = is_last ? ASB_FRAME_FLAG_FIN : 0,
                            .channel = ASB_CHANNEL_OUTPUT,
                            .call = call,
                            .sequence = 1 };

  push (link, &header, bytes);
}

void
historian_link_send_stop (HistorianLink *link, uint32_t call, uint16_t channel)
{
  AsbFrameHeader header
      = { .type = ASB_FRAME_STOP, .channel = channel, .call = call, .sequence = 1 };

  push (link, &header, NULL);
}

void
historian_link_reply (HistorianLink *link, uint32_t call, const char *name, json_t *value)
{
  AsbFrameHeader header = { .type = ASB_FRAME_REPLY, .call = call, .sequence = 1 };
  json_t *reply = json_pack ("{s:o}", name, value);
  HistoryBuffer text = { 0 };

  history_json_append (&text, reply);
  header.length = (uint32_t)history_buffer_size (&text);
  push (link, &header, history_buffer_bytes (&text));
  history_buffer_clear (&text);
  json_decref (reply);
}
