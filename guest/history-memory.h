/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that is there or the process ends: a historian that cannot get a few bytes has nothing to
 * tell. */

#pragma once

#include <stddef.h>

/* Zeroed memory for @count things of @size bytes. To be freed with free (). */
void *history_allocate (size_t count, size_t size);

char *history_copy (const char *text);

/* Bytes that are appended at the end and consumed at the front. */
typedef struct
{
  char *data;
  size_t start;
  size_t end;
  size_t allocated;
} HistoryBuffer;

size_t history_buffer_size (const HistoryBuffer *buffer);
char *history_buffer_bytes (const HistoryBuffer *buffer);

/* Room for @size bytes behind the end; what was written there counts after history_buffer_extend
 * (). */
char *history_buffer_reserve (HistoryBuffer *buffer, size_t size);
void history_buffer_extend (HistoryBuffer *buffer, size_t size);

void history_buffer_append (HistoryBuffer *buffer, const void *bytes, size_t size);
void history_buffer_append_text (HistoryBuffer *buffer, const char *text);
void history_buffer_consume (HistoryBuffer *buffer, size_t size);
void history_buffer_clear (HistoryBuffer *buffer);
