/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-profile.h"

#include <string.h>

#include "tool-options.h"

#define DEFAULT_PROFILE "default"
#define VARIABLE "ASB_PROFILE"

static const char *profile_name;

/* What was taken from a profile, NAME=VALUE; it may turn out to be wrong only when it is used. */
static struct
{
  GPtrArray *settings;
  char *source;
} taken;

const ToolOption tool_profile_options[] = {
  { "profile", '\0', TOOL_OPTION_TEXT, &profile_name, "NAME",
    "takes options that are not given here from this profile of the configuration file",
    TOOL_COMPLETE_PROFILE },
  { NULL },
};

static char *
dup_file_name (void)
{
  return g_build_filename (g_get_user_config_dir (), "asb", "config", NULL);
}

/* NULL without an error: there is no file. */
static GKeyFile *
load (const char *file_name, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) cause = NULL;

  if (g_key_file_load_from_file (file, file_name, G_KEY_FILE_NONE, &cause))
    return g_steal_pointer (&file);
  if (!g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_NOENT)
      && !g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_NOTDIR))
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "Could not read the configuration file “%s”%s: %s", file_name,
                 cause->domain == G_FILE_ERROR
                     ? " (set HOME, or XDG_CONFIG_HOME, to a folder that is yours)"
                     : "",
                 cause->message);
  return NULL;
}

char **
tool_profile_list_names (void)
{
  g_autofree char *file_name = dup_file_name ();
  g_autoptr (GKeyFile) file = load (file_name, NULL);

  return file ? g_key_file_get_groups (file, NULL) : g_new0 (char *, 1);
}

/* Options without an argument are wishes of the moment. */
static const ToolOption *
find_setting (const ToolCommand *command, const char *key)
{
  g_autofree char *word = g_strconcat ("--", key, NULL);
  const ToolOption *option = tool_command_find_option (command, word);

  if (!option || !option->summary || option->kind == TOOL_OPTION_FLAG
      || option->value == &profile_name)
    return NULL;
  return option;
}

static void
add_names (const ToolCommand *command, GPtrArray *names)
{
  const ToolOption *option;

  for (guint i = 0; (option = tool_command_get_option (command, i)); i++)
    if (find_setting (command, option->name))
      g_ptr_array_add (names, (gpointer)option->name);
  for (gsize i = 0; command->children && command->children[i]; i++)
    add_names (command->children[i], names);
}

static gboolean
is_flag (const ToolCommand *command, const char *key)
{
  const ToolOption *option;

  for (guint i = 0; (option = tool_command_get_option (command, i)); i++)
    if (option->summary && option->kind == TOOL_OPTION_FLAG && g_str_equal (option->name, key))
      return TRUE;
  for (gsize i = 0; command->children && command->children[i]; i++)
    if (is_flag (command->children[i], key))
      return TRUE;
  return FALSE;
}

static gboolean
refuse_flag (const char *key, const char *group, const char *file_name, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "Option “%s”, which profile “%s” in “%s” sets, has no argument; give --%s each time "
               "it is wanted",
               key, group, file_name, key);
  return FALSE;
}

/* A key may be for other commands than this one; one that no command knows is a mistake. */
static gboolean
check_key (const char *key, const char *group, const char *file_name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *guess;

  for (gsize i = 0; tool_commands[i]; i++)
    add_names (tool_commands[i], names);
  g_ptr_array_add (names, NULL);
  if (g_strv_contains ((const char *const *)names->pdata, key))
    return TRUE;
  for (gsize i = 0; tool_commands[i]; i++)
    if (is_flag (tool_commands[i], key))
      return refuse_flag (key, group, file_name, error);
  guess = tool_options_guess ((const char *const *)names->pdata, key);
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "There is no option “%s”, which profile “%s” in “%s” sets%s%s%s", key, group,
               file_name, guess ? "; did you mean “" : "", guess ? guess : "", guess ? "”?" : "");
  return FALSE;
}

static void
take (const ToolOption *option, char **texts)
{
  for (gsize i = 0; texts[i]; i++)
    g_ptr_array_add (taken.settings, g_strconcat (option->name, "=", texts[i], NULL));
  tool_option_set_default (option, (const char *const *)texts);
}

char *
tool_profile_dup_origin (const char *message)
{
  for (guint i = 0; taken.settings && i < taken.settings->len; i++)
    {
      const char *setting = g_ptr_array_index (taken.settings, i);
      g_autofree char *quoted = g_strdup_printf ("“%s”", strchr (setting, '=') + 1);

      if (strstr (message, quoted))
        return g_strdup_printf ("%s stands in %s", setting, taken.source);
    }
  return NULL;
}

static gboolean
apply_key (const ToolCommand *command, ToolParsed *parsed, GKeyFile *file, const char *group,
           const char *key, GError **error)
{
  const ToolOption *option = find_setting (command, key);
  g_auto (GStrv) texts = NULL;
  g_autoptr (GError) cause = NULL;
  char **kept;

  if (!option)
    return TRUE;
  /* Of several values those of the profile come first: what is given overrides them. */
  if (!tool_option_is_list (option) && g_ptr_array_find (parsed->given, option, NULL))
    return TRUE;
  if (tool_option_is_list (option))
    texts = g_key_file_get_string_list (file, group, key, NULL, &cause);
  else
    {
      texts = g_new0 (char *, 2);
      texts[0] = g_key_file_get_string (file, group, key, &cause);
    }
  if (cause)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "Could not read “%s” of %s: %s",
                   key, taken.source, cause->message);
      return FALSE;
    }
  kept = g_steal_pointer (&texts);
  g_ptr_array_add (parsed->kept, kept);
  take (option, kept);
  for (gsize i = 0; kept[i]; i++)
    if (!tool_option_check (option, kept[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
apply_group (const ToolCommand *command, ToolParsed *parsed, GKeyFile *file, const char *group,
             const char *file_name, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, error);

  taken.settings = g_ptr_array_new_with_free_func (g_free);
  taken.source = g_strdup_printf ("profile “%s” of “%s”", group, file_name);
  for (gsize i = 0; keys && keys[i]; i++)
    if (!check_key (keys[i], group, file_name, error)
        || !apply_key (command, parsed, file, group, keys[i], error))
      return FALSE;
  return keys != NULL;
}

static gboolean
missing (GKeyFile *file, const char *group, const char *file_name, GError **error)
{
  g_auto (GStrv) names = file ? g_key_file_get_groups (file, NULL) : g_new0 (char *, 1);
  const char *guess = tool_options_guess ((const char *const *)names, group);

  if (file)
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "There is no profile “%s”: “%s” has no group [%s]%s%s%s", group, file_name, group,
                 guess ? "; did you mean “" : "", guess ? guess : "", guess ? "”?" : "");
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "There is no profile “%s”, as there is no file “%s”", group, file_name);
  return FALSE;
}

gboolean
tool_profile_apply (const ToolCommand *command, ToolParsed *parsed, GError **error)
{
  g_autofree char *file_name = dup_file_name ();
  const char *wanted = profile_name ? profile_name : g_getenv (VARIABLE);
  const char *group = wanted && *wanted ? wanted : DEFAULT_PROFILE;
  g_autoptr (GError) cause = NULL;
  g_autoptr (GKeyFile) file = NULL;

  if (!tool_command_find_option (command, "--profile"))
    return TRUE;
  file = load (file_name, &cause);
  if (cause)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (file && g_key_file_has_group (file, group))
    return apply_group (command, parsed, file, group, file_name, error);
  return g_str_equal (group, DEFAULT_PROFILE) && !profile_name
             ? TRUE
             : missing (file, group, file_name, error);
}
