/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_HISTORY_CHANGE (asb_history_change_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbHistoryChange, asb_history_change, ASB, HISTORY_CHANGE, GObject)

ASB_AVAILABLE_IN_1_0
gint64 asb_history_change_get_seq (AsbHistoryChange *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_change_get_change_id (AsbHistoryChange *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_change_get_event_id (AsbHistoryChange *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_change_get_change_type (AsbHistoryChange *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_change_get_changed_at (AsbHistoryChange *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_change_get_operation_type (AsbHistoryChange *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_change_get_status (AsbHistoryChange *self);

G_END_DECLS
