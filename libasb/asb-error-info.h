/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_ERROR_INFO (asb_error_info_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbErrorInfo, asb_error_info, ASB, ERROR_INFO, GObject)

ASB_AVAILABLE_IN_1_0
AsbErrorInfo *asb_error_info_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_error_info_get_operation (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_operation (AsbErrorInfo *self, const char *operation);
ASB_AVAILABLE_IN_1_0
const char *asb_error_info_get_operation_id (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_operation_id (AsbErrorInfo *self, const char *operation_id);
ASB_AVAILABLE_IN_1_0
const char *asb_error_info_get_provider_name (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_provider_name (AsbErrorInfo *self, const char *provider_name);
ASB_AVAILABLE_IN_1_0
const char *asb_error_info_get_provider_key (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_provider_key (AsbErrorInfo *self, const char *provider_key);
ASB_AVAILABLE_IN_1_0
const char *asb_error_info_get_sandbox_id (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_sandbox_id (AsbErrorInfo *self, const char *sandbox_id);
ASB_AVAILABLE_IN_1_0
const char *asb_error_info_get_sandbox_instance_id (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_sandbox_instance_id (AsbErrorInfo *self, const char *sandbox_instance_id);
ASB_AVAILABLE_IN_1_0
const char *asb_error_info_get_actor_id (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_actor_id (AsbErrorInfo *self, const char *actor_id);
ASB_AVAILABLE_IN_1_0
const char *asb_error_info_get_correlation_id (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_correlation_id (AsbErrorInfo *self, const char *correlation_id);
ASB_AVAILABLE_IN_1_0
const char *asb_error_info_get_provider_error_code (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_provider_error_code (AsbErrorInfo *self, const char *provider_error_code);
ASB_AVAILABLE_IN_1_0
const char *asb_error_info_get_provider_request_id (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_provider_request_id (AsbErrorInfo *self, const char *provider_request_id);
ASB_AVAILABLE_IN_1_0
gboolean asb_error_info_get_retryable (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_retryable (AsbErrorInfo *self, gboolean retryable);
ASB_AVAILABLE_IN_1_0
GVariant *asb_error_info_get_details (AsbErrorInfo *self);
ASB_AVAILABLE_IN_1_0
void asb_error_info_set_details (AsbErrorInfo *self, GVariant *details);
ASB_AVAILABLE_IN_1_0
AsbErrorInfo *asb_error_info_get_last (void);

G_END_DECLS
