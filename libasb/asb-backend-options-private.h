/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-backend-options.h"
#include "asb-closure-private.h"

/* As long as the guest waits at most (docs/guest-protocol.md §2). */
#define ASB_MAX_RECONNECT_SECONDS 300
#define ASB_MIN_READY_SECONDS 0.001
#define ASB_MAX_READY_SECONDS 31622400

/* Returns: (transfer none) (nullable): an AsbTransportFactory with its data */
AsbClosure *asb_backend_options_get_readiness_check (AsbBackendOptions *self);
AsbClosure *asb_backend_options_get_transport_factory (AsbBackendOptions *self);

/* Returns: (transfer none) (nullable): an AsbCloseCoordinator with its data */
AsbClosure *asb_backend_options_get_close_coordinator (AsbBackendOptions *self);

/* The first thing that is wrong with the options, in the order of the rules there. */
gboolean asb_backend_options_check (AsbBackendOptions *self, GError **error);

/* Returns: (transfer full): plain ones that say the same, without what a subclass adds */
AsbBackendOptions *asb_backend_options_copy (AsbBackendOptions *self);

/* Only for asb-backend-options.c and those whose names begin with asb-backend-options. */
typedef struct _AsbBackendOptionsPrivate AsbBackendOptionsPrivate;

struct _AsbBackendOptionsPrivate
{
  char *provider_name;
  AsbProvider *provider;
  GVariant *provider_options;
  AsbRegistry *registry;
  AsbBackendMode mode;
  AsbSandboxRef *ref;
  char *sandbox_name;
  char *agent_name;
  char *image;
  char *workdir;
  gboolean workdir_is_given;
  char **environment;
  GHashTable *metadata;
  GListStore *mounts;
  char *idempotency_key;
  AsbResourceLimits *limits;
  AsbLifetime lifetime;
  AsbCleanupPolicy cleanup;
  AsbTtlMode sandbox_ttl_mode;
  gint64 sandbox_ttl_seconds;
  gint64 cleanup_ttl_seconds;
  guint reconnect_seconds;
  double ready_timeout_seconds;
  AsbCommandResultConfig *command_result_config;
  AsbConcurrencyConfig *concurrency;
  AsbRetryConfig *retry;
  GListStore *uploads;
  AsbUploadConfig *upload_config;
  AsbHistoryConfig *history;
  AsbHistoryStore *history_store;
  char *history_database_url;
  AsbClosure *readiness_check;
  AsbClosure *transport_factory;
  AsbClosure *close_coordinator;
  char **entrypoint;
  GHashTable *resources;
  AsbNetworkPolicy *network_policy;
  char *snapshot_id;
  char *platform;
  char *image_username;
  char *image_password;
  GVariant *create_options;
};

AsbBackendOptionsPrivate *asb_backend_options_get_private (AsbBackendOptions *self);
