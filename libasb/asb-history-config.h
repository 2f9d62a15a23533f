/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_HISTORY_CONFIG (asb_history_config_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbHistoryConfig, asb_history_config, ASB, HISTORY_CONFIG, GObject)

ASB_AVAILABLE_IN_1_0
AsbHistoryConfig *asb_history_config_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
AsbHistoryMode asb_history_config_get_mode (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_mode (AsbHistoryConfig *self, AsbHistoryMode mode);
ASB_AVAILABLE_IN_1_0
AsbHistoryConsistency asb_history_config_get_consistency (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_consistency (AsbHistoryConfig *self, AsbHistoryConsistency consistency);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_ttl_days (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_ttl_days (AsbHistoryConfig *self, gint64 ttl_days);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_max_database_bytes (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_max_database_bytes (AsbHistoryConfig *self, gint64 max_database_bytes);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_max_operation_output_bytes (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_max_operation_output_bytes (AsbHistoryConfig *self,
                                                        gint64 max_operation_output_bytes);
ASB_AVAILABLE_IN_1_0
const char *asb_history_config_get_overflow_policy (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_overflow_policy (AsbHistoryConfig *self, const char *overflow_policy);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_config_get_capture_stdout (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_capture_stdout (AsbHistoryConfig *self, gboolean capture_stdout);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_config_get_capture_stderr (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_capture_stderr (AsbHistoryConfig *self, gboolean capture_stderr);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_output_chunk_bytes (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_output_chunk_bytes (AsbHistoryConfig *self, gint64 output_chunk_bytes);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_output_flush_bytes (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_output_flush_bytes (AsbHistoryConfig *self, gint64 output_flush_bytes);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_output_flush_interval_ms (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_output_flush_interval_ms (AsbHistoryConfig *self,
                                                      gint64 output_flush_interval_ms);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_output_queue_max_bytes (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_output_queue_max_bytes (AsbHistoryConfig *self,
                                                    gint64 output_queue_max_bytes);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_output_queue_max_chunks (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_output_queue_max_chunks (AsbHistoryConfig *self,
                                                     gint64 output_queue_max_chunks);
ASB_AVAILABLE_IN_1_0
double asb_history_config_get_output_write_timeout_seconds (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_output_write_timeout_seconds (AsbHistoryConfig *self,
                                                          double output_write_timeout_seconds);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_cleanup_min_interval_seconds (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_cleanup_min_interval_seconds (AsbHistoryConfig *self,
                                                          gint64 cleanup_min_interval_seconds);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_consumer_active_ttl_days (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_consumer_active_ttl_days (AsbHistoryConfig *self,
                                                      gint64 consumer_active_ttl_days);
ASB_AVAILABLE_IN_1_0
const char *asb_history_config_get_compression (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_compression (AsbHistoryConfig *self, const char *compression);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_compression_min_bytes (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_compression_min_bytes (AsbHistoryConfig *self,
                                                   gint64 compression_min_bytes);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_compression_level (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_compression_level (AsbHistoryConfig *self, gint64 compression_level);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_sqlite_busy_timeout_ms (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_sqlite_busy_timeout_ms (AsbHistoryConfig *self,
                                                    gint64 sqlite_busy_timeout_ms);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_sqlite_cache_bytes (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_sqlite_cache_bytes (AsbHistoryConfig *self, gint64 sqlite_cache_bytes);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_helper_query_max_bytes (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_helper_query_max_bytes (AsbHistoryConfig *self,
                                                    gint64 helper_query_max_bytes);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_helper_envelope_max_bytes (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_helper_envelope_max_bytes (AsbHistoryConfig *self,
                                                       gint64 helper_envelope_max_bytes);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_cleanup_interval_operations (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_cleanup_interval_operations (AsbHistoryConfig *self,
                                                         gint64 cleanup_interval_operations);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_config_get_cleanup_on_connect (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_cleanup_on_connect (AsbHistoryConfig *self,
                                                gboolean cleanup_on_connect);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_config_get_stale_started_after_seconds (AsbHistoryConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_history_config_set_stale_started_after_seconds (AsbHistoryConfig *self,
                                                         gint64 stale_started_after_seconds);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_config_validate (AsbHistoryConfig *self, GError **error);
ASB_AVAILABLE_IN_1_0
GVariant *asb_history_config_to_variant (AsbHistoryConfig *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
