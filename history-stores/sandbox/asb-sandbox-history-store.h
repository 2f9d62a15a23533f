/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <asb.h>

#define ASB_TYPE_SANDBOX_HISTORY_STORE (asb_sandbox_history_store_get_type ())

G_DECLARE_FINAL_TYPE (AsbSandboxHistoryStore, asb_sandbox_history_store, ASB, SANDBOX_HISTORY_STORE,
                      GObject)
