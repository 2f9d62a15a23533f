/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-memory-record.h"

#include <string.h>

#define MAX_ID 255
#define MAX_CHANGE_ID (64 * 1024)
#define MAX_RECORDS 10000
#define MAX_CHUNKS 16384
#define MAX_BATCH_SIZE (64 * 1024 * 1024)

static const char *const type_names[] = {
  [ASB_MEMORY_RECORD_STARTED] = "operation_started",
  [ASB_MEMORY_RECORD_OUTPUT] = "command_output",
  [ASB_MEMORY_RECORD_COMPLETED] = "operation_completed",
  [ASB_MEMORY_RECORD_STORAGE_STATE] = "storage_state_changed",
};

void
asb_memory_chunk_free (AsbMemoryChunk *self)
{
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_free (self);
}

static void
asb_memory_record_free (AsbMemoryRecord *self)
{
  g_clear_pointer (&self->change_id, g_free);
  g_clear_pointer (&self->event_id, g_free);
  g_clear_pointer (&self->event, g_variant_unref);
  g_clear_pointer (&self->chunks, g_ptr_array_unref);
  g_clear_pointer (&self->text, g_free);
  g_clear_pointer (&self->time, g_free);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbMemoryRecord, asb_memory_record_free)

static gboolean
fail (GError **error, const char *what, const char *name)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "Member “%s” of a record %s", name,
               what);
  return FALSE;
}

/* Returns: (transfer full): what stands in a variant, however deep */
static GVariant *
unbox (GVariant *value)
{
  while (value && g_variant_is_of_type (value, G_VARIANT_TYPE_VARIANT))
    {
      GVariant *boxed = g_steal_pointer (&value);

      value = g_variant_get_variant (boxed);
      g_variant_unref (boxed);
    }
  return value;
}

static gboolean
get_text (GVariant *dict, const char *name, gsize max_length, char **text, GError **error)
{
  g_autoptr (GVariant) value = unbox (g_variant_lookup_value (dict, name, NULL));
  gsize length;

  if (!value)
    return fail (error, "is missing", name);
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return fail (error, "must be a string", name);
  *text = g_variant_dup_string (value, &length);
  if (length == 0 || length > max_length)
    return fail (error, "is empty or too long", name);
  return TRUE;
}

static gboolean
get_index (GVariant *dict, const char *name, gint64 *number, GError **error)
{
  g_autoptr (GVariant) value = unbox (g_variant_lookup_value (dict, name, NULL));

  if (!value)
    return fail (error, "is missing", name);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    *number = g_variant_get_int64 (value);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT32))
    *number = g_variant_get_int32 (value);
  else
    return fail (error, "must be an integer", name);
  return *number >= 0 || fail (error, "must not be negative", name);
}

static GBytes *
decode (const char *encoded)
{
  gsize size;
  guchar *bytes = g_base64_decode (encoded, &size);

  return g_bytes_new_take (bytes, size);
}

static AsbMemoryChunk *
parse_chunk (GVariant *source, GError **error)
{
  AsbMemoryChunk *chunk;
  g_autofree char *stream = NULL;
  g_autofree char *encoded = NULL;
  gint64 index;

  if (!get_text (source, "stream", MAX_ID, &stream, error)
      || !get_text (source, "data_base64", MAX_BATCH_SIZE, &encoded, error)
      || !get_index (source, "chunk_index", &index, error))
    return NULL;
  if (!g_str_equal (stream, "stdout") && !g_str_equal (stream, "stderr"))
    {
      fail (error, "must be stdout or stderr", "stream");
      return NULL;
    }
  chunk = g_new0 (AsbMemoryChunk, 1);
  chunk->stream
      = g_str_equal (stream, "stdout") ? ASB_OUTPUT_STREAM_STDOUT : ASB_OUTPUT_STREAM_STDERR;
  chunk->index = index;
  chunk->bytes = decode (encoded);
  return chunk;
}

/* An array of dictionaries, whatever its exact type. Returns: (transfer full) (nullable) */
static GPtrArray *
get_dicts (GVariant *dict, const char *name, gsize max, GError **error)
{
  g_autoptr (GVariant) value = unbox (g_variant_lookup_value (dict, name, NULL));
  g_autoptr (GPtrArray) dicts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_variant_unref);

  if (!value || !g_variant_is_of_type (value, G_VARIANT_TYPE_ARRAY)
      || g_variant_n_children (value) == 0 || g_variant_n_children (value) > max)
    {
      fail (error, "must be an array that is neither empty nor too long", name);
      return NULL;
    }
  for (gsize i = 0; i < g_variant_n_children (value); i++)
    {
      GVariant *item = unbox (g_variant_get_child_value (value, i));

      g_ptr_array_add (dicts, item);
      if (g_variant_is_of_type (item, G_VARIANT_TYPE_VARDICT))
        continue;
      fail (error, "must hold dictionaries", name);
      return NULL;
    }
  return g_steal_pointer (&dicts);
}

static gboolean
parse_output (AsbMemoryRecord *self, GVariant *source, GError **error)
{
  g_autoptr (GPtrArray) dicts = NULL;

  if (!get_text (source, "event_id", MAX_ID, &self->event_id, error))
    return FALSE;
  dicts = get_dicts (source, "chunks", MAX_CHUNKS, error);
  if (!dicts)
    return FALSE;
  self->chunks = g_ptr_array_new_with_free_func ((GDestroyNotify)asb_memory_chunk_free);
  for (guint i = 0; i < dicts->len; i++)
    {
      AsbMemoryChunk *chunk = parse_chunk (dicts->pdata[i], error);

      if (!chunk)
        return FALSE;
      g_ptr_array_add (self->chunks, chunk);
      self->size += g_bytes_get_size (chunk->bytes);
    }
  return TRUE;
}

static gboolean
parse_event (AsbMemoryRecord *self, GVariant *source, const char *text_name, const char *time_name,
             GError **error)
{
  self->event = unbox (g_variant_lookup_value (source, "event", NULL));
  if (!self->event || !g_variant_is_of_type (self->event, G_VARIANT_TYPE_VARDICT))
    return fail (error, "must be a dictionary", "event");
  self->size += g_variant_get_size (self->event);
  return get_text (self->event, "event_id", MAX_ID, &self->event_id, error)
         && get_text (self->event, text_name, MAX_ID, &self->text, error)
         && get_text (self->event, time_name, MAX_ID, &self->time, error);
}

static gboolean
parse_by_type (AsbMemoryRecord *self, GVariant *source, GError **error)
{
  switch (self->type)
    {
    case ASB_MEMORY_RECORD_STARTED:
      return parse_event (self, source, "operation_type", "occurred_at", error);
    case ASB_MEMORY_RECORD_COMPLETED:
      return parse_event (self, source, "status", "completed_at", error)
             && (!g_str_equal (self->text, "started")
                 || fail (error, "must be a status an operation ends with", "status"));
    case ASB_MEMORY_RECORD_OUTPUT:
      return parse_output (self, source, error);
    default:
      return get_text (source, "event_id", MAX_ID, &self->event_id, error)
             && get_text (source, "history_storage_state", MAX_ID, &self->text, error);
    }
}

static gboolean
find_type (const char *name, AsbMemoryRecordType *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (type_names); i++)
    if (g_str_equal (type_names[i], name))
      {
        *type = (AsbMemoryRecordType)i;
        return TRUE;
      }
  return FALSE;
}

static AsbMemoryRecord *
parse_record (GVariant *source, GError **error)
{
  g_autoptr (AsbMemoryRecord) self = g_new0 (AsbMemoryRecord, 1);
  g_autofree char *type = NULL;

  if (!get_text (source, "type", MAX_ID, &type, error)
      || !get_text (source, "change_id", MAX_CHANGE_ID, &self->change_id, error))
    return NULL;
  if (!find_type (type, &self->type))
    {
      fail (error, "is of no type that is known", "type");
      return NULL;
    }
  self->size = sizeof *self + strlen (self->change_id);
  return parse_by_type (self, source, error) ? g_steal_pointer (&self) : NULL;
}

GPtrArray *
asb_memory_records_parse (GVariant *batch, GError **error)
{
  g_autoptr (GPtrArray) records
      = g_ptr_array_new_with_free_func ((GDestroyNotify)asb_memory_record_free);
  g_autoptr (GPtrArray) dicts = NULL;

  if (!g_variant_is_of_type (batch, G_VARIANT_TYPE_VARDICT))
    {
      fail (error, "must be a dictionary", "batch");
      return NULL;
    }
  if (g_variant_get_size (batch) > MAX_BATCH_SIZE)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE,
                   "A batch of records has more than %d bytes", MAX_BATCH_SIZE);
      return NULL;
    }
  dicts = get_dicts (batch, "records", MAX_RECORDS, error);
  for (guint i = 0; dicts && i < dicts->len; i++)
    {
      AsbMemoryRecord *record = parse_record (dicts->pdata[i], error);

      if (!record)
        return NULL;
      g_ptr_array_add (records, record);
    }
  return dicts ? g_steal_pointer (&records) : NULL;
}
