/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_TEXT_MATCH (asb_text_match_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbTextMatch, asb_text_match, ASB, TEXT_MATCH, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_text_match_get_path (AsbTextMatch *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_text_match_get_line_number (AsbTextMatch *self);
ASB_AVAILABLE_IN_1_0
guint asb_text_match_get_column (AsbTextMatch *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_text_match_get_offset (AsbTextMatch *self);
ASB_AVAILABLE_IN_1_0
GBytes *asb_text_match_get_bytes (AsbTextMatch *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_text_match_get_truncated (AsbTextMatch *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_text_match_get_context (AsbTextMatch *self);
ASB_AVAILABLE_IN_1_0
char *asb_text_match_dup_text (AsbTextMatch *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
