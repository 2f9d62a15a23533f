/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What all programs that clean up a record keep in it, so that one does at a time and none too
 * often. */

#pragma once

#include "history-store.h"

/* Takes the lease. *@taken is FALSE where another program has it. */
bool history_cleanup_take_lease (HistoryStore *store, bool *taken, HistoryError *error);
bool history_cleanup_drop_lease (HistoryStore *store, HistoryError *error);

/* Whether the last clean-up is as long ago as the configuration asks for. */
bool history_cleanup_is_due (HistoryStore *store, bool *is_due, HistoryError *error);

/* Notes what was done, and gives the lease back, in the transaction that has begun. @result gets
 * the times. */
bool history_cleanup_note (HistoryStore *store, json_t *result, int64_t n_deleted, int64_t bytes,
                           HistoryError *error);
