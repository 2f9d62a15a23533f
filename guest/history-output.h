/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The output of a command on its way into the record. */

#pragma once

#include "history-operation.h"

/* What one attempt to write has put into the transaction; it counts once that is committed. */
typedef struct
{
  size_t taken[HISTORY_N_STREAMS];
  int64_t n_chunks[HISTORY_N_STREAMS];
  char loss[HISTORY_MAX_LOSS];
} HistoryOutputStep;

/* Takes output in, as far as the configuration allows. @all_pending counts what waits in all
 * operations. */
void history_output_add (HistoryOperation *operation, const HistoryConfig *config, int stream,
                         const void *bytes, size_t size, size_t *all_pending);

/* Whether more of a stream would be kept. */
bool history_output_wants (const HistoryOperation *operation, const HistoryConfig *config,
                           int stream);

size_t history_output_pending (const HistoryOperation *operation);

/* Writes all that waits, in chunks, with the rows that tell of them. @step is zeroed before. */
bool history_output_write (HistoryOperation *operation, HistoryStore *store,
                           HistoryOutputStep *step, HistoryError *error);

/* After the commit. */
void history_output_settle (HistoryOperation *operation, const HistoryOutputStep *step,
                            size_t *all_pending);

/* After a failure: what waits is kept for another attempt unless it is too much. */
void history_output_keep (HistoryOperation *operation, const HistoryConfig *config,
                          const HistoryError *error, size_t *all_pending);

/* Takes no more: by policy, or with @reason because of a loss. */
void history_output_refuse (HistoryOperation *operation, const char *reason, size_t *all_pending);

/* Gives up what waits. */
void history_output_drop (HistoryOperation *operation, const char *reason, size_t *all_pending);
