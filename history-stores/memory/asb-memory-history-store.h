/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <asb.h>

#define ASB_TYPE_MEMORY_HISTORY_STORE (asb_memory_history_store_get_type ())
G_DECLARE_FINAL_TYPE (AsbMemoryHistoryStore, asb_memory_history_store, ASB, MEMORY_HISTORY_STORE,
                      GObject)
