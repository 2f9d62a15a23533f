/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-upload-scan-private.h"

/* Reads all files, several at once. Those that cannot be read, or change meanwhile, become failures
 * and are no entries any more. False when it was cancelled. */
gboolean asb_upload_hash_all (AsbUploadScan *scan, AsbUploadConfig *config,
                              GCancellable *cancellable, GError **error);
