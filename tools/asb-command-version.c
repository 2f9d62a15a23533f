/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "tool-commands.h"
#include "tool-output.h"

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autofree char *line = g_strdup_printf ("asb %s\n", asb_get_version ());

  return tool_output_print (line, strlen (line));
}

const ToolCommand tool_command_version = {
  .name = "version",
  .summary = "show the version",
  .description = "Shows the version of asb and of the library it works with.",
  .run = run,
};
