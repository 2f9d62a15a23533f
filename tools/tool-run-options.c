/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-run.h"

#include <string.h>
#include <unistd.h>

#include "tool-text.h"

static struct
{
  GPtrArray *environment;
  const char *workdir;
  const char *timeout;
  const char *shell;
  gboolean interactive;
} options;

const ToolOption tool_run_options[] = {
  { "env", 'e', TOOL_OPTION_TEXTS, &options.environment, "NAME[=VALUE]",
    "sets a variable for the command; without a value it is the one asb has, which shows in no "
    "list of processes" },
  { "workdir", 'w', TOOL_OPTION_TEXT, &options.workdir, "DIR",
    "runs the command in this folder, which must be there; if not given, in that of the sandbox" },
  { "timeout", '\0', TOOL_OPTION_TEXT, &options.timeout, "TIME",
    "ends the command and all it started after so many seconds, or 90s, 5m, 2h, 1d" },
  { "shell", 'c', TOOL_OPTION_TEXT, &options.shell, "TEXT",
    "runs TEXT in the shell of the sandbox, instead of a command" },
  { "interactive", 'i', TOOL_OPTION_FLAG, &options.interactive, NULL,
    "gives standard input to the command also when it is a terminal" },
  { NULL },
};

char **
tool_environment_new (GPtrArray *texts, GError **error)
{
  g_autoptr (GPtrArray) environment = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; texts && i < texts->len; i++)
    {
      const char *text = g_ptr_array_index (texts, i);
      const char *value = strchr (text, '=') ? NULL : g_getenv (text);

      if (*text == '\0' || *text == '=')
        {
          g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                       "“%s” names no variable; give NAME=VALUE or NAME", text);
          return NULL;
        }
      if (strchr (text, '='))
        g_ptr_array_add (environment, g_strdup (text));
      else if (value)
        g_ptr_array_add (environment, g_strconcat (text, "=", value, NULL));
    }
  g_ptr_array_add (environment, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&environment), FALSE);
}

/* One word with blanks or special characters is a line for the shell; after “--” nothing is. */
static gboolean
is_shell_text (const ToolParsed *parsed, guint first)
{
  return !parsed->separated && parsed->arguments->len == first + 1
         && strpbrk (tool_parsed_get (parsed, first), " \t\n\"'\\$`|&;<>()*?[]{}~#!") != NULL;
}

static AsbCommandSpec *
make_spec (const ToolParsed *parsed, guint first, GError **error)
{
  const guint n_words = parsed->arguments->len - MIN (first, parsed->arguments->len);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();

  if (options.shell && n_words > 0)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "There is both --shell and a command, “%s”; give one",
                   tool_parsed_get (parsed, first));
      return NULL;
    }
  if (options.shell)
    return asb_command_spec_new_shell (options.shell);
  if (n_words == 0)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "The command is missing; try asb %s -- sh -c 'echo hello'",
                   first > 0 ? "exec ID" : "run");
      return NULL;
    }
  if (is_shell_text (parsed, first))
    return asb_command_spec_new_shell (tool_parsed_get (parsed, first));
  for (guint i = first; i < parsed->arguments->len; i++)
    g_ptr_array_add (argv, (gpointer)tool_parsed_get (parsed, i));
  g_ptr_array_add (argv, NULL);
  return asb_command_spec_new_argv ((const char *const *)argv->pdata);
}

AsbCommandSpec *
tool_run_make_spec (const ToolParsed *parsed, guint first, GError **error)
{
  g_auto (GStrv) environment = tool_environment_new (options.environment, error);
  g_autoptr (AsbCommandSpec) spec = NULL;
  guint64 timeout = 0;

  if (!environment)
    return NULL;
  if (options.timeout && !tool_text_parse_duration (options.timeout, &timeout, error))
    return NULL;
  spec = make_spec (parsed, first, error);
  if (!spec)
    return NULL;
  asb_command_spec_set_environment (spec, (const char *const *)environment);
  asb_command_spec_set_cwd (spec, options.workdir);
  asb_command_spec_set_timeout_ms (spec, timeout);
  if (options.interactive || !tool_text_is_terminal (STDIN_FILENO))
    asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  return g_steal_pointer (&spec);
}
