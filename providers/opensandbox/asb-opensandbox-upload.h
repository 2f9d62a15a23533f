/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* put_file: one file that is to be there as a whole or not at all. Those who want the same file at
 * the same place wait for the first, until they cancel. */

#pragma once

#include "asb-opensandbox-site.h"

typedef struct _AsbOpensandboxUpload AsbOpensandboxUpload;

/* Any thread. */
void asb_opensandbox_upload_unref (AsbOpensandboxUpload *self);

/* The caller's thread. */
void asb_opensandbox_upload_put_file (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                      const char *path, GBytes *contents, guint mode, GTask *task);

/* [io] Who looked after @since found nothing at @path, whatever had been put there before. */
void asb_opensandbox_upload_was_missed (AsbOpensandboxSite *site, const char *path, gint64 since);
