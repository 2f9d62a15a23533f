/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_LINE_WINDOW (asb_line_window_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbLineWindow, asb_line_window, ASB, LINE_WINDOW, GObject)

ASB_AVAILABLE_IN_1_0
AsbLineState asb_line_window_get_state (AsbLineWindow *self);
ASB_AVAILABLE_IN_1_0
GBytes *asb_line_window_get_bytes (AsbLineWindow *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_line_window_get_n_lines (AsbLineWindow *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_line_window_get_more (AsbLineWindow *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_line_window_get_truncated (AsbLineWindow *self);
ASB_AVAILABLE_IN_1_0
gint64 asb_line_window_get_total_lines (AsbLineWindow *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_line_window_get_file_size (AsbLineWindow *self);
ASB_AVAILABLE_IN_1_0
char *asb_line_window_dup_text (AsbLineWindow *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
