/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-closure-private.h"
#include "asb-upload-config.h"

/* Both (nullable), (transfer none). */
AsbClosure *asb_upload_config_get_approval (AsbUploadConfig *self);
AsbClosure *asb_upload_config_get_progress (AsbUploadConfig *self);

/* Those of @from. */
void asb_upload_config_share_functions (AsbUploadConfig *self, AsbUploadConfig *from);

/* Returns: (transfer full) */
AsbUploadSpec *asb_upload_spec_copy (AsbUploadSpec *spec);
AsbUploadConfig *asb_upload_config_copy (AsbUploadConfig *config);
