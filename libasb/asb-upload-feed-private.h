/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bytes of one file of an upload: into the sandbox, or beside those of one that is there. */

#pragma once

#include "asb-transport.h"
#include "asb-upload-scan-private.h"

/* Writes the file as @request says, or not at all. *@n_bytes, atomic, counts what has been read. */
void asb_upload_feed_async (AsbTransport *transport, AsbFileRequest *request,
                            const AsbUploadEntry *entry, int root_fd, guint64 *n_bytes,
                            GCancellable *cancellable, GAsyncReadyCallback callback,
                            gpointer user_data);
/* *@why: set when it is the file that failed */
gboolean asb_upload_feed_finish (GAsyncResult *result, const char **why, GError **error);

/* Whether what is there is what was looked at. */
void asb_upload_feed_compare_async (AsbTransport *transport, AsbFileRequest *request,
                                    const AsbUploadEntry *entry, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_upload_feed_compare_finish (GAsyncResult *result, GError **error);
