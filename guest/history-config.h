/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The 24 persisted fields of the history's configuration. */

#pragma once

#include "history-error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The broker gives up a historian that does not answer for half a minute. */
#define HISTORY_MAX_WAIT_MS 20000
#define HISTORY_MIN_BUSY_TIMEOUT_MS 5000

#define HISTORY_SECONDS_PER_DAY 86400

/* What happens to a record that is as large as it may be. */
typedef enum
{
  HISTORY_DELETE_OLDEST,
  HISTORY_STOP_RECORDING,
  HISTORY_FAIL_OPERATION
} HistoryOverflow;

/* Where a value is not used as it is given, the member says what is used. */
typedef struct
{
  json_t *values;

  /* INT64_MAX: for ever. */
  int64_t ttl_seconds;
  int64_t max_database_bytes;
  HistoryOverflow overflow;
  int64_t cleanup_interval_operations;
  int64_t cleanup_min_interval_seconds;
  bool cleanup_on_connect;
  int64_t consumer_active_seconds;

  int64_t max_operation_output_bytes;
  bool capture_stdout;
  bool capture_stderr;
  int64_t output_chunk_bytes;
  int64_t output_flush_bytes;
  int64_t output_flush_interval_ms;
  int64_t output_queue_max_bytes;
  double write_timeout_seconds;
  int busy_timeout_ms;
  int64_t sqlite_cache_bytes;
  int64_t helper_query_max_bytes;
} HistoryConfig;

/* The defaults with the fields of @given (NULL: none) in their place. The first invalid or unknown
 * one is an error that names it. @config need not be initialised. */
bool history_config_parse (HistoryConfig *config, const json_t *given, HistoryError *error);

/* The same for what is stored, which other writers do not check: invalid fields get their defaults,
 * unknown ones are left out. */
void history_config_adopt (HistoryConfig *config, const json_t *stored);

/* Whether @word is one of the policies; *@overflow is set if so. */
bool history_overflow_parse (const char *word, HistoryOverflow *overflow);

void history_config_clear (HistoryConfig *config);
