/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The broker's end of the socket to one of its helper processes: frames with sequence 1. */

#pragma once

#include "asb-frame.h"
#include "loop.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Link Link;

typedef struct
{
  void (*frame) (void *data, const AsbFrameHeader *header, const uint8_t *payload);

  /* The other side has ended, broke the protocol, or there is no memory to talk to it. Comes once,
   * and nothing after it. */
  void (*closed) (void *data);
} LinkCallbacks;

/* Takes @fd, which must not block. NULL when there is no room for it; then @fd is closed. */
Link *link_new (Loop *loop, int fd, const LinkCallbacks *callbacks, void *data);

/* May be called at any time, also from a callback. NULL is allowed. */
void link_free (Link *link);

/* The sequence number is filled in. When memory is short the link is closed. */
void link_send (Link *link, const AsbFrameHeader *header, const void *payload);

/* False when @json is larger than a frame may be; then nothing was sent. */
bool link_send_json (Link *link, AsbFrameType type, uint32_t call, json_t *json);
void link_send_credit (Link *link, uint32_t call, unsigned channel, uint64_t count);

/* Sends what waits now, and not at the end of the turn. */
void link_flush (Link *link);

/* Bytes that wait to be sent. */
size_t link_queued (const Link *link);
