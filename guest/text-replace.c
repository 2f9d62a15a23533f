/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "text-replace.h"

#include <stdlib.h>
#include <string.h>

bool
text_has_crlf (Text content)
{
  const char *at = content.bytes;
  const char *end = at + content.size;
  bool found = false;

  for (; at < end && (at = memchr (at, '\n', (size_t)(end - at))); at++)
    {
      if (at == content.bytes || at[-1] != '\r')
        return false;
      found = true;
    }
  return found;
}

char *
text_to_crlf (Text text, size_t *size)
{
  char *copy = malloc (2 * text.size + 1);
  size_t n = 0;

  for (size_t i = 0; copy && i < text.size; i++)
    {
      if (text.bytes[i] == '\n' && (i == 0 || text.bytes[i - 1] != '\r'))
        copy[n++] = '\r';
      copy[n++] = text.bytes[i];
    }
  *size = n;
  return copy;
}

static const char *
find (Text content, const char *from, Text old)
{
  return memmem (from, (size_t)(content.bytes + content.size - from), old.bytes, old.size);
}

int64_t
text_count (Text content, Text old)
{
  const char *at = content.bytes;
  int64_t count = 0;

  while ((at = find (content, at, old)))
    {
      count++;
      at += old.size;
    }
  return count;
}

char *
text_replace (Text content, Text old, Text new_text, int64_t count, size_t *size)
{
  char *result
      = malloc (content.size - (size_t)count * old.size + (size_t)count * new_text.size + 1);
  const char *from = content.bytes;
  char *end = result;

  for (int64_t i = 0; result && i < count; i++)
    {
      const char *at = find (content, from, old);

      end = mempcpy (end, from, (size_t)(at - from));
      end = mempcpy (end, new_text.bytes, new_text.size);
      from = at + old.size;
    }
  if (!result)
    return NULL;
  end = mempcpy (end, from, (size_t)(content.bytes + content.size - from));
  *size = (size_t)(end - result);
  return result;
}
