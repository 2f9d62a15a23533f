/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-complete.h"

#include <signal.h>
#include <string.h>

#include "tool-jobs.h"
#include "tool-no-record.h"
#include "tool-options.h"
#include "tool-output.h"
#include "tool-profile.h"
#include "tool-sandbox.h"
#include "tool-server.h"
#include "tool-snapshot.h"
#include "tool-text.h"

#define FILES_LINE ":file"
/* Nobody waits longer for what a server may have to say, unless the variable says so. */
#define MAX_WAIT_S 5
#define WAIT_VARIABLE "ASB_COMPLETE_SECONDS"

typedef struct
{
  Tool *tool;
  const char *word;   /* being typed; of “--option=” what stands behind that */
  const char *before; /* what stands before it in the shell's word */
  gsize n_before;
  const char *argument; /* the first one before it, or NULL */
  GString *text;
} Completion;

static void
suggest (Completion *completion, const char *prefix, const char *candidate)
{
  g_autofree char *whole = g_strconcat (prefix, candidate, NULL);

  if (g_str_has_prefix (whole, completion->word))
    g_string_append_printf (completion->text, "%.*s%s\n", (int)completion->n_before,
                            completion->before, whole);
}

/* A shell takes what is offered as if it had been typed, and so nothing that a server or somebody
 * else has named may mean something to it; asb itself would take a dash for an option. */
static void
suggest_foreign (Completion *completion, const char *prefix, const char *candidate)
{
  if (tool_text_is_plain (candidate) && !strchr (candidate, ':') && *candidate != '-')
    suggest (completion, prefix, candidate);
}

/* By its name where it has one that can be typed, and by its ID. */
static void
suggest_named (Completion *completion, const char *name, const char *id)
{
  const gboolean has_name = name && tool_text_is_plain (name);

  if (has_name)
    suggest_foreign (completion, "", name);
  if (!has_name || *completion->word != '\0')
    suggest_foreign (completion, "", id);
}

static void
suggest_words (Completion *completion, const char *const *words)
{
  for (gsize i = 0; words && words[i]; i++)
    suggest (completion, "", words[i]);
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

/* The “PROVIDER:” that begins a full name. Returns: (nullable): its provider */
static AsbProvider *
get_provider_of_word (Completion *completion, char **prefix)
{
  const char *colon = strchr (completion->word, ':');
  g_autofree char *name = colon ? g_strndup (completion->word, colon - completion->word) : NULL;

  *prefix = name ? g_strconcat (name, ":", NULL) : NULL;
  return name ? tool_get_provider (completion->tool, name, NULL) : NULL;
}

static void
suggest_full_names (Completion *completion, ToolSandboxScope scope)
{
  g_autofree char *prefix = NULL;
  AsbProvider *provider = get_provider_of_word (completion, &prefix);
  g_autoptr (GPtrArray) infos
      = provider ? tool_sandbox_list (completion->tool, provider, scope, NULL) : NULL;

  for (guint i = 0; infos && i < infos->len; i++)
    suggest_foreign (completion, prefix, tool_sandbox_get_id (infos->pdata[i]));
}

static void
suggest_snapshots (Completion *completion)
{
  g_autofree char *prefix = NULL;
  AsbProvider *provider = get_provider_of_word (completion, &prefix);
  g_autoptr (AsbSnapshotFilter) filter = asb_snapshot_filter_new ();
  g_autoptr (GListModel) snapshots = NULL;
  g_auto (ToolWait) wait = { 0 };

  if (!provider)
    return;
  asb_provider_list_snapshots_async (provider, filter, completion->tool->cancellable, tool_wait_cb,
                                     &wait);
  snapshots = asb_provider_list_snapshots_finish (provider, tool_wait (&wait), NULL);
  for (guint i = 0; snapshots && i < g_list_model_get_n_items (snapshots); i++)
    {
      g_autoptr (AsbSnapshot) snapshot = g_list_model_get_item (snapshots, i);

      suggest_foreign (completion, prefix, asb_snapshot_get_id (snapshot));
    }
}

/* The beginnings of full names. */
static void
suggest_providers_of_names (Completion *completion)
{
  g_auto (GStrv) names = asb_registry_list_providers (asb_registry_get_default ());

  for (gsize i = 0; names[i]; i++)
    {
      g_autofree char *beginning = g_strconcat (names[i], ":", NULL);

      if (tool_text_is_plain (names[i]))
        suggest (completion, "", beginning);
    }
}

static void
suggest_usual_sandboxes (Completion *completion, ToolSandboxScope scope)
{
  AsbProvider *provider
      = tool_get_provider (completion->tool, tool_server_get_default_provider (), NULL);
  g_autoptr (GPtrArray) infos
      = provider ? tool_sandbox_list (completion->tool, provider, scope, NULL) : NULL;

  for (guint i = 0; infos && i < infos->len; i++)
    suggest_named (completion, asb_sandbox_info_get_name (infos->pdata[i]),
                   tool_sandbox_get_id (infos->pdata[i]));
}

static void
suggest_sandboxes (Completion *completion, ToolSandboxScope scope)
{
  if (strchr (completion->word, ':'))
    {
      suggest_full_names (completion, scope);
      return;
    }
  suggest_usual_sandboxes (completion, scope);
  if (*completion->word != '\0')
    suggest_providers_of_names (completion);
}

static void
suggest_jobs (Completion *completion)
{
  g_auto (ToolJobs) jobs = { 0 };

  /* Who only looks leaves no trace. */
  tool_no_record = TRUE;
  if (!completion->argument
      || !tool_jobs_open_in (completion->tool, completion->argument, &jobs, NULL))
    return;
  for (guint i = 0; i < g_list_model_get_n_items (jobs.jobs); i++)
    {
      g_autoptr (AsbJob) job = g_list_model_get_item (jobs.jobs, i);

      suggest_named (completion, asb_job_get_name (job), asb_job_get_id (job));
    }
}

/* @names: (transfer full) */
static void
suggest_names (Completion *completion, char **names)
{
  for (gsize i = 0; names[i]; i++)
    suggest_foreign (completion, "", names[i]);
  g_strfreev (names);
}

static void
suggest_signals (Completion *completion)
{
  for (int i = 1; i < NSIG; i++)
    if (sigabbrev_np (i))
      suggest (completion, "", sigabbrev_np (i));
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
    case TOOL_COMPLETE_SNAPSHOT:
      if (strchr (completion->word, ':'))
        suggest_snapshots (completion);
      else
        suggest_providers_of_names (completion);
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
    case TOOL_COMPLETE_SIGNAL:
      suggest_signals (completion);
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

/* What has been typed says where to look: --server, --profile. It need not be whole. */
static void
take_options (const ToolCommand *command, const ToolParsed *parsed, guint first, ToolParsed *typed)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  for (guint i = first; i + 1 < parsed->arguments->len; i++)
    g_ptr_array_add (words, parsed->arguments->pdata[i]);
  g_ptr_array_add (words, NULL);
  tool_options_parse (command, (char **)words->pdata, typed, NULL);
  tool_profile_apply (command, typed, NULL);
}

/* “--option=” and the beginning of its argument. */
static const ToolOption *
split_option (Completion *completion, const ToolCommand *command)
{
  const char *equals = strchr (completion->word, '=');
  const ToolOption *option = equals && g_str_has_prefix (completion->word, "--")
                                 ? tool_command_find_option (command, completion->word)
                                 : NULL;

  if (!option || option->kind == TOOL_OPTION_FLAG)
    return NULL;
  completion->before = completion->word;
  completion->n_before = equals + 1 - completion->word;
  completion->word = equals + 1;
  return option;
}

static void
suggest_for_command (Completion *completion, const ToolCommand *command, const ToolParsed *parsed,
                     guint first)
{
  g_auto (ToolParsed) typed = { 0 };
  guint n_arguments;
  gboolean options_end;
  const ToolOption *waiting
      = skip_words (command, parsed, first, &n_arguments, &completion->argument, &options_end);
  const ToolArgument *argument = tool_command_get_argument (command, n_arguments, n_arguments + 1);

  take_options (command, parsed, first, &typed);
  if (!waiting && !options_end)
    waiting = split_option (completion, command);
  suggest_words (completion, waiting ? waiting->words : NULL);
  if (waiting)
    suggest_kind (completion, waiting->completion);
  else if (*completion->word == '-' && !options_end)
    suggest_options (completion, command);
  else if (argument)
    {
      suggest_words (completion, argument->words);
      suggest_kind (completion, argument->completion);
    }
}

/* Returns: (nullable): what the words before the last one name; @first is the word behind that */
static const ToolCommand *
find_command (const ToolParsed *parsed, guint *first)
{
  const ToolCommand *const *commands = tool_commands;
  const ToolCommand *command = NULL;

  while (commands && *first + 1 < parsed->arguments->len)
    {
      const ToolCommand *parent = command;

      command = tool_command_find (commands, tool_parsed_get (parsed, *first));
      if (!command)
        return parent ? parent->usual_child : NULL;
      commands = command->children;
      ++*first;
    }
  return command;
}

static guint
get_max_wait (void)
{
  const char *variable = g_getenv (WAIT_VARIABLE);
  guint64 seconds;

  return variable && g_ascii_string_to_unsigned (variable, 10, 1, 3600, &seconds, NULL)
             ? (guint)seconds
             : MAX_WAIT_S;
}

static gboolean
give_up (gpointer user_data)
{
  Tool *tool = user_data;

  g_cancellable_cancel (tool->cancellable);
  return G_SOURCE_REMOVE;
}

int
tool_complete_print (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Completion completion = { .tool = tool, .word = "", .before = "", .text = text };
  guint first = 0;
  const guint timeout = g_timeout_add_seconds (get_max_wait (), give_up, tool);
  const ToolCommand *command = find_command (parsed, &first);

  if (parsed->arguments->len > 0)
    completion.word = tool_parsed_get (parsed, parsed->arguments->len - 1);
  if (parsed->arguments->len < 2)
    suggest_commands (&completion, tool_commands);
  else if (command && command->children)
    suggest_commands (&completion, command->children);
  /* A word may be the argument of what is meant without a word. */
  if (command && command->children && *completion.word != '\0' && text->len == 0)
    command = command->usual_child;
  if (command && !command->children)
    suggest_for_command (&completion, command, parsed, first);
  if (!g_cancellable_is_cancelled (tool->cancellable))
    g_source_remove (timeout);
  return tool_output_print (text->str, text->len);
}
