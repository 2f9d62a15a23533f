/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sha256.h"

#include <stdbool.h>
#include <string.h>

/* SHA256_PORTABLE is for the test of the other way. */
#if defined(__x86_64__) && !defined(SHA256_PORTABLE)
#define HAS_NATIVE_CODE 1
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t K[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t
rotate (uint32_t x, int n)
{
  return x >> n | x << (32 - n);
}

static void
expand (const uint8_t *block, uint32_t w[64])
{
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16
           | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  for (int i = 16; i < 64; i++)
    {
      uint32_t s0 = rotate (w[i - 15], 7) ^ rotate (w[i - 15], 18) ^ w[i - 15] >> 3;
      uint32_t s1 = rotate (w[i - 2], 17) ^ rotate (w[i - 2], 19) ^ w[i - 2] >> 10;

      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void
compress_portable (uint32_t state[8], const uint8_t *block)
{
  uint32_t w[64];
  uint32_t v[8];

  expand (block, w);
  memcpy (v, state, sizeof v);
  for (int i = 0; i < 64; i++)
    {
      uint32_t s1 = rotate (v[4], 6) ^ rotate (v[4], 11) ^ rotate (v[4], 25);
      uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
      uint32_t t1 = v[7] + s1 + choice + K[i] + w[i];
      uint32_t s0 = rotate (v[0], 2) ^ rotate (v[0], 13) ^ rotate (v[0], 22);
      uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

      memmove (v + 1, v, 7 * sizeof *v);
      v[4] += t1;
      v[0] = t1 + s0 + majority;
    }
  for (int i = 0; i < 8; i++)
    state[i] += v[i];
}

static void
compress_all_portable (uint32_t state[8], const uint8_t *blocks, size_t n)
{
  for (; n > 0; n--, blocks += 64)
    compress_portable (state, blocks);
}

#ifdef HAS_NATIVE_CODE

#define SHA_TARGET __attribute__ ((target ("sha,sse4.1,ssse3")))

/* The processor's own rounds: five times as fast, which is what bounds the reading of large files.
 */
SHA_TARGET static __m128i
next_words (const __m128i w[4])
{
  __m128i sum = _mm_add_epi32 (_mm_sha256msg1_epu32 (w[0], w[1]), _mm_alignr_epi8 (w[3], w[2], 4));

  return _mm_sha256msg2_epu32 (sum, w[3]);
}

SHA_TARGET static void
four_rounds (__m128i *abef, __m128i *cdgh, __m128i words, int first)
{
  __m128i sum = _mm_add_epi32 (words, _mm_loadu_si128 ((const __m128i *)(const void *)(K + first)));

  *cdgh = _mm_sha256rnds2_epu32 (*cdgh, *abef, sum);
  *abef = _mm_sha256rnds2_epu32 (*abef, *cdgh, _mm_shuffle_epi32 (sum, 0x0E));
}

SHA_TARGET static void
compress_native (__m128i *abef, __m128i *cdgh, const uint8_t *block)
{
  const __m128i swap = _mm_set_epi64x (0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i before[2] = { *abef, *cdgh };
  __m128i w[4];

  for (int i = 0; i < 4; i++)
    {
      w[i] = _mm_shuffle_epi8 (_mm_loadu_si128 ((const __m128i *)(const void *)(block + 16 * i)),
                               swap);
      four_rounds (abef, cdgh, w[i], 4 * i);
    }
  for (int i = 16; i < 64; i += 4)
    {
      __m128i next = next_words (w);

      w[0] = w[1];
      w[1] = w[2];
      w[2] = w[3];
      w[3] = next;
      four_rounds (abef, cdgh, next, i);
    }
  *abef = _mm_add_epi32 (*abef, before[0]);
  *cdgh = _mm_add_epi32 (*cdgh, before[1]);
}

SHA_TARGET static void
compress_all_native (uint32_t state[8], const uint8_t *blocks, size_t n)
{
  /* The instructions want the words as (a b e f) and (c d g h), high ones first. */
  __m128i abef = _mm_set_epi32 ((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
  __m128i cdgh = _mm_set_epi32 ((int)state[2], (int)state[3], (int)state[6], (int)state[7]);

  for (; n > 0; n--, blocks += 64)
    compress_native (&abef, &cdgh, blocks);
  state[0] = (uint32_t)_mm_extract_epi32 (abef, 3);
  state[1] = (uint32_t)_mm_extract_epi32 (abef, 2);
  state[4] = (uint32_t)_mm_extract_epi32 (abef, 1);
  state[5] = (uint32_t)_mm_extract_epi32 (abef, 0);
  state[2] = (uint32_t)_mm_extract_epi32 (cdgh, 3);
  state[3] = (uint32_t)_mm_extract_epi32 (cdgh, 2);
  state[6] = (uint32_t)_mm_extract_epi32 (cdgh, 1);
  state[7] = (uint32_t)_mm_extract_epi32 (cdgh, 0);
}

static bool
has_native (void)
{
  unsigned a;
  unsigned b;
  unsigned c;
  unsigned d;

  return __builtin_cpu_supports ("sse4.1") && __get_cpuid_count (7, 0, &a, &b, &c, &d)
         && b & 1u << 29;
}

static void
compress_all (uint32_t state[8], const uint8_t *blocks, size_t n)
{
  static int native = -1;

  if (native < 0)
    native = has_native ();
  if (native)
    compress_all_native (state, blocks, n);
  else
    compress_all_portable (state, blocks, n);
}

#else

static void
compress_all (uint32_t state[8], const uint8_t *blocks, size_t n)
{
  compress_all_portable (state, blocks, n);
}

#endif

void
sha256_begin (Sha256 *self)
{
  static const uint32_t START[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

  memcpy (self->state, START, sizeof START);
  self->size = 0;
}

void
sha256_add (Sha256 *self, const void *bytes, size_t size)
{
  const uint8_t *at = bytes;
  size_t used = self->size % 64;
  size_t part = 64 - used < size ? 64 - used : size;

  self->size += size;
  if (used > 0)
    {
      memcpy (self->block + used, at, part);
      if (used + part < 64)
        return;
      compress_all (self->state, self->block, 1);
      at += part;
      size -= part;
    }
  compress_all (self->state, at, size / 64);
  if (size % 64 > 0)
    memcpy (self->block, at + size / 64 * 64, size % 64);
}

void
sha256_end (Sha256 *self, char hex[SHA256_HEX_SIZE])
{
  static const char DIGITS[] = "0123456789abcdef";
  uint8_t padding[72] = { 0x80 };
  uint64_t bits = self->size * 8;
  size_t length = (self->size % 64 < 56 ? 56 : 120) - self->size % 64;

  for (int i = 0; i < 8; i++)
    padding[length + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
  sha256_add (self, padding, length + 8);
  for (int i = 0; i < 32; i++)
    {
      uint8_t byte = (uint8_t)(self->state[i / 4] >> (24 - 8 * (i % 4)));

      hex[2 * i] = DIGITS[byte >> 4];
      hex[2 * i + 1] = DIGITS[byte & 15];
    }
  hex[64] = '\0';
}
