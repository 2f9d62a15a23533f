/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>
#include "asb-capabilities.h"
#include "asb-diagnostics.h"
#include "asb-endpoint.h"
#include "asb-metrics-watch.h"
#include "asb-network-policy.h"
#include "asb-sandbox-filter.h"
#include "asb-sandbox-info.h"
#include "asb-sandbox-metrics.h"
#include "asb-sandbox-spec.h"
#include "asb-snapshot-filter.h"
#include "asb-snapshot.h"
#include "asb-stream-spec.h"
#include "asb-transport.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_PROVIDER (asb_provider_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_INTERFACE (AsbProvider, asb_provider, ASB, PROVIDER, GObject)

struct _AsbProviderInterface
{
  GTypeInterface g_iface;

  /*< public >*/
  char *(*dup_name) (AsbProvider *self);
  char *(*dup_key) (AsbProvider *self);
  char *(*dup_endpoint_fingerprint) (AsbProvider *self);
  AsbCapabilities *(*get_capabilities) (AsbProvider *self);
  void (*create_sandbox) (AsbProvider *self, AsbSandboxSpec *spec, GTask *task);
  void (*get_sandbox) (AsbProvider *self, const char *sandbox_id, GTask *task);
  void (*list_sandboxes) (AsbProvider *self, AsbSandboxFilter *filter, GTask *task);
  void (*delete_sandbox) (AsbProvider *self, const char *sandbox_id, GTask *task);
  void (*renew_sandbox) (AsbProvider *self, const char *sandbox_id, gint64 seconds, GTask *task);
  void (*pause_sandbox) (AsbProvider *self, const char *sandbox_id, GTask *task);
  void (*resume_sandbox) (AsbProvider *self, const char *sandbox_id, GTask *task);
  void (*open_stream) (AsbProvider *self, const char *sandbox_id, AsbStreamSpec *spec, GTask *task);
  void (*put_file) (AsbProvider *self, const char *sandbox_id, const char *path, GBytes *contents,
                    guint mode, GTask *task);
  void (*open_transport) (AsbProvider *self, const char *sandbox_id, GTask *task);
  void (*diagnose) (AsbProvider *self, GTask *task);
  void (*get_endpoint) (AsbProvider *self, const char *sandbox_id, guint port, gint64 expires,
                        GTask *task);
  void (*get_network_policy) (AsbProvider *self, const char *sandbox_id, GTask *task);
  void (*set_network_policy) (AsbProvider *self, const char *sandbox_id, AsbNetworkPolicy *policy,
                              GTask *task);
  void (*patch_network_policy) (AsbProvider *self, const char *sandbox_id, AsbNetworkPolicy *policy,
                                GTask *task);
  void (*remove_network_rules) (AsbProvider *self, const char *sandbox_id,
                                const char *const *targets, GTask *task);
  void (*patch_metadata) (AsbProvider *self, const char *sandbox_id, GVariant *changes,
                          GTask *task);
  void (*create_snapshot) (AsbProvider *self, const char *sandbox_id, const char *name,
                           GTask *task);
  void (*get_snapshot) (AsbProvider *self, const char *snapshot_id, GTask *task);
  void (*list_snapshots) (AsbProvider *self, AsbSnapshotFilter *filter, GTask *task);
  void (*delete_snapshot) (AsbProvider *self, const char *snapshot_id, GTask *task);
  void (*get_metrics) (AsbProvider *self, const char *sandbox_id, GTask *task);
  void (*watch_metrics) (AsbProvider *self, const char *sandbox_id, GTask *task);
  void (*get_diagnostics) (AsbProvider *self, const char *sandbox_id, const char *kind,
                           const char *scope, GTask *task);
  void (*call_service) (AsbProvider *self, const char *sandbox_id, const char *name,
                        GVariant *arguments, GTask *task);
  gboolean thread_safe;

  /*< private >*/
  gpointer _reserved[14];
};

ASB_AVAILABLE_IN_1_0
char *asb_provider_dup_name (AsbProvider *self) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
char *asb_provider_dup_key (AsbProvider *self) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
char *asb_provider_dup_endpoint_fingerprint (AsbProvider *self) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
AsbCapabilities *asb_provider_get_capabilities (AsbProvider *self) G_GNUC_WARN_UNUSED_RESULT;

ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_create_sandbox (AsbProvider *self, AsbSandboxSpec *spec,
                                             GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_create_sandbox_async (AsbProvider *self, AsbSandboxSpec *spec,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_create_sandbox_finish (AsbProvider *self, GAsyncResult *result,
                                                    GError **error);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_get_sandbox (AsbProvider *self, const char *sandbox_id,
                                          GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_get_sandbox_async (AsbProvider *self, const char *sandbox_id,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_get_sandbox_finish (AsbProvider *self, GAsyncResult *result,
                                                 GError **error);
ASB_AVAILABLE_IN_1_0
GListModel *asb_provider_list_sandboxes (AsbProvider *self, AsbSandboxFilter *filter,
                                         GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_list_sandboxes_async (AsbProvider *self, AsbSandboxFilter *filter,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
ASB_AVAILABLE_IN_1_0
GListModel *asb_provider_list_sandboxes_finish (AsbProvider *self, GAsyncResult *result,
                                                GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_provider_delete_sandbox (AsbProvider *self, const char *sandbox_id,
                                      GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_delete_sandbox_async (AsbProvider *self, const char *sandbox_id,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_provider_delete_sandbox_finish (AsbProvider *self, GAsyncResult *result,
                                             GError **error);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_renew_sandbox (AsbProvider *self, const char *sandbox_id,
                                            gint64 seconds, GCancellable *cancellable,
                                            GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_renew_sandbox_async (AsbProvider *self, const char *sandbox_id, gint64 seconds,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_renew_sandbox_finish (AsbProvider *self, GAsyncResult *result,
                                                   GError **error);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_pause_sandbox (AsbProvider *self, const char *sandbox_id,
                                            GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_pause_sandbox_async (AsbProvider *self, const char *sandbox_id,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_pause_sandbox_finish (AsbProvider *self, GAsyncResult *result,
                                                   GError **error);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_resume_sandbox (AsbProvider *self, const char *sandbox_id,
                                             GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_resume_sandbox_async (AsbProvider *self, const char *sandbox_id,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_resume_sandbox_finish (AsbProvider *self, GAsyncResult *result,
                                                    GError **error);
ASB_AVAILABLE_IN_1_0
GIOStream *asb_provider_open_stream (AsbProvider *self, const char *sandbox_id, AsbStreamSpec *spec,
                                     GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_open_stream_async (AsbProvider *self, const char *sandbox_id, AsbStreamSpec *spec,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
GIOStream *asb_provider_open_stream_finish (AsbProvider *self, GAsyncResult *result,
                                            GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_provider_put_file (AsbProvider *self, const char *sandbox_id, const char *path,
                                GBytes *contents, guint mode, GCancellable *cancellable,
                                GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_put_file_async (AsbProvider *self, const char *sandbox_id, const char *path,
                                  GBytes *contents, guint mode, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_provider_put_file_finish (AsbProvider *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbTransport *asb_provider_open_transport (AsbProvider *self, const char *sandbox_id,
                                           GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_open_transport_async (AsbProvider *self, const char *sandbox_id,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbTransport *asb_provider_open_transport_finish (AsbProvider *self, GAsyncResult *result,
                                                  GError **error);
ASB_AVAILABLE_IN_1_0
GVariant *asb_provider_diagnose (AsbProvider *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_diagnose_async (AsbProvider *self, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
GVariant *asb_provider_diagnose_finish (AsbProvider *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbEndpoint *asb_provider_get_endpoint (AsbProvider *self, const char *sandbox_id, guint port,
                                        gint64 expires, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_get_endpoint_async (AsbProvider *self, const char *sandbox_id, guint port,
                                      gint64 expires, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbEndpoint *asb_provider_get_endpoint_finish (AsbProvider *self, GAsyncResult *result,
                                               GError **error);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_provider_get_network_policy (AsbProvider *self, const char *sandbox_id,
                                                   GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_get_network_policy_async (AsbProvider *self, const char *sandbox_id,
                                            GCancellable *cancellable, GAsyncReadyCallback callback,
                                            gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_provider_get_network_policy_finish (AsbProvider *self, GAsyncResult *result,
                                                          GError **error);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_provider_set_network_policy (AsbProvider *self, const char *sandbox_id,
                                                   AsbNetworkPolicy *policy,
                                                   GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_set_network_policy_async (AsbProvider *self, const char *sandbox_id,
                                            AsbNetworkPolicy *policy, GCancellable *cancellable,
                                            GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_provider_set_network_policy_finish (AsbProvider *self, GAsyncResult *result,
                                                          GError **error);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_provider_patch_network_policy (AsbProvider *self, const char *sandbox_id,
                                                     AsbNetworkPolicy *policy,
                                                     GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_patch_network_policy_async (AsbProvider *self, const char *sandbox_id,
                                              AsbNetworkPolicy *policy, GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_provider_patch_network_policy_finish (AsbProvider *self, GAsyncResult *result,
                                                            GError **error);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_provider_remove_network_rules (AsbProvider *self, const char *sandbox_id,
                                                     const char *const *targets,
                                                     GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_remove_network_rules_async (AsbProvider *self, const char *sandbox_id,
                                              const char *const *targets, GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_provider_remove_network_rules_finish (AsbProvider *self, GAsyncResult *result,
                                                            GError **error);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_patch_metadata (AsbProvider *self, const char *sandbox_id,
                                             GVariant *changes, GCancellable *cancellable,
                                             GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_patch_metadata_async (AsbProvider *self, const char *sandbox_id,
                                        GVariant *changes, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxInfo *asb_provider_patch_metadata_finish (AsbProvider *self, GAsyncResult *result,
                                                    GError **error);
ASB_AVAILABLE_IN_1_0
AsbSnapshot *asb_provider_create_snapshot (AsbProvider *self, const char *sandbox_id,
                                           const char *name, GCancellable *cancellable,
                                           GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_create_snapshot_async (AsbProvider *self, const char *sandbox_id,
                                         const char *name, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSnapshot *asb_provider_create_snapshot_finish (AsbProvider *self, GAsyncResult *result,
                                                  GError **error);
ASB_AVAILABLE_IN_1_0
AsbSnapshot *asb_provider_get_snapshot (AsbProvider *self, const char *snapshot_id,
                                        GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_get_snapshot_async (AsbProvider *self, const char *snapshot_id,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSnapshot *asb_provider_get_snapshot_finish (AsbProvider *self, GAsyncResult *result,
                                               GError **error);
ASB_AVAILABLE_IN_1_0
GListModel *asb_provider_list_snapshots (AsbProvider *self, AsbSnapshotFilter *filter,
                                         GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_list_snapshots_async (AsbProvider *self, AsbSnapshotFilter *filter,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
ASB_AVAILABLE_IN_1_0
GListModel *asb_provider_list_snapshots_finish (AsbProvider *self, GAsyncResult *result,
                                                GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_provider_delete_snapshot (AsbProvider *self, const char *snapshot_id,
                                       GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_delete_snapshot_async (AsbProvider *self, const char *snapshot_id,
                                         GCancellable *cancellable, GAsyncReadyCallback callback,
                                         gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_provider_delete_snapshot_finish (AsbProvider *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
AsbSandboxMetrics *asb_provider_get_metrics (AsbProvider *self, const char *sandbox_id,
                                             GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_get_metrics_async (AsbProvider *self, const char *sandbox_id,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSandboxMetrics *asb_provider_get_metrics_finish (AsbProvider *self, GAsyncResult *result,
                                                    GError **error);
ASB_AVAILABLE_IN_1_0
AsbMetricsWatch *asb_provider_watch_metrics (AsbProvider *self, const char *sandbox_id,
                                             GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_watch_metrics_async (AsbProvider *self, const char *sandbox_id,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbMetricsWatch *asb_provider_watch_metrics_finish (AsbProvider *self, GAsyncResult *result,
                                                    GError **error);
ASB_AVAILABLE_IN_1_0
AsbDiagnostics *asb_provider_get_diagnostics (AsbProvider *self, const char *sandbox_id,
                                              const char *kind, const char *scope,
                                              GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_get_diagnostics_async (AsbProvider *self, const char *sandbox_id,
                                         const char *kind, const char *scope,
                                         GCancellable *cancellable, GAsyncReadyCallback callback,
                                         gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbDiagnostics *asb_provider_get_diagnostics_finish (AsbProvider *self, GAsyncResult *result,
                                                     GError **error);
ASB_AVAILABLE_IN_1_0
GVariant *asb_provider_call_service (AsbProvider *self, const char *sandbox_id, const char *name,
                                     GVariant *arguments, GCancellable *cancellable,
                                     GError **error);
ASB_AVAILABLE_IN_1_0
void asb_provider_call_service_async (AsbProvider *self, const char *sandbox_id, const char *name,
                                      GVariant *arguments, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
GVariant *asb_provider_call_service_finish (AsbProvider *self, GAsyncResult *result,
                                            GError **error);

G_END_DECLS
