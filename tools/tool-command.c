/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-command.h"

#include <string.h>

#include "tool-help.h"
#include "tool-message.h"
#include "tool-options.h"
#include "tool-profile.h"
#include "tool-server.h"
#include "tool-signals.h"

const char *
tool_parsed_get (const ToolParsed *parsed, guint index)
{
  return index < parsed->arguments->len ? g_ptr_array_index (parsed->arguments, index) : NULL;
}

void
tool_parsed_clear (ToolParsed *parsed)
{
  g_clear_pointer (&parsed->arguments, g_ptr_array_unref);
  g_clear_pointer (&parsed->given, g_ptr_array_unref);
  g_clear_pointer (&parsed->kept, g_ptr_array_unref);
}

const char *
tool_command_get_word (const ToolCommand *command)
{
  const char *space = strrchr (command->name, ' ');

  return space ? space + 1 : command->name;
}

const ToolCommand *
tool_command_find (const ToolCommand *const *commands, const char *word)
{
  for (gsize i = 0; commands[i]; i++)
    if (g_str_equal (tool_command_get_word (commands[i]), word))
      return commands[i];
  return NULL;
}

/* Whether it makes sandboxes or names one. */
static gboolean
has_server (const ToolCommand *command)
{
  for (const ToolArgument *argument = command->arguments; argument && argument->name; argument++)
    if (argument->completion == TOOL_COMPLETE_SANDBOX
        || argument->completion == TOOL_COMPLETE_RECORD
        || argument->completion == TOOL_COMPLETE_SNAPSHOT)
      return TRUE;
  for (const ToolOption *option = command->options; option && option->name; option++)
    if (option->completion == TOOL_COMPLETE_PROVIDER)
      return TRUE;
  return FALSE;
}

/* A profile gives arguments to options, so a command without such options has none. */
static gboolean
has_profile (const ToolCommand *command)
{
  const ToolOption *const lists[] = { command->options, command->more_options };

  if (has_server (command))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const ToolOption *option = lists[i]; option && option->name; option++)
      if (option->summary && option->kind != TOOL_OPTION_FLAG)
        return TRUE;
  return FALSE;
}

const ToolOption *
tool_command_get_option (const ToolCommand *command, guint index)
{
  const ToolOption *const lists[] = { command->options, command->more_options,
                                      has_server (command) ? tool_server_options : NULL,
                                      has_profile (command) ? tool_profile_options : NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const ToolOption *option = lists[i]; option && option->name; option++)
      if (index-- == 0)
        return option;
  return NULL;
}

const ToolOption *
tool_command_find_option (const ToolCommand *command, const char *word)
{
  const gboolean is_long = g_str_has_prefix (word, "--");
  const gsize length = is_long ? strcspn (word + 2, "=") : 0;

  const ToolOption *option;

  for (guint i = 0; (option = tool_command_get_option (command, i)); i++)
    if (is_long ? strlen (option->name) == length && strncmp (option->name, word + 2, length) == 0
                : option->letter != '\0' && option->letter == word[1])
      return option;
  return NULL;
}

const ToolArgument *
tool_command_get_argument (const ToolCommand *command, guint index, guint n_arguments)
{
  guint n_known = 0;
  guint at = 0;

  for (const ToolArgument *argument = command->arguments; argument && argument->name; argument++)
    n_known++;
  for (const ToolArgument *argument = command->arguments; argument && argument->name; argument++)
    {
      const gboolean repeated = (argument->flags & TOOL_ARGUMENT_REPEATED) != 0;
      const guint n_taken = repeated && n_arguments >= n_known ? n_arguments - n_known + 1 : 1;

      if (index < at + n_taken)
        return argument;
      at += n_taken;
    }
  return NULL;
}

static void
append_argument (GString *usage, const ToolArgument *argument)
{
  const gboolean optional = (argument->flags & TOOL_ARGUMENT_OPTIONAL) != 0;
  const gboolean repeated = (argument->flags & TOOL_ARGUMENT_REPEATED) != 0;

  g_string_append_printf (usage, " %s%s%s%s", optional ? "[" : "", argument->name,
                          repeated ? "…" : "", optional ? "]" : "");
}

char *
tool_command_dup_usage (const ToolCommand *command)
{
  GString *usage = g_string_new ("asb ");
  guint index = 0;

  g_string_append (usage, command->name);
  if (command->children)
    g_string_append (usage, " COMMAND");
  else
    g_string_append (usage, " [OPTION…]");
  for (const ToolArgument *argument = command->arguments; argument && argument->name; argument++)
    {
      if (++index == command->foreign_from)
        g_string_append (usage, " [--]");
      append_argument (usage, argument);
    }
  return g_string_free (usage, FALSE);
}

/* What other programs of the kind call what asb has by another name. */
static const char *
find_synonym (const char *word)
{
  static const char *const synonyms[][2] = {
    { "attach", "jobs attach" },
    { "cp", "put or asb get" },
    { "delete", "rm" },
    { "export", "history export" },
    { "inspect", "info" },
    { "kill", "rm" },
    { "log", "history list" },
    { "logs", "jobs logs" },
    { "port", "endpoint" },
    { "ps", "list" },
    { "remove", "rm" },
    { "start", "create" },
    { "stats", "metrics" },
    { "status", "list" },
    { "stop", "rm" },
    { "top", "metrics" },
    { "unpause", "resume" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (synonyms); i++)
    if (g_str_equal (word, synonyms[i][0]))
      return synonyms[i][1];
  return NULL;
}

static const char *
guess_command (const ToolCommand *const *commands, const char *word)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (gsize i = 0; commands[i]; i++)
    if (!commands[i]->hidden)
      g_ptr_array_add (names, (gpointer)tool_command_get_word (commands[i]));
  g_ptr_array_add (names, NULL);
  return tool_options_guess ((const char *const *)names->pdata, word);
}

int
tool_command_say_unknown (const ToolCommand *const *commands, const char *parent, const char *word)
{
  const char *synonym = *parent ? NULL : find_synonym (word);
  const char *guess = synonym ? synonym : guess_command (commands, word);

  if (guess)
    tool_message ("There is no command “%s”; did you mean asb %s%s%s?", word, parent,
                  *parent ? " " : "", guess);
  else
    tool_message ("There is no command “%s”; see asb %s%s--help", word, parent, *parent ? " " : "");
  return TOOL_EXIT_USAGE;
}

/* A signal that ended the work is told to the caller as the shell does. */
static int
get_exit_status (int status)
{
  const int caught = tool_signals_get_caught ();

  return caught != 0 && status != TOOL_EXIT_DONE ? TOOL_EXIT_SIGNAL + caught : status;
}

static int
run_command (Tool *tool, const ToolCommand *command, char **words)
{
  g_auto (ToolParsed) parsed = { 0 };
  g_autoptr (GError) error = NULL;

  if (!tool_options_parse (command, words, &parsed, &error)
      || (!parsed.help && !tool_profile_apply (command, &parsed, &error)))
    {
      tool_message_error (error);
      return command->usage_status > 0 ? command->usage_status : TOOL_EXIT_USAGE;
    }
  if (parsed.help)
    return tool_help_print (command);
  return get_exit_status (command->run (tool, &parsed));
}

static gboolean
is_help (const char *word)
{
  return g_str_equal (word, "--help") || g_str_equal (word, "-h");
}

/* Nearly the name of a command, and exactly that of something else: it is that. */
static gboolean
is_usual_child (Tool *tool, const ToolCommand *command, const char *word)
{
  return command->usual_child
         && (!guess_command (command->children, word) || command->is_usual (tool, word));
}

static int
run_child (Tool *tool, const ToolCommand *command, char **words)
{
  const ToolCommand *child;

  if (!*words)
    {
      tool_message ("A command is missing; see asb %s --help", command->name);
      return TOOL_EXIT_USAGE;
    }
  if (is_help (*words))
    return tool_help_print (command);
  child = tool_command_find (command->children, *words);
  if (!child && is_usual_child (tool, command, *words))
    return run_command (tool, command->usual_child, words);
  if (!child)
    return tool_command_say_unknown (command->children, command->name, *words);
  return run_command (tool, child, words + 1);
}

int
tool_command_main (Tool *tool, char **words)
{
  const ToolCommand *command;

  if (!*words)
    {
      tool_help_print_all ();
      return TOOL_EXIT_USAGE;
    }
  if (is_help (*words))
    return tool_help_print_all ();
  command
      = tool_command_find (tool_commands, g_str_equal (*words, "--version") ? "version" : *words);
  if (!command && **words == '-')
    {
      tool_message ("There is no option “%s” before a command; see asb --help", *words);
      return TOOL_EXIT_USAGE;
    }
  if (!command)
    return tool_command_say_unknown (tool_commands, "", *words);
  if (command->children)
    return run_child (tool, command, words + 1);
  return run_command (tool, command, words + 1);
}
