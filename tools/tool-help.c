/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-help.h"

#include <unistd.h>

#include "tool-output.h"
#include "tool-text.h"

#define INDENT 2
#define TITLE_WIDTH 26
#define WIDTH 80

static guint
get_width (void)
{
  const guint columns = tool_text_get_columns (STDOUT_FILENO);

  return columns > 40 ? MIN (columns, WIDTH) : WIDTH;
}

static void
append_heading (GString *help, const char *title)
{
  const gboolean bold = tool_text_has_colours ();

  g_string_append_printf (help, "\n%s%s:%s\n", bold ? "\033[1m" : "", title, bold ? "\033[0m" : "");
}

/* A title and its meaning, side by side, or below where the title is long. */
static void
append_entry (GString *help, const char *title, const char *meaning)
{
  const guint width = tool_text_get_width (title);
  g_autofree char *filled = tool_text_dup_filled (meaning, TITLE_WIDTH, get_width ());
  const gboolean beside = INDENT + width + 2 <= TITLE_WIDTH;

  if (beside)
    g_string_append_printf (help, "%*s%s%*s%s", INDENT, "", title,
                            (int)(TITLE_WIDTH - INDENT - width), "", filled + TITLE_WIDTH);
  else
    g_string_append_printf (help, "%*s%s\n%s", INDENT, "", title, filled);
}

static void
append_paragraphs (GString *help, const char *text, guint indent)
{
  g_autofree char *filled = tool_text_dup_filled (text, indent, get_width ());

  g_string_append (help, filled);
}

char *
tool_option_dup_title (const ToolOption *option)
{
  g_autofree char *letter
      = option->letter != '\0' ? g_strdup_printf ("-%c, ", option->letter) : g_strdup ("    ");

  return g_strconcat (letter, "--", option->name, option->argument ? "=" : NULL, option->argument,
                      NULL);
}

static void
append_option (GString *help, const ToolOption *option)
{
  g_autofree char *title = tool_option_dup_title (option);

  append_entry (help, title, option->summary);
}

static void
append_group (GString *help, const ToolCommand *command, ToolGroup group)
{
  const ToolOption *option;
  guint n = 0;

  for (guint i = 0; (option = tool_command_get_option (command, i)); i++)
    if (option->summary && option->group == group)
      {
        if (n++ == 0)
          append_heading (help, tool_help_option_headings[group]);
        append_option (help, option);
      }
  if (group != TOOL_GROUP_OWN)
    return;
  if (n == 0)
    append_heading (help, tool_help_option_headings[group]);
  append_entry (help, "-h, --help", "shows this text");
}

static void
append_options (GString *help, const ToolCommand *command)
{
  for (ToolGroup group = 0; group < TOOL_N_GROUPS; group++)
    append_group (help, command, group);
}

static void
append_arguments (GString *help, const ToolCommand *command)
{
  if (!command->arguments)
    return;
  append_heading (help, "Arguments");
  for (const ToolArgument *argument = command->arguments; argument->name; argument++)
    append_entry (help, argument->name, argument->summary);
}

static void
append_examples (GString *help, const ToolCommand *command)
{
  if (!command->examples)
    return;
  append_heading (help, "Examples");
  for (const ToolExample *example = command->examples; example->command; example++)
    {
      g_string_append_printf (help, "%*s%s\n", INDENT, "", example->command);
      append_paragraphs (help, example->meaning, 3 * INDENT);
    }
}

static void
append_commands (GString *help, const ToolCommand *const *commands)
{
  append_heading (help, "Commands");
  for (gsize i = 0; commands[i]; i++)
    if (!commands[i]->hidden)
      append_entry (help, tool_command_get_word (commands[i]), commands[i]->summary);
}

static int
print_text (GString *help)
{
  const int status = tool_output_print (help->str, help->len);

  g_string_free (help, TRUE);
  return status;
}

int
tool_help_print (const ToolCommand *command)
{
  g_autofree char *usage = tool_command_dup_usage (command);
  GString *help = g_string_new (NULL);

  g_string_append_printf (help, "Usage: %s\n\n", usage);
  append_paragraphs (help, command->description, 0);
  append_arguments (help, command);
  if (command->children)
    append_commands (help, command->children);
  append_options (help, command);
  append_examples (help, command);
  return print_text (help);
}

int
tool_help_print_all (void)
{
  GString *help = g_string_new ("Usage: asb COMMAND [ARGUMENT…]\n\n");

  append_paragraphs (help, tool_help_description, 0);
  append_commands (help, tool_commands);
  append_heading (help, "Options");
  append_entry (help, "-h, --help", "shows this text; asb COMMAND --help tells of one command");
  append_entry (help, "    --version", "shows the version");
  for (const ToolTopic *topic = tool_help_topics; topic->title; topic++)
    {
      append_heading (help, topic->title);
      if (topic->text)
        append_paragraphs (help, topic->text, INDENT);
      for (const ToolExample *entry = topic->entries; entry && entry->command; entry++)
        append_entry (help, entry->command, entry->meaning);
    }
  return print_text (help);
}
