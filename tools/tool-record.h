/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The record of a sandbox, live or removed. Reading it leaves no trace in it. */

#pragma once

#include "tool-sandbox.h"

typedef struct
{
  AsbBackend *backend; /* whose the transport is, where there is one */
  AsbTransport *transport;
  AsbHistoryStore *store;
} ToolRecord;

gboolean tool_record_open (Tool *tool, const ToolSandbox *sandbox, ToolRecord *record,
                           GError **error);
/* Closes it too. */
void tool_record_clear (ToolRecord *record);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolRecord, tool_record_clear)

/* Deletes the record that was kept of a removed sandbox. */
gboolean tool_record_remove (Tool *tool, AsbProvider *provider, AsbSandboxInfo *info,
                             GError **error);

/* Returns: (transfer full): how it is doing */
AsbHistoryStatus *tool_record_get_status (Tool *tool, const ToolRecord *record, GError **error);
/* Returns: (transfer full) (element-type AsbHistoryOperation): all operations, in their order */
GPtrArray *tool_record_get_operations (Tool *tool, const ToolRecord *record, GError **error);
/* The same of those that changed after *@position, 0 at first, which then is where to go on. */
GPtrArray *tool_record_get_changed (Tool *tool, const ToolRecord *record, gint64 *position,
                                    GError **error);
/* Finds one by its number, its event id or the beginning of that. */
AsbHistoryOperation *tool_record_find (GPtrArray *operations, const char *text, GError **error);
/* Copies what a command printed to standard output. */
gboolean tool_record_copy_output (Tool *tool, const ToolRecord *record, const char *event_id,
                                  AsbOutputStream stream, GError **error);
