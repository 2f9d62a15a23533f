/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A recorded operation in words. */

#pragma once

#include "tool-json.h"
#include "tool.h"

/* “exit 3”, “signal 9 (Killed)”, “succeeded”… */
char *tool_operation_dup_outcome (AsbHistoryOperation *operation);
/* What it was about: the command, the file… */
char *tool_operation_dup_subject (AsbHistoryOperation *operation);
/* Returns: (nullable): NULL while it runs */
char *tool_operation_dup_duration (AsbHistoryOperation *operation);
/* Whether it is a command, which has output. */
gboolean tool_operation_is_command (AsbHistoryOperation *operation);
/* All that is known, in the names of the record. */
void tool_operation_add_json (ToolJson *json, AsbHistoryOperation *operation);

/* A table of operations, made into text; @columns as in tool_table_free_to_text(). */
char *tool_operations_dup_table (GPtrArray *operations, guint columns, gboolean bold);
