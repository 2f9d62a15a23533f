/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What went wrong, as a client is told it (docs/guest-protocol.md §4). */

#pragma once

#include <jansson.h>
#include <stdbool.h>

#define HISTORY_INVALID_ARGUMENT "invalid_argument"
#define HISTORY_UNSUPPORTED_CALL "unsupported_call"
#define HISTORY_TOO_MANY_REQUESTS "too_many_requests"
#define HISTORY_CANCELLED "cancelled"
#define HISTORY_UNAVAILABLE "history_unavailable"
#define HISTORY_IDENTITY "history_identity"
#define HISTORY_STORAGE_EXHAUSTED "history_storage_exhausted"
#define HISTORY_DATABASE_ERROR "history_database_error"

typedef struct
{
  const char *code;

  /* Another process held its lock for too long: others will fare no better just now. */
  bool is_busy;

  /* The record is as large as it may be: what the configuration says to that, or NULL. */
  const char *overflow_policy;
  char message[512];
} HistoryError;

/* Sets @error and returns false, so that a function may end with it. @code must be static. */
bool history_error_set (HistoryError *error, const char *code, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* Whether the fault lies with the storage, so that the same may succeed later. */
bool history_error_is_storage (const HistoryError *error);

/* {"code", "message", "details"?} */
json_t *history_error_to_json (const HistoryError *error);
