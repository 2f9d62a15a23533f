/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-complete.h"

#include <string.h>

#include "tool-jobs.h"
#include "tool-output.h"
#include "tool-profile.h"
#include "tool-sandbox.h"

#define FILES_LINE ":file"

typedef struct
{
  Tool *tool;
  const char *word;     /* being typed */
  const char *argument; /* the first one before it, or NULL */
  GString *text;
} Completion;

static void
suggest (Completion *completion, const char *prefix, const char *candidate)
{
  g_autofree char *whole = g_strconcat (prefix, candidate, NULL);

  if (g_str_has_prefix (whole, completion->word))
    g_string_append_printf (completion->text, "%s\n", whole);
}

static void
suggest_commands (Completion *completion, const ToolCommand *const *commands)
{
  for (gsize i = 0; commands[i]; i++)
    if (!commands[i]->hidden)
      suggest (completion, "", tool_command_get_word (commands[i]));
}

static void
suggest_options (Completion *completion, const ToolCommand *command)
{
  const ToolOption *option;

  for (guint i = 0; (option = tool_command_get_option (command, i)); i++)
    if (option->summary)
      suggest (completion, "--", option->name);
  suggest (completion, "--", "help");
}

static gboolean
is_plain (const char *name)
{
  return !strpbrk (name, " \t\n'\"\\$`&|;<>()*?[]{}~#!:");
}

/* Names, and IDs of sandboxes that have none. */
static void
suggest_sandboxes (Completion *completion, ToolSandboxScope scope)
{
  AsbProvider *provider = tool_get_provider (completion->tool, TOOL_LOCAL_PROVIDER, NULL);
  g_autoptr (GPtrArray) infos
      = provider ? tool_sandbox_list (completion->tool, provider, scope, NULL) : NULL;

  for (guint i = 0; infos && i < infos->len; i++)
    {
      const char *name = asb_sandbox_info_get_name (infos->pdata[i]);

      if (name && is_plain (name))
        suggest (completion, "", name);
      if (!name || *completion->word != '\0')
        suggest (completion, "", tool_sandbox_get_id (infos->pdata[i]));
    }
}

/* Names, and IDs of jobs that have none. */
static void
suggest_jobs (Completion *completion)
{
  g_auto (ToolJobs) jobs = { 0 };

  if (!completion->argument
      || !tool_jobs_open_in (completion->tool, completion->argument, &jobs, NULL))
    return;
  for (guint i = 0; i < g_list_model_get_n_items (jobs.jobs); i++)
    {
      g_autoptr (AsbJob) job = g_list_model_get_item (jobs.jobs, i);
      const char *name = asb_job_get_name (job);

      if (name && is_plain (name))
        suggest (completion, "", name);
      if (!name || *completion->word != '\0')
        suggest (completion, "", asb_job_get_id (job));
    }
}

/* @names: (transfer full) */
static void
suggest_names (Completion *completion, char **names)
{
  for (gsize i = 0; names[i]; i++)
    if (is_plain (names[i]))
      suggest (completion, "", names[i]);
  g_strfreev (names);
}

static void
suggest_kind (Completion *completion, ToolCompletion kind)
{
  switch (kind)
    {
    case TOOL_COMPLETE_FILE:
      g_string_append (completion->text, FILES_LINE "\n");
      break;
    case TOOL_COMPLETE_SANDBOX:
      suggest_sandboxes (completion, TOOL_SANDBOX_LIVE);
      break;
    case TOOL_COMPLETE_RECORD:
      suggest_sandboxes (completion, TOOL_SANDBOX_ANY);
      break;
    case TOOL_COMPLETE_COMMAND:
      suggest_commands (completion, tool_commands);
      break;
    case TOOL_COMPLETE_JOB:
      suggest_jobs (completion);
      break;
    case TOOL_COMPLETE_NETWORK:
      suggest (completion, "", "none");
      suggest (completion, "", "host");
      break;
    case TOOL_COMPLETE_PROVIDER:
      suggest_names (completion, asb_registry_list_providers (asb_registry_get_default ()));
      break;
    case TOOL_COMPLETE_PROFILE:
      suggest_names (completion, tool_profile_list_names ());
      break;
    case TOOL_COMPLETE_NOTHING:
    default:
      break;
    }
}

/* Where the word being typed stands: after an option that wants an argument, or the n-th argument.
 */
static const ToolOption *
skip_words (const ToolCommand *command, const ToolParsed *parsed, guint first, guint *n_arguments,
            const char **argument, gboolean *options_end)
{
  const ToolOption *waiting = NULL;

  *n_arguments = 0;
  *options_end = FALSE;
  for (guint i = first; i + 1 < parsed->arguments->len; i++)
    {
      const char *word = tool_parsed_get (parsed, i);
      const ToolOption *option;

      if (waiting)
        {
          waiting = NULL;
          continue;
        }
      *options_end |= g_str_equal (word, "--")
                      || (command->foreign_from > 0 && *n_arguments >= command->foreign_from);
      if (g_str_equal (word, "--"))
        continue;
      option = *options_end || *word != '-' ? NULL : tool_command_find_option (command, word);
      if (option && option->kind != TOOL_OPTION_FLAG && !strchr (word, '='))
        waiting = option;
      else if (*options_end || *word != '-')
        *argument = ++*n_arguments == 1 ? word : *argument;
    }
  *options_end |= command->foreign_from > 0 && *n_arguments >= command->foreign_from;
  return waiting;
}

static void
suggest_for_command (Completion *completion, const ToolCommand *command, const ToolParsed *parsed,
                     guint first)
{
  guint n_arguments;
  gboolean options_end;
  const ToolOption *waiting
      = skip_words (command, parsed, first, &n_arguments, &completion->argument, &options_end);
  const ToolArgument *argument = tool_command_get_argument (command, n_arguments, n_arguments + 1);

  if (waiting)
    suggest_kind (completion, waiting->completion);
  else if (*completion->word == '-' && !options_end)
    suggest_options (completion, command);
  else if (argument)
    suggest_kind (completion, argument->completion);
}

int
tool_complete_print (Tool *tool, const ToolParsed *parsed)
{
  const ToolCommand *const *commands = tool_commands;
  const ToolCommand *command = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  Completion completion = { tool, "", NULL, text };
  guint first = 0;

  if (parsed->arguments->len > 0)
    completion.word = tool_parsed_get (parsed, parsed->arguments->len - 1);
  while (commands && first + 1 < parsed->arguments->len)
    {
      command = tool_command_find (commands, tool_parsed_get (parsed, first++));
      commands = command ? command->children : NULL;
    }
  if (commands)
    suggest_commands (&completion, commands);
  else if (command)
    suggest_for_command (&completion, command, parsed, first);
  return tool_output_print (text->str, text->len);
}
