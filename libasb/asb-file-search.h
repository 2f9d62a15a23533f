/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-operation.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_FILE_SEARCH (asb_file_search_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbFileSearch, asb_file_search, ASB, FILE_SEARCH, GObject)

ASB_AVAILABLE_IN_1_0
AsbFileSearch *asb_file_search_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_file_search_get_path (AsbFileSearch *self);
ASB_AVAILABLE_IN_1_0
void asb_file_search_set_path (AsbFileSearch *self, const char *path);
ASB_AVAILABLE_IN_1_0
const char *asb_file_search_get_pattern (AsbFileSearch *self);
ASB_AVAILABLE_IN_1_0
void asb_file_search_set_pattern (AsbFileSearch *self, const char *pattern);
ASB_AVAILABLE_IN_1_0
const char *asb_file_search_get_text (AsbFileSearch *self);
ASB_AVAILABLE_IN_1_0
void asb_file_search_set_text (AsbFileSearch *self, const char *text);
ASB_AVAILABLE_IN_1_0
AsbSearchFlags asb_file_search_get_flags (AsbFileSearch *self);
ASB_AVAILABLE_IN_1_0
void asb_file_search_set_flags (AsbFileSearch *self, AsbSearchFlags flags);
ASB_AVAILABLE_IN_1_0
guint asb_file_search_get_max_depth (AsbFileSearch *self);
ASB_AVAILABLE_IN_1_0
void asb_file_search_set_max_depth (AsbFileSearch *self, guint max_depth);
ASB_AVAILABLE_IN_1_0
guint asb_file_search_get_max_results (AsbFileSearch *self);
ASB_AVAILABLE_IN_1_0
void asb_file_search_set_max_results (AsbFileSearch *self, guint max_results);
ASB_AVAILABLE_IN_1_0
guint asb_file_search_get_context_lines (AsbFileSearch *self);
ASB_AVAILABLE_IN_1_0
void asb_file_search_set_context_lines (AsbFileSearch *self, guint context_lines);
ASB_AVAILABLE_IN_1_0
guint asb_file_search_get_time_limit_ms (AsbFileSearch *self);
ASB_AVAILABLE_IN_1_0
void asb_file_search_set_time_limit_ms (AsbFileSearch *self, guint time_limit_ms);
ASB_AVAILABLE_IN_1_0
AsbOperation *asb_file_search_get_operation (AsbFileSearch *self);
ASB_AVAILABLE_IN_1_0
void asb_file_search_set_operation (AsbFileSearch *self, AsbOperation *operation);

G_END_DECLS
