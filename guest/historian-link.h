/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The socket of the historian: frames in, frames out. */

#pragma once

#include "frames.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  int fd;
  FrameReader reader;
  FrameQueue queue;
  size_t offset;
  bool is_closed;
} HistorianLink;

void historian_link_init (HistorianLink *link, int fd);
void historian_link_clear (HistorianLink *link);

/* Waits for something to read or, where frames wait, for room, or for something to read at @other
 * (−1: none); at most until @due on the monotonic clock. */
void historian_link_wait (HistorianLink *link, bool may_read, int other, int64_t due);

/* Sends what the socket takes. */
void historian_link_flush (HistorianLink *link);

/* What waits to be sent. */
size_t historian_link_queued (const HistorianLink *link);

void historian_link_send_data (HistorianLink *link, uint32_t call, const void *bytes, size_t size,
                               bool is_last);

/* No more of the channel is wanted. */
void historian_link_send_stop (HistorianLink *link, uint32_t call, uint16_t channel);

/* {"result": …} or {"error": …}; takes @value over. */
void historian_link_reply (HistorianLink *link, uint32_t call, const char *name, json_t *value);
