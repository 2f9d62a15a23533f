/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-frame.h"

#define MAX_COUNT (((uint64_t)1 << 53) - 1)
#define MAX_PING 64

static void
write_be (uint8_t *bytes, uint64_t value, size_t width)
{
  for (size_t i = 0; i < width; i++)
    bytes[i] = (uint8_t)(value >> (8 * (width - 1 - i)));
}

static uint64_t
read_be (const uint8_t *bytes, size_t width)
{
  uint64_t value = 0;

  for (size_t i = 0; i < width; i++)
    value = value << 8 | bytes[i];
  return value;
}

bool
asb_frame_type_is_numbered (uint8_t type)
{
  return type >= ASB_FRAME_CALL && type <= ASB_FRAME_STOP;
}

void
asb_frame_header_write (const AsbFrameHeader *header, uint8_t bytes[ASB_FRAME_HEADER_SIZE])
{
  write_be (bytes, header->length, 4);
  bytes[4] = header->type;
  bytes[5] = header->flags;
  write_be (bytes + 6, header->channel, 2);
  write_be (bytes + 8, header->call, 4);
  write_be (bytes + 12, header->sequence, 8);
}

static void
header_read (const uint8_t bytes[ASB_FRAME_HEADER_SIZE], AsbFrameHeader *header)
{
  header->length = (uint32_t)read_be (bytes, 4);
  header->type = bytes[4];
  header->flags = bytes[5];
  header->channel = (uint16_t)read_be (bytes + 6, 2);
  header->call = (uint32_t)read_be (bytes + 8, 4);
  header->sequence = read_be (bytes + 12, 8);
}

static const char *
check_length (const AsbFrameHeader *header)
{
  switch (header->type)
    {
    case ASB_FRAME_CALL:
    case ASB_FRAME_REPLY:
    case ASB_FRAME_EVENT:
    case ASB_FRAME_HELLO:
    case ASB_FRAME_GOODBYE:
      return header->length <= ASB_FRAME_MAX_CONTROL ? NULL : "control frame is too long";
    case ASB_FRAME_DATA:
      return header->length <= ASB_FRAME_MAX_DATA ? NULL : "data frame is too long";
    case ASB_FRAME_CANCEL:
    case ASB_FRAME_STOP:
      return header->length == 0 ? NULL : "frame must be empty";
    case ASB_FRAME_ACK:
    case ASB_FRAME_CREDIT:
      return header->length == 8 ? NULL : "count must have 8 bytes";
    case ASB_FRAME_PING:
    case ASB_FRAME_PONG:
      return header->length <= MAX_PING ? NULL : "ping is too long";
    default:
      return "frame of unknown type";
    }
}

static bool
type_has_channel (uint8_t type)
{
  return type == ASB_FRAME_DATA || type == ASB_FRAME_STOP || type == ASB_FRAME_CREDIT;
}

static const char *
check_fields (const AsbFrameHeader *header)
{
  bool numbered = asb_frame_type_is_numbered (header->type);
  bool has_call = numbered || header->type == ASB_FRAME_CREDIT;

  if (header->flags & ~ASB_FRAME_FLAG_FIN || (header->flags && header->type != ASB_FRAME_DATA))
    return "frame has unknown flags";
  if (type_has_channel (header->type) ? header->channel >= ASB_N_CHANNELS : header->channel != 0)
    return "frame names an unknown channel";
  if (has_call ? header->call == 0 : header->call != 0)
    return "frame has the wrong call number";
  if (numbered ? header->sequence == 0 || header->sequence > MAX_COUNT : header->sequence != 0)
    return "frame has a wrong sequence number";
  return NULL;
}

AsbFrameStatus
asb_frame_parse (const uint8_t *bytes, size_t size, AsbFrameHeader *header, const char **reason)
{
  const char *fault;

  if (size < ASB_FRAME_HEADER_SIZE)
    return ASB_FRAME_NEED_MORE;

  header_read (bytes, header);
  fault = check_length (header);
  if (!fault)
    fault = check_fields (header);
  if (fault)
    {
      *reason = fault;
      return ASB_FRAME_INVALID;
    }
  return size - ASB_FRAME_HEADER_SIZE < header->length ? ASB_FRAME_NEED_MORE : ASB_FRAME_OK;
}

void
asb_frame_count_write (uint64_t count, uint8_t bytes[8])
{
  write_be (bytes, count, 8);
}

uint64_t
asb_frame_count_read (const uint8_t bytes[8])
{
  return read_be (bytes, 8);
}
