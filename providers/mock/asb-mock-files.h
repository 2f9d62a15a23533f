/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of one sandbox of the mock. Errors are those a guest gives. Paths are absolute and
 * without “..”, see asb_mock_files_resolve (). */

#pragma once

#include <asb.h>

typedef struct _AsbMockFiles AsbMockFiles;

/* With the root directory and @workdir. */
AsbMockFiles *asb_mock_files_new (const char *workdir);
void asb_mock_files_free (AsbMockFiles *self);

/* Returns: (transfer full): @path as it is known here, starting at @workdir */
char *asb_mock_files_resolve (const char *workdir, const char *path, GError **error);

AsbFileInfo *asb_mock_files_query (AsbMockFiles *self, const char *path, GError **error);
/* Returns: (transfer full): of AsbFileInfo, in byte order of the names */
GListModel *asb_mock_files_list (AsbMockFiles *self, const char *path, GError **error);
/* @length: −1 for all */
GBytes *asb_mock_files_read (AsbMockFiles *self, const char *path, guint64 offset, gint64 length,
                             GError **error);

/* Whether asb_mock_files_write () of @request would be done. */
gboolean asb_mock_files_may_write (AsbMockFiles *self, const char *path, AsbFileRequest *request,
                                   GError **error);
AsbFileInfo *asb_mock_files_write (AsbMockFiles *self, const char *path, AsbFileRequest *request,
                                   GBytes *contents, GError **error);

gboolean asb_mock_files_make_directory (AsbMockFiles *self, const char *path,
                                        AsbFileRequest *request, gboolean *made, GError **error);
gboolean asb_mock_files_delete (AsbMockFiles *self, const char *path, gboolean recursive,
                                GError **error);
gboolean asb_mock_files_move (AsbMockFiles *self, const char *path, const char *new_path,
                              gboolean overwrite, GError **error);
