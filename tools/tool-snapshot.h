/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From the name a user types to a snapshot, and how one is shown. */

#pragma once

#include "tool-json.h"
#include "tool.h"

/* Like tool_sandbox_split_name (), but local sandboxes have no snapshots: without a provider it is
 * one of the server. */
const char *tool_snapshot_split_name (const char *text, char **provider);
/* Splits “PROVIDER:ID” of a snapshot. Returns: (transfer none): the provider; @id points into
 * @text */
AsbProvider *tool_snapshot_parse (Tool *tool, const char *text, const char **id, GError **error);
/* Returns: (transfer full): the snapshot as it is now */
AsbSnapshot *tool_snapshot_get (Tool *tool, AsbProvider *provider, const char *id, GError **error);
/* “PROVIDER:ID” */
char *tool_snapshot_dup_full_name (AsbProvider *provider, AsbSnapshot *snapshot);
void tool_snapshot_add_json (ToolJson *json, AsbSnapshot *snapshot);
int tool_snapshot_print_json (AsbSnapshot *snapshot);
