/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "history-store.h"

/* The sizes of the files, and the changes there are. */
bool history_status_set_sizes (HistoryStore *store, json_t *json, HistoryError *error);

/* The answer to "history.status". */
json_t *history_status (HistoryStore *store);
