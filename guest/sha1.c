/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sha1.h"

#include <string.h>

#define BLOCK_SIZE 64
#define LENGTH_SIZE 8

static uint32_t
rotate (uint32_t x, int n)
{
  return x << n | x >> (32 - n);
}

static void
expand (const uint8_t *block, uint32_t w[80])
{
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16
           | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  for (int i = 16; i < 80; i++)
    w[i] = rotate (w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
}

/* The function and the constant of step @i (FIPS 180-4 §4.1.1 and §4.2.1). */
static uint32_t
mix (int i, uint32_t b, uint32_t c, uint32_t d)
{
  if (i < 20)
    return ((b & c) | (~b & d)) + 0x5a827999;
  if (i < 40)
    return (b ^ c ^ d) + 0x6ed9eba1;
  if (i < 60)
    return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

static void
compress (uint32_t state[5], const uint8_t *block)
{
  uint32_t w[80];
  uint32_t v[5];

  expand (block, w);
  memcpy (v, state, sizeof v);
  for (int i = 0; i < 80; i++)
    {
      uint32_t next = rotate (v[0], 5) + mix (i, v[1], v[2], v[3]) + v[4] + w[i];

      memmove (v + 1, v, 4 * sizeof *v);
      v[2] = rotate (v[2], 30);
      v[0] = next;
    }
  for (int i = 0; i < 5; i++)
    state[i] += v[i];
}

void
sha1 (const void *bytes, size_t size, uint8_t digest[SHA1_SIZE])
{
  uint32_t state[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
  uint8_t blocks[2 * BLOCK_SIZE] = { 0 };
  size_t end = size + 1 + LENGTH_SIZE <= BLOCK_SIZE ? BLOCK_SIZE : 2 * BLOCK_SIZE;

  memcpy (blocks, bytes, size);
  blocks[size] = 0x80;
  blocks[end - 2] = (uint8_t)(8 * size >> 8);
  blocks[end - 1] = (uint8_t)(8 * size);
  for (size_t i = 0; i < end; i += BLOCK_SIZE)
    compress (state, blocks + i);
  for (int i = 0; i < SHA1_SIZE; i++)
    digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}
