/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_DIAGNOSTICS (asb_diagnostics_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbDiagnostics, asb_diagnostics, ASB, DIAGNOSTICS, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_diagnostics_get_kind (AsbDiagnostics *self);
ASB_AVAILABLE_IN_1_0
const char *asb_diagnostics_get_scope (AsbDiagnostics *self);
ASB_AVAILABLE_IN_1_0
const char *asb_diagnostics_get_content (AsbDiagnostics *self);
ASB_AVAILABLE_IN_1_0
const char *asb_diagnostics_get_content_type (AsbDiagnostics *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_diagnostics_get_truncated (AsbDiagnostics *self);
ASB_AVAILABLE_IN_1_0
const char *const *asb_diagnostics_get_warnings (AsbDiagnostics *self);

G_END_DECLS
