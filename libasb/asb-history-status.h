/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_HISTORY_STATUS (asb_history_status_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbHistoryStatus, asb_history_status, ASB, HISTORY_STATUS, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_history_status_get_state (AsbHistoryStatus *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_status_get_message (AsbHistoryStatus *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_status_get_journal_mode (AsbHistoryStatus *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_history_status_get_database_bytes (AsbHistoryStatus *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_history_status_get_operations (AsbHistoryStatus *self);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_status_get_min_available_seq (AsbHistoryStatus *self);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_status_get_max_seq (AsbHistoryStatus *self);

G_END_DECLS
