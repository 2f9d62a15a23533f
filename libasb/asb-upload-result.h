/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_UPLOAD_RESULT (asb_upload_result_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbUploadResult, asb_upload_result, ASB, UPLOAD_RESULT, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_upload_result_get_upload_id (AsbUploadResult *self);
ASB_AVAILABLE_IN_1_0
const char *asb_upload_result_get_target (AsbUploadResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_upload_result_get_total_files (AsbUploadResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_upload_result_get_uploaded_files (AsbUploadResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_upload_result_get_skipped_files (AsbUploadResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_upload_result_get_failed_files (AsbUploadResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_upload_result_get_total_bytes (AsbUploadResult *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_upload_result_get_atomic (AsbUploadResult *self);
ASB_AVAILABLE_IN_1_0
const char *asb_upload_result_get_manifest_hash (AsbUploadResult *self);
ASB_AVAILABLE_IN_1_0
GListModel *asb_upload_result_get_failures (AsbUploadResult *self);

G_END_DECLS
