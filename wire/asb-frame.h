/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames of the guest protocol (docs/guest-protocol.md §1). Plain C: both the library and the
 * guest compile it. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASB_FRAME_HEADER_SIZE 20
#define ASB_FRAME_MAX_CONTROL (1024 * 1024)
#define ASB_FRAME_MAX_DATA (64 * 1024)
#define ASB_FRAME_WINDOW (256 * 1024)
#define ASB_FRAME_CREDIT_STEP (64 * 1024)
#define ASB_FRAME_MAX_UNACKNOWLEDGED (4 * 1024 * 1024)
#define ASB_FRAME_MAX_CALLS 256

#define ASB_PROTOCOL_MAJOR 1
#define ASB_PROTOCOL_MINOR 0

typedef enum
{
  ASB_FRAME_CALL = 1,
  ASB_FRAME_REPLY = 2,
  ASB_FRAME_EVENT = 3,
  ASB_FRAME_DATA = 4,
  ASB_FRAME_CANCEL = 5,
  ASB_FRAME_STOP = 6,
  ASB_FRAME_HELLO = 16,
  ASB_FRAME_ACK = 17,
  ASB_FRAME_CREDIT = 18,
  ASB_FRAME_PING = 19,
  ASB_FRAME_PONG = 20,
  ASB_FRAME_GOODBYE = 21
} AsbFrameType;

#define ASB_FRAME_FLAG_FIN 0x01

/* The channels of a call. */
#define ASB_CHANNEL_INPUT 0
#define ASB_CHANNEL_OUTPUT 1
#define ASB_CHANNEL_ERRORS 2
#define ASB_N_CHANNELS 3

typedef struct
{
  uint32_t length;
  uint8_t type;
  uint8_t flags;
  uint16_t channel;
  uint32_t call;
  uint64_t sequence;
} AsbFrameHeader;

typedef enum
{
  ASB_FRAME_OK,
  ASB_FRAME_NEED_MORE,
  ASB_FRAME_INVALID
} AsbFrameStatus;

/* Whether frames of this type carry a sequence number. */
bool asb_frame_type_is_numbered (uint8_t type);

void asb_frame_header_write (const AsbFrameHeader *header, uint8_t bytes[ASB_FRAME_HEADER_SIZE]);

/* Reads the frame that starts at @bytes. On ASB_FRAME_OK @header is set and the payload,
 * header->length bytes, follows the header within @size. ASB_FRAME_INVALID sets *@reason to a
 * static sentence. Everything that does not depend on the state of the connection has been checked.
 */
AsbFrameStatus asb_frame_parse (const uint8_t *bytes, size_t size, AsbFrameHeader *header,
                                const char **reason);

/* The 8-byte payload of ACK and CREDIT. */
void asb_frame_count_write (uint64_t count, uint8_t bytes[8]);
uint64_t asb_frame_count_read (const uint8_t bytes[8]);
