/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One upload, from looking at the source to what became of it. */

#pragma once

#include "asb-transport.h"
#include "asb-upload-config.h"
#include "asb-upload-result.h"

/* Looks at the source, asks whether it may go on, and sends it. @source: whom the approval is asked
 * for; @given: what progress is told of. Nothing of @spec and @config is to be changed meanwhile.
 */
void asb_upload_job_async (gpointer source, AsbTransport *transport, AsbUploadSpec *given,
                           AsbUploadSpec *spec, AsbUploadConfig *config, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) (nullable) */
AsbUploadResult *asb_upload_job_finish (GAsyncResult *result, GError **error);
