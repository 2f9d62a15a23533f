/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-describe.h"

#include "history-json.h"
#include "history-raw.h"

#include "asb-frame.h"
#include "asb-wire-json.h"

#include <math.h>
#include <string.h>

static json_t *
describe_integer (sqlite3_int64 value)
{
  /* Beyond this a reader would get another number. */
  if (value < -HISTORY_MAX_INTEGER || value > HISTORY_MAX_INTEGER)
    return json_real ((double)value);
  return json_integer (value);
}

static json_t *
describe_column (sqlite3_stmt *statement, int column)
{
  const void *bytes;
  double real;

  switch (sqlite3_column_type (statement, column))
    {
    case SQLITE_INTEGER:
      return describe_integer (sqlite3_column_int64 (statement, column));
    case SQLITE_FLOAT:
      real = sqlite3_column_double (statement, column);
      return isfinite (real) ? json_real (real) : json_null ();
    case SQLITE_NULL:
      return json_null ();
    default:
      bytes = sqlite3_column_blob (statement, column);
      return asb_wire_text_new (bytes ? bytes : "",
                                (size_t)sqlite3_column_bytes (statement, column));
    }
}

json_t *
history_describe_row (sqlite3_stmt *statement)
{
  json_t *row = json_object ();

  for (int i = 0; i < sqlite3_column_count (statement); i++)
    json_object_set_new (row, sqlite3_column_name (statement, i), describe_column (statement, i));
  return row;
}

/* What is longer than anything that the guest writes could take all memory as values. */
#define MAX_DECODED ASB_FRAME_MAX_CONTROL

static json_t *
decode_json (const char *text)
{
  const char *reason;
  json_t *wrapped;
  json_t *value;
  HistoryBuffer buffer = { 0 };

  if (strlen (text) > MAX_DECODED)
    return NULL;

  /* Any JSON value may stand there; what is bounded is an object. */
  history_buffer_append_text (&buffer, "{\"value\":");
  history_buffer_append_text (&buffer, text);
  history_buffer_append_text (&buffer, "}");
  wrapped = asb_wire_json_parse (history_buffer_bytes (&buffer), history_buffer_size (&buffer),
                                 &reason);
  value = json_object_size (wrapped) == 1 ? json_incref (json_object_get (wrapped, "value")) : NULL;
  json_decref (wrapped);
  history_buffer_clear (&buffer);
  return value;
}

/* What is no JSON stays under its own name, so that nothing of it is lost. */
static void
decode_member (json_t *operation, const char *column, const char *name)
{
  json_t *stored = json_object_get (operation, column);
  json_t *value = json_is_string (stored) ? decode_json (json_string_value (stored)) : NULL;
  bool is_kept = !json_is_null (stored) && !value;

  json_object_set_new (operation, name, value ? value : json_null ());
  if (!is_kept)
    json_object_del (operation, column);
}

static HistoryDescribed
fail_or_skip (HistoryStore *store)
{
  return (sqlite3_errcode (store->database.handle) & 0xff) == SQLITE_TOOBIG
             ? HISTORY_DESCRIBED_UNREADABLE
             : HISTORY_DESCRIBED_FAILED;
}

/* The row of one table, NULL when there is none. */
static HistoryDescribed
read_row (HistoryStore *store, const char *sql, const char *event_id, json_t **row,
          HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (&store->database, error, sql, "t", event_id);
  HistoryDescribed described = HISTORY_DESCRIBED;
  HistoryStep step;

  *row = NULL;
  if (!statement)
    return HISTORY_DESCRIBED_FAILED;
  step = history_database_step (&store->database, statement, error);
  if (step == HISTORY_ROW)
    *row = history_describe_row (statement);
  else if (step == HISTORY_FAILED)
    described = fail_or_skip (store);
  history_database_end (statement);
  return described;
}

static HistoryDescribed
add_row (HistoryStore *store, json_t *operation, const char *name, const char *sql,
         const char *event_id, HistoryError *error)
{
  json_t *row;
  HistoryDescribed described = read_row (store, sql, event_id, &row, error);

  json_object_set_new (operation, name, row ? row : json_null ());
  return described;
}

static HistoryDescribed
complete (HistoryStore *store, json_t *operation, const char *event_id, HistoryError *error)
{
  HistoryDescribed described
      = add_row (store, operation, "command", "SELECT * FROM command_executions WHERE event_id = ?",
                 event_id, error);

  decode_member (operation, "request_json", "request");
  decode_member (operation, "result_json", "result");
  if (described == HISTORY_DESCRIBED)
    described = add_row (store, operation, "file_operation",
                         "SELECT * FROM file_operations WHERE event_id = ?", event_id, error);
  if (described == HISTORY_DESCRIBED
      && !history_raw_restore (&store->database, event_id, operation, error))
    described = fail_or_skip (store);
  return described;
}

HistoryDescribed
history_describe_operation (HistoryStore *store, const char *event_id, json_t **operation,
                            HistoryError *error)
{
  HistoryDescribed described = read_row (store, "SELECT * FROM history_events WHERE event_id = ?",
                                         event_id, operation, error);

  if (described == HISTORY_DESCRIBED && *operation)
    described = complete (store, *operation, event_id, error);
  if (described != HISTORY_DESCRIBED)
    {
      json_decref (*operation);
      *operation = NULL;
    }
  return described;
}
