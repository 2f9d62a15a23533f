/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_SNAPSHOT (asb_snapshot_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbSnapshot, asb_snapshot, ASB, SNAPSHOT, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_snapshot_get_id (AsbSnapshot *self);
ASB_AVAILABLE_IN_1_0
const char *asb_snapshot_get_sandbox_id (AsbSnapshot *self);
ASB_AVAILABLE_IN_1_0
const char *asb_snapshot_get_name (AsbSnapshot *self);
ASB_AVAILABLE_IN_1_0
AsbSnapshotState asb_snapshot_get_state (AsbSnapshot *self);
ASB_AVAILABLE_IN_1_0
const char *asb_snapshot_get_message (AsbSnapshot *self);
ASB_AVAILABLE_IN_1_0
GDateTime *asb_snapshot_get_created_at (AsbSnapshot *self);

G_END_DECLS
