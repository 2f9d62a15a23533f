/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char REPLACEMENT[] = "\xEF\xBF\xBD";
#define REPLACEMENT_SIZE 3

typedef struct
{
  size_t length;
  bool valid;
} Sequence;

static size_t
expected_length (unsigned char first)
{
  if (first >= 0x01 && first < 0x80)
    return 1;
  if (first >= 0xC2 && first <= 0xDF)
    return 2;
  if (first >= 0xE0 && first <= 0xEF)
    return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

/* The second byte has narrower bounds after four of the first bytes: no longer forms, no
 * surrogates, no code points beyond the last. */
static bool
continues (unsigned char first, size_t position, unsigned char byte)
{
  unsigned char low = 0x80;
  unsigned char high = 0xBF;

  if (position == 1 && first == 0xE0)
    low = 0xA0;
  else if (position == 1 && first == 0xED)
    high = 0x9F;
  else if (position == 1 && first == 0xF0)
    low = 0x90;
  else if (position == 1 && first == 0xF4)
    high = 0x8F;
  return byte >= low && byte <= high;
}

/* The sequence at @bytes, or the bytes that make one replacement character together. */
static Sequence
next_sequence (const unsigned char *bytes, size_t size)
{
  size_t wanted = expected_length (bytes[0]);
  size_t length = 1;

  while (length < wanted && length < size && continues (bytes[0], length, bytes[length]))
    length++;
  return (Sequence){ length, wanted == length };
}

char *
history_text_replace (const void *bytes, size_t size, size_t *length)
{
  const unsigned char *at = bytes;
  char *text = malloc (size * REPLACEMENT_SIZE + 1);
  size_t used = 0;

  if (!text)
    abort ();
  while (size > 0)
    {
      Sequence sequence = next_sequence (at, size);
      size_t n = sequence.valid ? sequence.length : REPLACEMENT_SIZE;

      memcpy (text + used, sequence.valid ? (const char *)at : REPLACEMENT, n);
      used += n;
      at += sequence.length;
      size -= sequence.length;
    }
  text[used] = '\0';
  if (length)
    *length = used;
  return text;
}

size_t
history_text_length (const char *text, size_t size)
{
  size_t characters = 0;

  for (size_t i = 0; i < size; i++)
    characters += ((unsigned char)text[i] & 0xC0) != 0x80;
  return characters;
}
