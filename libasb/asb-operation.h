/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_OPERATION (asb_operation_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbOperation, asb_operation, ASB, OPERATION, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_operation_get_event_id (AsbOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_operation_get_operation_type (AsbOperation *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_operation_get_required (AsbOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_operation_get_actor_type (AsbOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_operation_get_actor_id (AsbOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_operation_get_thread_id (AsbOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_operation_get_run_id (AsbOperation *self);
ASB_AVAILABLE_IN_1_0
const char *asb_operation_get_correlation_id (AsbOperation *self);
ASB_AVAILABLE_IN_1_0
GVariant *asb_operation_get_request (AsbOperation *self);
ASB_AVAILABLE_IN_1_0
GVariant *asb_operation_get_command (AsbOperation *self);
ASB_AVAILABLE_IN_1_0
GVariant *asb_operation_get_file_operation (AsbOperation *self);

G_END_DECLS
