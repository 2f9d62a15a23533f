/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-retention.h"

#include "history-cleanup.h"
#include "history-expunge.h"
#include "history-json.h"
#include "history-status.h"

/* How much may be written before the size of the record is looked at again. */
#define MEASURE_BYTES (256 * 1024)

/* Where room is made it is for some time; readers who have not read what is deleted hold that back
 * until the record is larger than it may be by so much. */
#define ROOM_SHARE 16
#define PATIENCE_SHARE 4

/* Others wait no longer than this for a step. */
#define STEP_NANOSECONDS 5000000

static bool
measure (HistoryStore *store, int64_t *bytes, HistoryError *error)
{
  if (!history_database_measure (&store->database, bytes, error))
    return false;
  store->is_full = store->config.overflow != HISTORY_DELETE_OLDEST
                   && *bytes > store->config.max_database_bytes;
  return true;
}

static bool
begin (HistoryRetention *self, HistoryStore *store, HistoryError *error)
{
  char since[HISTORY_TIME_SIZE];

  self->cursor = 0;
  self->n_aged = 0;
  self->n_crowded = 0;
  self->n_changes = 0;
  self->deleted_seq = 0;
  history_time_ago (since, store->config.consumer_active_seconds);
  if (!history_expunge_protected (&store->database, since, &self->protected_seq, error)
      || !measure (store, &self->bytes, error))
    return false;
  self->bytes_before = self->bytes;
  self->phase = self->by_age ? HISTORY_RETENTION_AGE : HISTORY_RETENTION_SIZE;
  return true;
}

static void
set_age (HistoryRetention *self, int64_t seconds)
{
  self->by_age = seconds != INT64_MAX;
  if (self->by_age)
    history_time_ago (self->cutoff, seconds);
}

static void
set_size (HistoryRetention *self, HistoryOverflow overflow, int64_t max_bytes)
{
  self->by_size = overflow == HISTORY_DELETE_OLDEST;
  self->max_bytes = max_bytes;
  self->target_bytes = max_bytes;
}

/* A clean-up as the configuration has it. */
static bool
begin_whole (HistoryRetention *self, HistoryStore *store, HistoryError *error)
{
  bool taken = false;

  if (!history_cleanup_take_lease (store, &taken, error))
    return false;
  if (!taken)
    return true;
  self->call = 0;
  self->is_whole = true;
  set_age (self, store->config.ttl_seconds);
  set_size (self, store->config.overflow, store->config.max_database_bytes);
  return begin (self, store, error);
}

/* The record is too large. */
static bool
begin_room (HistoryRetention *self, HistoryStore *store, HistoryError *error)
{
  self->call = 0;
  self->is_whole = false;
  self->by_age = false;
  set_size (self, HISTORY_DELETE_OLDEST, store->config.max_database_bytes);
  self->target_bytes -= self->max_bytes / ROOM_SHARE;
  return begin (self, store, error);
}

static bool
look_at_size (HistoryRetention *self, HistoryStore *store, HistoryError *error)
{
  int64_t bytes;

  if (store->n_unmeasured < MEASURE_BYTES)
    return true;
  store->n_unmeasured = 0;
  return measure (store, &bytes, error)
         && (bytes <= store->config.max_database_bytes
             || store->config.overflow != HISTORY_DELETE_OLDEST || begin_room (self, store, error));
}

static bool
look_at_age (HistoryRetention *self, HistoryStore *store, HistoryError *error)
{
  bool is_due = false;

  if (self->phase != HISTORY_RETENTION_IDLE
      || store->n_ended < store->config.cleanup_interval_operations)
    return true;
  store->n_ended = 0;
  return history_cleanup_is_due (store, &is_due, error)
         && (!is_due || begin_whole (self, store, error));
}

static bool
expunge_some (HistoryRetention *self, HistoryDatabase *database, const HistoryExpungible *found,
              int n_found, HistoryError *error)
{
  int64_t until = history_time_monotonic () + STEP_NANOSECONDS;
  bool is_for_room = self->phase == HISTORY_RETENTION_SIZE;

  for (int i = 0; i < n_found && (i == 0 || history_time_monotonic () < until)
                  && !(is_for_room && self->bytes <= self->target_bytes);
       i++)
    {
      if (!history_expunge_one (database, &found[i], &self->n_changes, error)
          || !history_database_measure (database, &self->bytes, error))
        return false;
      self->cursor = found[i].seq;
      if (found[i].change_seq > self->deleted_seq)
        self->deleted_seq = found[i].change_seq;
      *(is_for_room ? &self->n_crowded : &self->n_aged) += 1;
    }
  return history_expunge_note (database, self->deleted_seq, error);
}

static bool
expunge (HistoryRetention *self, HistoryStore *store, const HistoryExpungible *found, int n_found,
         HistoryError *error)
{
  HistoryDatabase *database = &store->database;

  if (!history_database_begin (database, error))
    return false;
  if (expunge_some (self, database, found, n_found, error)
      && history_store_write_incidents (store, error) && history_database_commit (database, error))
    {
      history_store_forget_incidents (store);
      return true;
    }
  history_database_roll_back (database);
  return false;
}

static bool
is_far_beyond (const HistoryRetention *self, int64_t max_bytes)
{
  return self->bytes > max_bytes + max_bytes / PATIENCE_SHARE;
}

/* Whoever reads too slowly does not keep the record from being bounded. */
static bool
outruns_readers (HistoryRetention *self, HistoryStore *store)
{
  if (self->is_whole || self->protected_seq == INT64_MAX || !is_far_beyond (self, self->max_bytes))
    return false;
  history_store_note (store, "reader_outrun",
                      "What was recorded after change %lld was deleted before all who read the "
                      "record had read it",
                      (long long)self->protected_seq);
  self->protected_seq = INT64_MAX;
  self->target_bytes = self->max_bytes;
  return true;
}

static void
end_phase (HistoryRetention *self, HistoryStore *store)
{
  self->cursor = 0;
  if (self->phase == HISTORY_RETENTION_AGE)
    self->phase = HISTORY_RETENTION_SIZE;
  else if (!outruns_readers (self, store))
    self->phase = HISTORY_RETENTION_END;
}

static bool
delete_some (HistoryRetention *self, HistoryStore *store, HistoryError *error)
{
  HistoryExpungible found[HISTORY_MAX_EXPUNGED];
  bool is_for_room = self->phase == HISTORY_RETENTION_SIZE;
  int64_t last = INT64_MAX;
  int n_found = 0;

  if (is_for_room && (!self->by_size || self->bytes <= self->target_bytes))
    {
      self->phase = HISTORY_RETENTION_END;
      return true;
    }
  if (is_for_room && !history_expunge_last (&store->database, &last, error))
    return false;
  n_found
      = history_expunge_find (&store->database, self->cursor, last,
                              is_for_room ? NULL : self->cutoff, self->protected_seq, found, error);
  if (n_found == 0)
    end_phase (self, store);
  return n_found >= 0 && (n_found == 0 || expunge (self, store, found, n_found, error));
}

static json_t *
describe (const HistoryRetention *self, HistoryStore *store, HistoryError *error)
{
  json_t *result = json_pack ("{s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "executed", 1, "reason",
                              "ttl_or_capacity", "ttl_deleted_operations", (json_int_t)self->n_aged,
                              "capacity_deleted_operations", (json_int_t)self->n_crowded,
                              "deleted_operations", (json_int_t)(self->n_aged + self->n_crowded),
                              "deleted_changes", (json_int_t)self->n_changes,
                              "database_bytes_before", (json_int_t)self->bytes_before,
                              "logical_database_bytes", (json_int_t)self->bytes);

  json_object_set_new (result, "protected_acknowledged_seq",
                       self->protected_seq == INT64_MAX ? json_null ()
                                                        : json_integer (self->protected_seq));
  if (history_status_set_sizes (store, result, error))
    return result;
  json_decref (result);
  return NULL;
}

/* NULL on errors. */
static json_t *
conclude (HistoryRetention *self, HistoryStore *store, HistoryError *error)
{
  json_t *result
      = history_database_begin (&store->database, error) ? describe (self, store, error) : NULL;

  if (result
      && history_cleanup_note (store, result, self->n_aged + self->n_crowded, self->bytes, error)
      && history_database_commit (&store->database, error))
    return result;
  history_database_roll_back (&store->database);
  json_decref (result);
  return NULL;
}

static HistoryRetentionStep
end (HistoryRetention *self, HistoryStore *store, bool done, json_t **result, HistoryError *error)
{
  HistoryError ignored;
  json_t *answer = NULL;

  self->phase = HISTORY_RETENTION_IDLE;
  if (done && self->is_whole)
    answer = conclude (self, store, error);
  if (self->is_whole && !answer && store->is_open)
    history_cleanup_drop_lease (store, &ignored);
  /* What is full may be no more. */
  store->n_unmeasured = store->is_full ? INT32_MAX : store->n_unmeasured;
  if (self->call == 0)
    {
      json_decref (answer);
      return HISTORY_RETENTION_NOTHING;
    }
  *result = answer;
  return HISTORY_RETENTION_ANSWER;
}

static bool
is_worth_a_look (const HistoryStore *store)
{
  return store->is_open && !store->existing_only
         && (store->n_unmeasured >= MEASURE_BYTES
             || store->n_ended >= store->config.cleanup_interval_operations);
}

HistoryRetentionStep
history_retention_step (HistoryRetention *self, HistoryStore *store, json_t **result,
                        HistoryError *error)
{
  bool done;

  if (self->phase == HISTORY_RETENTION_IDLE && !is_worth_a_look (store))
    return HISTORY_RETENTION_NOTHING;
  done = history_store_ensure (store, error);
  if (done && self->phase == HISTORY_RETENTION_IDLE)
    done = look_at_size (self, store, error) && look_at_age (self, store, error);
  else if (done && self->phase != HISTORY_RETENTION_END)
    done = delete_some (self, store, error);
  if (!done || self->phase == HISTORY_RETENTION_END)
    return end (self, store, done, result, error);
  return self->phase == HISTORY_RETENTION_IDLE ? HISTORY_RETENTION_NOTHING : HISTORY_RETENTION_MORE;
}

bool
history_retention_is_urgent (const HistoryRetention *self, const HistoryStore *store)
{
  return self->phase == HISTORY_RETENTION_SIZE && self->by_size
         && is_far_beyond (self, store->config.max_database_bytes);
}

/* What the arguments say goes before what the configuration does. */
static bool
parse (HistoryRetention *self, const HistoryConfig *config, const json_t *arguments,
       HistoryError *error)
{
  const json_t *days = json_object_get (arguments, "ttl_days");
  HistoryOverflow overflow = config->overflow;
  int64_t max_bytes = config->max_database_bytes;
  int64_t ttl_days = 1;
  const char *policy;

  if (!history_json_get_integer (arguments, "max_bytes", 0, HISTORY_MAX_INTEGER, &max_bytes, error)
      || !history_json_get_integer (arguments, "ttl_days", 1,
                                    HISTORY_MAX_INTEGER / HISTORY_SECONDS_PER_DAY, &ttl_days, error)
      || !history_json_get_text (arguments, "overflow_policy", false, 32, &policy, error))
    return false;
  if (policy && !history_overflow_parse (policy, &overflow))
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” is no overflow policy",
                              policy);
  set_size (self, overflow, max_bytes);
  set_age (self, !days                 ? config->ttl_seconds
                 : json_is_null (days) ? INT64_MAX
                                       : ttl_days * HISTORY_SECONDS_PER_DAY);
  return true;
}

static json_t *
describe_refusal (const char *reason)
{
  char now[HISTORY_TIME_SIZE];

  history_time_now (now);
  return json_pack ("{s:b, s:s, s:s}", "executed", 0, "reason", reason, "database_now", now);
}

bool
history_retention_start (HistoryRetention *self, HistoryStore *store, uint32_t call,
                         const json_t *arguments, json_t **result, HistoryError *error)
{
  bool is_due = true;
  bool taken = self->phase == HISTORY_RETENTION_IDLE || self->call == 0;

  *result = NULL;
  if (!history_store_ensure (store, error)
      || (json_is_true (json_object_get (arguments, "if_due"))
          && !history_cleanup_is_due (store, &is_due, error)))
    return false;
  if (is_due && taken
      && (!parse (self, &store->config, arguments, error)
          || !history_cleanup_take_lease (store, &taken, error)))
    return false;
  if (!is_due || !taken)
    {
      *result = describe_refusal (is_due ? "cleanup_in_progress" : "not_due");
      return true;
    }
  self->call = call;
  self->is_whole = true;
  return begin (self, store, error);
}
