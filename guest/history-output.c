/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-output.h"

#include "history-rows.h"

#include <stdio.h>
#include <string.h>

/* All that waits in memory because it could not be written. */
#define MAX_ALL_PENDING (32 * 1024 * 1024)

#define RETRY_NANOSECONDS 1000000000
#define MILLISECOND 1000000

/* Other programs that copy the record have room for so many characters. */
#define MAX_CHANGE_ID 255

typedef struct
{
  char id[MAX_CHANGE_ID + 1];
  size_t base;
  size_t length;
} ChangeId;

size_t
history_output_pending (const HistoryOperation *operation)
{
  return history_buffer_size (&operation->outputs[HISTORY_STDOUT].pending)
         + history_buffer_size (&operation->outputs[HISTORY_STDERR].pending);
}

static bool
is_captured (const HistoryConfig *config, int stream)
{
  return stream == HISTORY_STDOUT ? config->capture_stdout : config->capture_stderr;
}

bool
history_output_wants (const HistoryOperation *operation, const HistoryConfig *config, int stream)
{
  return is_captured (config, stream) && !operation->is_muted && !operation->is_capped;
}

/* Whether more waits than may, of this one or of all. */
static bool
is_too_much (const HistoryOperation *operation, const HistoryConfig *config, size_t all_pending)
{
  return (int64_t)history_output_pending (operation) > config->output_queue_max_bytes
         || all_pending > MAX_ALL_PENDING;
}

/* What is too much cannot wait for the next attempt, after which it is written or dropped. */
static void
set_due (HistoryOperation *operation, const HistoryConfig *config, bool was_empty,
         size_t all_pending)
{
  if (operation->is_failing && !is_too_much (operation, config, all_pending))
    return;
  if ((int64_t)history_output_pending (operation) >= config->output_flush_bytes)
    operation->due = 0;
  else if (was_empty && config->output_flush_interval_ms > 0)
    operation->due = history_time_monotonic () + config->output_flush_interval_ms * MILLISECOND;
}

static size_t
limit_to_cap (HistoryOperation *operation, const HistoryConfig *config, size_t size)
{
  int64_t room = config->max_operation_output_bytes - operation->accepted;

  if ((int64_t)size <= room)
    return size;
  operation->is_capped = true;
  return room > 0 ? (size_t)room : 0;
}

void
history_output_add (HistoryOperation *operation, const HistoryConfig *config, int stream,
                    const void *bytes, size_t size, size_t *all_pending)
{
  HistoryOutput *output = &operation->outputs[stream];
  bool was_empty = history_output_pending (operation) == 0;

  output->total += (int64_t)size;
  if (!history_output_wants (operation, config, stream))
    return;
  size = limit_to_cap (operation, config, size);
  if (size == 0)
    return;
  history_buffer_append (&output->pending, bytes, size);
  operation->accepted += (int64_t)size;
  *all_pending += size;
  set_due (operation, config, was_empty, *all_pending);
}

static void
change_id_reset (ChangeId *change, const char *event_id)
{
  int n = snprintf (change->id, sizeof change->id, "%s:output:", event_id);

  change->base = n < (int)sizeof change->id ? (size_t)n : sizeof change->id - 1;
  change->length = change->base;
}

static bool
change_id_write (ChangeId *change, HistoryDatabase *database, const char *event_id,
                 HistoryError *error)
{
  char now[HISTORY_TIME_SIZE];

  if (change->length == change->base)
    return true;
  history_time_now (now);
  if (!history_insert_change (database, change->id, event_id, "output_appended", now, error))
    return false;
  change_id_reset (change, event_id);
  return true;
}

/* Names one more chunk, in a row of its own where the one that was begun is full. */
static bool
change_id_add (ChangeId *change, HistoryDatabase *database, const char *event_id, int stream,
               int64_t index, HistoryError *error)
{
  char name[48];
  size_t length;

  snprintf (name, sizeof name, ",%s:%lld", HISTORY_STREAM_NAMES[stream], (long long)index);
  if (change->length + strlen (name) > MAX_CHANGE_ID
      && !change_id_write (change, database, event_id, error))
    return false;
  length = sizeof change->id - change->length;
  change->length += (size_t)snprintf (change->id + change->length, length, "%s",
                                      change->length == change->base ? name + 1 : name);
  return true;
}

static bool
write_chunk (HistoryDatabase *database, const char *event_id, int stream, int64_t index,
             const char *bytes, size_t size, HistoryError *error)
{
  char now[HISTORY_TIME_SIZE];

  history_time_now (now);
  return history_database_run (database, error,
                               "INSERT INTO command_output_chunks(event_id, stream, chunk_index,"
                               " data, original_size, created_at) VALUES (?, ?, ?, ?, ?, ?)",
                               "ttibit", event_id, HISTORY_STREAM_NAMES[stream], index, bytes, size,
                               (int64_t)size, now);
}

static bool
write_stream (HistoryOperation *operation, HistoryStore *store, int stream, ChangeId *change,
              HistoryOutputStep *step, HistoryError *error)
{
  HistoryOutput *output = &operation->outputs[stream];
  size_t size = history_buffer_size (&output->pending);

  while (step->taken[stream] < size)
    {
      size_t left = size - step->taken[stream];
      size_t length = left < (size_t)store->config.output_chunk_bytes
                          ? left
                          : (size_t)store->config.output_chunk_bytes;
      int64_t index = output->n_chunks + step->n_chunks[stream];
      const char *bytes = history_buffer_bytes (&output->pending) + step->taken[stream];

      if (!write_chunk (&store->database, operation->event_id, stream, index, bytes, length, error)
          || !change_id_add (change, &store->database, operation->event_id, stream, index, error))
        return false;
      step->taken[stream] += length;
      step->n_chunks[stream]++;
    }
  return true;
}

bool
history_output_write (HistoryOperation *operation, HistoryStore *store, HistoryOutputStep *step,
                      HistoryError *error)
{
  ChangeId change;

  if (history_output_pending (operation) == 0)
    return true;
  change_id_reset (&change, operation->event_id);
  return write_stream (operation, store, HISTORY_STDOUT, &change, step, error)
         && write_stream (operation, store, HISTORY_STDERR, &change, step, error)
         && change_id_write (&change, &store->database, operation->event_id, error);
}

void
history_output_settle (HistoryOperation *operation, const HistoryOutputStep *step,
                       size_t *all_pending)
{
  for (int i = 0; i < HISTORY_N_STREAMS; i++)
    {
      HistoryOutput *output = &operation->outputs[i];

      history_buffer_consume (&output->pending, step->taken[i]);
      output->kept += (int64_t)step->taken[i];
      output->n_chunks += step->n_chunks[i];
      *all_pending -= step->taken[i];
    }
  if (step->loss[0])
    history_output_drop (operation, step->loss, all_pending);
  operation->is_failing = false;
  operation->due = HISTORY_NEVER;
}

void
history_output_drop (HistoryOperation *operation, const char *reason, size_t *all_pending)
{
  for (int i = 0; i < HISTORY_N_STREAMS; i++)
    {
      HistoryBuffer *pending = &operation->outputs[i].pending;

      *all_pending -= history_buffer_size (pending);
      history_buffer_clear (pending);
    }
  operation->is_muted = true;
  history_operation_lose (operation, reason);
}

void
history_output_refuse (HistoryOperation *operation, const char *reason, size_t *all_pending)
{
  if (reason)
    history_output_drop (operation, reason, all_pending);
  else
    operation->is_capped = true;
}

void
history_output_keep (HistoryOperation *operation, const HistoryConfig *config,
                     const HistoryError *error, size_t *all_pending)
{
  if (is_too_much (operation, config, *all_pending))
    history_output_drop (operation, error->message, all_pending);
  operation->is_failing = true;
  operation->due = history_output_pending (operation) > 0 || operation->end
                       ? history_time_monotonic () + RETRY_NANOSECONDS
                       : HISTORY_NEVER;
}
