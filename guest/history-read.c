/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-read.h"

#include "history-describe.h"
#include "history-expunge.h"
#include "history-json.h"
#include "history-operation.h"
#include "history-time.h"

#include "asb-wire-json.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CHANGES 10000
#define DEFAULT_CHANGES 1000
#define MAX_EVENT_IDS 1000
#define MAX_ID 255
#define MAX_WAIT_MS 60000
#define MILLISECOND INT64_C (1000000)
#define PAGE_ROWS 64
#define PAGE_BYTES (64 * 1024)

static bool
read_bounds (HistoryRead *read, HistoryStore *store, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      &store->database, error,
      "SELECT (SELECT min(seq) FROM history_changes), (SELECT max(seq) FROM history_changes),"
      " (SELECT CAST(value AS INTEGER) FROM history_meta WHERE key = '" HISTORY_DELETED_KEY "'),"
      " EXISTS (SELECT 1 FROM history_changes WHERE seq = ? + 1),"
      " (SELECT seq FROM sqlite_sequence WHERE name = 'history_changes')",
      "i", read->cursor);
  HistoryStep step;

  if (!statement)
    return false;
  step = history_database_step (&store->database, statement, error);
  if (step == HISTORY_ROW)
    {
      read->min_seq = sqlite3_column_int64 (statement, 0);
      read->max_seq = sqlite3_column_int64 (statement, 1);
      read->deleted_seq = sqlite3_column_int64 (statement, 2);
      read->reset_required
          = (read->min_seq > 0 && read->cursor < read->min_seq - 1)
            || (read->cursor < read->deleted_seq && !sqlite3_column_int (statement, 3))
            || read->cursor > sqlite3_column_int64 (statement, 4);
    }
  history_database_end (statement);
  return step != HISTORY_FAILED;
}

static bool
is_something_there (const HistoryRead *read)
{
  return read->max_seq > read->cursor || read->reset_required;
}

bool
history_read_look_again (HistoryRead *read, HistoryStore *store, HistoryError *error)
{
  if (!history_store_ensure (store, error) || !read_bounds (read, store, error))
    return false;
  if (is_something_there (read) || history_time_monotonic () >= read->wait_until)
    read->wait_until = 0;
  return true;
}

static void
begin_waiting (HistoryRead *read, int64_t wait_ms)
{
  if (wait_ms > 0 && !is_something_there (read))
    read->wait_until = history_time_monotonic () + wait_ms * MILLISECOND;
}

static bool
begin_changes (HistoryRead *read, HistoryStore *store, HistoryError *error)
{
  const json_t *arguments = read->arguments;
  int64_t wait_ms = 0;

  read->limit = DEFAULT_CHANGES;
  read->max_bytes = store->config.helper_query_max_bytes;
  if (!history_json_get_integer (arguments, "after_change_seq", 0, HISTORY_MAX_INTEGER,
                                 &read->cursor, error)
      || !history_json_get_integer (arguments, "limit", 1, MAX_CHANGES, &read->limit, error)
      || !history_json_get_integer (arguments, "max_bytes", 1, HISTORY_MAX_INTEGER,
                                    &read->max_bytes, error)
      || !history_json_get_integer (arguments, "wait_ms", 0, MAX_WAIT_MS, &wait_ms, error)
      || !read_bounds (read, store, error))
    return false;
  begin_waiting (read, wait_ms);
  return true;
}

static bool
begin_operations (HistoryRead *read, HistoryError *error)
{
  const json_t *ids = json_object_get (read->arguments, "event_ids");
  size_t n = json_array_size (ids);

  if (!json_is_array (ids) || n == 0 || n > MAX_EVENT_IDS)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT,
                              "“%s” must be an array of 1 to %d strings", "event_ids",
                              MAX_EVENT_IDS);
  for (size_t i = 0; i < n; i++)
    if (!json_is_string (json_array_get (ids, i)))
      return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must hold strings only",
                                "event_ids");
  return true;
}

static bool
require_operation (HistoryStore *store, const char *event_id, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      &store->database, error, "SELECT 1 FROM history_events WHERE event_id = ?", "t", event_id);
  HistoryStep step;

  if (!statement)
    return false;
  step = history_database_step (&store->database, statement, error);
  history_database_end (statement);
  if (step == HISTORY_DONE)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "There is no operation “%s”",
                              event_id);
  return step == HISTORY_ROW;
}

static bool
begin_output (HistoryRead *read, HistoryStore *store, HistoryError *error)
{
  const char *event_id;
  const char *stream;

  read->cursor = -1;
  if (!history_json_get_text (read->arguments, "event_id", true, MAX_ID, &event_id, error)
      || !history_json_get_text (read->arguments, "stream", true, MAX_ID, &stream, error)
      || !history_json_get_integer (read->arguments, "after_chunk", -1, HISTORY_MAX_INTEGER,
                                    &read->cursor, error))
    return false;
  for (read->stream = 0; read->stream < HISTORY_N_STREAMS; read->stream++)
    if (strcmp (stream, HISTORY_STREAM_NAMES[read->stream]) == 0)
      return require_operation (store, event_id, error);
  return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must be “stdout” or “stderr”",
                            "stream");
}

static bool
begin_database (HistoryRead *read, HistoryStore *store, HistoryError *error)
{
  read->export = history_export_new (store, error);
  return read->export != NULL;
}

static bool
begin (HistoryRead *read, HistoryStore *store, HistoryError *error)
{
  if (!history_store_ensure (store, error))
    return false;
  switch (read->kind)
    {
    case HISTORY_READ_CHANGES:
      return begin_changes (read, store, error);
    case HISTORY_READ_OPERATIONS:
      return begin_operations (read, error);
    case HISTORY_READ_DATABASE:
      return begin_database (read, store, error);
    default:
      return begin_output (read, store, error);
    }
}

HistoryRead *
history_read_new (HistoryReadKind kind, uint32_t call, json_t *arguments, HistoryStore *store,
                  HistoryError *error)
{
  HistoryRead *read = history_allocate (1, sizeof *read);

  read->kind = kind;
  read->call = call;
  read->arguments = json_incref (arguments);
  if (begin (read, store, error))
    return read;
  history_read_free (read);
  return NULL;
}

void
history_read_free (HistoryRead *read)
{
  json_decref (read->arguments);
  if (read->export)
    history_export_free (read->export);
  history_buffer_clear (&read->pending);
  free (read);
}

/* Appends one line, within the limit of bytes. The line ends are not counted. */
static bool
append_change (HistoryRead *read, sqlite3_stmt *statement, HistoryError *error)
{
  json_t *change = history_describe_row (statement);
  HistoryBuffer line = { 0 };
  int64_t seq = sqlite3_column_int64 (statement, 0);
  int64_t size;

  history_json_append (&line, change);
  json_decref (change);
  size = (int64_t)history_buffer_size (&line);
  if (read->n_bytes + size > read->max_bytes)
    {
      read->is_exhausted = true;
      history_buffer_clear (&line);
      return read->n_items > 0
             || history_error_set (error, HISTORY_INVALID_ARGUMENT,
                                   "The next change has %lld bytes, more than “%s” allows",
                                   (long long)size, "max_bytes");
    }
  history_buffer_append (&line, "\n", 1);
  history_buffer_append (&read->pending, history_buffer_bytes (&line), history_buffer_size (&line));
  history_buffer_clear (&line);
  read->n_bytes += size;
  read->n_items++;
  read->cursor = seq;
  return true;
}

/* A cursor stands before a change that is there, or at the end: who comes back with it when that
 * change has been deleted has missed something. */
static bool
skip_deleted (HistoryRead *read, HistoryStore *store, HistoryError *error)
{
  sqlite3_stmt *statement;
  HistoryStep step;

  if (read->cursor >= read->deleted_seq)
    return true;
  statement = history_database_query (
      &store->database, error,
      "SELECT coalesce((SELECT min(seq) - 1 FROM history_changes WHERE seq > ?1), ?2)", "ii",
      read->cursor, read->deleted_seq);
  if (!statement)
    return false;
  step = history_database_step (&store->database, statement, error);
  if (step == HISTORY_ROW && sqlite3_column_int64 (statement, 0) > read->cursor)
    read->cursor = sqlite3_column_int64 (statement, 0);
  history_database_end (statement);
  return step != HISTORY_FAILED;
}

static bool
page_of_changes (HistoryRead *read, HistoryStore *store, HistoryError *error)
{
  int64_t left = read->limit - read->n_items;
  int64_t n_rows = left < PAGE_ROWS ? left : PAGE_ROWS;
  sqlite3_stmt *statement = history_database_query (
      &store->database, error,
      "SELECT c.seq AS source_seq, c.change_id, c.event_id, c.change_type, c.changed_at,"
      " c.schema_version, e.operation_type, e.status FROM history_changes AS c"
      " JOIN history_events AS e ON e.event_id = c.event_id WHERE c.seq > ? ORDER BY c.seq LIMIT ?",
      "ii", read->cursor, n_rows);
  HistoryStep step = HISTORY_DONE;
  int64_t n = 0;
  bool done = statement != NULL;

  while (done && !read->is_exhausted
         && (step = history_database_step (&store->database, statement, error)) == HISTORY_ROW)
    {
      done = append_change (read, statement, error);
      n++;
    }
  if (statement)
    history_database_end (statement);
  if (n < n_rows || read->n_items == read->limit)
    read->is_exhausted = true;
  return done && step != HISTORY_FAILED
         && (!read->is_exhausted || skip_deleted (read, store, error));
}

/* One operation a page: they may be large. One that cannot be read does not hide the others. */
static bool
page_of_operations (HistoryRead *read, HistoryStore *store, HistoryError *error)
{
  const json_t *ids = json_object_get (read->arguments, "event_ids");
  const char *event_id = json_string_value (json_array_get (ids, (size_t)read->cursor));
  json_t *operation = NULL;
  HistoryDescribed described = history_describe_operation (store, event_id, &operation, error);

  if (described == HISTORY_DESCRIBED_FAILED)
    return false;
  if (described == HISTORY_DESCRIBED_UNREADABLE)
    read->n_unreadable++;
  if (operation)
    {
      history_json_append (&read->pending, operation);
      history_buffer_append (&read->pending, "\n", 1);
      json_decref (operation);
      read->n_items++;
    }
  read->cursor++;
  read->is_exhausted = (size_t)read->cursor == json_array_size (ids);
  return true;
}

static bool
page_of_output (HistoryRead *read, HistoryStore *store, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      &store->database, error,
      "SELECT chunk_index, data FROM command_output_chunks"
      " WHERE event_id = ? AND stream = ? AND chunk_index > ? ORDER BY chunk_index",
      "tti", json_string_value (json_object_get (read->arguments, "event_id")),
      HISTORY_STREAM_NAMES[read->stream], read->cursor);
  HistoryStep step = HISTORY_ROW;

  if (!statement)
    return false;
  while (step == HISTORY_ROW && history_buffer_size (&read->pending) < PAGE_BYTES)
    {
      step = history_database_step (&store->database, statement, error);
      if (step != HISTORY_ROW)
        break;
      read->cursor = sqlite3_column_int64 (statement, 0);
      history_buffer_append (&read->pending, sqlite3_column_blob (statement, 1),
                             (size_t)sqlite3_column_bytes (statement, 1));
      read->n_bytes += sqlite3_column_bytes (statement, 1);
      read->n_items++;
    }
  history_database_end (statement);
  read->is_exhausted = step == HISTORY_DONE;
  return step != HISTORY_FAILED;
}

/* What was copied can be read even when the record has gone meanwhile. */
static bool
page_of_database (HistoryRead *read, HistoryError *error)
{
  if (!history_export_is_copied (read->export))
    return history_export_copy (read->export, error);
  if (!history_export_read (read->export, &read->pending, error))
    return false;
  read->n_bytes += (int64_t)history_buffer_size (&read->pending);
  read->is_exhausted = history_buffer_size (&read->pending) == 0;
  return true;
}

bool
history_read_page (HistoryRead *read, HistoryStore *store, HistoryError *error)
{
  if (read->kind == HISTORY_READ_DATABASE)
    return page_of_database (read, error);
  if (!history_store_ensure (store, error))
    return false;
  switch (read->kind)
    {
    case HISTORY_READ_CHANGES:
      return page_of_changes (read, store, error);
    case HISTORY_READ_OPERATIONS:
      return page_of_operations (read, store, error);
    default:
      return page_of_output (read, store, error);
    }
}

static json_t *
result_of_changes (const HistoryRead *read)
{
  json_t *result
      = json_pack ("{s:I, s:I, s:I, s:b}", "next_change_seq", (json_int_t)read->cursor,
                   "min_available_change_seq", (json_int_t)read->min_seq, "max_change_seq",
                   (json_int_t)read->max_seq, "reset_required", read->reset_required);

  if (read->deleted_seq > 0)
    json_object_set_new (result, "deleted_change_seq", json_integer (read->deleted_seq));
  return result;
}

json_t *
history_read_result (const HistoryRead *read)
{
  switch (read->kind)
    {
    case HISTORY_READ_CHANGES:
      return result_of_changes (read);
    case HISTORY_READ_OPERATIONS:
      return json_pack ("{s:I, s:I}", "count", (json_int_t)read->n_items, "unreadable",
                        (json_int_t)read->n_unreadable);
    case HISTORY_READ_DATABASE:
      return json_pack ("{s:I}", "bytes", (json_int_t)read->n_bytes);
    default:
      return json_pack ("{s:I, s:I, s:I}", "bytes", (json_int_t)read->n_bytes, "chunks",
                        (json_int_t)read->n_items, "next_chunk", (json_int_t)read->cursor);
    }
}
