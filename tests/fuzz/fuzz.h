/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What fuzz targets have in common. A target is one function that is given bytes nobody has checked
 * and ends the process where the code does not keep its promises. libFuzzer calls it, or replay.c.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                                      \
  do                                                                                               \
    {                                                                                              \
      if (!(condition))                                                                            \
        fuzz_fail (__FILE__, __LINE__, #condition);                                                \
    }                                                                                              \
  while (0)

static inline _Noreturn void
fuzz_fail (const char *file, int line, const char *condition)
{
  fprintf (stderr, "%s:%d: not so: %s\n", file, line, condition);
  abort ();
}

/* Takes the input apart from the front; what is missing at its end is zero. */
typedef struct
{
  const uint8_t *at;
  const uint8_t *end;
} FuzzInput;

static inline size_t
fuzz_left (const FuzzInput *input)
{
  return (size_t)(input->end - input->at);
}

static inline uint8_t
fuzz_take_byte (FuzzInput *input)
{
  return input->at < input->end ? *input->at++ : 0;
}

static inline uint16_t
fuzz_take_short (FuzzInput *input)
{
  uint16_t high = fuzz_take_byte (input);

  return (uint16_t)(high << 8 | fuzz_take_byte (input));
}

/* A short that says how long it is, and so many bytes or as many as there are. */
static inline const uint8_t *
fuzz_take_bytes (FuzzInput *input, size_t *size)
{
  const uint8_t *bytes = input->at;

  *size = fuzz_take_short (input);
  bytes = input->at;
  if (*size > fuzz_left (input))
    *size = fuzz_left (input);
  input->at += *size;
  return bytes;
}
