/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Of the uploads of a backend only one at a time goes to the same target. */

#pragma once

#include "asb-slot-queue-private.h"

typedef struct _AsbUploadTargets AsbUploadTargets;

/* Who waits for longer than @seconds fails with %ASB_ERROR_LOCK_ACQUISITION_TIMEOUT. */
AsbUploadTargets *asb_upload_targets_new (double seconds);
void asb_upload_targets_unref (AsbUploadTargets *self);

/* One who wants to upload to a target. */
typedef struct _AsbUploadTarget AsbUploadTarget;

AsbUploadTarget *asb_upload_target_new (AsbUploadTargets *targets, const char *path);
/* Lets the next one in, if it had been let in itself. */
void asb_upload_target_free (AsbUploadTarget *self);

void asb_upload_target_take_async (AsbUploadTarget *self, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_upload_target_take_finish (AsbUploadTarget *self, GAsyncResult *result,
                                        GError **error);
