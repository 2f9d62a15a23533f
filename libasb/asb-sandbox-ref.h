/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_SANDBOX_REF (asb_sandbox_ref_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbSandboxRef, asb_sandbox_ref, ASB, SANDBOX_REF, GObject)

ASB_AVAILABLE_IN_1_0
AsbSandboxRef *asb_sandbox_ref_new (const char *provider_name, const char *provider_key,
                                    const char *sandbox_id, const char *sandbox_instance_id,
                                    const char *endpoint_fingerprint,
                                    GHashTable *metadata) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
GVariant *asb_sandbox_ref_serialize (AsbSandboxRef *self) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
AsbSandboxRef *asb_sandbox_ref_deserialize (GVariant *variant,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_ref_get_provider_name (AsbSandboxRef *self);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_ref_get_provider_key (AsbSandboxRef *self);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_ref_get_sandbox_id (AsbSandboxRef *self);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_ref_get_sandbox_instance_id (AsbSandboxRef *self);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_ref_get_endpoint_fingerprint (AsbSandboxRef *self);
ASB_AVAILABLE_IN_1_0
GHashTable *asb_sandbox_ref_get_metadata (AsbSandboxRef *self);

G_END_DECLS
