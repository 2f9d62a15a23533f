/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-archive-options.h"
#include "asb-archive-result.h"
#include "asb-backend-options.h"
#include "asb-capabilities.h"
#include "asb-command-spec.h"
#include "asb-command.h"
#include "asb-file-edit.h"
#include "asb-file-info.h"
#include "asb-file-search.h"
#include "asb-file-watch.h"
#include "asb-job.h"
#include "asb-line-window.h"
#include "asb-search-result.h"
#include "asb-text-match.h"
#include "asb-upload-config.h"
#include "asb-upload-result.h"
#include "asb-upload-spec.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_BACKEND (asb_backend_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbBackend, asb_backend, ASB, BACKEND, GObject)

ASB_AVAILABLE_IN_1_0
AsbBackend *asb_create_backend (AsbBackendOptions *options, GCancellable *cancellable,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
void asb_create_backend_async (AsbBackendOptions *options, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbBackend *asb_create_backend_finish (GAsyncResult *result,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

ASB_AVAILABLE_IN_1_0
AsbSandboxRef *asb_backend_get_ref (AsbBackend *self);
ASB_AVAILABLE_IN_1_0
AsbProvider *asb_backend_get_provider (AsbBackend *self);
ASB_AVAILABLE_IN_1_0
AsbTransport *asb_backend_get_transport (AsbBackend *self);
ASB_AVAILABLE_IN_1_0
AsbHistoryStore *asb_backend_get_history_store (AsbBackend *self);
ASB_AVAILABLE_IN_1_0
const char *asb_backend_get_workdir (AsbBackend *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_backend_get_closed (AsbBackend *self);
ASB_AVAILABLE_IN_1_0
AsbCapabilities *asb_backend_get_capabilities (AsbBackend *self) G_GNUC_WARN_UNUSED_RESULT;

ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_backend_query_info (AsbBackend *self, GCancellable *cancellable,
                                        GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_query_info_async (AsbBackend *self, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_backend_query_info_finish (AsbBackend *self, GAsyncResult *result,
                                               GError **error);
ASB_AVAILABLE_IN_1_0
AsbCommandResult *asb_backend_execute (AsbBackend *self, AsbCommandSpec *spec,
                                       GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_execute_async (AsbBackend *self, AsbCommandSpec *spec, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbCommandResult *asb_backend_execute_finish (AsbBackend *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
AsbCommand *asb_backend_start_command (AsbBackend *self, AsbCommandSpec *spec,
                                       GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_start_command_async (AsbBackend *self, AsbCommandSpec *spec,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbCommand *asb_backend_start_command_finish (AsbBackend *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
AsbJob *asb_backend_start_job (AsbBackend *self, AsbCommandSpec *spec, const char *name,
                               GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_start_job_async (AsbBackend *self, AsbCommandSpec *spec, const char *name,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbJob *asb_backend_start_job_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
GListModel *asb_backend_list_jobs (AsbBackend *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_list_jobs_async (AsbBackend *self, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
GListModel *asb_backend_list_jobs_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbJob *asb_backend_query_job (AsbBackend *self, const char *job_id, GCancellable *cancellable,
                               GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_query_job_async (AsbBackend *self, const char *job_id, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbJob *asb_backend_query_job_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
GListModel *asb_backend_list_files (AsbBackend *self, const char *path, GCancellable *cancellable,
                                    GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_list_files_async (AsbBackend *self, const char *path, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
GListModel *asb_backend_list_files_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_backend_query_file (AsbBackend *self, const char *path, GCancellable *cancellable,
                                     GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_query_file_async (AsbBackend *self, const char *path, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_backend_query_file_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
GBytes *asb_backend_read_file (AsbBackend *self, const char *path, GCancellable *cancellable,
                               GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_read_file_async (AsbBackend *self, const char *path, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
GBytes *asb_backend_read_file_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_backend_open_read (AsbBackend *self, const char *path, GCancellable *cancellable,
                                     GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_open_read_async (AsbBackend *self, const char *path, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_backend_open_read_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_backend_write_file (AsbBackend *self, const char *path, GBytes *contents,
                                     const char *expected_hash, GCancellable *cancellable,
                                     GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_write_file_async (AsbBackend *self, const char *path, GBytes *contents,
                                   const char *expected_hash, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_backend_write_file_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
GOutputStream *asb_backend_open_write (AsbBackend *self, const char *path, int mode,
                                       GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_open_write_async (AsbBackend *self, const char *path, int mode,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data);
ASB_AVAILABLE_IN_1_0
GOutputStream *asb_backend_open_write_finish (AsbBackend *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_backend_make_directory (AsbBackend *self, const char *path, GCancellable *cancellable,
                                     GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_make_directory_async (AsbBackend *self, const char *path,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_backend_make_directory_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_backend_delete_file (AsbBackend *self, const char *path, AsbFileFlags flags,
                                  GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_delete_file_async (AsbBackend *self, const char *path, AsbFileFlags flags,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_backend_delete_file_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_backend_move_file (AsbBackend *self, const char *path, const char *new_path,
                                AsbFileFlags flags, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_move_file_async (AsbBackend *self, const char *path, const char *new_path,
                                  AsbFileFlags flags, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_backend_move_file_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_backend_edit_file (AsbBackend *self, AsbFileEdit *edit, GCancellable *cancellable,
                                    GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_edit_file_async (AsbBackend *self, AsbFileEdit *edit, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_backend_edit_file_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbLineWindow *asb_backend_read_lines (AsbBackend *self, const char *path, guint64 offset,
                                       gint64 limit, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_read_lines_async (AsbBackend *self, const char *path, guint64 offset, gint64 limit,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbLineWindow *asb_backend_read_lines_finish (AsbBackend *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_backend_set_attributes (AsbBackend *self, const char *path, int mode, gint64 uid,
                                         gint64 gid, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_set_attributes_async (AsbBackend *self, const char *path, int mode, gint64 uid,
                                       gint64 gid, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_backend_set_attributes_finish (AsbBackend *self, GAsyncResult *result,
                                                GError **error);
ASB_AVAILABLE_IN_1_0
AsbSearchResult *asb_backend_find_files (AsbBackend *self, AsbFileSearch *search,
                                         GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_find_files_async (AsbBackend *self, AsbFileSearch *search,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSearchResult *asb_backend_find_files_finish (AsbBackend *self, GAsyncResult *result,
                                                GError **error);
ASB_AVAILABLE_IN_1_0
AsbSearchResult *asb_backend_search_text (AsbBackend *self, AsbFileSearch *search,
                                          GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_search_text_async (AsbBackend *self, AsbFileSearch *search,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSearchResult *asb_backend_search_text_finish (AsbBackend *self, GAsyncResult *result,
                                                 GError **error);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_backend_open_archive (AsbBackend *self, AsbArchiveOptions *options,
                                        GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_open_archive_async (AsbBackend *self, AsbArchiveOptions *options,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_backend_open_archive_finish (AsbBackend *self, GAsyncResult *result,
                                               GError **error);
ASB_AVAILABLE_IN_1_0
AsbArchiveResult *asb_backend_extract_archive (AsbBackend *self, AsbArchiveOptions *options,
                                               GInputStream *archive, GCancellable *cancellable,
                                               GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_extract_archive_async (AsbBackend *self, AsbArchiveOptions *options,
                                        GInputStream *archive, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbArchiveResult *asb_backend_extract_archive_finish (AsbBackend *self, GAsyncResult *result,
                                                      GError **error);
ASB_AVAILABLE_IN_1_0
AsbUploadResult *asb_backend_upload_local (AsbBackend *self, AsbUploadSpec *spec,
                                           AsbUploadConfig *config, GCancellable *cancellable,
                                           GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_upload_local_async (AsbBackend *self, AsbUploadSpec *spec, AsbUploadConfig *config,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbUploadResult *asb_backend_upload_local_finish (AsbBackend *self, GAsyncResult *result,
                                                  GError **error);
ASB_AVAILABLE_IN_1_0
AsbFileWatch *asb_backend_watch_files (AsbBackend *self, const char *path, AsbFileFlags flags,
                                       GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_watch_files_async (AsbBackend *self, const char *path, AsbFileFlags flags,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbFileWatch *asb_backend_watch_files_finish (AsbBackend *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_backend_get_network_policy (AsbBackend *self, GCancellable *cancellable,
                                                  GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_get_network_policy_async (AsbBackend *self, GCancellable *cancellable,
                                           GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_backend_get_network_policy_finish (AsbBackend *self, GAsyncResult *result,
                                                         GError **error);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_backend_set_network_policy (AsbBackend *self, AsbNetworkPolicy *policy,
                                                  GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_set_network_policy_async (AsbBackend *self, AsbNetworkPolicy *policy,
                                           GCancellable *cancellable, GAsyncReadyCallback callback,
                                           gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_backend_set_network_policy_finish (AsbBackend *self, GAsyncResult *result,
                                                         GError **error);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_backend_patch_network_policy (AsbBackend *self, AsbNetworkPolicy *policy,
                                                    GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_patch_network_policy_async (AsbBackend *self, AsbNetworkPolicy *policy,
                                             GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_backend_patch_network_policy_finish (AsbBackend *self, GAsyncResult *result,
                                                           GError **error);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_backend_remove_network_rules (AsbBackend *self, const char *const *targets,
                                                    GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_remove_network_rules_async (AsbBackend *self, const char *const *targets,
                                             GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_backend_remove_network_rules_finish (AsbBackend *self, GAsyncResult *result,
                                                           GError **error);
ASB_AVAILABLE_IN_1_0
AsbEndpoint *asb_backend_get_endpoint (AsbBackend *self, guint port, gint64 expires,
                                       GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_get_endpoint_async (AsbBackend *self, guint port, gint64 expires,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbEndpoint *asb_backend_get_endpoint_finish (AsbBackend *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_backend_patch_metadata (AsbBackend *self, GVariant *changes,
                                            GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_patch_metadata_async (AsbBackend *self, GVariant *changes,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_backend_patch_metadata_finish (AsbBackend *self, GAsyncResult *result,
                                                   GError **error);
ASB_AVAILABLE_IN_1_0
AsbSnapshot *asb_backend_create_snapshot (AsbBackend *self, const char *name,
                                          GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_create_snapshot_async (AsbBackend *self, const char *name,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSnapshot *asb_backend_create_snapshot_finish (AsbBackend *self, GAsyncResult *result,
                                                 GError **error);
ASB_AVAILABLE_IN_1_0
AsbSandboxMetrics *asb_backend_get_metrics (AsbBackend *self, GCancellable *cancellable,
                                            GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_get_metrics_async (AsbBackend *self, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxMetrics *asb_backend_get_metrics_finish (AsbBackend *self, GAsyncResult *result,
                                                   GError **error);
ASB_AVAILABLE_IN_1_0
AsbMetricsWatch *asb_backend_watch_metrics (AsbBackend *self, GCancellable *cancellable,
                                            GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_watch_metrics_async (AsbBackend *self, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbMetricsWatch *asb_backend_watch_metrics_finish (AsbBackend *self, GAsyncResult *result,
                                                   GError **error);
ASB_AVAILABLE_IN_1_0
AsbDiagnostics *asb_backend_get_diagnostics (AsbBackend *self, const char *kind, const char *scope,
                                             GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_get_diagnostics_async (AsbBackend *self, const char *kind, const char *scope,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbDiagnostics *asb_backend_get_diagnostics_finish (AsbBackend *self, GAsyncResult *result,
                                                    GError **error);
ASB_AVAILABLE_IN_1_0
GVariant *asb_backend_call_service (AsbBackend *self, const char *name, GVariant *arguments,
                                    GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_call_service_async (AsbBackend *self, const char *name, GVariant *arguments,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
GVariant *asb_backend_call_service_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_backend_pause (AsbBackend *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_pause_async (AsbBackend *self, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_backend_pause_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_backend_resume (AsbBackend *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_resume_async (AsbBackend *self, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_backend_resume_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_backend_renew (AsbBackend *self, gint64 seconds, GCancellable *cancellable,
                                   GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_renew_async (AsbBackend *self, gint64 seconds, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_backend_renew_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_backend_delete_sandbox (AsbBackend *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_delete_sandbox_async (AsbBackend *self, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_backend_delete_sandbox_finish (AsbBackend *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_backend_close (AsbBackend *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_backend_close_async (AsbBackend *self, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_backend_close_finish (AsbBackend *self, GAsyncResult *result, GError **error);

G_END_DECLS
