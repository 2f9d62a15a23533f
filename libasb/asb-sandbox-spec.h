/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-mount.h"
#include "asb-network-policy.h"
#include "asb-resource-limits.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_SANDBOX_SPEC (asb_sandbox_spec_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbSandboxSpec, asb_sandbox_spec, ASB, SANDBOX_SPEC, GObject)

ASB_AVAILABLE_IN_1_0
AsbSandboxSpec *asb_sandbox_spec_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_spec_get_name (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_name (AsbSandboxSpec *self, const char *name);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_spec_get_instance_id (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_instance_id (AsbSandboxSpec *self, const char *instance_id);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_spec_get_image (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_image (AsbSandboxSpec *self, const char *image);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_spec_get_workdir (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_workdir (AsbSandboxSpec *self, const char *workdir);
ASB_AVAILABLE_IN_1_0
const char *const *asb_sandbox_spec_get_environment (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_environment (AsbSandboxSpec *self, const char *const *environment);
ASB_AVAILABLE_IN_1_0
GHashTable *asb_sandbox_spec_get_metadata (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_metadata (AsbSandboxSpec *self, GHashTable *metadata);
ASB_AVAILABLE_IN_1_0
AsbResourceLimits *asb_sandbox_spec_get_limits (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_limits (AsbSandboxSpec *self, AsbResourceLimits *limits);
ASB_AVAILABLE_IN_1_0
GListModel *asb_sandbox_spec_get_mounts (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_mounts (AsbSandboxSpec *self, GListModel *mounts);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_add_mount (AsbSandboxSpec *self, AsbMount *mount);
ASB_AVAILABLE_IN_1_0
AsbLifetime asb_sandbox_spec_get_lifetime (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_lifetime (AsbSandboxSpec *self, AsbLifetime lifetime);
ASB_AVAILABLE_IN_1_0
AsbTtlMode asb_sandbox_spec_get_ttl_mode (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_ttl_mode (AsbSandboxSpec *self, AsbTtlMode ttl_mode);
ASB_AVAILABLE_IN_1_0
gint64 asb_sandbox_spec_get_ttl_seconds (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_ttl_seconds (AsbSandboxSpec *self, gint64 ttl_seconds);
ASB_AVAILABLE_IN_1_0
gboolean asb_sandbox_spec_get_await_readiness (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_await_readiness (AsbSandboxSpec *self, gboolean await_readiness);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_spec_get_idempotency_key (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_idempotency_key (AsbSandboxSpec *self, const char *idempotency_key);
ASB_AVAILABLE_IN_1_0
const char *const *asb_sandbox_spec_get_entrypoint (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_entrypoint (AsbSandboxSpec *self, const char *const *entrypoint);
ASB_AVAILABLE_IN_1_0
GHashTable *asb_sandbox_spec_get_resources (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_resources (AsbSandboxSpec *self, GHashTable *resources);
ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_sandbox_spec_get_network_policy (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_network_policy (AsbSandboxSpec *self, AsbNetworkPolicy *network_policy);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_spec_get_snapshot_id (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_snapshot_id (AsbSandboxSpec *self, const char *snapshot_id);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_spec_get_platform (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_platform (AsbSandboxSpec *self, const char *platform);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_spec_get_image_username (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_image_username (AsbSandboxSpec *self, const char *image_username);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_spec_get_image_password (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_image_password (AsbSandboxSpec *self, const char *image_password);
ASB_AVAILABLE_IN_1_0
GVariant *asb_sandbox_spec_get_create_options (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_create_options (AsbSandboxSpec *self, GVariant *create_options);
ASB_AVAILABLE_IN_1_0
AsbCleanupPolicy asb_sandbox_spec_get_cleanup (AsbSandboxSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_spec_set_cleanup (AsbSandboxSpec *self, AsbCleanupPolicy cleanup);

G_END_DECLS
