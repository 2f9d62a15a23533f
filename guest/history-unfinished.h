/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "history-store.h"

/* Completes as unknown what guests that are gone have left started; in the transaction that has
 * begun. What one that lives has started is its own to complete. */
bool history_unfinished_complete (HistoryStore *store, HistoryError *error);

/* The same for those that lived then, in a transaction of its own; where it cannot be done now it
 * is tried the next time. */
void history_unfinished_look_again (HistoryStore *store);
