/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-meta.h"

#include "history-json.h"
#include "history-memory.h"
#include "history-text.h"

#include "asb-wire-json.h"

#include <stdlib.h>
#include <string.h>

bool
history_meta_get (HistoryDatabase *database, const char *key, char **value, HistoryError *error)
{
  sqlite3_stmt *statement = history_database_query (
      database, error, "SELECT value FROM history_meta WHERE key = ?", "t", key);
  HistoryStep step;

  *value = NULL;
  if (!statement)
    return false;
  step = history_database_step (database, statement, error);
  if (step == HISTORY_ROW)
    {
      const void *bytes = sqlite3_column_blob (statement, 0);

      *value = history_text_replace (bytes, (size_t)sqlite3_column_bytes (statement, 0), NULL);
    }
  history_database_end (statement);
  return step != HISTORY_FAILED;
}

bool
history_meta_set (HistoryDatabase *database, const char *key, const char *value,
                  HistoryError *error)
{
  return history_database_run (database, error,
                               "INSERT OR REPLACE INTO history_meta(key, value) VALUES (?, ?)",
                               "tt", key, value);
}

static bool
set_if_missing (HistoryDatabase *database, const char *key, const char *value, HistoryError *error)
{
  return history_database_run (database, error,
                               "INSERT OR IGNORE INTO history_meta(key, value) VALUES (?, ?)", "tt",
                               key, value);
}

static bool
check_key (HistoryDatabase *database, const char *key, const char *expected, bool *matches,
           HistoryError *error)
{
  char *value;

  if (!history_meta_get (database, key, &value, error))
    return false;
  if (value && strcmp (value, expected) != 0)
    *matches = false;
  free (value);
  return true;
}

bool
history_meta_check_identity (HistoryStore *store, bool *matches, HistoryError *error)
{
  const HistoryIdentity *identity = &store->identity;

  *matches = true;
  return check_key (&store->database, "provider_key", identity->provider_key, matches, error)
         && check_key (&store->database, "sandbox_id", identity->sandbox_id, matches, error)
         && check_key (&store->database, "sandbox_instance_id", identity->sandbox_instance_id,
                       matches, error);
}

static bool
adopt_key (HistoryDatabase *database, const char *key, char **target, HistoryError *error)
{
  free (*target);
  *target = NULL;
  return history_meta_get (database, key, target, error);
}

bool
history_meta_adopt_identity (HistoryStore *store, HistoryError *error)
{
  HistoryIdentity *identity = &store->identity;

  if (!adopt_key (&store->database, "provider_key", &identity->provider_key, error)
      || !adopt_key (&store->database, "sandbox_id", &identity->sandbox_id, error)
      || !adopt_key (&store->database, "sandbox_instance_id", &identity->sandbox_instance_id, error)
      || !adopt_key (&store->database, "sandbox_name", &identity->sandbox_name, error))
    return false;
  if (identity->provider_key && identity->sandbox_id && identity->sandbox_instance_id)
    return true;
  return history_error_set (error, HISTORY_UNAVAILABLE,
                            "The history database does not say which sandbox it belongs to");
}

static bool
write_name (HistoryStore *store, HistoryError *error)
{
  const char *name = store->identity.sandbox_name;
  json_t *metadata;
  char *text;
  bool done;

  if (!name || !*name)
    return true;
  metadata = json_pack ("{s:s}", "agent_sandbox.name", name);
  text = history_json_canonical (metadata);
  done = history_meta_set (&store->database, "sandbox_name", name, error)
         && history_meta_set (&store->database, "sandbox_metadata_json", text, error);
  free (text);
  json_decref (metadata);
  return done;
}

static bool
write_initial_config (HistoryStore *store, const char *now, HistoryError *error)
{
  HistoryDatabase *database = &store->database;
  char *config = history_json_canonical (store->initial_config.values);
  bool done = set_if_missing (database, "history_config_version", "1", error)
              && set_if_missing (database, "history_config_revision", "0", error)
              && set_if_missing (database, "history_config_json", config, error)
              && set_if_missing (database, "history_config_updated_at", now, error)
              && set_if_missing (database, "history_config_updated_by", "sdk:initialize", error);

  free (config);
  return done;
}

bool
history_meta_initialize (HistoryStore *store, HistoryError *error)
{
  HistoryDatabase *database = &store->database;
  const HistoryIdentity *identity = &store->identity;
  char now[HISTORY_TIME_SIZE];

  history_time_now (now);
  return history_meta_set (database, "schema_version", "1", error)
         && set_if_missing (database, "provider_key", identity->provider_key, error)
         && set_if_missing (database, "sandbox_id", identity->sandbox_id, error)
         && set_if_missing (database, "sandbox_instance_id", identity->sandbox_instance_id, error)
         && set_if_missing (database, "created_at", now, error)
         && history_meta_set (database, "sdk_version", store->sdk_version, error)
         && write_initial_config (store, now, error) && write_name (store, error)
         && history_meta_read_config (store, error);
}

static int64_t
parse_revision (const char *text)
{
  char *end;
  long long revision = text ? strtoll (text, &end, 10) : 0;

  return text && *text && !*end && revision >= 0 && revision <= HISTORY_MAX_INTEGER ? revision : 0;
}

bool
history_meta_read_config (HistoryStore *store, HistoryError *error)
{
  char *config;
  char *revision;
  const char *reason;
  json_t *stored = NULL;

  if (!history_meta_get (&store->database, "history_config_json", &config, error))
    return false;
  if (config)
    stored = asb_wire_json_parse (config, strlen (config), &reason);
  free (config);
  history_config_clear (&store->config);
  history_config_adopt (&store->config, stored);
  json_decref (stored);

  if (!history_meta_get (&store->database, "history_config_revision", &revision, error))
    return false;
  store->revision = parse_revision (revision);
  free (revision);
  return true;
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
