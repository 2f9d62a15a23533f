/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What stands in the configuration file for the options that were not given. */

#pragma once

#include "tool-command.h"

/* The option that names a profile; every command with options has it. Ends with no name. */
extern const ToolOption tool_profile_options[];

/* Returns: (transfer full): the profiles there are; none where the file cannot be read */
char **tool_profile_list_names (void);

/* Returns: (transfer full) (nullable): where a value that @message quotes was taken from */
char *tool_profile_dup_origin (const char *message);

/* Sets the options of @command that are not among those @parsed has, from the profile that was
 * asked for, or else from “default”. */
gboolean tool_profile_apply (const ToolCommand *command, ToolParsed *parsed, GError **error);
