/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Completion: the shell's function only asks asb. */

#pragma once

#include "tool-command.h"

/* The words after “asb”, the last of which is being typed: prints what it may become, one a line. A
 * line “:file” stands for the files of this machine. Returns: the exit status */
int tool_complete_print (Tool *tool, const ToolParsed *parsed);
