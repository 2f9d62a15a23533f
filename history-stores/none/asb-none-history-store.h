/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <asb.h>

#define ASB_TYPE_NONE_HISTORY_STORE (asb_none_history_store_get_type ())

G_DECLARE_FINAL_TYPE (AsbNoneHistoryStore, asb_none_history_store, ASB, NONE_HISTORY_STORE, GObject)
