/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "websocket-frame.h"

#include <string.h>

#define FIN 0x80
#define RESERVED 0x70
#define OPCODE 0x0f
#define MASKED 0x80
#define LENGTH 0x7f
#define LENGTH_16 126
#define LENGTH_64 127
#define MASK_SIZE 4

static bool
is_control (uint8_t opcode)
{
  return opcode & 8;
}

static WebsocketEvent
refuse (WebsocketDecoder *self, uint16_t code)
{
  self->close_code = code;
  return WEBSOCKET_INVALID;
}

/* How long the header is, as far as that can be seen. */
static size_t
header_length (const WebsocketDecoder *self)
{
  size_t length = 2 + MASK_SIZE;

  if (self->header_size < 2)
    return 2;
  if ((self->header[1] & LENGTH) == LENGTH_16)
    length += 2;
  if ((self->header[1] & LENGTH) == LENGTH_64)
    length += 8;
  return length;
}

/* What can be said of a frame by its first two bytes. */
static WebsocketEvent
check_beginning (WebsocketDecoder *self)
{
  uint8_t opcode = self->header[0] & OPCODE;
  bool is_final = self->header[0] & FIN;

  /* A mask that is missing, and extensions nobody agreed to. */
  if (!(self->header[1] & MASKED) || self->header[0] & RESERVED)
    return refuse (self, WEBSOCKET_CLOSE_PROTOCOL_ERROR);
  if (opcode == WEBSOCKET_TEXT)
    return refuse (self, WEBSOCKET_CLOSE_UNSUPPORTED);
  if (is_control (opcode))
    {
      if (opcode > WEBSOCKET_PONG || !is_final
          || (self->header[1] & LENGTH) > WEBSOCKET_MAX_CONTROL)
        return refuse (self, WEBSOCKET_CLOSE_PROTOCOL_ERROR);
    }
  else if (opcode != (self->in_message ? WEBSOCKET_CONTINUATION : WEBSOCKET_BINARY))
    return refuse (self, WEBSOCKET_CLOSE_PROTOCOL_ERROR);
  return WEBSOCKET_MORE;
}

/* The header is whole. */
static WebsocketEvent
begin_payload (WebsocketDecoder *self)
{
  size_t size = self->header_size - 2 - MASK_SIZE;

  self->opcode = self->header[0] & OPCODE;
  self->left = size == 0 ? self->header[1] & LENGTH : 0;
  for (size_t i = 0; i < size; i++)
    self->left = self->left << 8 | self->header[2 + i];
  /* A length is written in as few bytes as it needs. */
  if ((size == 2 && self->left < LENGTH_16) || (size == 8 && self->left <= UINT16_MAX))
    return refuse (self, WEBSOCKET_CLOSE_PROTOCOL_ERROR);
  if (self->left > WEBSOCKET_MAX_FRAME)
    return refuse (self, WEBSOCKET_CLOSE_TOO_BIG);
  if (!is_control (self->opcode))
    self->in_message = !(self->header[0] & FIN);
  self->in_payload = true;
  self->control_size = 0;
  self->mask_at = 0;
  return WEBSOCKET_MORE;
}

static WebsocketEvent
take_header (WebsocketDecoder *self, WebsocketInput *input)
{
  WebsocketEvent event = WEBSOCKET_MORE;

  while (input->from < input->end && self->header_size < header_length (self))
    {
      self->header[self->header_size++] = *input->from++;
      if (self->header_size == 2)
        event = check_beginning (self);
      if (event != WEBSOCKET_MORE)
        return event;
    }
  return self->header_size < header_length (self) ? WEBSOCKET_MORE : begin_payload (self);
}

static void
unmask (const uint8_t mask[MASK_SIZE], unsigned at, uint8_t *bytes, size_t size)
{
  uint8_t turned[MASK_SIZE];
  uint32_t word;
  size_t i = 0;

  for (unsigned j = 0; j < MASK_SIZE; j++)
    turned[j] = mask[(at + j) % MASK_SIZE];
  memcpy (&word, turned, sizeof word);
  for (; i + sizeof word <= size; i += sizeof word)
    {
      uint32_t part;

      memcpy (&part, bytes + i, sizeof part);
      part ^= word;
      memcpy (bytes + i, &part, sizeof part);
    }
  for (; i < size; i++)
    bytes[i] ^= turned[i % MASK_SIZE];
}

static void
take_payload (WebsocketDecoder *self, WebsocketInput *input)
{
  size_t size = (size_t)(input->end - input->from);
  uint8_t *to = is_control (self->opcode) ? self->control + self->control_size : input->to;

  if (size > self->left)
    size = (size_t)self->left;
  memmove (to, input->from, size);
  unmask (self->header + self->header_size - MASK_SIZE, self->mask_at, to, size);
  self->mask_at = (unsigned)((self->mask_at + size) % MASK_SIZE);
  self->left -= size;
  input->from += size;
  if (is_control (self->opcode))
    self->control_size += size;
  else
    input->to += size;
}

/* A code that stands in a Close (RFC 6455 §7.4). */
static bool
is_close_code (unsigned code)
{
  return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006)
         || (code >= 3000 && code <= 4999);
}

uint16_t
websocket_close_code (const WebsocketDecoder *self)
{
  if (self->control_size < 2)
    return WEBSOCKET_CLOSE_NORMAL;
  return (uint16_t)(self->control[0] << 8 | self->control[1]);
}

static WebsocketEvent
end_control (WebsocketDecoder *self)
{
  if (self->opcode == WEBSOCKET_CLOSE
      && (self->control_size == 1 || !is_close_code (websocket_close_code (self))))
    return refuse (self, WEBSOCKET_CLOSE_PROTOCOL_ERROR);
  return WEBSOCKET_CONTROL;
}

WebsocketEvent
websocket_decode (WebsocketDecoder *self, WebsocketInput *input)
{
  while (input->from < input->end)
    {
      WebsocketEvent event = self->in_payload ? WEBSOCKET_MORE : take_header (self, input);

      if (event != WEBSOCKET_MORE)
        return event;
      if (!self->in_payload)
        continue;
      take_payload (self, input);
      if (self->left > 0)
        continue;
      self->in_payload = false;
      self->header_size = 0;
      if (is_control (self->opcode))
        return end_control (self);
    }
  return WEBSOCKET_MORE;
}

size_t
websocket_header_write (WebsocketOpcode opcode, size_t length, uint8_t header[WEBSOCKET_MAX_HEADER])
{
  size_t size = length < LENGTH_16 ? 0 : length <= UINT16_MAX ? 2 : 8;

  header[0] = (uint8_t)(FIN | opcode);
  header[1] = size == 0 ? (uint8_t)length : size == 2 ? LENGTH_16 : LENGTH_64;
  for (size_t i = 0; i < size; i++)
    header[2 + i] = (uint8_t)((uint64_t)length >> (8 * (size - 1 - i)));
  return 2 + size;
}
