/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-config.h"

#include "history-json.h"

#include <string.h>

#define KIB 1024LL
#define MIB (1024 * KIB)

typedef enum
{
  FIELD_INTEGER,
  FIELD_INTEGER_OR_NULL,
  FIELD_SECONDS,
  FIELD_BOOLEAN,
  FIELD_WORD
} FieldKind;

typedef struct
{
  const char *name;
  FieldKind kind;
  int64_t minimum;
  int64_t maximum;
  int64_t initial;
  const char *const *words;
} Field;

static const char *const OVERFLOW_POLICIES[]
    = { "delete_oldest", "stop_recording", "fail_operation", NULL };
static const char *const COMPRESSIONS[] = { "identity", "zlib", "gzip", NULL };

static const Field FIELDS[] = {
  { "capture_stderr", FIELD_BOOLEAN, .initial = 1 },
  { "capture_stdout", FIELD_BOOLEAN, .initial = 1 },
  { "cleanup_interval_operations", FIELD_INTEGER, 1, 10000, 100 },
  { "cleanup_min_interval_seconds", FIELD_INTEGER, 0, 86400, 3600 },
  { "cleanup_on_connect", FIELD_BOOLEAN, .initial = 1 },
  { "compression", FIELD_WORD, .words = COMPRESSIONS },
  { "compression_level", FIELD_INTEGER, 1, 9, 1 },
  { "compression_min_bytes", FIELD_INTEGER, 0, HISTORY_MAX_INTEGER, 4 * KIB },
  { "consumer_active_ttl_days", FIELD_INTEGER, 1, 3650, 30 },
  { "helper_envelope_max_bytes", FIELD_INTEGER, 64 * KIB, 16 * MIB, MIB },
  { "helper_query_max_bytes", FIELD_INTEGER, 64 * KIB, 32 * MIB, 4 * MIB },
  { "max_database_bytes", FIELD_INTEGER, 4 * MIB, HISTORY_MAX_INTEGER, 128 * MIB },
  { "max_operation_output_bytes", FIELD_INTEGER, 1, HISTORY_MAX_INTEGER, 16 * MIB },
  { "output_chunk_bytes", FIELD_INTEGER, 4 * KIB, 256 * KIB, 16 * KIB },
  { "output_flush_bytes", FIELD_INTEGER, 1, MIB, 32 * KIB },
  { "output_flush_interval_ms", FIELD_INTEGER, 0, 5000, 500 },
  { "output_queue_max_bytes", FIELD_INTEGER, 4 * KIB, 64 * MIB, 4 * MIB },
  { "output_queue_max_chunks", FIELD_INTEGER, 1, 4096, 256 },
  { "output_write_timeout_seconds", FIELD_SECONDS, 0, 300, 10 },
  { "overflow_policy", FIELD_WORD, .words = OVERFLOW_POLICIES },
  { "sqlite_busy_timeout_ms", FIELD_INTEGER, 100, 60000, 5000 },
  { "sqlite_cache_bytes", FIELD_INTEGER, MIB, 64 * MIB, 4 * MIB },
  { "stale_started_after_seconds", FIELD_INTEGER, 30, 86400, 300 },
  { "ttl_days", FIELD_INTEGER_OR_NULL, 1, HISTORY_MAX_INTEGER, 7 },
};
#define N_FIELDS (sizeof FIELDS / sizeof FIELDS[0])

static json_t *
initial_value (const Field *field)
{
  switch (field->kind)
    {
    case FIELD_BOOLEAN:
      return json_boolean (field->initial);
    case FIELD_SECONDS:
      return json_real ((double)field->initial);
    case FIELD_WORD:
      return json_string (field->words[0]);
    default:
      return json_integer (field->initial);
    }
}

static bool
is_word (const Field *field, const json_t *value)
{
  for (size_t i = 0; json_is_string (value) && field->words[i]; i++)
    if (strcmp (field->words[i], json_string_value (value)) == 0)
      return true;
  return false;
}

static bool
is_in_range (const Field *field, const json_t *value)
{
  return json_is_integer (value) && json_integer_value (value) >= field->minimum
         && json_integer_value (value) <= field->maximum;
}

static bool
is_valid (const Field *field, const json_t *value)
{
  switch (field->kind)
    {
    case FIELD_BOOLEAN:
      return json_is_boolean (value);
    case FIELD_SECONDS:
      return json_is_number (value) && json_number_value (value) > (double)field->minimum
             && json_number_value (value) <= (double)field->maximum;
    case FIELD_WORD:
      return is_word (field, value);
    case FIELD_INTEGER_OR_NULL:
      return json_is_null (value) || is_in_range (field, value);
    default:
      return is_in_range (field, value);
    }
}

static json_t *
stored_value (const Field *field, const json_t *value)
{
  return field->kind == FIELD_SECONDS ? json_real (json_number_value (value))
                                      : json_incref ((json_t *)value);
}

static const Field *
find_field (const char *name)
{
  for (size_t i = 0; i < N_FIELDS; i++)
    if (strcmp (FIELDS[i].name, name) == 0)
      return &FIELDS[i];
  return NULL;
}

static int64_t
get_integer (const HistoryConfig *config, const char *name)
{
  return json_integer_value (json_object_get (config->values, name));
}

static bool
get_boolean (const HistoryConfig *config, const char *name)
{
  return json_is_true (json_object_get (config->values, name));
}

static int
clamp (int64_t milliseconds, int minimum)
{
  if (milliseconds < minimum)
    return minimum;
  return milliseconds < HISTORY_MAX_WAIT_MS ? (int)milliseconds : HISTORY_MAX_WAIT_MS;
}

static double
get_write_timeout (const HistoryConfig *config)
{
  double seconds
      = json_real_value (json_object_get (config->values, "output_write_timeout_seconds"));

  return seconds * 1000 < HISTORY_MAX_WAIT_MS ? seconds : HISTORY_MAX_WAIT_MS / 1000.0;
}

bool
history_overflow_parse (const char *word, HistoryOverflow *overflow)
{
  for (int i = 0; word && OVERFLOW_POLICIES[i]; i++)
    if (strcmp (OVERFLOW_POLICIES[i], word) == 0)
      {
        *overflow = (HistoryOverflow)i;
        return true;
      }
  return false;
}

static int64_t
get_ttl_seconds (const HistoryConfig *config)
{
  const json_t *days = json_object_get (config->values, "ttl_days");

  return json_is_integer (days) && json_integer_value (days) < INT64_MAX / HISTORY_SECONDS_PER_DAY
             ? json_integer_value (days) * HISTORY_SECONDS_PER_DAY
             : INT64_MAX;
}

static void
read_retention (HistoryConfig *config)
{
  config->ttl_seconds = get_ttl_seconds (config);
  config->max_database_bytes = get_integer (config, "max_database_bytes");
  history_overflow_parse (json_string_value (json_object_get (config->values, "overflow_policy")),
                          &config->overflow);
  config->cleanup_interval_operations = get_integer (config, "cleanup_interval_operations");
  config->cleanup_min_interval_seconds = get_integer (config, "cleanup_min_interval_seconds");
  config->cleanup_on_connect = get_boolean (config, "cleanup_on_connect");
  config->consumer_active_seconds
      = get_integer (config, "consumer_active_ttl_days") * HISTORY_SECONDS_PER_DAY;
}

static void
read_values (HistoryConfig *config)
{
  read_retention (config);
  config->max_operation_output_bytes = get_integer (config, "max_operation_output_bytes");
  config->capture_stdout = get_boolean (config, "capture_stdout");
  config->capture_stderr = get_boolean (config, "capture_stderr");
  config->output_chunk_bytes = get_integer (config, "output_chunk_bytes");
  config->output_flush_bytes = get_integer (config, "output_flush_bytes");
  config->output_flush_interval_ms = get_integer (config, "output_flush_interval_ms");
  config->output_queue_max_bytes = get_integer (config, "output_queue_max_bytes");
  config->write_timeout_seconds = get_write_timeout (config);
  config->busy_timeout_ms
      = clamp (get_integer (config, "sqlite_busy_timeout_ms"), HISTORY_MIN_BUSY_TIMEOUT_MS);
  config->sqlite_cache_bytes = get_integer (config, "sqlite_cache_bytes");
  config->helper_query_max_bytes = get_integer (config, "helper_query_max_bytes");
}

static void
set_initial_values (HistoryConfig *config)
{
  config->values = json_object ();
  for (size_t i = 0; i < N_FIELDS; i++)
    json_object_set_new (config->values, FIELDS[i].name, initial_value (&FIELDS[i]));
}

static bool
check_order (const HistoryConfig *config, const char *smaller, const char *larger, bool may_equal,
             HistoryError *error)
{
  int64_t a = get_integer (config, smaller);
  int64_t b = get_integer (config, larger);

  if (a < b || (may_equal && a == b))
    return true;
  return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“config.%s” must be %s “%s”", smaller,
                            may_equal ? "at most" : "less than", larger);
}

static bool
check_relations (const HistoryConfig *config, HistoryError *error)
{
  return check_order (config, "max_operation_output_bytes", "max_database_bytes", false, error)
         && check_order (config, "output_chunk_bytes", "output_queue_max_bytes", true, error)
         && check_order (config, "output_flush_bytes", "output_queue_max_bytes", true, error);
}

static bool
set_given (HistoryConfig *config, const char *name, const json_t *value, HistoryError *error)
{
  const Field *field = find_field (name);

  if (!field)
    return history_error_set (error, HISTORY_INVALID_ARGUMENT, "“config.%s” is not a known field",
                              name);
  if (!is_valid (field, value))
    return history_error_set (error, HISTORY_INVALID_ARGUMENT,
                              "“config.%s” is of the wrong type or out of range", name);
  json_object_set_new (config->values, name, stored_value (field, value));
  return true;
}

bool
history_config_parse (HistoryConfig *config, const json_t *given, HistoryError *error)
{
  const char *name;
  json_t *value;
  bool valid = true;

  set_initial_values (config);
  if (given && !json_is_object (given))
    valid = history_error_set (error, HISTORY_INVALID_ARGUMENT, "“%s” must be an object", "config");
  else if (given)
    json_object_foreach ((json_t *)given, name, value)
      {
        valid = set_given (config, name, value, error);
        if (!valid)
          break;
      }
  if (valid && check_relations (config, error))
    {
      read_values (config);
      return true;
    }
  history_config_clear (config);
  return false;
}

void
history_config_adopt (HistoryConfig *config, const json_t *stored)
{
  HistoryError ignored;
  const char *name;
  json_t *value;

  set_initial_values (config);
  if (json_is_object (stored))
    json_object_foreach ((json_t *)stored, name, value)
      set_given (config, name, value, &ignored);
  if (!check_relations (config, &ignored))
    {
      history_config_clear (config);
      set_initial_values (config);
    }
  read_values (config);
}

void
history_config_clear (HistoryConfig *config)
{
  json_decref (config->values);
  *config = (HistoryConfig){ 0 };
}
