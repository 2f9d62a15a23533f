/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether what is uploaded may go where its target leads by way of symbolic links. */

#pragma once

#include "asb-transport.h"
#include "asb-upload-scan-private.h"

/* Refuses what asb_upload_check_target() and asb_upload_check_entries() would if the target and the
 * roots were called by where they are. The sandbox may change that later. @scan and @config are to
 * live until it is done. */
void asb_upload_place_check_async (AsbTransport *transport, const AsbUploadScan *scan,
                                   AsbUploadConfig *config, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_upload_place_check_finish (GAsyncResult *result, GError **error);
