/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_FILE_INFO (asb_file_info_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbFileInfo, asb_file_info, ASB, FILE_INFO, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_file_info_get_path (AsbFileInfo *self);
ASB_AVAILABLE_IN_1_0
AsbFileKind asb_file_info_get_kind (AsbFileInfo *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_file_info_get_size (AsbFileInfo *self);
ASB_AVAILABLE_IN_1_0
guint asb_file_info_get_mode (AsbFileInfo *self);
ASB_AVAILABLE_IN_1_0
guint asb_file_info_get_uid (AsbFileInfo *self);
ASB_AVAILABLE_IN_1_0
guint asb_file_info_get_gid (AsbFileInfo *self);
ASB_AVAILABLE_IN_1_0
GDateTime *asb_file_info_get_modified_at (AsbFileInfo *self);
ASB_AVAILABLE_IN_1_0
const char *asb_file_info_get_target (AsbFileInfo *self);
ASB_AVAILABLE_IN_1_0
const char *asb_file_info_get_hash (AsbFileInfo *self);
ASB_AVAILABLE_IN_1_0
const char *asb_file_info_get_previous_hash (AsbFileInfo *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_file_info_get_n_replaced (AsbFileInfo *self);
ASB_AVAILABLE_IN_1_0
char *asb_file_info_dup_name (AsbFileInfo *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
