/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Records that a client made itself, for what did not happen here: "history.record". */

#pragma once

#include "history-store.h"

/* Writes all of "records" in the transaction that has begun, and counts them. What was applied
 * before is left as it is.
 */
bool history_apply (HistoryStore *store, const json_t *arguments, int64_t *n_applied,
                    HistoryError *error);

/* Whether operations begin with it. */
bool history_apply_begins_operations (const json_t *arguments);

/* "history.acknowledge" */
bool history_acknowledge (HistoryStore *store, const json_t *arguments, json_t **result,
                          HistoryError *error);
