/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The record that outlives its sandbox. */

#pragma once

#include "asb-local-folder.h"
#include "asb-local-metadata.h"

/* Makes what is to hold the record of @folder in @records, with its metadata, and stores it safely,
 * which takes a while: the sandbox may still be ending. NULL if the record has been kept before. */
gboolean asb_local_record_prepare (AsbLocalFolder *folder, const char *records,
                                   AsbLocalFolder **record, GError **error);

/* Keeps the database of the ended sandbox @folder in @record, which has the same id. What else
 * stands beside the database does not come along. */
gboolean asb_local_record_keep (AsbLocalFolder *folder, AsbLocalFolder *record, GError **error);
