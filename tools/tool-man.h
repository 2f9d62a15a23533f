/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The manual pages, made from the table of commands when the library is built. */

#pragma once

#include "tool-command.h"

/* Prints the page of a command, or of asb itself where @command is %NULL. Returns: the exit
 * status */
int tool_man_print (const ToolCommand *command);
