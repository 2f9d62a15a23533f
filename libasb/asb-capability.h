/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_CAPABILITY (asb_capability_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbCapability, asb_capability, ASB, CAPABILITY, GObject)

ASB_AVAILABLE_IN_1_0
AsbCapability *asb_capability_new (const char *name, AsbCapabilitySupport support,
                                   const char *source, const char *reason,
                                   GHashTable *limits) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_capability_get_name (AsbCapability *self);
ASB_AVAILABLE_IN_1_0
AsbCapabilitySupport asb_capability_get_support (AsbCapability *self);
ASB_AVAILABLE_IN_1_0
const char *asb_capability_get_reason (AsbCapability *self);
ASB_AVAILABLE_IN_1_0
const char *asb_capability_get_source (AsbCapability *self);
ASB_AVAILABLE_IN_1_0
GHashTable *asb_capability_get_limits (AsbCapability *self);

G_END_DECLS
