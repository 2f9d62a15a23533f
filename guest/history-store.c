/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-store.h"

#include "history-guard.h"
#include "history-json.h"
#include "history-memory.h"
#include "history-meta.h"
#include "history-open.h"
#include "history-text.h"
#include "history-unfinished.h"

#include "asb-wire-json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_KEY 255
#define MAX_NAME 255
#define MAX_VERSION 64

/* As many of those that came in the way are kept; who writes to the file can cause them. */
#define MAX_INCIDENTS 1000

#define YOUTH (INT64_C (3) * 1000000000)

void
history_store_init (HistoryStore *store, const char *directory)
{
  *store = (HistoryStore){ .journal_mode = "none" };
  history_files_init (&store->files, directory);
  history_recorder_name (store->boot_id);
}

void
history_store_clear (HistoryStore *store)
{
  history_store_close (store);
  history_blank_clear (&store->blank);
  history_identity_clear (&store->identity);
  history_config_clear (&store->initial_config);
  history_config_clear (&store->config);
  free (store->sdk_version);
  history_files_clear (&store->files);
}

void
history_store_note (HistoryStore *store, const char *kind, const char *format, ...)
{
  HistoryIncident *incident;
  char detail[sizeof incident->detail / 3];
  char *valid;
  va_list arguments;

  if (store->n_incidents == HISTORY_MAX_PENDING_INCIDENTS)
    return;
  incident = &store->incidents[store->n_incidents++];
  incident->kind = kind;
  history_time_now (incident->noticed_at);
  va_start (arguments, format);
  vsnprintf (detail, sizeof detail, format, arguments);
  va_end (arguments);
  valid = history_text_replace (detail, strlen (detail), NULL);
  snprintf (incident->detail, sizeof incident->detail, "%s", valid);
  free (valid);
}

bool
history_store_write_incidents (HistoryStore *store, HistoryError *error)
{
  for (int i = 0; i < store->n_incidents; i++)
    {
      const HistoryIncident *incident = &store->incidents[i];

      if (!history_database_run (
              &store->database, error,
              "INSERT INTO asb_incidents(noticed_at, kind, detail) VALUES (?, ?, ?)", "ttt",
              incident->noticed_at, incident->kind, incident->detail))
        return false;
    }
  return store->n_incidents == 0
         || history_database_run (
             &store->database, error,
             "DELETE FROM asb_incidents WHERE id <= (SELECT max(id) FROM asb_incidents) - ?", "i",
             (int64_t)MAX_INCIDENTS);
}

void
history_store_forget_incidents (HistoryStore *store)
{
  store->n_incidents = 0;
}

static bool
same_text (const char *a, const char *b)
{
  return a && b && strcmp (a, b) == 0;
}

static bool
same_identity (const HistoryIdentity *a, const HistoryIdentity *b)
{
  return same_text (a->provider_key, b->provider_key) && same_text (a->sandbox_id, b->sandbox_id)
         && same_text (a->sandbox_instance_id, b->sandbox_instance_id);
}

static bool
parse_identity (const json_t *json, HistoryIdentity *identity, HistoryError *error)
{
  const char *provider_key;
  const char *sandbox_id;
  const char *instance_id;
  const char *name;

  if (!history_json_get_text (json, "provider_key", true, MAX_KEY, &provider_key, error)
      || !history_json_get_text (json, "sandbox_id", true, MAX_KEY, &sandbox_id, error)
      || !history_json_get_text (json, "sandbox_instance_id", true, MAX_KEY, &instance_id, error)
      || !history_json_get_text (json, "sandbox_name", false, MAX_NAME, &name, error))
    return false;
  *identity = (HistoryIdentity){ history_copy (provider_key), history_copy (sandbox_id),
                                 history_copy (instance_id), name ? history_copy (name) : NULL };
  return true;
}

/* What was asked for before counts until it is closed; only the version and the name may change. */
static bool
adopt_identity (HistoryStore *store, HistoryIdentity *identity, HistoryError *error)
{
  bool is_bound = store->is_wanted && (store->is_open || !store->existing_only);

  if (is_bound && !same_identity (&store->identity, identity))
    {
      history_identity_clear (identity);
      return history_error_set (error, HISTORY_IDENTITY,
                                "The history is open for sandbox “%s” of “%s”",
                                store->identity.sandbox_id, store->identity.provider_key);
    }
  history_identity_clear (&store->identity);
  store->identity = *identity;
  return true;
}

static bool
want_sandbox (HistoryStore *store, const json_t *arguments, HistoryError *error)
{
  const json_t *identity_json;
  const char *version;
  HistoryIdentity identity;
  HistoryConfig config;

  if (!history_json_get_object (arguments, "identity", true, &identity_json, error)
      || !history_json_get_text (arguments, "sdk_version", true, MAX_VERSION, &version, error)
      || !history_config_parse (&config, json_object_get (arguments, "config"), error))
    return false;
  if (!parse_identity (identity_json, &identity, error)
      || !adopt_identity (store, &identity, error))
    {
      history_config_clear (&config);
      return false;
    }
  history_config_clear (&store->initial_config);
  store->initial_config = config;
  free (store->sdk_version);
  store->sdk_version = history_copy (version);
  store->is_wanted = true;
  store->existing_only = false;
  return true;
}

static json_t *
describe (const HistoryStore *store)
{
  json_t *json
      = json_pack ("{s:o, s:O, s:I, s:s}", "identity", history_identity_to_json (&store->identity),
                   "config", store->config.values, "revision", (json_int_t)store->revision,
                   "journal_mode", store->journal_mode);

  if (store->renamed)
    json_object_set_new (json, "renamed",
                         asb_wire_text_new (store->renamed, strlen (store->renamed)));
  return json;
}

/* The version and name of the latest client stand in the record. */
static bool
initialize_again (HistoryStore *store, HistoryError *error)
{
  bool done = history_database_begin (&store->database, error);
  json_t *meta = done ? history_meta_read (&store->database, error) : NULL;

  done = meta && history_meta_write (store, meta, error)
         && history_database_commit (&store->database, error);
  json_decref (meta);
  if (!done)
    history_database_roll_back (&store->database);
  return done;
}

bool
history_store_open (HistoryStore *store, const json_t *arguments, json_t **result,
                    HistoryError *error)
{
  bool was_open;

  if (json_is_true (json_object_get (arguments, "existing")))
    {
      store->existing_only = !store->is_wanted || store->existing_only;
      store->is_wanted = true;
    }
  else if (!want_sandbox (store, arguments, error))
    return false;

  was_open = store->is_open;
  if (!history_store_ensure (store, error))
    return false;
  if (was_open && store->is_open && !store->existing_only && !initialize_again (store, error))
    return false;
  *result = describe (store);
  return true;
}

static bool
database_is_another (const HistoryFileMark *a, const HistoryFileMark *b)
{
  return !a->present || a->device != b->device || a->inode != b->inode;
}

static bool
open_now (HistoryStore *store, HistoryError *error)
{
  const HistoryFileMark *mark = &store->files.marks[HISTORY_FILE_DATABASE];

  if (!history_open (store, error))
    {
      store->trouble = *error;
      return false;
    }
  history_files_mark (&store->files);
  if (store->is_new || database_is_another (&store->last_database, mark))
    store->generation++;
  store->last_database = *mark;
  store->is_open = true;
  store->opened = history_time_monotonic ();
  store->is_full = false;
  store->n_unmeasured = INT32_MAX;
  store->n_ended = store->config.cleanup_on_connect && !store->is_new ? INT32_MAX : 0;
  store->data_version = 0;
  store->trouble.code = NULL;
  return true;
}

static void
give_up (HistoryStore *store, bool checkpoint)
{
  history_database_disconnect (&store->database, checkpoint);
  store->is_open = false;
}

/* Whether the files are still those that were opened. The write-ahead log of a database that is
 * still there is saved into it first. */
static void
notice_changes (HistoryStore *store, HistoryFilesChange change)
{
  const char *path = store->files.paths[HISTORY_FILE_DATABASE];
  HistoryError ignored;

  switch (change)
    {
    case HISTORY_FILES_DATABASE_MISSING:
      history_store_note (store, "database_missing", "“%s” was removed while it was open", path);
      give_up (store, false);
      break;
    case HISTORY_FILES_DATABASE_REPLACED:
      history_store_note (store, "database_replaced", "“%s” was replaced while it was open", path);
      give_up (store, false);
      break;
    case HISTORY_FILES_JOURNAL_CHANGED:
      history_store_note (store, "journal_changed",
                          "The write-ahead log of “%s” was removed or replaced while it was open",
                          path);
      history_database_execute (&store->database, "PRAGMA wal_checkpoint(TRUNCATE)", &ignored);
      give_up (store, false);
      break;
    default:
      break;
    }
}

bool
history_store_ensure (HistoryStore *store, HistoryError *error)
{
  bool has_log = store->is_open && strcmp (store->journal_mode, "wal") == 0;
  HistoryFilesChange change;

  if (!store->is_wanted)
    return history_error_set (error, HISTORY_UNAVAILABLE, "The history is not open");
  if (history_files_open_up (&store->files, has_log, &change))
    history_store_note (store, "closed_to_guest",
                        "“%s”, or what is in it, did not let its own user in",
                        store->files.directory);
  if (store->is_open)
    notice_changes (store, change);
  if (!store->is_open && !open_now (store, error))
    return false;
  history_database_limit_time (&store->database, store->config.write_timeout_seconds);
  history_unfinished_look_again (store);
  return true;
}

bool
history_store_recover (HistoryStore *store)
{
  const char *path = store->files.paths[HISTORY_FILE_DATABASE];
  bool was_cut = history_guard_tripped ();

  if (!store->is_open || (!was_cut && !store->database.damaged))
    return false;
  if (was_cut)
    history_store_note (store, "journal_changed",
                        "The shared memory of “%s” was cut short while it was open", path);
  store->is_spoiled = store->database.damaged;
  give_up (store, false);
  return true;
}

/* In about: most databases have pages of this size. */
static int64_t
size_of_log (const HistoryStore *store)
{
  return (int64_t)store->database.log_pages * 4096;
}

bool
history_store_has_room (const HistoryStore *store, HistoryError *error)
{
  if (store->is_open && store->is_full)
    {
      history_error_set (error, HISTORY_STORAGE_EXHAUSTED,
                         "The record has reached %lld bytes, the most that the configuration "
                         "allows",
                         (long long)store->config.max_database_bytes);
      error->overflow_policy
          = store->config.overflow == HISTORY_FAIL_OPERATION ? "fail_operation" : "stop_recording";
      return false;
    }
  if (store->is_open && size_of_log (store) >= store->config.max_database_bytes)
    return history_error_set (error, HISTORY_STORAGE_EXHAUSTED,
                              "A program that reads the record keeps its log from being shortened");
  return true;
}

bool
history_store_takes_output (const HistoryStore *store, const char **reason)
{
  *reason = NULL;
  if (store->is_open && size_of_log (store) >= store->config.max_database_bytes / 2)
    *reason = "A program that reads the record keeps its log from being shortened";
  return !*reason && !store->is_full;
}

void
history_store_tend (HistoryStore *store)
{
  if (!store->is_open)
    return;
  history_database_limit_time (&store->database, store->config.write_timeout_seconds);
  history_database_shorten_log (&store->database);
}

/* Before that a system does not write out by itself what was put into a new file. */
static bool
is_young (const HistoryStore *store)
{
  return store->is_new && !store->database.log_was_copied && store->foreign_commits == 0
         && history_time_monotonic () - store->opened < YOUTH;
}

static void
disconnect_cleanly (HistoryStore *store)
{
  HistoryError ignored;
  bool intact = history_files_compare (&store->files) == HISTORY_FILES_SAME;

  history_database_limit_time (&store->database, store->config.write_timeout_seconds);
  if (intact && strcmp (store->journal_mode, "wal") == 0)
    intact = history_database_empty_log (&store->database, is_young (store), &ignored);
  give_up (store, intact);
}

void
history_store_close (HistoryStore *store)
{
  if (store->is_open)
    disconnect_cleanly (store);
  free (store->renamed);
  store->renamed = NULL;
  store->is_wanted = false;
  store->existing_only = false;
  store->trouble.code = NULL;
}
