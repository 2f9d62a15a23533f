/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The record as one whole database file. It is copied aside a little at a time, so that nobody who
 * writes waits for it, nor for the one who reads it. */

#pragma once

#include "history-memory.h"
#include "history-store.h"

typedef struct HistoryExport HistoryExport;

/* One at a time; NULL on errors. */
HistoryExport *history_export_new (HistoryStore *store, HistoryError *error);
void history_export_free (HistoryExport *export);

/* Whether all is copied, so that it can be read. */
bool history_export_is_copied (const HistoryExport *export);

/* Copies some more. */
bool history_export_copy (HistoryExport *export, HistoryError *error);

/* Appends the next bytes to @buffer; none at the end. */
bool history_export_read (HistoryExport *export, HistoryBuffer *buffer, HistoryError *error);
