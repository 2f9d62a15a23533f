/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Exact output: what a command wrote to files is fetched, and the files are deleted. */

#pragma once

#include "asb-opensandbox-command.h"

/* What a shell says of one of the files: a line with its length, and what is in it if that is not
 * much. *@at is the line, and the one behind afterwards. */
gboolean asb_opensandbox_capture_parse_file (char **lines, guint *at, guint64 *size, GBytes **bytes,
                                             GError **error);

/* The command has ended as @end says. Its totals, its end and its pipes follow; NULL for a @folder
 * where there is nothing to fetch. */
void asb_opensandbox_capture_collect (AsbOpensandboxCommand *command, const char *folder,
                                      const AsbOpensandboxCommandEnd *end);
