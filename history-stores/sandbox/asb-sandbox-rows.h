/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows of the record, as the guest sends them, as objects of the library. */

#pragma once

#include <asb.h>

/* Returns: (transfer full) (nullable) (type AsbHistoryChange) */
gpointer asb_sandbox_row_to_change (GVariant *row, GError **error);
/* Returns: (transfer full) (nullable) (type AsbHistoryOperation) */
gpointer asb_sandbox_row_to_operation (GVariant *row, GError **error);

/* Members of a dictionary of any kind: what is missing or of another type is as if nothing were
 * there. */
const char *asb_sandbox_row_get_string (GVariant *row, const char *name);
/* One that must be there: FALSE with @error set if it is not. */
gboolean asb_sandbox_row_require_integer (GVariant *row, const char *name, gint64 *value,
                                          GError **error);
gint64 asb_sandbox_row_get_integer (GVariant *row, const char *name, gint64 fallback);
