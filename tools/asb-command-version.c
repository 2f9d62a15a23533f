/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-output.h"

static struct
{
  gboolean json;
} options;

static int
print_json (void)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_object (json, NULL);
  tool_json_add_text (json, "version", asb_get_version ());
  tool_json_end_object (json);
  return tool_json_print (json);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autofree char *line = g_strdup_printf ("asb %s\n", asb_get_version ());

  return options.json ? print_json () : tool_output_print (line, strlen (line));
}

static const ToolOption option_entries[] = {
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

const ToolCommand tool_command_version = {
  .name = "version",
  .summary = "show the version",
  .description = "Shows the version of asb and of the library it works with.",
  .options = option_entries,
  .run = run,
};
