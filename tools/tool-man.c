/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-man.h"

#include "tool-help.h"
#include "tool-output.h"

/* Text as roff: nothing in it is a request. */
static void
append_text (GString *page, const char *text)
{
  gboolean line_start = page->len == 0 || page->str[page->len - 1] == '\n';

  for (; *text; text++)
    {
      if (line_start && (*text == '.' || *text == '\''))
        g_string_append (page, "\\&");
      if (*text == '\\')
        g_string_append (page, "\\e");
      else if (*text == '-')
        g_string_append (page, "\\-");
      else
        g_string_append_c (page, *text);
      line_start = *text == '\n';
    }
}

static void
append_heading (GString *page, const char *title)
{
  g_autofree char *upper = g_utf8_strup (title, -1);

  g_string_append_printf (page, ".SH %s\n", upper);
}

static void
append_paragraphs (GString *page, const char *text)
{
  g_auto (GStrv) paragraphs = g_strsplit (text, "\n\n", -1);

  for (gsize i = 0; paragraphs[i]; i++)
    {
      if (i > 0)
        g_string_append (page, ".PP\n");
      append_text (page, paragraphs[i]);
      g_string_append_c (page, '\n');
    }
}

static void
append_entry (GString *page, const char *title, const char *meaning)
{
  g_string_append (page, ".TP\n.B ");
  append_text (page, title);
  g_string_append_c (page, '\n');
  append_paragraphs (page, meaning);
}

static void
append_usage (GString *page, const ToolCommand *command)
{
  g_autofree char *usage = tool_command_dup_usage (command);

  g_string_append (page, ".B ");
  append_text (page, usage);
  g_string_append_c (page, '\n');
}

static guint
append_group (GString *page, const ToolCommand *command, ToolGroup group, gboolean with_heading)
{
  const ToolOption *option;
  guint n = 0;

  for (guint i = 0; (option = tool_command_get_option (command, i)); i++)
    if (option->summary && option->group == group)
      {
        g_autofree char *title = tool_option_dup_title (option);

        if (n++ == 0 && with_heading)
          append_heading (page, tool_help_option_headings[group]);
        append_entry (page, g_strstrip (title), option->summary);
      }
  return n;
}

static void
append_options (GString *page, const ToolCommand *command, gboolean with_headings)
{
  if (append_group (page, command, TOOL_GROUP_OWN, with_headings) == 0 && with_headings)
    append_heading (page, tool_help_option_headings[TOOL_GROUP_OWN]);
  append_entry (page, "-h, --help", "shows what is written here, in short");
  for (ToolGroup group = TOOL_GROUP_OWN + 1; group < TOOL_N_GROUPS; group++)
    append_group (page, command, group, with_headings);
}

static void
append_examples (GString *page, const ToolCommand *command)
{
  for (const ToolExample *example = command->examples; example && example->command; example++)
    append_entry (page, example->command, example->meaning);
}

static void
append_arguments (GString *page, const ToolCommand *command)
{
  for (const ToolArgument *argument = command->arguments; argument && argument->name; argument++)
    append_entry (page, argument->name, argument->summary);
}

/* A command of a group, as a part of the group's page. */
static void
append_child (GString *page, const ToolCommand *command)
{
  g_string_append_printf (page, ".SS %s\n", command->name);
  append_usage (page, command);
  g_string_append (page, ".PP\n");
  append_paragraphs (page, command->description);
  append_arguments (page, command);
  append_options (page, command, FALSE);
  append_examples (page, command);
}

static void
append_topic (GString *page, const ToolTopic *topic)
{
  append_heading (page, topic->title);
  if (topic->text)
    append_paragraphs (page, topic->text);
  for (const ToolExample *entry = topic->entries; entry && entry->command; entry++)
    append_entry (page, entry->command, entry->meaning);
}

static void
append_topics (GString *page)
{
  for (const ToolTopic *topic = tool_help_topics; topic->title; topic++)
    append_topic (page, topic);
}

static void
append_command (GString *page, const ToolCommand *command)
{
  append_heading (page, "Description");
  append_paragraphs (page, command->description);
  if (command->arguments)
    append_heading (page, "Arguments");
  append_arguments (page, command);
  append_options (page, command, TRUE);
  if (command->children)
    append_heading (page, "Commands");
  for (const ToolCommand *const *child = command->children; child && *child; child++)
    append_child (page, *child);
  if (command->examples)
    append_heading (page, "Examples");
  append_examples (page, command);
  if (command->usage_status == TOOL_EXIT_ASB)
    append_topic (page, &tool_help_exit_status);
}

static void
append_commands (GString *page)
{
  append_heading (page, "Commands");
  for (gsize i = 0; tool_commands[i]; i++)
    if (!tool_commands[i]->hidden)
      {
        g_autofree char *title = g_strdup_printf ("asb %s", tool_commands[i]->name);

        append_entry (page, title, tool_commands[i]->summary);
      }
}

static void
append_see_also (GString *page, const ToolCommand *command)
{
  append_heading (page, "See also");
  if (command)
    g_string_append (page, ".BR asb (1)");
  for (gsize i = 0; !command && tool_commands[i]; i++)
    if (!tool_commands[i]->hidden)
      {
        if (page->str[page->len - 1] != '\n')
          g_string_append (page, " ,\n");
        g_string_append_printf (page, ".BR asb\\-%s (1)", tool_commands[i]->name);
      }
  g_string_append_c (page, '\n');
}

int
tool_man_print (const ToolCommand *command)
{
  g_autofree char *name = command ? g_strconcat ("asb-", command->name, NULL) : g_strdup ("asb");
  g_autofree char *title = g_ascii_strup (name, -1);
  g_autoptr (GString) page = g_string_new (NULL);

  g_string_append_printf (page, ".TH \"%s\" 1 \"\" \"libasb %s\" \"User Commands\"\n", title,
                          ASB_VERSION);
  append_heading (page, "Name");
  append_text (page, name);
  g_string_append (page, " \\- ");
  append_text (page, command ? command->summary : tool_help_summary);
  g_string_append_c (page, '\n');
  append_heading (page, "Synopsis");
  if (command)
    append_usage (page, command);
  else
    g_string_append (page, ".B asb COMMAND [ARGUMENT…]\n");
  if (command)
    append_command (page, command);
  else
    {
      append_heading (page, "Description");
      append_paragraphs (page, tool_help_description);
      append_commands (page);
      append_topics (page);
    }
  append_see_also (page, command);
  return tool_output_print (page->str, page->len);
}
