/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SHA-256 (FIPS 180-4). */

#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_HEX_SIZE 65

typedef struct
{
  uint32_t state[8];
  uint64_t size;
  uint8_t block[64];
} Sha256;

void sha256_begin (Sha256 *self);
void sha256_add (Sha256 *self, const void *bytes, size_t size);

/* As 64 lower-case hexadecimal digits. */
void sha256_end (Sha256 *self, char hex[SHA256_HEX_SIZE]);
