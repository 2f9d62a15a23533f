/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames on their way: one to be sent, a queue of them, and the reader of what comes in. */

#pragma once

#include "asb-frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define OUT_FRAME_MAX_VECTORS 16

typedef struct OutFrame
{
  struct OutFrame *next;
  AsbFrameHeader header;
  uint8_t bytes[]; /* header as sent, then payload */
} OutFrame;

/* A frame with room for @length bytes of payload; NULL when memory is short. To be freed with free
 * (). */
OutFrame *out_frame_alloc (size_t length);

/* The same with all of it filled in. @payload may be NULL when @header->length is 0. */
OutFrame *out_frame_new (const AsbFrameHeader *header, const void *payload);

uint8_t *out_frame_payload (OutFrame *frame);
size_t out_frame_size (const OutFrame *frame);

typedef struct
{
  OutFrame *first;
  OutFrame *last;
  size_t size; /* of all, with their headers */
} FrameQueue;

void frame_queue_push (FrameQueue *queue, OutFrame *frame);
OutFrame *frame_queue_pop (FrameQueue *queue);
void frame_queue_clear (FrameQueue *queue);

/* Points @vectors at @frame and those after it, leaving out the first @offset bytes, as long as
 * there are vectors and all together are not more than @max_size. How many were used. */
int out_frame_gather (OutFrame *frame, size_t offset, size_t max_size, struct iovec *vectors,
                      int n_vectors);

typedef struct
{
  uint8_t *bytes;
  size_t capacity;
  size_t start;
  size_t end;
  bool was_filled;
} FrameReader;

typedef enum
{
  FRAME_READER_DATA,
  FRAME_READER_NOTHING,
  FRAME_READER_CLOSED
} FrameReaderStatus;

/* Reads once from @fd, or by a function that is like read (). */
FrameReaderStatus frame_reader_fill (FrameReader *reader, int fd);
FrameReaderStatus
frame_reader_fill_from (FrameReader *reader,
                        ssize_t (*receive) (void *source, void *bytes, size_t size), void *source);

/* Whether the last fill took all there was room for, so that there may be more. */
bool frame_reader_was_filled (const FrameReader *reader);

/* The next frame that is there as a whole. *@payload is good until the next fill. */
AsbFrameStatus frame_reader_next (FrameReader *reader, AsbFrameHeader *header,
                                  const uint8_t **payload, const char **reason);

void frame_reader_clear (FrameReader *reader);
