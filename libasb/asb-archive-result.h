/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_ARCHIVE_RESULT (asb_archive_result_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbArchiveResult, asb_archive_result, ASB, ARCHIVE_RESULT, GObject)

ASB_AVAILABLE_IN_1_0
AsbArchiveFormat asb_archive_result_get_format (AsbArchiveResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_result_get_n_members (AsbArchiveResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_result_get_n_files (AsbArchiveResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_result_get_n_directories (AsbArchiveResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_result_get_n_links (AsbArchiveResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_result_get_n_bytes (AsbArchiveResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_result_get_n_archive_bytes (AsbArchiveResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_result_get_n_replaced (AsbArchiveResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_result_get_n_skipped (AsbArchiveResult *self);
ASB_AVAILABLE_IN_1_0
const char *const *asb_archive_result_get_errors (AsbArchiveResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_result_get_n_errors (AsbArchiveResult *self);
ASB_AVAILABLE_IN_1_0
AsbArchiveResult *asb_archive_result_get_for_stream (GInputStream *stream);

G_END_DECLS
