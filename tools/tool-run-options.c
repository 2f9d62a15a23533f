/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-run.h"

#include <string.h>
#include <unistd.h>

#include "tool-input.h"
#include "tool-terminal.h"
#include "tool-text.h"

#define MAX_ID G_GUINT64_CONSTANT (4294967294)

#define SHELL "if command -v bash > /dev/null; then exec bash -i; else exec sh -i; fi"

static struct
{
  GPtrArray *environment;
  const char *workdir;
  const char *timeout;
  const char *shell;
  const char *user;
  gboolean interactive;
  gboolean tty;
} options;

#define ENV_OPTION                                                                                 \
  {                                                                                                \
    "env", 'e', TOOL_OPTION_BYTES_LIST, &options.environment, "NAME[=VALUE]",                      \
        "sets a variable for the command; without a value it is the one asb has, which shows in "  \
        "no "                                                                                      \
        "list of processes"                                                                        \
  }
#define WORKDIR_OPTION                                                                             \
  {                                                                                                \
    "workdir", 'w', TOOL_OPTION_BYTES, &options.workdir, "DIR",                                    \
        "runs the command in this folder, which must be there; if not given, in that of the "      \
        "sandbox"                                                                                  \
  }
#define USER_OPTION                                                                                \
  {                                                                                                \
    "user", 'u', TOOL_OPTION_TEXT, &options.user, "UID[:GID]",                                     \
        "runs the command as the user of this number, and group; a local sandbox has one user "    \
        "only"                                                                                     \
  }

const ToolOption tool_run_options[] = {
  ENV_OPTION,
  WORKDIR_OPTION,
  USER_OPTION,
  { "timeout", '\0', TOOL_OPTION_TEXT, &options.timeout, "TIME",
    "ends the command and all it started after so many seconds, or 90s, 5m, 2h, 1d" },
  { "shell", 'c', TOOL_OPTION_BYTES, &options.shell, "TEXT",
    "runs TEXT in the shell of the sandbox, instead of a command" },
  { "interactive", 'i', TOOL_OPTION_FLAG, &options.interactive, NULL,
    "gives standard input to the command also when it is a terminal" },
  { "tty", 't', TOOL_OPTION_FLAG, &options.tty, NULL,
    "gives the command a terminal, of the size of asb's own; with -i, as -it, all keys go to it" },
  { NULL },
};

const ToolOption tool_shell_options[] = { ENV_OPTION, WORKDIR_OPTION, USER_OPTION, { NULL } };

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

static gboolean
parse_id (const char *text, gint64 *id)
{
  guint64 number;

  if (!g_ascii_string_to_unsigned (text, 10, 0, MAX_ID, &number, NULL))
    return FALSE;
  *id = (gint64)number;
  return TRUE;
}

static gboolean
set_user (AsbCommandSpec *spec, GError **error)
{
  g_auto (GStrv) parts = options.user ? g_strsplit (options.user, ":", 2) : NULL;
  gint64 uid = -1;
  gint64 gid = -1;

  if (parts
      && (!parts[0] || !parse_id (parts[0], &uid) || (parts[1] && !parse_id (parts[1], &gid))))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "“%s” names no user; give a number, --user 1000, or two, --user 1000:1000",
                   options.user);
      return FALSE;
    }
  asb_command_spec_set_uid (spec, uid);
  asb_command_spec_set_gid (spec, gid);
  return TRUE;
}

static gboolean
set_environment (AsbCommandSpec *spec, GError **error)
{
  g_auto (GStrv) environment = tool_environment_new (options.environment, error);

  if (!environment)
    return FALSE;
  asb_command_spec_set_environment (spec, (const char *const *)environment);
  asb_command_spec_set_cwd (spec, options.workdir);
  return TRUE;
}

/* What is given with --env comes later, and is what counts. */
static void
add_kind_of_terminal (AsbCommandSpec *spec)
{
  const char *const *given = asb_command_spec_get_environment (spec);
  const char *kind = g_getenv ("TERM");
  g_autoptr (GPtrArray) environment = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (environment, g_strconcat ("TERM=", kind && *kind ? kind : "xterm", NULL));
  for (; given && *given; given++)
    g_ptr_array_add (environment, g_strdup (*given));
  g_ptr_array_add (environment, NULL);
  asb_command_spec_set_environment (spec, (const char *const *)environment->pdata);
}

static gboolean
set_terminal (AsbCommandSpec *spec, gboolean needs_input, GError **error)
{
  guint columns;
  guint rows;

  if (needs_input && !tool_text_is_terminal (STDIN_FILENO))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "Standard input is no terminal, which --tty with --interactive needs");
      return FALSE;
    }
  if (!tool_text_is_terminal (STDOUT_FILENO))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "Standard output is no terminal, which --tty needs; without it the "
                           "output comes byte for byte");
      return FALSE;
    }
  asb_command_spec_set_tty (spec, TRUE);
  if (tool_terminal_get_size (&columns, &rows))
    g_object_set (spec, "columns", columns, "rows", rows, NULL);
  add_kind_of_terminal (spec);
  return TRUE;
}

AsbCommandSpec *
tool_run_make_shell_spec (GError **error)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (SHELL);

  if (!tool_text_is_terminal (STDIN_FILENO) || !tool_text_is_terminal (STDOUT_FILENO))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "A shell needs a terminal for standard input and output; for a script "
                           "try asb exec ID -- sh < script.sh");
      return NULL;
    }
  asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  return set_environment (spec, error) && set_user (spec, error) && set_terminal (spec, TRUE, error)
             ? g_steal_pointer (&spec)
             : NULL;
}

AsbCommandSpec *
tool_run_make_spec (const ToolParsed *parsed, guint first, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = NULL;
  guint64 timeout = 0;

  if (options.timeout && !tool_text_parse_duration (options.timeout, &timeout, error))
    return NULL;
  spec = make_spec (parsed, first, error);
  if (!spec || !set_environment (spec, error) || !set_user (spec, error)
      || (options.tty && !set_terminal (spec, options.interactive, error)))
    return NULL;
  asb_command_spec_set_timeout_ms (spec, timeout);
  if (options.interactive || tool_input_is_there ())
    asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  return g_steal_pointer (&spec);
}

gboolean
tool_run_is_interactive (void)
{
  return options.interactive;
}
