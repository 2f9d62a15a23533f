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

/**
 * ASB_ARCHIVE_OPTIONS_UNLIMITED:
 *
 * A bound of [class@ArchiveOptions] that nothing reaches.
 *
 * Since: 1.0
 */
#define ASB_ARCHIVE_OPTIONS_UNLIMITED G_GUINT64_CONSTANT (9007199254740991)

#define ASB_TYPE_ARCHIVE_OPTIONS (asb_archive_options_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbArchiveOptions, asb_archive_options, ASB, ARCHIVE_OPTIONS, GObject)

ASB_AVAILABLE_IN_1_0
AsbArchiveOptions *asb_archive_options_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_archive_options_get_path (AsbArchiveOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_archive_options_set_path (AsbArchiveOptions *self, const char *path);
ASB_AVAILABLE_IN_1_0
const char *const *asb_archive_options_get_names (AsbArchiveOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_archive_options_set_names (AsbArchiveOptions *self, const char *const *names);
ASB_AVAILABLE_IN_1_0
AsbArchiveConflict asb_archive_options_get_conflict (AsbArchiveOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_archive_options_set_conflict (AsbArchiveOptions *self, AsbArchiveConflict conflict);
ASB_AVAILABLE_IN_1_0
AsbArchiveFormat asb_archive_options_get_format (AsbArchiveOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_archive_options_set_format (AsbArchiveOptions *self, AsbArchiveFormat format);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_options_get_max_members (AsbArchiveOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_archive_options_set_max_members (AsbArchiveOptions *self, guint64 max_members);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_options_get_max_bytes (AsbArchiveOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_archive_options_set_max_bytes (AsbArchiveOptions *self, guint64 max_bytes);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_options_get_max_file_bytes (AsbArchiveOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_archive_options_set_max_file_bytes (AsbArchiveOptions *self, guint64 max_file_bytes);
ASB_AVAILABLE_IN_1_0
guint64 asb_archive_options_get_max_ratio (AsbArchiveOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_archive_options_set_max_ratio (AsbArchiveOptions *self, guint64 max_ratio);
ASB_AVAILABLE_IN_1_0
AsbOperation *asb_archive_options_get_operation (AsbArchiveOptions *self);
ASB_AVAILABLE_IN_1_0
void asb_archive_options_set_operation (AsbArchiveOptions *self, AsbOperation *operation);

G_END_DECLS
