/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-session-script.h"

#include <stdlib.h>
#include <string.h>

#define MAX_VALUE 8192

static gboolean
is_kept (const char *name, const char *value)
{
  static const char *const never[] = { "PS1", "PS2", "PS3", "PS4", "PROMPT_COMMAND", NULL };

  for (guint i = 0; name[i] != '\0'; i++)
    if (!g_ascii_isalpha (name[i]) && name[i] != '_' && (i == 0 || !g_ascii_isdigit (name[i])))
      return FALSE;
  return name[0] != '\0' && !g_strv_contains (never, name) && strlen (value) <= MAX_VALUE;
}

char *
lookalike_session_script (GHashTable *variables, const char *folder, const char *command)
{
  g_autoptr (GString) script = g_string_new (NULL);
  GHashTableIter iter;
  gpointer name, value;

  g_hash_table_iter_init (&iter, variables);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      g_autofree char *quoted = g_shell_quote (value);

      if (is_kept (name, value))
        g_string_append_printf (script, "export %s=%s\n", (char *)name, quoted);
    }
  if (folder != NULL)
    {
      g_autofree char *quoted = g_shell_quote (folder);

      g_string_append_printf (script, "cd %s\n", quoted);
    }
  g_string_append_printf (script, "%s\n", command);
  g_string_append (script, "__USER_EXIT_CODE__=$?\n"
                           "printf '\\n__ENV_DUMP_START__\\n'\n"
                           "export -p\n"
                           "printf '__ENV_DUMP_END__\\n'\n"
                           "printf '__PWD__:%s\\n' \"$(pwd)\"\n"
                           "printf '__EXIT_CODE__:%s\\n' \"$__USER_EXIT_CODE__\"\n"
                           "exit \"$__USER_EXIT_CODE__\"\n");
  return g_string_free (g_steal_pointer (&script), FALSE);
}

/* bash writes: declare -x NAME="value" */
static void
take_variable (LookalikeSessionEnd *end, const char *line)
{
  g_autofree char *name = NULL;
  g_autofree char *value = NULL;
  const char *equals;

  if (!g_str_has_prefix (line, "declare -x "))
    return;
  line += strlen ("declare -x ");
  equals = strchr (line, '=');
  name = equals != NULL ? g_strndup (line, (gsize)(equals - line)) : g_strdup (line);
  value = equals != NULL ? g_shell_unquote (equals + 1, NULL) : NULL;
  if (value == NULL)
    value = g_strdup ("");
  if (!is_kept (name, value))
    return;
  if (end->variables == NULL)
    end->variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_hash_table_replace (end->variables, g_steal_pointer (&name), g_steal_pointer (&value));
}

gboolean
lookalike_session_end_take (LookalikeSessionEnd *end, const char *line)
{
  if (strcmp (line, "__ENV_DUMP_START__") == 0)
    end->in_dump = TRUE;
  else if (strcmp (line, "__ENV_DUMP_END__") == 0)
    end->in_dump = FALSE;
  else if (g_str_has_prefix (line, "__EXIT_CODE__:"))
    {
      end->has_exit_code = TRUE;
      end->exit_code = atoi (line + strlen ("__EXIT_CODE__:"));
    }
  else if (g_str_has_prefix (line, "__PWD__:"))
    {
      g_free (end->folder);
      end->folder = g_strdup (line + strlen ("__PWD__:"));
    }
  else if (end->in_dump)
    take_variable (end, line);
  else
    return FALSE;
  return TRUE;
}

void
lookalike_session_end_clear (LookalikeSessionEnd *end)
{
  g_clear_pointer (&end->variables, g_hash_table_unref);
  g_clear_pointer (&end->folder, g_free);
}
