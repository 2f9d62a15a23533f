/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-memory.h"

#include <stdlib.h>
#include <string.h>

/* An empty buffer gives back what a burst made it take. */
#define KEPT_WHEN_EMPTY (64 * 1024)

void *
history_allocate (size_t count, size_t size)
{
  void *memory = calloc (count ? count : 1, size ? size : 1);

  if (!memory)
    abort ();
  return memory;
}

char *
history_copy (const char *text)
{
  size_t size = strlen (text) + 1;

  return memcpy (history_allocate (size, 1), text, size);
}

size_t
history_buffer_size (const HistoryBuffer *buffer)
{
  return buffer->end - buffer->start;
}

char *
history_buffer_bytes (const HistoryBuffer *buffer)
{
  return buffer->data + buffer->start;
}

static void
make_room (HistoryBuffer *buffer, size_t size)
{
  size_t used = history_buffer_size (buffer);
  size_t wanted = used + size > 2 * buffer->allocated ? used + size : 2 * buffer->allocated;

  if (buffer->start > 0)
    memmove (buffer->data, buffer->data + buffer->start, used);
  buffer->start = 0;
  buffer->end = used;
  if (used + size <= buffer->allocated)
    return;
  buffer->data = realloc (buffer->data, wanted);
  if (!buffer->data)
    abort ();
  buffer->allocated = wanted;
}

char *
history_buffer_reserve (HistoryBuffer *buffer, size_t size)
{
  if (buffer->allocated - buffer->end < size)
    make_room (buffer, size);
  return buffer->data + buffer->end;
}

void
history_buffer_extend (HistoryBuffer *buffer, size_t size)
{
  buffer->end += size;
}

void
history_buffer_append (HistoryBuffer *buffer, const void *bytes, size_t size)
{
  if (size == 0)
    return;
  memcpy (history_buffer_reserve (buffer, size), bytes, size);
  history_buffer_extend (buffer, size);
}

void
history_buffer_append_text (HistoryBuffer *buffer, const char *text)
{
  history_buffer_append (buffer, text, strlen (text));
}

void
history_buffer_consume (HistoryBuffer *buffer, size_t size)
{
  buffer->start += size;
  if (buffer->start < buffer->end)
    return;
  buffer->start = 0;
  buffer->end = 0;
  if (buffer->allocated > KEPT_WHEN_EMPTY)
    history_buffer_clear (buffer);
}

void
history_buffer_clear (HistoryBuffer *buffer)
{
  free (buffer->data);
  *buffer = (HistoryBuffer){ 0 };
}
