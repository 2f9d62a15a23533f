/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_RETRY_CONFIG (asb_retry_config_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbRetryConfig, asb_retry_config, ASB, RETRY_CONFIG, GObject)

ASB_AVAILABLE_IN_1_0
AsbRetryConfig *asb_retry_config_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
guint asb_retry_config_get_max_attempts (AsbRetryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_retry_config_set_max_attempts (AsbRetryConfig *self, guint max_attempts);
ASB_AVAILABLE_IN_1_0
guint asb_retry_config_get_base_delay_ms (AsbRetryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_retry_config_set_base_delay_ms (AsbRetryConfig *self, guint base_delay_ms);
ASB_AVAILABLE_IN_1_0
guint asb_retry_config_get_max_delay_ms (AsbRetryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_retry_config_set_max_delay_ms (AsbRetryConfig *self, guint max_delay_ms);
ASB_AVAILABLE_IN_1_0
double asb_retry_config_get_jitter_ratio (AsbRetryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_retry_config_set_jitter_ratio (AsbRetryConfig *self, double jitter_ratio);
ASB_AVAILABLE_IN_1_0
double asb_retry_config_get_total_deadline_seconds (AsbRetryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_retry_config_set_total_deadline_seconds (AsbRetryConfig *self,
                                                  double total_deadline_seconds);

G_END_DECLS
