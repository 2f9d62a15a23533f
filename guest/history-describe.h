/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows as JSON. Others write to the database, so a column may hold a value of any type. */

#pragma once

#include "history-store.h"

#include <jansson.h>

typedef enum
{
  HISTORY_DESCRIBED,

  /* There is such an operation, but what is stored of it is too large. */
  HISTORY_DESCRIBED_UNREADABLE,
  HISTORY_DESCRIBED_FAILED
} HistoryDescribed;

/* The columns of the current row by their names. Text that is not UTF-8 becomes {"b64"}. */
json_t *history_describe_row (sqlite3_stmt *statement);

/* All columns of an operation, its JSON decoded, with its command or file operation. *@operation is
 * NULL when there is no such operation. */
HistoryDescribed history_describe_operation (HistoryStore *store, const char *event_id,
                                             json_t **operation, HistoryError *error);
