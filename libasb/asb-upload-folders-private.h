/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folders of a sandbox that files one by one need. Each is made by itself, so that it is known
 * which have not been there before: these can be removed again. */

#pragma once

#include "asb-transport.h"

typedef struct _AsbUploadFolders AsbUploadFolders;

AsbUploadFolders *asb_upload_folders_new (AsbTransport *transport);
void asb_upload_folders_free (AsbUploadFolders *self);

/* Makes @path, which is absolute and clean, and all on the way to it. One call at a time, and @self
 * is to live until it is done. */
void asb_upload_folders_make_async (AsbUploadFolders *self, const char *path,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
gboolean asb_upload_folders_make_finish (GAsyncResult *result, GError **error);

/* Removes those that were made, from the last to the first. What holds something stays. */
void asb_upload_folders_remove_async (AsbUploadFolders *self, GAsyncReadyCallback callback,
                                      gpointer user_data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbUploadFolders, asb_upload_folders_free)
