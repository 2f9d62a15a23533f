/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_CONCURRENCY_CONFIG (asb_concurrency_config_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbConcurrencyConfig, asb_concurrency_config, ASB, CONCURRENCY_CONFIG,
                      GObject)

ASB_AVAILABLE_IN_1_0
AsbConcurrencyConfig *asb_concurrency_config_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
guint asb_concurrency_config_get_max_parallel_commands (AsbConcurrencyConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_concurrency_config_set_max_parallel_commands (AsbConcurrencyConfig *self,
                                                       guint max_parallel_commands);
ASB_AVAILABLE_IN_1_0
guint asb_concurrency_config_get_max_parallel_file_reads (AsbConcurrencyConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_concurrency_config_set_max_parallel_file_reads (AsbConcurrencyConfig *self,
                                                         guint max_parallel_file_reads);
ASB_AVAILABLE_IN_1_0
guint asb_concurrency_config_get_max_parallel_file_writes (AsbConcurrencyConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_concurrency_config_set_max_parallel_file_writes (AsbConcurrencyConfig *self,
                                                          guint max_parallel_file_writes);
ASB_AVAILABLE_IN_1_0
guint asb_concurrency_config_get_max_parallel_uploads (AsbConcurrencyConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_concurrency_config_set_max_parallel_uploads (AsbConcurrencyConfig *self,
                                                      guint max_parallel_uploads);
ASB_AVAILABLE_IN_1_0
double asb_concurrency_config_get_lifecycle_lock_timeout_seconds (AsbConcurrencyConfig *self);
ASB_AVAILABLE_IN_1_0
void
asb_concurrency_config_set_lifecycle_lock_timeout_seconds (AsbConcurrencyConfig *self,
                                                           double lifecycle_lock_timeout_seconds);
ASB_AVAILABLE_IN_1_0
double asb_concurrency_config_get_command_queue_timeout_seconds (AsbConcurrencyConfig *self);
ASB_AVAILABLE_IN_1_0
void
asb_concurrency_config_set_command_queue_timeout_seconds (AsbConcurrencyConfig *self,
                                                          double command_queue_timeout_seconds);
ASB_AVAILABLE_IN_1_0
double asb_concurrency_config_get_file_queue_timeout_seconds (AsbConcurrencyConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_concurrency_config_set_file_queue_timeout_seconds (AsbConcurrencyConfig *self,
                                                            double file_queue_timeout_seconds);
ASB_AVAILABLE_IN_1_0
double asb_concurrency_config_get_upload_queue_timeout_seconds (AsbConcurrencyConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_concurrency_config_set_upload_queue_timeout_seconds (AsbConcurrencyConfig *self,
                                                              double upload_queue_timeout_seconds);

G_END_DECLS
