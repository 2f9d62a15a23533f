/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The record that outlives its sandbox. */

#pragma once

#include "asb-local-folder.h"
#include "asb-local-metadata.h"

/* Keeps the database of the ended sandbox @folder in a folder of the same id in @records, with its
 * metadata. What else stands beside the database does not come along. */
gboolean asb_local_record_keep (AsbLocalFolder *folder, const AsbLocalMetadata *metadata,
                                const char *records, GError **error);
