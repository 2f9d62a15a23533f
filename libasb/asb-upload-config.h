/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-upload-manifest.h"
#include "asb-upload-spec.h"
#include "asb-version.h"

G_BEGIN_DECLS

/**
 * AsbUploadApproval:
 * @manifest: what is going to be uploaded
 * @task: to be answered with a boolean: whether it may be
 * @user_data: the data it was set with
 *
 * Decides whether an upload may go on, when it is known what it holds and before anything of it has
 * left. It may answer later. An error is that of the upload.
 *
 * Since: 1.0
 */
typedef void (*AsbUploadApproval) (AsbUploadManifest *manifest, GTask *task, gpointer user_data);

/**
 * AsbUploadProgress:
 * @spec: which upload it is
 * @n_bytes: how many bytes of files have left
 * @total_bytes: how many there are
 * @user_data: the data it was set with
 *
 * Tells how far an upload is. It is called where the upload was asked for, no more than twenty
 * times a second but for the end.
 *
 * Since: 1.0
 */
typedef void (*AsbUploadProgress) (AsbUploadSpec *spec, guint64 n_bytes, guint64 total_bytes,
                                   gpointer user_data);

#define ASB_TYPE_UPLOAD_CONFIG (asb_upload_config_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbUploadConfig, asb_upload_config, ASB, UPLOAD_CONFIG, GObject)

ASB_AVAILABLE_IN_1_0
AsbUploadConfig *asb_upload_config_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *const *asb_upload_config_get_allowed_local_roots (AsbUploadConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_config_set_allowed_local_roots (AsbUploadConfig *self,
                                                const char *const *allowed_local_roots);
ASB_AVAILABLE_IN_1_0
const char *const *asb_upload_config_get_allowed_sandbox_roots (AsbUploadConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_config_set_allowed_sandbox_roots (AsbUploadConfig *self,
                                                  const char *const *allowed_sandbox_roots);
ASB_AVAILABLE_IN_1_0
const char *const *asb_upload_config_get_protected_sandbox_roots (AsbUploadConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_config_set_protected_sandbox_roots (AsbUploadConfig *self,
                                                    const char *const *protected_sandbox_roots);
ASB_AVAILABLE_IN_1_0
const char *const *asb_upload_config_get_default_excludes (AsbUploadConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_config_set_default_excludes (AsbUploadConfig *self,
                                             const char *const *default_excludes);
ASB_AVAILABLE_IN_1_0
guint asb_upload_config_get_max_parallel_files (AsbUploadConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_config_set_max_parallel_files (AsbUploadConfig *self, guint max_parallel_files);
ASB_AVAILABLE_IN_1_0
guint asb_upload_config_get_archive_min_files (AsbUploadConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_config_set_archive_min_files (AsbUploadConfig *self, guint archive_min_files);
ASB_AVAILABLE_IN_1_0
gboolean asb_upload_config_get_partial_success (AsbUploadConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_config_set_partial_success (AsbUploadConfig *self, gboolean partial_success);
ASB_AVAILABLE_IN_1_0
gboolean asb_upload_config_get_redact_local_paths (AsbUploadConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_upload_config_set_redact_local_paths (AsbUploadConfig *self, gboolean redact_local_paths);
ASB_AVAILABLE_IN_1_0
void asb_upload_config_set_approval (AsbUploadConfig *self, AsbUploadApproval approval,
                                     gpointer user_data, GDestroyNotify destroy);
ASB_AVAILABLE_IN_1_0
void asb_upload_config_set_progress (AsbUploadConfig *self, AsbUploadProgress progress,
                                     gpointer user_data, GDestroyNotify destroy);

G_END_DECLS
