/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-command-result-config.h"
#include "asb-concurrency-config.h"
#include "asb-enums.h"
#include "asb-history-config.h"
#include "asb-history-store.h"
#include "asb-mount.h"
#include "asb-provider.h"
#include "asb-registry.h"
#include "asb-resource-limits.h"
#include "asb-retry-config.h"
#include "asb-sandbox-ref.h"
#include "asb-upload-config.h"
#include "asb-upload-spec.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_BACKEND_OPTIONS (asb_backend_options_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_DERIVABLE_TYPE (AsbBackendOptions, asb_backend_options, ASB, BACKEND_OPTIONS, GObject)

struct _AsbBackendOptionsClass
{
  GObjectClass parent_class;

  /*< private >*/
  gpointer _reserved[4];
};

ASB_AVAILABLE_IN_1_0
AsbBackendOptions *asb_backend_options_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_backend_options_get_provider_name (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_provider_name (AsbBackendOptions *self, const char *provider_name);
ASB_AVAILABLE_IN_1_0
AsbProvider *asb_backend_options_get_provider (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_provider (AsbBackendOptions *self, AsbProvider *provider);
ASB_AVAILABLE_IN_1_0
GVariant *asb_backend_options_get_provider_options (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_provider_options (AsbBackendOptions *self, GVariant *provider_options);
ASB_AVAILABLE_IN_1_0
AsbRegistry *asb_backend_options_get_registry (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_registry (AsbBackendOptions *self, AsbRegistry *registry);
ASB_AVAILABLE_IN_1_0
AsbBackendMode asb_backend_options_get_mode (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_mode (AsbBackendOptions *self, AsbBackendMode mode);
ASB_AVAILABLE_IN_1_0
AsbSandboxRef *asb_backend_options_get_ref (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_ref (AsbBackendOptions *self, AsbSandboxRef *ref);
ASB_AVAILABLE_IN_1_0
const char *asb_backend_options_get_sandbox_name (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_sandbox_name (AsbBackendOptions *self, const char *sandbox_name);
ASB_AVAILABLE_IN_1_0
const char *asb_backend_options_get_agent_name (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_agent_name (AsbBackendOptions *self, const char *agent_name);
ASB_AVAILABLE_IN_1_0
const char *asb_backend_options_get_image (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_image (AsbBackendOptions *self, const char *image);
ASB_AVAILABLE_IN_1_0
const char *asb_backend_options_get_workdir (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_workdir (AsbBackendOptions *self, const char *workdir);
ASB_AVAILABLE_IN_1_0
const char *const *asb_backend_options_get_environment (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_environment (AsbBackendOptions *self, const char *const *environment);
ASB_AVAILABLE_IN_1_0
GHashTable *asb_backend_options_get_metadata (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_metadata (AsbBackendOptions *self, GHashTable *metadata);
ASB_AVAILABLE_IN_1_0
GListModel *asb_backend_options_get_mounts (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_mounts (AsbBackendOptions *self, GListModel *mounts);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_add_mount (AsbBackendOptions *self, AsbMount *mount);
ASB_AVAILABLE_IN_1_0
const char *asb_backend_options_get_idempotency_key (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_idempotency_key (AsbBackendOptions *self, const char *idempotency_key);
ASB_AVAILABLE_IN_1_0
AsbResourceLimits *asb_backend_options_get_limits (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_limits (AsbBackendOptions *self, AsbResourceLimits *limits);
ASB_AVAILABLE_IN_1_0
AsbLifetime asb_backend_options_get_lifetime (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_lifetime (AsbBackendOptions *self, AsbLifetime lifetime);
ASB_AVAILABLE_IN_1_0
AsbCleanupPolicy asb_backend_options_get_cleanup (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_cleanup (AsbBackendOptions *self, AsbCleanupPolicy cleanup);
ASB_AVAILABLE_IN_1_0
AsbTtlMode asb_backend_options_get_sandbox_ttl_mode (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_sandbox_ttl_mode (AsbBackendOptions *self,
                                               AsbTtlMode sandbox_ttl_mode);
ASB_AVAILABLE_IN_1_0
gint64 asb_backend_options_get_sandbox_ttl_seconds (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_sandbox_ttl_seconds (AsbBackendOptions *self,
                                                  gint64 sandbox_ttl_seconds);
ASB_AVAILABLE_IN_1_0
gint64 asb_backend_options_get_cleanup_ttl_seconds (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_cleanup_ttl_seconds (AsbBackendOptions *self,
                                                  gint64 cleanup_ttl_seconds);
ASB_AVAILABLE_IN_1_0
guint asb_backend_options_get_reconnect_seconds (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_reconnect_seconds (AsbBackendOptions *self, guint reconnect_seconds);
ASB_AVAILABLE_IN_1_0
double asb_backend_options_get_ready_timeout_seconds (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_ready_timeout_seconds (AsbBackendOptions *self,
                                                    double ready_timeout_seconds);
ASB_AVAILABLE_IN_1_0
AsbCommandResultConfig *asb_backend_options_get_command_result_config (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_command_result_config (AsbBackendOptions *self,
                                                    AsbCommandResultConfig *command_result_config);
ASB_AVAILABLE_IN_1_0
AsbHistoryConfig *asb_backend_options_get_history (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_history (AsbBackendOptions *self, AsbHistoryConfig *history);
ASB_AVAILABLE_IN_1_0
AsbHistoryStore *asb_backend_options_get_history_store (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_history_store (AsbBackendOptions *self,
                                            AsbHistoryStore *history_store);
ASB_AVAILABLE_IN_1_0
const char *asb_backend_options_get_history_database_url (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_history_database_url (AsbBackendOptions *self,
                                                   const char *history_database_url);

typedef struct _AsbBackend AsbBackend;

/**
 * AsbReadinessCheck:
 * @provider: the provider
 * @ref: the new sandbox
 * @task: to be answered with a boolean: whether the sandbox is ready. An error counts as not yet,
 * and is told if it never gets ready
 * @user_data: data given with the function
 *
 * Says whether a new sandbox is ready, for example whether a program in it answers at a port
 * ([method@Provider.get_endpoint_async]).
 *
 * Since: 1.0
 */
typedef void (*AsbReadinessCheck) (AsbProvider *provider, AsbSandboxRef *ref, GTask *task,
                                   gpointer user_data);

/**
 * AsbTransportFactory:
 * @provider: the provider
 * @ref: the sandbox
 * @task: to be answered with an [iface@Transport], by [method@Gio.Task.return_value]
 * @user_data: data given with the function
 *
 * Makes the way into a sandbox, instead of the guest.
 *
 * Since: 1.0
 */
typedef void (*AsbTransportFactory) (AsbProvider *provider, AsbSandboxRef *ref, GTask *task,
                                     gpointer user_data);

/**
 * AsbCloseCoordinator:
 * @backend: the backend that is being closed; nothing runs in it any more
 * @task: to be answered with a boolean when the backend may be closed
 * @user_data: data given with the function
 *
 * Takes over what closing a backend would do with its sandbox. To delete it use
 * [method@Backend.delete_sandbox_async].
 *
 * Since: 1.0
 */
typedef void (*AsbCloseCoordinator) (AsbBackend *backend, GTask *task, gpointer user_data);

ASB_AVAILABLE_IN_1_0
GListModel *asb_backend_options_get_uploads (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_uploads (AsbBackendOptions *self, GListModel *uploads);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_add_upload (AsbBackendOptions *self, AsbUploadSpec *upload);
ASB_AVAILABLE_IN_1_0
AsbUploadConfig *asb_backend_options_get_upload_config (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_upload_config (AsbBackendOptions *self,
                                            AsbUploadConfig *upload_config);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_readiness_check (AsbBackendOptions *self, AsbReadinessCheck check,
                                              gpointer user_data, GDestroyNotify destroy);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_transport_factory (AsbBackendOptions *self,
                                                AsbTransportFactory factory, gpointer user_data,
                                                GDestroyNotify destroy);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_close_coordinator (AsbBackendOptions *self,
                                                AsbCloseCoordinator coordinator, gpointer user_data,
                                                GDestroyNotify destroy);
ASB_AVAILABLE_IN_1_0
const char *const *asb_backend_options_get_entrypoint (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_entrypoint (AsbBackendOptions *self, const char *const *entrypoint);
ASB_AVAILABLE_IN_1_0
GHashTable *asb_backend_options_get_resources (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_resources (AsbBackendOptions *self, GHashTable *resources);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_backend_options_get_network_policy (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_network_policy (AsbBackendOptions *self,
                                             AsbNetworkPolicy *network_policy);
ASB_AVAILABLE_IN_1_0
const char *asb_backend_options_get_snapshot_id (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_snapshot_id (AsbBackendOptions *self, const char *snapshot_id);
ASB_AVAILABLE_IN_1_0
const char *asb_backend_options_get_platform (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_platform (AsbBackendOptions *self, const char *platform);
ASB_AVAILABLE_IN_1_0
const char *asb_backend_options_get_image_username (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_image_username (AsbBackendOptions *self, const char *image_username);
ASB_AVAILABLE_IN_1_0
const char *asb_backend_options_get_image_password (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_image_password (AsbBackendOptions *self, const char *image_password);
ASB_AVAILABLE_IN_1_0
GVariant *asb_backend_options_get_create_options (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_create_options (AsbBackendOptions *self, GVariant *create_options);
ASB_AVAILABLE_IN_1_0
AsbConcurrencyConfig *asb_backend_options_get_concurrency (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_concurrency (AsbBackendOptions *self,
                                          AsbConcurrencyConfig *concurrency);
ASB_AVAILABLE_IN_1_0
AsbRetryConfig *asb_backend_options_get_retry (AsbBackendOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_backend_options_set_retry (AsbBackendOptions *self, AsbRetryConfig *retry);

G_END_DECLS
