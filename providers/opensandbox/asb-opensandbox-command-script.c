/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-command-script.h"

#include <string.h>

#include "asb-opensandbox-command-end.h"
#include "asb-opensandbox-shell.h"

#define STARTED "started "
/* Whatever the command's own PATH is. */
#define WITH_PATH "PATH=/usr/bin:/bin "
#define MAX_PID 4194304

/* execd's own limit is behind ours, for when this program is gone. */
#define BACKSTOP_MS 5000

/* A single argument may have 128 KiB. */
#define MAX_SCRIPT (127 * 1024)

/* Why it cannot begin, in one word; the message has the command, or its directory, in its middle.
 */
static const struct
{
  const char *word;
  AsbError code;
  const char *before;
  const char *after;
} FAILURES[] = {
  { "directory", ASB_ERROR_WORKING_DIRECTORY, "There is no working directory", "" },
  { "missing", ASB_ERROR_COMMAND_NOT_FOUND, "There is no program", " in the sandbox" },
  { "mode", ASB_ERROR_COMMAND_NOT_EXECUTABLE, "Could not execute", ": Permission denied" },
  { "user", ASB_ERROR_UNSUPPORTED_CAPABILITY, "The execd of this sandbox is too old to run",
    " as another user" },
  { "environment", ASB_ERROR_UNSUPPORTED_CAPABILITY, "The execd of this sandbox is too old to give",
    " an environment" },
  { "limit", ASB_ERROR_COMMAND_EXECUTION, "A limit of", " could not be set" },
  { "folder", ASB_ERROR_COMMAND_EXECUTION,
    "There is no folder in /tmp of the sandbox to be made for the output of", "" },
};

static gboolean
has_flag (AsbCommandSpec *spec, AsbCommandFlags flag)
{
  return (asb_command_spec_get_flags (spec) & flag) != 0;
}

static const char *
program_of (AsbCommandSpec *spec)
{
  const char *const *argv = asb_command_spec_get_argv (spec);

  return argv && argv[0] ? argv[0] : asb_command_spec_get_shell (spec);
}

/* Says why and ends. */
static void
append_failure (GString *script, const char *token, const char *word, int status)
{
  g_string_append_printf (script, " || { printf '%%s\\n' '%s %s'; exit %d; }\n", token, word,
                          status);
}

static void
append_directory (GString *script, AsbCommandSpec *spec, const char *token)
{
  const char *cwd = asb_command_spec_get_cwd (spec);

  if (!cwd)
    return;
  g_string_append (script, "cd ");
  asb_opensandbox_shell_append_word (script, cwd);
  g_string_append (script, " 2>/dev/null");
  append_failure (script, token, "directory", 125);
  g_string_append (script, "unset OLDPWD\n");
}

/* An old execd overlooks what it does not know. The user's home is his unless something else was
 * said. */
static void
append_user (GString *script, AsbCommandSpec *spec, const char *token)
{
  const char *const *environment = asb_command_spec_get_environment (spec);
  gint64 uid = asb_command_spec_get_uid (spec);

  if (uid < 0)
    return;
  g_string_append_printf (script, "[ \"$(" WITH_PATH "id -u)\" = %" G_GINT64_FORMAT " ]", uid);
  append_failure (script, token, "user", 125);
  for (gsize i = 0; environment && environment[i]; i++)
    if (g_str_has_prefix (environment[i], "HOME="))
      return;
  g_string_append_printf (script,
                          "HOME=\"$(" WITH_PATH "sed -n 's/^[^:]*:[^:]*:%" G_GINT64_FORMAT
                          ":[^:]*:[^:]*:\\([^:]*\\):.*/\\1/p' /etc/passwd 2>/dev/null"
                          " | " WITH_PATH "head -n 1)\"\nexport HOME=\"${HOME:-/}\"\n",
                          uid);
}

/* Values do not appear in the text, which others may see; those that JSON cannot carry must. PATH
 * is for the command only: a shell is to be found first. */
static gboolean
is_in_text (const char *name, const char *value, gboolean in_file)
{
  return in_file || strcmp (name, "PATH") == 0 || !g_utf8_validate (value, -1, NULL);
}

static void
append_environment (GString *script, AsbCommandSpec *spec, const char *token, gboolean in_file)
{
  const char *const *environment = asb_command_spec_get_environment (spec);

  for (gsize i = 0; environment && environment[i]; i++)
    {
      const char *equals = strchr (environment[i], '=');
      g_autofree char *name
          = equals ? g_strndup (environment[i], (gsize)(equals - environment[i])) : NULL;

      if (!name || !asb_opensandbox_shell_is_name (name))
        continue;
      if (!is_in_text (name, equals + 1, in_file))
        {
          g_string_append_printf (script, "[ -n \"${%s+x}\" ]", name);
          append_failure (script, token, "environment", 125);
          continue;
        }
      g_string_append_printf (script, "export %s=", name);
      asb_opensandbox_shell_append_word (script, equals + 1);
      g_string_append_c (script, '\n');
    }
}

static gboolean
append_unset (GString *script, AsbCommandSpec *spec, GError **error)
{
  const char *const *names = asb_command_spec_get_unset_environment (spec);

  for (gsize i = 0; names && names[i]; i++)
    {
      if (!asb_opensandbox_shell_is_name (names[i]))
        {
          g_set_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                       "A shell cannot unset the variable “%s”", names[i]);
          return FALSE;
        }
      g_string_append_printf (script, "unset %s\n", names[i]);
    }
  return TRUE;
}

static void
append_limit (GString *script, const char *token, char option, guint64 value)
{
  if (value == 0)
    return;
  g_string_append_printf (script, "ulimit -%c %" G_GUINT64_FORMAT " 2>/dev/null", option, value);
  append_failure (script, token, "limit", 125);
}

/* Shells count files in blocks, and do not agree on their size. */
static void
append_limits (GString *script, AsbCommandSpec *spec, const char *token)
{
  AsbResourceLimits *limits = asb_command_spec_get_limits (spec);
  guint64 processes;
  guint64 file_size;

  if (!limits)
    return;
  append_limit (script, token, 't', asb_resource_limits_get_cpu_seconds (limits));
  append_limit (script, token, 'n', asb_resource_limits_get_open_files (limits));
  append_limit (script, token, 'v', (asb_resource_limits_get_memory_bytes (limits) + 1023) / 1024);
  file_size = asb_resource_limits_get_file_size_bytes (limits);
  if (file_size > 0)
    {
      g_string_append_printf (script,
                              "ulimit -f $(( %" G_GUINT64_FORMAT " / (${BASH_VERSION:+2*} 512) ))"
                              " 2>/dev/null",
                              (file_size + 1023) / 1024 * 1024);
      append_failure (script, token, "limit", 125);
    }
  processes = asb_resource_limits_get_processes (limits);
  if (processes > 0)
    {
      g_string_append_printf (script,
                              "{ ulimit -u %" G_GUINT64_FORMAT " || ulimit -p %" G_GUINT64_FORMAT
                              "; } 2>/dev/null",
                              processes, processes);
      append_failure (script, token, "limit", 125);
    }
}

static void
append_check (GString *script, const char *program, const char *token)
{
  g_autoptr (GString) word = g_string_new (NULL);

  asb_opensandbox_shell_append_word (word, program);
  if (!strchr (program, '/'))
    {
      g_string_append_printf (script, "command -v %s >/dev/null 2>&1", word->str);
      append_failure (script, token, "missing", 127);
      return;
    }
  g_string_append_printf (script, "[ -e %s ]", word->str);
  append_failure (script, token, "missing", 127);
  g_string_append_printf (script, "{ [ -x %s ] && ! [ -d %s ]; }", word->str, word->str);
  append_failure (script, token, "mode", 126);
}

/* Files, nothing, or where it goes anyway. */
static char *
new_redirection (AsbCommandSpec *spec, const char *folder)
{
  g_autofree char *output = NULL;
  g_autofree char *errors = NULL;

  if (has_flag (spec, ASB_COMMAND_FLAGS_STDOUT_SILENCE))
    output = g_strdup (" >/dev/null");
  else
    output = folder ? g_strdup_printf (" >%s/o", folder) : g_strdup ("");
  if (has_flag (spec, ASB_COMMAND_FLAGS_STDERR_MERGE))
    errors = g_strdup (" 2>&1");
  else if (has_flag (spec, ASB_COMMAND_FLAGS_STDERR_SILENCE))
    errors = g_strdup (" 2>/dev/null");
  else
    errors = folder ? g_strdup_printf (" 2>%s/e", folder) : g_strdup ("");
  return g_strconcat (output, errors, NULL);
}

static void
append_program (GString *script, AsbCommandSpec *spec, const char *redirection)
{
  const char *const *argv = asb_command_spec_get_argv (spec);

  if (!argv || !argv[0])
    {
      if (*redirection)
        g_string_append_printf (script, "exec%s\n", redirection);
      g_string_append (script, asb_command_spec_get_shell (spec));
      return;
    }
  g_string_append (script, "exec");
  for (gsize i = 0; argv[i]; i++)
    {
      g_string_append_c (script, ' ');
      asb_opensandbox_shell_append_word (script, argv[i]);
    }
  g_string_append (script, redirection);
}

static gboolean
check (AsbCommandSpec *spec, GError **error)
{
  const char *shell = asb_command_spec_get_shell (spec);

  if (asb_command_spec_get_gid (spec) >= 0 && asb_command_spec_get_uid (spec) < 0)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                           "execd runs a command as a group only together with a user");
      return FALSE;
    }
  if (shell && !g_utf8_validate (shell, -1, NULL))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                           "execd takes text for a shell only as UTF-8");
      return FALSE;
    }
  return TRUE;
}

/* All up to where it begins. */
static GString *
new_preamble (AsbCommandSpec *spec, const char *token, const char *folder, gboolean in_file,
              GError **error)
{
  const char *const *argv = asb_command_spec_get_argv (spec);
  g_autoptr (GString) script = g_string_new (NULL);

  append_user (script, spec, token);
  append_environment (script, spec, token, in_file);
  if (folder)
    {
      g_string_append_printf (script, WITH_PATH "mkdir -m 700 %s 2>/dev/null", folder);
      append_failure (script, token, "folder", 125);
    }
  append_directory (script, spec, token);
  if (argv && argv[0])
    append_check (script, argv[0], token);
  append_limits (script, spec, token);
  if (!append_unset (script, spec, error))
    return NULL;
  return g_steal_pointer (&script);
}

/* @group: what leads its group of processes, “$$” for itself. */
static void
append_started (GString *script, const char *token, const char *group)
{
  g_string_append_printf (script,
                          "printf '%%s\\n' \"%s " STARTED
                          "%s\" || exit " G_STRINGIFY (ASB_OPENSANDBOX_COMMAND_UNHEARD) "\n",
                          token, group);
}

/* Takes @script, which may be NULL. */
static char *
complete (GString *taken, AsbCommandSpec *spec, const char *token, const char *folder,
          GError **error)
{
  g_autofree char *redirection = new_redirection (spec, folder);
  g_autoptr (GString) script = taken;

  if (!script)
    return NULL;
  append_started (script, token, "$$");
  append_program (script, spec, redirection);
  if (script->len <= MAX_SCRIPT)
    return g_string_free (g_steal_pointer (&script), FALSE);
  g_set_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE,
               "Could not run the command: it has more than %d KiB together with its arguments, "
               "which is the most that goes through execd; write it to a file and run that",
               MAX_SCRIPT / 1024);
  return NULL;
}

char *
asb_opensandbox_command_script_new (AsbCommandSpec *spec, const char *token, const char *folder,
                                    GError **error)
{
  GString *script = check (spec, error) ? new_preamble (spec, token, folder, FALSE, error) : NULL;

  return complete (script, spec, token, folder, error);
}

char *
asb_opensandbox_command_script_new_job (AsbCommandSpec *spec, const char *token, const char *folder,
                                        GError **error)
{
  g_autofree char *begin = g_strdup_printf ("exec >%s/f\n", folder);
  GString *script = check (spec, error) ? new_preamble (spec, token, NULL, FALSE, error) : NULL;

  if (script)
    g_string_prepend (script, begin);
  return complete (script, spec, token, folder, error);
}

/* Signals are for the command: what feeds it lives as long as execd has bytes for it. */
#define FEED                                                                                       \
  "exec 3<&0\n"                                                                                    \
  "exec < <(trap '' HUP INT QUIT TERM USR1 USR2 ALRM TSTP\n"                                       \
  "while IFS= read -r n <&3 && [ \"$n\" -gt 0 ]; do\n"                                             \
  "PATH=/usr/bin:/bin dd bs=\"$n\" count=1 iflag=fullblock <&3 || exit\n"                          \
  "done 2>/dev/null)\n"                                                                            \
  "exec 3<&-\n"

GBytes *
asb_opensandbox_command_script_new_file (AsbCommandSpec *spec, const char *token, gboolean input,
                                         GError **error)
{
  g_autofree char *redirection = NULL;
  g_autoptr (GString) script = NULL;
  gsize size;

  if (asb_command_spec_get_uid (spec) >= 0 || asb_command_spec_get_gid (spec) >= 0)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                           "execd gives no terminal and no standard input to another user");
      return NULL;
    }
  script = new_preamble (spec, token, NULL, TRUE, error);
  if (!script)
    return NULL;
  redirection = new_redirection (spec, NULL);
  if (asb_command_spec_get_tty (spec))
    g_string_append_printf (script, WITH_PATH "stty cols %u rows %u 2>/dev/null\n",
                            asb_command_spec_get_columns (spec), asb_command_spec_get_rows (spec));
  append_started (script, token, "$PPID");
  if (input && !asb_command_spec_get_tty (spec))
    g_string_append (script, FEED);
  append_program (script, spec, redirection);
  g_string_append_c (script, '\n');
  size = script->len;
  return g_bytes_new_take (g_string_free (g_steal_pointer (&script), FALSE), size);
}

static JsonObject *
new_environment (AsbCommandSpec *spec)
{
  const char *const *environment = asb_command_spec_get_environment (spec);
  JsonObject *object = json_object_new ();

  for (gsize i = 0; environment && environment[i]; i++)
    {
      const char *equals = strchr (environment[i], '=');
      g_autofree char *name
          = equals ? g_strndup (environment[i], (gsize)(equals - environment[i])) : NULL;

      if (name && g_utf8_validate (name, -1, NULL) && !is_in_text (name, equals + 1, FALSE))
        json_object_set_string_member (object, name, equals + 1);
    }
  return object;
}

static JsonObject *
new_body (AsbCommandSpec *spec, const char *script, guint allowance_ms)
{
  JsonObject *body = json_object_new ();
  JsonObject *environment = new_environment (spec);
  guint64 timeout_ms = asb_command_spec_get_timeout_ms (spec);
  gint64 uid = asb_command_spec_get_uid (spec);
  gint64 gid = asb_command_spec_get_gid (spec);

  json_object_set_string_member (body, "command", script);
  json_object_set_string_member (body, "cwd", "/");
  if (timeout_ms > 0 && timeout_ms < G_MAXINT32 - allowance_ms)
    json_object_set_int_member (body, "timeout", (gint64)timeout_ms + allowance_ms);
  if (uid >= 0)
    json_object_set_int_member (body, "uid", uid);
  if (gid >= 0)
    json_object_set_int_member (body, "gid", gid);
  if (json_object_get_size (environment) > 0)
    json_object_set_object_member (body, "envs", environment);
  else
    json_object_unref (environment);
  return body;
}

JsonNode *
asb_opensandbox_command_script_new_body (AsbCommandSpec *spec, const char *script)
{
  g_autoptr (JsonObject) body = new_body (spec, script, BACKSTOP_MS);

  return json_node_init_object (json_node_alloc (), body);
}

JsonNode *
asb_opensandbox_command_script_new_job_body (AsbCommandSpec *spec, const char *script,
                                             guint allowance_ms)
{
  g_autoptr (JsonObject) body = new_body (spec, script, allowance_ms);

  json_object_set_boolean_member (body, "background", TRUE);
  return json_node_init_object (json_node_alloc (), body);
}

static AsbOpensandboxLine
fail (AsbCommandSpec *spec, const char *word, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (FAILURES); i++)
    if (strcmp (word, FAILURES[i].word) == 0)
      {
        const char *subject = i == 0 ? asb_command_spec_get_cwd (spec) : program_of (spec);
        g_autofree char *valid = g_utf8_make_valid (subject ? subject : "", -1);
        g_autofree char *shown = g_utf8_substring (valid, 0, MIN (g_utf8_strlen (valid, -1), 200));

        g_set_error (error, ASB_ERROR, (int)FAILURES[i].code, "%s “%s”%s", FAILURES[i].before,
                     shown, FAILURES[i].after);
        return ASB_OPENSANDBOX_LINE_FAILED;
      }
  return ASB_OPENSANDBOX_LINE_OTHER;
}

AsbOpensandboxLine
asb_opensandbox_command_script_read (AsbCommandSpec *spec, const char *token, const char *line,
                                     gsize size, int *pid, GError **error)
{
  g_autofree char *text = NULL;
  const char *word;
  gint64 number;

  if (size > 100 || size <= strlen (token) + 1 || memchr (line, 0, size))
    return ASB_OPENSANDBOX_LINE_OTHER;
  text = g_strndup (line, size);
  if (!g_str_has_prefix (text, token) || text[strlen (token)] != ' ')
    return ASB_OPENSANDBOX_LINE_OTHER;
  word = text + strlen (token) + 1;
  if (!g_str_has_prefix (word, STARTED))
    return fail (spec, word, error);
  if (!g_ascii_string_to_signed (word + strlen (STARTED), 10, 1, MAX_PID, &number, NULL))
    return ASB_OPENSANDBOX_LINE_OTHER;
  *pid = (int)number;
  return ASB_OPENSANDBOX_LINE_STARTED;
}
