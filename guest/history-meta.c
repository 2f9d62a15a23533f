/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-meta.h"

#include "history-json.h"
#include "history-memory.h"
#include "history-text.h"

#include "asb-wire-json.h"

#include <stdlib.h>
#include <string.h>

#define MAX_KEYS 256
#define MAX_IDENTIFIER 255

static json_t *
text_column (sqlite3_stmt *statement, int column)
{
  const void *bytes = sqlite3_column_blob (statement, column);
  char *text = history_text_replace (bytes, (size_t)sqlite3_column_bytes (statement, column), NULL);
  json_t *json = json_string (text);

  free (text);
  return json;
}

json_t *
history_meta_read (HistoryDatabase *database, HistoryError *error)
{
  sqlite3_stmt *statement
      = history_database_query (database, error,
                                "SELECT key, value FROM history_meta WHERE length(key) <= 255"
                                " AND length(value) <= 65536",
                                "");
  json_t *meta = json_object ();
  HistoryStep step = HISTORY_FAILED;

  while (statement && (step = history_database_step (database, statement, error)) == HISTORY_ROW)
    {
      json_t *key = text_column (statement, 0);

      if (json_object_size (meta) < MAX_KEYS)
        json_object_set_new (meta, json_string_value (key), text_column (statement, 1));
      json_decref (key);
    }
  if (statement)
    history_database_end (statement);
  if (step == HISTORY_DONE)
    return meta;
  json_decref (meta);
  return NULL;
}

static const char *
get (const json_t *meta, const char *key)
{
  return json_string_value (json_object_get (meta, key));
}

static bool
matches (const json_t *meta, const char *key, const char *expected)
{
  const char *value = get (meta, key);

  return !value || strcmp (value, expected) == 0;
}

bool
history_meta_matches (const json_t *meta, const HistoryIdentity *identity)
{
  return matches (meta, "provider_key", identity->provider_key)
         && matches (meta, "sandbox_id", identity->sandbox_id)
         && matches (meta, "sandbox_instance_id", identity->sandbox_instance_id);
}

/* What is longer than any client may say is nobody's. */
static char *
copy_identifier (const char *text)
{
  return text && history_text_length (text, strlen (text)) <= MAX_IDENTIFIER ? history_copy (text)
                                                                             : NULL;
}

bool
history_meta_adopt_identity (HistoryStore *store, const json_t *meta, HistoryError *error)
{
  HistoryIdentity *identity = &store->identity;

  history_identity_clear (identity);
  *identity = (HistoryIdentity){ copy_identifier (get (meta, "provider_key")),
                                 copy_identifier (get (meta, "sandbox_id")),
                                 copy_identifier (get (meta, "sandbox_instance_id")),
                                 copy_identifier (get (meta, "sandbox_name")) };
  if (identity->provider_key && identity->sandbox_id && identity->sandbox_instance_id)
    return true;
  return history_error_set (error, HISTORY_UNAVAILABLE,
                            "The history database does not say which sandbox it belongs to");
}

/* Writes what is not there yet, to @meta too. */
static bool
set (HistoryDatabase *database, json_t *meta, const char *key, const char *value,
     HistoryError *error)
{
  const char *present = get (meta, key);

  if (present && strcmp (present, value) == 0)
    return true;
  json_object_set_new (meta, key, json_string (value));
  return history_database_run (database, error,
                               "INSERT OR REPLACE INTO history_meta(key, value) VALUES (?, ?)",
                               "tt", key, value);
}

static bool
set_if_missing (HistoryDatabase *database, json_t *meta, const char *key, const char *value,
                HistoryError *error)
{
  return get (meta, key) || set (database, meta, key, value, error);
}

static bool
write_name (HistoryStore *store, json_t *meta, HistoryError *error)
{
  const char *name = store->identity.sandbox_name;
  json_t *metadata;
  char *text;
  bool done;

  if (!name || !*name)
    return true;
  metadata = json_pack ("{s:s}", "agent_sandbox.name", name);
  text = history_json_canonical (metadata);
  done = set (&store->database, meta, "sandbox_name", name, error)
         && set (&store->database, meta, "sandbox_metadata_json", text, error);
  free (text);
  json_decref (metadata);
  return done;
}

static bool
write_initial_config (HistoryStore *store, json_t *meta, const char *now, HistoryError *error)
{
  HistoryDatabase *database = &store->database;
  char *config = history_json_canonical (store->initial_config.values);
  bool done
      = set_if_missing (database, meta, "history_config_version", "1", error)
        && set_if_missing (database, meta, "history_config_revision", "0", error)
        && set_if_missing (database, meta, "history_config_json", config, error)
        && set_if_missing (database, meta, "history_config_updated_at", now, error)
        && set_if_missing (database, meta, "history_config_updated_by", "sdk:initialize", error);

  free (config);
  return done;
}

static bool
write_identity (HistoryStore *store, json_t *meta, HistoryError *error)
{
  HistoryDatabase *database = &store->database;
  const HistoryIdentity *identity = &store->identity;

  return set_if_missing (database, meta, "provider_key", identity->provider_key, error)
         && set_if_missing (database, meta, "sandbox_id", identity->sandbox_id, error)
         && set_if_missing (database, meta, "sandbox_instance_id", identity->sandbox_instance_id,
                            error);
}

bool
history_meta_write (HistoryStore *store, json_t *meta, HistoryError *error)
{
  HistoryDatabase *database = &store->database;
  char now[HISTORY_TIME_SIZE];

  history_time_now (now);
  return set (database, meta, "schema_version", "1", error) && write_identity (store, meta, error)
         && set_if_missing (database, meta, "created_at", now, error)
         && set (database, meta, "sdk_version", store->sdk_version, error)
         && write_initial_config (store, meta, now, error) && write_name (store, meta, error);
}

static int64_t
parse_revision (const char *text)
{
  char *end;
  long long revision = text ? strtoll (text, &end, 10) : 0;

  return text && *text && !*end && revision >= 0 && revision <= HISTORY_MAX_INTEGER ? revision : 0;
}

void
history_meta_adopt_config (HistoryStore *store, const json_t *meta)
{
  const char *config = get (meta, "history_config_json");
  const char *reason;
  json_t *stored = config ? asb_wire_json_parse (config, strlen (config), &reason) : NULL;

  history_config_clear (&store->config);
  history_config_adopt (&store->config, stored);
  store->revision = parse_revision (get (meta, "history_config_revision"));
  json_decref (stored);
}

void
history_identity_clear (HistoryIdentity *identity)
{
  free (identity->provider_key);
  free (identity->sandbox_id);
  free (identity->sandbox_instance_id);
  free (identity->sandbox_name);
  *identity = (HistoryIdentity){ 0 };
}

json_t *
history_identity_to_json (const HistoryIdentity *identity)
{
  return json_pack ("{s:s, s:s, s:s, s:s*}", "provider_key", identity->provider_key, "sandbox_id",
                    identity->sandbox_id, "sandbox_instance_id", identity->sandbox_instance_id,
                    "sandbox_name", identity->sandbox_name);
}
