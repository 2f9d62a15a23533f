/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of an upload one by one, for transports that take no archives: each is written aside
 * and, when all have come, moved to its place. What fails half way is taken back. */

#pragma once

#include "asb-transport.h"
#include "asb-upload-scan-private.h"

/* @sent is filled in. Nothing of these is to be changed meanwhile. */
void asb_upload_files_async (AsbTransport *transport, const AsbUploadScan *scan,
                             gboolean skips_failed, AsbUploadSent *sent, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_upload_files_finish (GAsyncResult *result, GError **error);
