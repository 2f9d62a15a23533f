/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-command.h"
#include "tool-commands.h"
#include "tool-complete.h"
#include "tool-help.h"
#include "tool-man.h"

static struct
{
  gboolean man;
  gboolean complete;
} options;

static int
print_manual (const ToolCommand *command)
{
  return tool_man_print (command);
}

/* Returns: whether there is such a command; @command is %NULL for asb itself */
static gboolean
find_command (const ToolParsed *parsed, const ToolCommand **command)
{
  static const ToolCommand *const none[] = { NULL };
  const ToolCommand *const *commands = tool_commands;

  *command = NULL;
  for (guint i = 0; i < parsed->arguments->len; i++)
    {
      const char *word = tool_parsed_get (parsed, i);
      const ToolCommand *parent = *command;

      *command = tool_command_find (commands, word);
      if (!*command)
        {
          tool_command_say_unknown (commands, parent ? parent->name : "", word);
          return FALSE;
        }
      commands = (*command)->children ? (*command)->children : none;
    }
  return TRUE;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  const ToolCommand *command;

  if (options.complete)
    return tool_complete_print (tool, parsed);
  if (!find_command (parsed, &command))
    return TOOL_EXIT_USAGE;
  if (options.man)
    return print_manual (command);
  return command ? tool_help_print (command) : tool_help_print_all ();
}

/* Without a summary: for the build and for the shell. */
static const ToolOption option_entries[] = {
  { "man", '\0', TOOL_OPTION_FLAG, &options.man, NULL, NULL },
  { "complete", '\0', TOOL_OPTION_FLAG, &options.complete, NULL, NULL },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "COMMAND", "the command; if not given, asb itself",
    TOOL_ARGUMENT_OPTIONAL | TOOL_ARGUMENT_REPEATED, TOOL_COMPLETE_COMMAND },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb help run", "Tells of asb run." },
  { "asb help history list", "Tells of a command of a group." },
  { NULL, NULL },
};

const ToolCommand tool_command_help = {
  .name = "help",
  .summary = "tell of asb, or of one of its commands",
  .description
  = "Shows what a command does, its options and examples; the same as --help after the "
    "command. The manual pages say it too: man asb-run.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
