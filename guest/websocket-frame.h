/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames of a WebSocket (RFC 6455 §5), as one who serves reads and writes them. What binary
 * messages hold is one stream of bytes; where they begin and end means nothing. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEBSOCKET_MAX_HEADER 10 /* of ours, which are not masked */
#define WEBSOCKET_MAX_CONTROL 125
#define WEBSOCKET_MAX_FRAME (UINT64_C (16) << 20) /* payload of a client's frame */

typedef enum
{
  WEBSOCKET_CONTINUATION = 0,
  WEBSOCKET_TEXT = 1,
  WEBSOCKET_BINARY = 2,
  WEBSOCKET_CLOSE = 8,
  WEBSOCKET_PING = 9,
  WEBSOCKET_PONG = 10
} WebsocketOpcode;

#define WEBSOCKET_CLOSE_NORMAL 1000
#define WEBSOCKET_CLOSE_GOING_AWAY 1001
#define WEBSOCKET_CLOSE_PROTOCOL_ERROR 1002
#define WEBSOCKET_CLOSE_UNSUPPORTED 1003
#define WEBSOCKET_CLOSE_TOO_BIG 1009

typedef struct
{
  uint8_t header[14];
  size_t header_size;
  uint8_t opcode;
  uint64_t left;    /* of the payload */
  unsigned mask_at; /* where in the mask the next byte of the payload is */
  bool in_payload;
  bool in_message; /* what follows a frame without FIN */
  uint8_t control[WEBSOCKET_MAX_CONTROL];
  size_t control_size;
  uint16_t close_code; /* what to close with */
} WebsocketDecoder;

typedef enum
{
  WEBSOCKET_MORE,    /* the input is used up */
  WEBSOCKET_CONTROL, /* a Close, Ping or Pong is there as a whole: opcode, control, control_size */
  WEBSOCKET_INVALID  /* close_code says why */
} WebsocketEvent;

/* Bytes that came: [from, end) are still to be looked at, and the payload of messages is moved to
 * @to, which is never beyond @from. */
typedef struct
{
  uint8_t *from;
  uint8_t *end;
  uint8_t *to;
} WebsocketInput;

/* To be called again until it asks for more. After WEBSOCKET_INVALID, and after a Close, nothing
 * can come. */
WebsocketEvent websocket_decode (WebsocketDecoder *decoder, WebsocketInput *input);

/* The code in a Close that has come, to be answered with; WEBSOCKET_CLOSE_NORMAL where there is
 * none. */
uint16_t websocket_close_code (const WebsocketDecoder *decoder);

/* Writes the header of a frame that is a whole message; how long it is. */
size_t websocket_header_write (WebsocketOpcode opcode, size_t length,
                               uint8_t header[WEBSOCKET_MAX_HEADER]);
