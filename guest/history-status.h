/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "history-store.h"

/* The answer to "history.status". */
json_t *history_status (HistoryStore *store);
