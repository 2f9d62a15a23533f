/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-sandbox-info.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_SANDBOX_FILTER (asb_sandbox_filter_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbSandboxFilter, asb_sandbox_filter, ASB, SANDBOX_FILTER, GObject)

ASB_AVAILABLE_IN_1_0
AsbSandboxFilter *asb_sandbox_filter_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
GVariant *asb_sandbox_filter_get_states (AsbSandboxFilter *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_filter_set_states (AsbSandboxFilter *self, GVariant *states);
ASB_AVAILABLE_IN_1_0
GHashTable *asb_sandbox_filter_get_metadata (AsbSandboxFilter *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_filter_set_metadata (AsbSandboxFilter *self, GHashTable *metadata);
ASB_AVAILABLE_IN_1_0
guint asb_sandbox_filter_get_page (AsbSandboxFilter *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_filter_set_page (AsbSandboxFilter *self, guint page);
ASB_AVAILABLE_IN_1_0
guint asb_sandbox_filter_get_page_size (AsbSandboxFilter *self);
ASB_AVAILABLE_IN_1_0
void asb_sandbox_filter_set_page_size (AsbSandboxFilter *self, guint page_size);
ASB_AVAILABLE_IN_1_0
gboolean asb_sandbox_filter_matches (AsbSandboxFilter *self, AsbSandboxInfo *info);
ASB_AVAILABLE_IN_1_0
GListModel *asb_sandbox_filter_select (AsbSandboxFilter *self,
                                       GListModel *infos) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
