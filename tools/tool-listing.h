/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sandboxes, as a list of them is shown. */

#pragma once

#include "tool-sandbox.h"

/* @infos: (element-type AsbSandboxInfo). As a table, or as JSON. Returns: the exit status */
int tool_listing_print (GPtrArray *infos, gboolean json);
/* The table, cut to @columns if that is not 0. */
char *tool_listing_dup_table (GPtrArray *infos, guint columns) G_GNUC_WARN_UNUSED_RESULT;
