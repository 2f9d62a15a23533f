/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-output-collector-private.h"

#include <string.h>

#define BUFFER_SIZE (64 * 1024)

typedef struct
{
  guint64 head_size; /* bytes the head may have */
  guint64 tail_size; /* bytes the tail may have */
  GByteArray *head;
  GByteArray *tail; /* a ring once it is full */
  gsize tail_start;
  guint64 total;
  guint8 buffer[BUFFER_SIZE];
} AsbCollector;

void
asb_collected_output_free (AsbCollectedOutput *output)
{
  g_clear_pointer (&output->bytes, g_bytes_unref);
  g_free (output);
}

static void
collector_free (gpointer data)
{
  AsbCollector *collector = data;

  g_clear_pointer (&collector->head, g_byte_array_unref);
  g_clear_pointer (&collector->tail, g_byte_array_unref);
  g_free (collector);
}

/* Overwrites the oldest bytes of a full ring. */
static void
ring_put (AsbCollector *collector, const guint8 *data, gsize size)
{
  gsize capacity = collector->tail->len;

  if (size > capacity)
    {
      data += size - capacity;
      size = capacity;
    }
  while (size > 0)
    {
      gsize part = MIN (size, capacity - collector->tail_start);

      memcpy (collector->tail->data + collector->tail_start, data, part);
      collector->tail_start = (collector->tail_start + part) % capacity;
      data += part;
      size -= part;
    }
}

static void
collector_add (AsbCollector *collector, const guint8 *data, gsize size)
{
  gsize to_head = MIN (size, collector->head_size - collector->head->len);
  gsize to_tail;

  collector->total += size;
  g_byte_array_append (collector->head, data, (guint)to_head);
  data += to_head;
  size -= to_head;

  to_tail = MIN (size, collector->tail_size - collector->tail->len);
  g_byte_array_append (collector->tail, data, (guint)to_tail);
  data += to_tail;
  size -= to_tail;

  if (size > 0 && collector->tail_size > 0)
    ring_put (collector, data, size);
}

static AsbCollectedOutput *
collector_finish (AsbCollector *collector)
{
  AsbCollectedOutput *output = g_new0 (AsbCollectedOutput, 1);
  GByteArray *joined = g_steal_pointer (&collector->head);

  g_byte_array_append (joined, collector->tail->data + collector->tail_start,
                       collector->tail->len - (guint)collector->tail_start);
  g_byte_array_append (joined, collector->tail->data, (guint)collector->tail_start);
  output->total = collector->total;
  output->truncated = collector->total > joined->len;
  output->bytes = g_byte_array_free_to_bytes (joined);
  return output;
}

static void read_next (GTask *task);

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  AsbCollector *collector = g_task_get_task_data (task);
  GError *error = NULL;
  gssize size = g_input_stream_read_finish (G_INPUT_STREAM (source), result, &error);

  if (size < 0)
    g_task_return_error (task, error);
  else if (size == 0)
    g_task_return_pointer (task, collector_finish (collector),
                           (GDestroyNotify)asb_collected_output_free);
  else
    {
      collector_add (collector, collector->buffer, (gsize)size);
      read_next (g_steal_pointer (&task));
    }
}

/* Takes @task. */
static void
read_next (GTask *task)
{
  AsbCollector *collector = g_task_get_task_data (task);

  g_input_stream_read_async (g_task_get_source_object (task), collector->buffer, BUFFER_SIZE,
                             g_task_get_priority (task), g_task_get_cancellable (task), read_cb,
                             task);
}

void
asb_output_collect_async (GInputStream *stream, guint64 max_size, guint64 tail_size,
                          GCancellable *cancellable, GAsyncReadyCallback callback,
                          gpointer user_data)
{
  GTask *task = g_task_new (stream, cancellable, callback, user_data);
  AsbCollector *collector = g_new0 (AsbCollector, 1);

  /* What a GByteArray can hold. */
  max_size = MIN (max_size, G_MAXUINT - BUFFER_SIZE);
  collector->tail_size = MIN (tail_size, max_size);
  collector->head_size = max_size - collector->tail_size;
  collector->head = g_byte_array_new ();
  collector->tail = g_byte_array_new ();
  g_task_set_source_tag (task, asb_output_collect_async);
  g_task_set_task_data (task, collector, collector_free);
  read_next (task);
}

AsbCollectedOutput *
asb_output_collect_finish (GInputStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
