/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-raw.h"

#include "asb-wire-json.h"

#include <stdio.h>
#include <string.h>

#define MAX_FIELD 128

static bool
has_other_bytes (const json_t *value)
{
  return json_is_object (value) && json_object_size (value) == 1
         && json_is_string (json_object_get (value, "b64"));
}

json_t *
history_raw_replace (const json_t *object)
{
  json_t *copy = json_copy ((json_t *)object);
  const char *name;
  json_t *value;

  json_object_foreach ((json_t *)object, name, value)
    {
      HistoryText text;
      HistoryError ignored;

      if (!has_other_bytes (value) || !history_json_get_bytes (object, name, &text, &ignored))
        continue;
      json_object_set_new (copy, name, json_string (text.text));
      history_text_clear (&text);
    }
  return copy;
}

bool
history_raw_write (HistoryDatabase *database, const char *event_id, const char *field,
                   const HistoryText *text, HistoryError *error)
{
  return !text->raw
         || history_database_run (
             database, error,
             "INSERT OR REPLACE INTO asb_raw_texts(event_id, field, data) VALUES (?, ?, ?)", "ttb",
             event_id, field, text->raw, text->raw_size);
}

bool
history_raw_write_members (HistoryDatabase *database, const char *event_id, const char *section,
                           const json_t *object, HistoryError *error)
{
  const char *name;
  json_t *value;
  bool done = true;

  json_object_foreach ((json_t *)object, name, value)
    {
      char field[MAX_FIELD];
      HistoryText text;
      HistoryError ignored;

      if (!done || !has_other_bytes (value)
          || !history_json_get_bytes (object, name, &text, &ignored))
        continue;
      if (snprintf (field, sizeof field, "%s.%s", section, name) < (int)sizeof field)
        done = history_raw_write (database, event_id, field, &text, error);
      history_text_clear (&text);
    }
  return done;
}

static void
restore_field (json_t *operation, const char *field, const void *bytes, size_t size)
{
  const char *point = strchr (field, '.');
  char section[MAX_FIELD];
  json_t *object;

  if (!point || (size_t)(point - field) >= sizeof section)
    return;
  memcpy (section, field, (size_t)(point - field));
  section[point - field] = '\0';
  object = json_object_get (operation, section);
  if (json_is_string (json_object_get (object, point + 1)))
    json_object_set_new (object, point + 1, asb_wire_text_new (bytes, size));
}

bool
history_raw_restore (HistoryDatabase *database, const char *event_id, json_t *operation,
                     HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      database, error, "SELECT field, data FROM asb_raw_texts WHERE event_id = ?", "t", event_id);
  HistoryStep step;

  if (!statement)
    return false;
  for (step = history_database_step (database, statement, error); step == HISTORY_ROW;
       step = history_database_step (database, statement, error))
    {
      const char *field = (const char *)sqlite3_column_text (statement, 0);
      const void *bytes = sqlite3_column_blob (statement, 1);

      if (field && bytes)
        restore_field (operation, field, bytes, (size_t)sqlite3_column_bytes (statement, 1));
    }
  history_database_end (statement);
  return step != HISTORY_FAILED;
}
