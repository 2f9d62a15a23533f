/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-snapshot.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_SNAPSHOT_FILTER (asb_snapshot_filter_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbSnapshotFilter, asb_snapshot_filter, ASB, SNAPSHOT_FILTER, GObject)

ASB_AVAILABLE_IN_1_0
AsbSnapshotFilter *asb_snapshot_filter_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_snapshot_filter_get_sandbox_id (AsbSnapshotFilter *self);
ASB_AVAILABLE_IN_1_0
void asb_snapshot_filter_set_sandbox_id (AsbSnapshotFilter *self, const char *sandbox_id);
ASB_AVAILABLE_IN_1_0
const char *asb_snapshot_filter_get_name (AsbSnapshotFilter *self);
ASB_AVAILABLE_IN_1_0
void asb_snapshot_filter_set_name (AsbSnapshotFilter *self, const char *name);
ASB_AVAILABLE_IN_1_0
GVariant *asb_snapshot_filter_get_states (AsbSnapshotFilter *self);
ASB_AVAILABLE_IN_1_0
void asb_snapshot_filter_set_states (AsbSnapshotFilter *self, GVariant *states);
ASB_AVAILABLE_IN_1_0
guint asb_snapshot_filter_get_page (AsbSnapshotFilter *self);
ASB_AVAILABLE_IN_1_0
void asb_snapshot_filter_set_page (AsbSnapshotFilter *self, guint page);
ASB_AVAILABLE_IN_1_0
guint asb_snapshot_filter_get_page_size (AsbSnapshotFilter *self);
ASB_AVAILABLE_IN_1_0
void asb_snapshot_filter_set_page_size (AsbSnapshotFilter *self, guint page_size);
ASB_AVAILABLE_IN_1_0
gboolean asb_snapshot_filter_matches (AsbSnapshotFilter *self, AsbSnapshot *snapshot);
ASB_AVAILABLE_IN_1_0
GListModel *asb_snapshot_filter_select (AsbSnapshotFilter *self,
                                        GListModel *snapshots) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
