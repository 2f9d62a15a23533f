/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_UPLOAD_MANIFEST (asb_upload_manifest_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbUploadManifest, asb_upload_manifest, ASB, UPLOAD_MANIFEST, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_upload_manifest_get_upload_id (AsbUploadManifest *self);
ASB_AVAILABLE_IN_1_0
const char *asb_upload_manifest_get_target (AsbUploadManifest *self);
ASB_AVAILABLE_IN_1_0
const char *asb_upload_manifest_get_source_root_hash (AsbUploadManifest *self);
ASB_AVAILABLE_IN_1_0
const char *asb_upload_manifest_get_manifest_hash (AsbUploadManifest *self);
ASB_AVAILABLE_IN_1_0
const char *const *asb_upload_manifest_get_paths (AsbUploadManifest *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_upload_manifest_get_total_bytes (AsbUploadManifest *self);

G_END_DECLS
