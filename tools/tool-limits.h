/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The option --limit of commands that make a sandbox, or run something in one. */

#pragma once

#include <asb.h>

#define TOOL_LIMIT_ARGUMENT "NAME=NUMBER"
#define TOOL_LIMIT_SUMMARY                                                                         \
  "limits what each process may take: memory, file-size (with K, M, G or T), cpu (as 90s, 5m, "    \
  "2h, "                                                                                           \
  "1d), files (that are open), or processes of the sandbox"

/* Limits from @texts (nullable), each NAME=NUMBER, and sets them in @options. */
gboolean tool_limits_set (AsbBackendOptions *options, GPtrArray *texts, GError **error);
/* The same for one command. */
gboolean tool_limits_set_command (AsbCommandSpec *spec, GPtrArray *texts, GError **error);
/* Calls @func for each limit with its name in --limit; 0: there is none. */
typedef void (*ToolLimitFunc) (const char *name, guint64 number, gpointer user_data);
void tool_limits_foreach (AsbResourceLimits *limits, ToolLimitFunc func, gpointer user_data);
