/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_HISTORY_OPERATION (asb_history_operation_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbHistoryOperation, asb_history_operation, ASB, HISTORY_OPERATION, GObject)

ASB_AVAILABLE_IN_1_0
gint64 asb_history_operation_get_seq (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_operation_get_event_id (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_operation_get_operation_type (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
AsbOperationStatus asb_history_operation_get_status (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_operation_get_source (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_operation_get_actor_type (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_operation_get_actor_id (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_operation_get_thread_id (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_operation_get_run_id (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_operation_get_correlation_id (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_operation_get_occurred_at (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_history_operation_get_completed_at (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_operation_get_duration_ms (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
GVariant *asb_history_operation_get_request (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
GVariant *asb_history_operation_get_result (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
GVariant *asb_history_operation_get_command (AsbHistoryOperation *self);
ASB_AVAILABLE_IN_1_0
GVariant *asb_history_operation_get_file_operation (AsbHistoryOperation *self);

G_END_DECLS
