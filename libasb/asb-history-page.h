/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_HISTORY_PAGE (asb_history_page_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbHistoryPage, asb_history_page, ASB, HISTORY_PAGE, GObject)

ASB_AVAILABLE_IN_1_0
GListModel *asb_history_page_get_changes (AsbHistoryPage *self);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_page_get_next_seq (AsbHistoryPage *self);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_page_get_min_available_seq (AsbHistoryPage *self);
ASB_AVAILABLE_IN_1_0
gint64 asb_history_page_get_max_seq (AsbHistoryPage *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_page_get_reset_required (AsbHistoryPage *self);

G_END_DECLS
