/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_SEARCH_RESULT (asb_search_result_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbSearchResult, asb_search_result, ASB, SEARCH_RESULT, GObject)

ASB_AVAILABLE_IN_1_0
GListModel *asb_search_result_get_items (AsbSearchResult *self);
ASB_AVAILABLE_IN_1_0
AsbSearchCut asb_search_result_get_cut (AsbSearchResult *self);
ASB_AVAILABLE_IN_1_0
const char *const *asb_search_result_get_errors (AsbSearchResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_search_result_get_n_errors (AsbSearchResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_search_result_get_n_files (AsbSearchResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_search_result_get_n_binary (AsbSearchResult *self);

G_END_DECLS
