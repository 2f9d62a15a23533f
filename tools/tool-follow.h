/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The record of a sandbox as it is written. */

#pragma once

#include "tool-record.h"

/* Prints each operation when it begins and when it has ended, until the sandbox is gone or the user
 * has seen enough. Returns: the exit status; @error is set when it went wrong otherwise */
int tool_follow_record (Tool *tool, const ToolSandbox *sandbox, const ToolRecord *record,
                        gboolean json, GError **error);
