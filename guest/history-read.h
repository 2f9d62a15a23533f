/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads whose answer may be long: it is made page by page as the reader takes it, never as a whole.
 */

#pragma once

#include "history-export.h"
#include "history-memory.h"
#include "history-store.h"

#include <jansson.h>

typedef enum
{
  HISTORY_READ_CHANGES,
  HISTORY_READ_OPERATIONS,
  HISTORY_READ_OUTPUT,
  HISTORY_READ_DATABASE
} HistoryReadKind;

typedef struct HistoryRead
{
  struct HistoryRead *next;
  HistoryReadKind kind;
  uint32_t call;
  json_t *arguments;

  /* Where the next page begins, and what may still come. */
  int64_t cursor;
  int64_t limit;
  int64_t max_bytes;
  int stream;
  bool is_exhausted;

  /* As long as nothing is there it waits until then, on the clock of history-time.h. 0: it does not
   * wait, or not any more. */
  int64_t wait_until;

  /* What the result tells. */
  int64_t n_items;
  int64_t n_unreadable;
  int64_t n_bytes;
  int64_t min_seq;
  int64_t max_seq;

  /* The highest that was deleted. */
  int64_t deleted_seq;
  bool reset_required;

  HistoryExport *export;

  /* Bytes that are made and not sent, and the account of those that are. */
  HistoryBuffer pending;
  uint64_t sent;
  uint64_t credited;
} HistoryRead;

/* Checks the arguments of "history.query", "history.get_operations", "history.get_output" or
 * "history.export" and begins. NULL on errors. */
HistoryRead *history_read_new (HistoryReadKind kind, uint32_t call, json_t *arguments,
                               HistoryStore *store, HistoryError *error);
void history_read_free (HistoryRead *read);

/* Ends the waiting of one that waits where there is something now, or its time is over. FALSE on
 * errors. */
bool history_read_look_again (HistoryRead *read, HistoryStore *store, HistoryError *error);

/* Makes the next page, which may be empty; sets is_exhausted after the last one. Where nothing is
 * made and more is to come, it has done as much as others should wait for. */
bool history_read_page (HistoryRead *read, HistoryStore *store, HistoryError *error);

json_t *history_read_result (const HistoryRead *read);
