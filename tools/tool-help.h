/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The help, made from the table of commands. */

#pragma once

#include "tool-command.h"

/* What holds for all commands; titles, ended by one of NULL. */
typedef struct
{
  const char *title;
  const char *text; /* paragraphs; NULL when there are entries */
  const ToolExample *entries;
} ToolTopic;

extern const char tool_help_summary[];
extern const char tool_help_description[];
extern const ToolTopic tool_help_topics[];
extern const ToolTopic tool_help_exit_status;

/* The headings of options, by group. */
extern const char *const tool_help_option_headings[TOOL_N_GROUPS];

/* “-n, --name=NAME” */
char *tool_option_dup_title (const ToolOption *option);

/* Returns: the exit status */
int tool_help_print (const ToolCommand *command);
int tool_help_print_all (void);
