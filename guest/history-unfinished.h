/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "history-store.h"

/* Completes as unknown what guests that are gone have left started; in the transaction that has
 * begun. */
bool history_unfinished_complete (HistoryStore *store, HistoryError *error);
