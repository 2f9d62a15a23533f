/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_UPLOAD_FAILURE (asb_upload_failure_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbUploadFailure, asb_upload_failure, ASB, UPLOAD_FAILURE, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_upload_failure_get_relative_path (AsbUploadFailure *self);
ASB_AVAILABLE_IN_1_0
const char *asb_upload_failure_get_error_code (AsbUploadFailure *self);
ASB_AVAILABLE_IN_1_0
const char *asb_upload_failure_get_message (AsbUploadFailure *self);

G_END_DECLS
