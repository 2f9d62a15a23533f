/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "history-store.h"

/* Opens the database of the store, which is closed, or makes one. What lies in its place and is
 * something else is renamed. */
bool history_open (HistoryStore *store, HistoryError *error);
