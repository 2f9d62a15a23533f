/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A command in a sandbox, joined to asb's own standard streams and signals; and the options that
 * asb run and asb exec have in common. */

#pragma once

#include "tool-command.h"

/* The command, and what it is given. */
#define TOOL_RUN_ARGUMENTS                                                                         \
  { "COMMAND",                                                                                     \
    "the program to run, found as the sandbox's PATH says; one word with blanks or other "         \
    "special characters is a line for the shell, unless it stands after --",                       \
    TOOL_ARGUMENT_OPTIONAL },                                                                      \
  {                                                                                                \
    "ARG", "its arguments, which asb does not look at",                                            \
        TOOL_ARGUMENT_OPTIONAL | TOOL_ARGUMENT_REPEATED                                            \
  }

/* Options of both commands. */
extern const ToolOption tool_run_options[];

/* What those options, and the arguments from @first on, say. */
AsbCommandSpec *tool_run_make_spec (const ToolParsed *parsed, guint first, GError **error);

/* Whether --interactive asks for an input whatever standard input is. */
gboolean tool_run_is_interactive (void);
/* A shell at a terminal, and the options of a command that opens one. */
extern const ToolOption tool_shell_options[];
AsbCommandSpec *tool_run_make_shell_spec (GError **error);
/* Runs it. Returns: the exit status; what went wrong has been said */
int tool_run_command (Tool *tool, AsbBackend *backend, AsbCommandSpec *spec);

/* The exit status that stands for how a command ended; what cannot be said by that has been said.
 */
int tool_run_get_result_status (AsbCommandResult *result);
/* Starts it as a job and prints its id. Returns: the exit status */
int tool_run_detached (Tool *tool, AsbBackend *backend, AsbCommandSpec *spec, const char *name);

/* Makes an environment of “NAME=VALUE” and “NAME”, which stands for a variable of asb's own.
 * Returns: (transfer full) (nullable): NULL with @error set when one is neither */
char **tool_environment_new (GPtrArray *texts, GError **error);
