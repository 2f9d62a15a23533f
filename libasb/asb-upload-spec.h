/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-archive-options.h"
#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_UPLOAD_SPEC (asb_upload_spec_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbUploadSpec, asb_upload_spec, ASB, UPLOAD_SPEC, GObject)

ASB_AVAILABLE_IN_1_0
AsbUploadSpec *asb_upload_spec_new (const char *source,
                                    const char *target) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_upload_spec_get_source (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_source (AsbUploadSpec *self, const char *source);
ASB_AVAILABLE_IN_1_0
const char *asb_upload_spec_get_target (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_target (AsbUploadSpec *self, const char *target);
ASB_AVAILABLE_IN_1_0
const char *const *asb_upload_spec_get_include (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_include (AsbUploadSpec *self, const char *const *include);
ASB_AVAILABLE_IN_1_0
const char *const *asb_upload_spec_get_exclude (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_exclude (AsbUploadSpec *self, const char *const *exclude);
ASB_AVAILABLE_IN_1_0
AsbUploadConflict asb_upload_spec_get_conflict (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_conflict (AsbUploadSpec *self, AsbUploadConflict conflict);
ASB_AVAILABLE_IN_1_0
AsbUploadSymlinks asb_upload_spec_get_symlinks (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_symlinks (AsbUploadSpec *self, AsbUploadSymlinks symlinks);
ASB_AVAILABLE_IN_1_0
gboolean asb_upload_spec_get_atomic (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_atomic (AsbUploadSpec *self, gboolean atomic);
ASB_AVAILABLE_IN_1_0
gboolean asb_upload_spec_get_preserve_mode (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_preserve_mode (AsbUploadSpec *self, gboolean preserve_mode);
ASB_AVAILABLE_IN_1_0
gboolean asb_upload_spec_get_preserve_mtime (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_preserve_mtime (AsbUploadSpec *self, gboolean preserve_mtime);
ASB_AVAILABLE_IN_1_0
guint64 asb_upload_spec_get_max_files (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_max_files (AsbUploadSpec *self, guint64 max_files);
ASB_AVAILABLE_IN_1_0
guint64 asb_upload_spec_get_max_total_bytes (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_max_total_bytes (AsbUploadSpec *self, guint64 max_total_bytes);
ASB_AVAILABLE_IN_1_0
guint64 asb_upload_spec_get_max_file_bytes (AsbUploadSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_spec_set_max_file_bytes (AsbUploadSpec *self, guint64 max_file_bytes);

G_END_DECLS
