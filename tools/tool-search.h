/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the commands that search have in common. */

#pragma once

#include "tool.h"

#define TOOL_SEARCH_MAX_RESULTS 262144

/* On a terminal a path is quoted where it would do something to it. */
void tool_search_append_path (GString *text, const char *path);

/* What could not be looked at, and whether there is more. Returns: the exit status */
int tool_search_say_rest (AsbSearchResult *result);
