/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-memory-operation.h"

#include <string.h>

static const char *const change_types[] = {
  [ASB_MEMORY_RECORD_STARTED] = "created",
  [ASB_MEMORY_RECORD_OUTPUT] = "output_appended",
  [ASB_MEMORY_RECORD_COMPLETED] = "completed",
  [ASB_MEMORY_RECORD_STORAGE_STATE] = "storage_state_changed",
};

static void
change_free (gpointer data)
{
  AsbMemoryChange *change = data;

  g_clear_pointer (&change->change_id, g_free);
  g_clear_pointer (&change->changed_at, g_free);
  g_free (change);
}

AsbMemoryOperation *
asb_memory_operation_new (const AsbMemoryRecord *record, gint64 seq)
{
  AsbMemoryOperation *self = g_new0 (AsbMemoryOperation, 1);

  self->seq = seq;
  self->event_id = g_strdup (record->event_id);
  self->operation_type = g_strdup (record->text);
  self->status = g_strdup ("started");
  self->occurred_at = g_strdup (record->time);
  self->duration_ms = -1;
  self->started = g_variant_ref (record->event);
  self->changes = g_ptr_array_new_with_free_func (change_free);
  for (gsize i = 0; i < G_N_ELEMENTS (self->chunks); i++)
    self->chunks[i] = g_ptr_array_new_with_free_func ((GDestroyNotify)asb_memory_chunk_free);
  self->size = sizeof *self + g_variant_get_size (self->started);
  return self;
}

void
asb_memory_operation_free (AsbMemoryOperation *self)
{
  g_clear_pointer (&self->event_id, g_free);
  g_clear_pointer (&self->operation_type, g_free);
  g_clear_pointer (&self->status, g_free);
  g_clear_pointer (&self->occurred_at, g_free);
  g_clear_pointer (&self->completed_at, g_free);
  g_clear_pointer (&self->started, g_variant_unref);
  g_clear_pointer (&self->completed, g_variant_unref);
  g_clear_pointer (&self->storage_state, g_free);
  g_clear_pointer (&self->changes, g_ptr_array_unref);
  for (gsize i = 0; i < G_N_ELEMENTS (self->chunks); i++)
    g_clear_pointer (&self->chunks[i], g_ptr_array_unref);
  g_free (self);
}

gboolean
asb_memory_operation_is_finished (const AsbMemoryOperation *self)
{
  return self->completed != NULL;
}

/* Where it is, or is to be, in their order. */
static guint
find_place (GPtrArray *chunks, gint64 index)
{
  guint first = 0;
  guint end = chunks->len;

  while (first < end)
    {
      guint middle = first + (end - first) / 2;

      if (((AsbMemoryChunk *)chunks->pdata[middle])->index < index)
        first = middle + 1;
      else
        end = middle;
    }
  return first;
}

/* A chunk that is there already is as good as stored. */
static void
add_chunk (AsbMemoryOperation *self, const AsbMemoryChunk *chunk, guint64 max_output)
{
  GPtrArray *chunks = self->chunks[chunk->stream];
  gsize size = g_bytes_get_size (chunk->bytes);
  /* What is kept has no hole. */
  guint64 left = self->output_truncated ? 0 : max_output - self->output_size;
  gsize room = (gsize)MIN (size, left);
  guint place = find_place (chunks, chunk->index);
  AsbMemoryChunk *copy;

  if (place < chunks->len && ((AsbMemoryChunk *)chunks->pdata[place])->index == chunk->index)
    return;
  if (room < size)
    self->output_truncated = TRUE;
  if (room == 0)
    return;
  copy = g_memdup2 (chunk, sizeof *chunk);
  copy->bytes = room < size ? g_bytes_new (g_bytes_get_data (chunk->bytes, NULL), room)
                            : g_bytes_ref (chunk->bytes);
  g_ptr_array_insert (chunks, (gint)place, copy);
  self->output_size += room;
}

gsize
asb_memory_operation_add_output (AsbMemoryOperation *self, const AsbMemoryRecord *record,
                                 const gboolean captured[2], guint64 max_output)
{
  guint64 before = self->output_size;

  for (guint i = 0; i < record->chunks->len; i++)
    {
      const AsbMemoryChunk *chunk = record->chunks->pdata[i];

      if (captured[chunk->stream])
        add_chunk (self, chunk, MAX (max_output, self->output_size));
    }
  self->size += (gsize)(self->output_size - before);
  return (gsize)(self->output_size - before);
}

gsize
asb_memory_operation_complete (AsbMemoryOperation *self, const AsbMemoryRecord *record)
{
  gsize size = g_variant_get_size (record->event);

  if (self->completed)
    self->size -= g_variant_get_size (self->completed);
  g_clear_pointer (&self->completed, g_variant_unref);
  self->completed = g_variant_ref (record->event);
  g_free (self->status);
  self->status = g_strdup (record->text);
  g_free (self->completed_at);
  self->completed_at = g_strdup (record->time);
  g_variant_lookup (record->event, "duration_ms", "x", &self->duration_ms);
  self->size += size;
  return size;
}

gsize
asb_memory_operation_add_change (AsbMemoryOperation *self, const AsbMemoryRecord *record,
                                 gint64 seq)
{
  AsbMemoryChange *change = g_new0 (AsbMemoryChange, 1);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  gsize size = sizeof *change + strlen (record->change_id);

  change->seq = seq;
  change->change_id = g_strdup (record->change_id);
  change->type = change_types[record->type];
  change->changed_at
      = record->time ? g_strdup (record->time) : g_date_time_format (now, "%Y-%m-%dT%H:%M:%S.%fZ");
  g_ptr_array_add (self->changes, change);
  self->size += size;
  return size;
}

/* What the schema keeps in columns: the start, then what the end says. */

static void
merge (GVariantDict *dict, GVariant *event, const char *name)
{
  g_autoptr (GVariant) part
      = event ? g_variant_lookup_value (event, name, G_VARIANT_TYPE_VARDICT) : NULL;
  GVariantIter iter;
  const char *key;
  GVariant *value;

  if (!part)
    return;
  g_variant_iter_init (&iter, part);
  while (g_variant_iter_loop (&iter, "{&sv}", &key, &value))
    g_variant_dict_insert_value (dict, key, value);
}

/* Returns: floating, or NULL for an operation without such a part */
static GVariant *
describe_part (const AsbMemoryOperation *self, const char *name)
{
  g_autoptr (GVariant) part = g_variant_lookup_value (self->started, name, G_VARIANT_TYPE_VARDICT);
  GVariantDict dict;

  if (!part)
    return NULL;
  g_variant_dict_init (&dict, NULL);
  merge (&dict, self->started, name);
  merge (&dict, self->completed, name);
  if (g_str_equal (name, "command") && (self->storage_state || self->output_truncated))
    g_variant_dict_insert (&dict, "history_storage_state", "s",
                           self->storage_state ? self->storage_state : "truncated_by_policy");
  return g_variant_dict_end (&dict);
}

static AsbOperationStatus
parse_status (const char *nick)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (ASB_TYPE_OPERATION_STATUS);
  GEnumValue *value = g_enum_get_value_by_nick (enum_class, nick);

  return value ? (AsbOperationStatus)value->value : ASB_OPERATION_STATUS_UNKNOWN;
}

static const char *
look_up_text (GVariant *dict, const char *name)
{
  const char *text = NULL;

  return dict && g_variant_lookup (dict, name, "&s", &text) ? text : NULL;
}

AsbHistoryOperation *
asb_memory_operation_describe (const AsbMemoryOperation *self)
{
  const char *source = look_up_text (self->started, "source");
  g_autoptr (GVariant) actor
      = g_variant_lookup_value (self->started, "actor", G_VARIANT_TYPE_VARDICT);
  g_autoptr (GVariant) request
      = g_variant_lookup_value (self->started, "request", G_VARIANT_TYPE_VARDICT);
  g_autoptr (GVariant) result
      = self->completed ? g_variant_lookup_value (self->completed, "result", G_VARIANT_TYPE_VARDICT)
                        : NULL;
  const char *actor_type = look_up_text (actor, "actor_type");

  return g_object_new (
      ASB_TYPE_HISTORY_OPERATION, "seq", self->seq, "event-id", self->event_id, "operation-type",
      self->operation_type, "status", parse_status (self->status), "source",
      source ? source : "sdk", "actor-type", actor_type ? actor_type : "system", "actor-id",
      look_up_text (actor, "actor_id"), "thread-id", look_up_text (actor, "thread_id"), "run-id",
      look_up_text (actor, "run_id"), "correlation-id", look_up_text (actor, "correlation_id"),
      "occurred-at", self->occurred_at, "completed-at", self->completed_at, "duration-ms",
      self->duration_ms, "request", request, "result", result, "command",
      describe_part (self, "command"), "file-operation", describe_part (self, "file_operation"),
      NULL);
}

AsbHistoryChange *
asb_memory_operation_describe_change (const AsbMemoryOperation *self, const AsbMemoryChange *change)
{
  return g_object_new (ASB_TYPE_HISTORY_CHANGE, "seq", change->seq, "change-id", change->change_id,
                       "event-id", self->event_id, "change-type", change->type, "changed-at",
                       change->changed_at, "operation-type", self->operation_type, "status",
                       self->status, NULL);
}

GBytes *
asb_memory_operation_join_output (const AsbMemoryOperation *self, AsbOutputStream stream)
{
  GPtrArray *chunks = self->chunks[stream];
  GByteArray *joined = g_byte_array_new ();

  for (guint i = 0; i < chunks->len; i++)
    {
      gsize size;
      const guint8 *data = g_bytes_get_data (((AsbMemoryChunk *)chunks->pdata[i])->bytes, &size);

      g_byte_array_append (joined, data, (guint)size);
    }
  return g_byte_array_free_to_bytes (joined);
}
