/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-resource-limits.h"
#include "asb-sandbox-ref.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_SANDBOX_INFO (asb_sandbox_info_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbSandboxInfo, asb_sandbox_info, ASB, SANDBOX_INFO, GObject)

ASB_AVAILABLE_IN_1_0
AsbSandboxRef *asb_sandbox_info_get_ref (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
AsbSandboxState asb_sandbox_info_get_state (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_info_get_name (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_info_get_image (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_info_get_workdir (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_sandbox_info_get_made_workdir (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
GDateTime *asb_sandbox_info_get_created_at (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
GDateTime *asb_sandbox_info_get_expires_at (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
GListModel *asb_sandbox_info_get_mounts (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
AsbResourceLimits *asb_sandbox_info_get_limits (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_info_get_network (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_info_get_message (AsbSandboxInfo *self);
ASB_AVAILABLE_IN_1_0
const char *asb_sandbox_info_get_reason (AsbSandboxInfo *self);

G_END_DECLS
