/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A table for people. On a terminal it is as wide as that at most: what is long is cut. */

#pragma once

#include <gio/gio.h>

typedef struct _ToolTable ToolTable;

/* Titles, ended by NULL. A title that begins with “>” stands over numbers, to the right. */
ToolTable *tool_table_new (const char *const *titles);
/* Cells, as many as titles; what is not printable is escaped, NULL is “-”. */
void tool_table_add_row (ToolTable *self, const char *const *cells);
/* Makes text of the table, @columns wide at most where that is not 0, and frees @self. */
char *tool_table_free_to_text (ToolTable *self, guint columns,
                               gboolean bold) G_GNUC_WARN_UNUSED_RESULT;
/* Writes the table to standard output and frees @self. Returns: the exit status */
int tool_table_print (ToolTable *self);
