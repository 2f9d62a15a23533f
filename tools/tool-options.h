/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The options of a command line. They may stand before, between and after the arguments; “--” ends
 * them. */

#pragma once

#include "tool-command.h"

/* Sets the values of the options, collects the arguments and checks how many there are. */
gboolean tool_options_parse (const ToolCommand *command, char **words, ToolParsed *parsed,
                             GError **error);
/* Sets an option that may have been given: of a list, @arguments come before what was given. They
 * must live on. */
void tool_option_set_default (const ToolOption *option, const char *const *arguments);
gboolean tool_option_is_list (const ToolOption *option);
/* Whether @argument is one that @option takes. */
gboolean tool_option_check (const ToolOption *option, const char *argument, GError **error);
/* Where @text stands in @words, ended by %NULL; 0 where it is %NULL. */
int tool_options_find_word (const char *const *words, const char *text);
/* Returns: (nullable): which of @names, ended by %NULL, @word is likely meant to be */
const char *tool_options_guess (const char *const *names, const char *word);
