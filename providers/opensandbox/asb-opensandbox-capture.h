/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Exact output: what a command wrote to files is fetched, and the files are deleted. */

#pragma once

#include "asb-opensandbox-command.h"

/* The command has ended as @end says. Its totals, its end and its pipes follow; NULL for a @folder
 * where there is nothing to fetch. */
void asb_opensandbox_capture_collect (AsbOpensandboxCommand *command, const char *folder,
                                      const AsbOpensandboxCommandEnd *end);
