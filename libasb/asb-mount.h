/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_MOUNT (asb_mount_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbMount, asb_mount, ASB, MOUNT, GObject)

ASB_AVAILABLE_IN_1_0
AsbMount *asb_mount_new (const char *source, const char *target,
                         AsbMountMode mode) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_mount_get_source (AsbMount *self);
ASB_AVAILABLE_IN_1_0
const char *asb_mount_get_target (AsbMount *self);
ASB_AVAILABLE_IN_1_0
AsbMountMode asb_mount_get_mode (AsbMount *self);

G_END_DECLS
