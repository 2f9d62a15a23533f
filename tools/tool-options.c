/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-options.h"

#include <string.h>

static gboolean usage_error (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
usage_error (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error)
    *error = g_error_new_valist (ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, format, arguments);
  va_end (arguments);
  return FALSE;
}

/* How many letters must be put in, left out, replaced or exchanged to make @to from @from. */
static guint
edit_distance (const char *from, const char *to)
{
  const gsize n_from = MIN (strlen (from), 31);
  const gsize n_to = MIN (strlen (to), 31);
  guint distance[32][32];

  for (gsize i = 0; i <= n_from; i++)
    distance[i][0] = i;
  for (gsize j = 0; j <= n_to; j++)
    distance[0][j] = j;
  for (gsize i = 1; i <= n_from; i++)
    for (gsize j = 1; j <= n_to; j++)
      {
        guint best = distance[i - 1][j - 1] + (from[i - 1] != to[j - 1]);

        best = MIN (best, distance[i - 1][j] + 1);
        best = MIN (best, distance[i][j - 1] + 1);
        if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
          best = MIN (best, distance[i - 2][j - 2] + 1);
        distance[i][j] = best;
      }
  return distance[n_from][n_to];
}

const char *
tool_options_guess (const char *const *names, const char *word)
{
  const char *guess = NULL;
  guint best = MAX (1, (strlen (word) + 1) / 3);

  for (gsize i = 0; names[i]; i++)
    {
      const guint distance = strlen (word) >= 2 && g_str_has_prefix (names[i], word)
                                 ? 0
                                 : edit_distance (word, names[i]);

      if (distance <= best && distance < strlen (names[i]))
        {
          if (distance < best || !guess)
            guess = names[i];
          best = distance;
        }
    }
  return guess;
}

static gboolean
unknown_option (const ToolCommand *command, const char *word, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const ToolOption *option;
  const char *guess;

  for (guint i = 0; (option = tool_command_get_option (command, i)); i++)
    if (option->summary)
      g_ptr_array_add (names, (gpointer)option->name);
  g_ptr_array_add (names, NULL);
  guess = g_str_has_prefix (word, "--")
              ? tool_options_guess ((const char *const *)names->pdata, word + 2)
              : NULL;
  if (guess)
    return usage_error (error, "There is no option “%s”; did you mean --%s?", word, guess);
  return usage_error (error, "There is no option “%s”; see asb %s --help", word, command->name);
}

gboolean
tool_option_is_list (const ToolOption *option)
{
  return option->kind == TOOL_OPTION_TEXTS || option->kind == TOOL_OPTION_BYTES_LIST;
}

int
tool_options_find_word (const char *const *words, const char *text)
{
  for (int i = 0; text && words[i]; i++)
    if (g_str_equal (words[i], text))
      return i;
  return 0;
}

/* “error, overwrite or skip” */
static char *
dup_enumeration (const char *const *words)
{
  GString *text = g_string_new (words[0]);

  for (gsize i = 1; words[i]; i++)
    g_string_append_printf (text, "%s%s", words[i + 1] ? ", " : " or ", words[i]);
  return g_string_free (text, FALSE);
}

static gboolean
check_word (const ToolOption *option, const char *argument, GError **error)
{
  g_autofree char *all = NULL;
  const char *guess;

  if (!option->words || g_strv_contains (option->words, argument))
    return TRUE;
  all = dup_enumeration (option->words);
  guess = tool_options_guess (option->words, argument);
  return usage_error (error, "--%s is %s, not “%s”%s%s%s", option->name, all, argument,
                      guess ? "; did you mean “" : "", guess ? guess : "", guess ? "”?" : "");
}

gboolean
tool_option_check (const ToolOption *option, const char *argument, GError **error)
{
  if ((option->kind == TOOL_OPTION_TEXT || option->kind == TOOL_OPTION_TEXTS)
      && !g_utf8_validate (argument, -1, NULL))
    return usage_error (error, "The argument of --%s, “%s”, is not valid UTF-8", option->name,
                        argument);
  return check_word (option, argument, error);
}

static void
set_option (const ToolOption *option, const char *argument)
{
  GPtrArray **texts = option->value;

  switch (option->kind)
    {
    case TOOL_OPTION_FLAG:
      *(gboolean *)option->value = TRUE;
      break;
    case TOOL_OPTION_TEXT:
    case TOOL_OPTION_BYTES:
      *(const char **)option->value = argument;
      break;
    case TOOL_OPTION_TEXTS:
    case TOOL_OPTION_BYTES_LIST:
      if (!*texts)
        *texts = g_ptr_array_new ();
      g_ptr_array_add (*texts, (gpointer)argument);
      break;
    default:
      g_assert_not_reached ();
    }
}

void
tool_option_set_default (const ToolOption *option, const char *const *arguments)
{
  g_autoptr (GPtrArray) given = NULL;

  if (tool_option_is_list (option))
    given = g_steal_pointer ((GPtrArray **)option->value);
  for (gsize i = 0; arguments[i]; i++)
    set_option (option, arguments[i]);
  for (guint i = 0; given && i < given->len; i++)
    set_option (option, given->pdata[i]);
}

/* Returns: @n_words, or 0 when the argument is wrong */
static guint
set_value (ToolParsed *parsed, const ToolOption *option, const char *argument, guint n_words,
           GError **error)
{
  if (argument && !tool_option_check (option, argument, error))
    return 0;
  g_ptr_array_add (parsed->given, (gpointer)option);
  set_option (option, argument);
  return n_words;
}

static gboolean
missing_argument (const ToolOption *option, GError **error)
{
  return usage_error (error, "The option --%s needs an argument, %s", option->name,
                      option->argument);
}

/* “--name”, “--name=argument” or “--name argument”: how many words it took, 0 when it is wrong. */
static guint
parse_long (const ToolCommand *command, char **words, ToolParsed *parsed, GError **error)
{
  const ToolOption *option = tool_command_find_option (command, words[0]);
  const char *equals = strchr (words[0], '=');

  if (g_str_equal (words[0], "--help"))
    {
      parsed->help = TRUE;
      return 1;
    }
  if (!option)
    return unknown_option (command, words[0], error) ? 1 : 0;
  if (option->kind == TOOL_OPTION_FLAG && equals)
    return usage_error (error, "The option --%s takes no argument", option->name) ? 1 : 0;
  if (option->kind == TOOL_OPTION_FLAG || equals)
    return set_value (parsed, option, equals ? equals + 1 : NULL, 1, error);
  if (!words[1])
    return missing_argument (option, error) ? 1 : 0;
  return set_value (parsed, option, words[1], 2, error);
}

/* “-abc”, “-nargument” or “-n argument”: how many words it took, 0 when it is wrong. */
static guint
parse_short (const ToolCommand *command, char **words, ToolParsed *parsed, GError **error)
{
  for (const char *letter = words[0] + 1; *letter; letter++)
    {
      const char word[] = { '-', *letter, '\0' };
      const ToolOption *option = tool_command_find_option (command, word);

      if (!option && *letter == 'h')
        {
          parsed->help = TRUE;
          continue;
        }
      if (!option)
        return unknown_option (command, word, error) ? 1 : 0;
      if (option->kind == TOOL_OPTION_FLAG)
        {
          set_value (parsed, option, NULL, 1, error);
          continue;
        }
      if (letter[1] == '\0' && !words[1])
        return missing_argument (option, error) ? 1 : 0;
      return letter[1] != '\0' ? set_value (parsed, option, letter + 1, 1, error)
                               : set_value (parsed, option, words[1], 2, error);
    }
  return 1;
}

static void
take_rest (char **words, ToolParsed *parsed)
{
  for (; *words; words++)
    g_ptr_array_add (parsed->arguments, *words);
}

static gboolean
check_count (const ToolCommand *command, const ToolParsed *parsed, GError **error)
{
  const guint n_given = parsed->arguments->len;
  guint n_needed = 0;
  gboolean unbounded = FALSE;
  guint n_known = 0;

  for (const ToolArgument *argument = command->arguments; argument && argument->name; argument++)
    {
      n_known++;
      unbounded |= (argument->flags & TOOL_ARGUMENT_REPEATED) != 0;
      if (argument->flags & TOOL_ARGUMENT_OPTIONAL)
        continue;
      if (n_given <= n_needed)
        return usage_error (error, "The argument %s is missing; see asb %s --help", argument->name,
                            command->name);
      n_needed++;
    }
  if (!unbounded && n_given > n_known)
    return usage_error (error, "There is one argument too many, “%s”; see asb %s --help",
                        tool_parsed_get (parsed, n_known), command->name);
  return TRUE;
}

gboolean
tool_options_parse (const ToolCommand *command, char **words, ToolParsed *parsed, GError **error)
{
  parsed->arguments = g_ptr_array_new ();
  parsed->given = g_ptr_array_new ();
  parsed->kept = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  while (*words)
    {
      guint n_taken = 1;

      if (command->foreign_from > 0 && parsed->arguments->len >= command->foreign_from)
        break;
      if (g_str_equal (*words, "--"))
        {
          parsed->separated = TRUE;
          words++;
          break;
        }
      if (g_str_has_prefix (*words, "--"))
        n_taken = parse_long (command, words, parsed, error);
      else if ((*words)[0] == '-' && (*words)[1] != '\0')
        n_taken = parse_short (command, words, parsed, error);
      else
        g_ptr_array_add (parsed->arguments, *words);
      if (n_taken == 0)
        return FALSE;
      words += n_taken;
    }
  take_rest (words, parsed);
  return parsed->help || check_count (command, parsed, error);
}
