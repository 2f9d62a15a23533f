/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of the record (docs/history-schema.md). */

#pragma once

#include "history-database.h"

#define HISTORY_SCHEMA_VERSION 1

typedef enum
{
  HISTORY_SCHEMA_OURS,
  HISTORY_SCHEMA_EMPTY,
  HISTORY_SCHEMA_INCOMPLETE,
  HISTORY_SCHEMA_FOREIGN
} HistorySchemaState;

/* What the database holds; FALSE on errors. */
bool history_schema_examine (HistoryDatabase *database, HistorySchemaState *state,
                             HistoryError *error);

/* Makes what is missing, in the transaction that has begun. */
bool history_schema_create (HistoryDatabase *database, HistoryError *error);

/* Whether the tables have the columns that are used; if not, the database is marked damaged. */
bool history_schema_check_columns (HistoryDatabase *database, HistoryError *error);
