/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command-spec.h"

#include "asb-frame.h"
#include "asb-wire-json.h"
#include "environment.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS 4096
#define MAX_SIZE (1024 * 1024)
#define DEFAULT_COLUMNS 80
#define DEFAULT_ROWS 24

/* A hundred years: more would not fit the clock. */
#define MAX_DEADLINE_MS INT64_C (3155760000000)

static const char *const OUTPUT_MODES[] = { "stream", "discard", "merge" };

static bool
parse_choice (json_t *args, const char *name, const char *const *choices, size_t n_choices,
              size_t *choice, Failure *failure)
{
  json_t *json = json_object_get (args, name);
  const char *value = json_string_value (json);

  *choice = 0;
  if (!json || json_is_null (json))
    return true;
  for (size_t i = 0; value && i < n_choices; i++)
    if (strcmp (value, choices[i]) == 0)
      {
        *choice = i;
        return true;
      }
  return failure_set (failure, FAILURE_INVALID_ARGUMENT, "Argument “%s” has an unknown value",
                      name);
}

static bool
parse_streams (CommandSpec *spec, json_t *args, Failure *failure)
{
  static const char *const INPUT_MODES[] = { "none", "stream" };
  size_t input;
  size_t output;
  size_t errors;

  if (!parse_choice (args, "stdin", INPUT_MODES, 2, &input, failure)
      || !parse_choice (args, "stdout", OUTPUT_MODES, 2, &output, failure)
      || !parse_choice (args, "stderr", OUTPUT_MODES, 3, &errors, failure))
    return false;
  spec->has_input = input == 1;
  spec->outputs[0] = (OutputMode)output;
  spec->outputs[1] = (OutputMode)errors;
  return true;
}

bool
terminal_size_parse (TerminalSize *size, json_t *args, Failure *failure)
{
  int64_t columns;
  int64_t rows;

  if (!argument_integer (args, "columns", 1, UINT16_MAX, DEFAULT_COLUMNS, &columns, failure)
      || !argument_integer (args, "rows", 1, UINT16_MAX, DEFAULT_ROWS, &rows, failure))
    return false;
  *size = (TerminalSize){ .columns = (uint16_t)columns, .rows = (uint16_t)rows };
  return true;
}

static bool
wants_terminal (json_t *args)
{
  json_t *json = json_object_get (args, "pty");

  return json && !json_is_null (json);
}

static bool
parse_terminal (CommandSpec *spec, json_t *args, Failure *failure)
{
  json_t *json = json_object_get (args, "pty");

  spec->has_terminal = wants_terminal (args);
  if (!spec->has_terminal)
    return true;
  if (!json_is_object (json))
    return failure_set (failure, FAILURE_INVALID_ARGUMENT, "Argument “pty” must be an object");
  spec->outputs[1] = OUTPUT_MERGE;
  return terminal_size_parse (&spec->terminal_size, json, failure);
}

static bool
parse_program (CommandSpec *spec, json_t *args, TextBudget *budget, Failure *failure)
{
  if (!argument_texts (args, "argv", budget, &spec->argv, failure)
      || !argument_text (args, "shell", &spec->shell, failure))
    return false;
  if (spec->shell && spec->argv.n_items > 0)
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "Arguments “argv” and “shell” exclude each other");
  if (!spec->shell && spec->argv.n_items == 0)
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "Argument “argv” must name a program, or “shell” give a text");
  if (spec->shell && strlen (spec->shell) >= budget->size)
    return failure_set (failure, FAILURE_INVALID_ARGUMENT, "The command text is longer than 1 MiB");
  return true;
}

static bool
check_names (const TextList *list, const char *argument, bool with_value, Failure *failure)
{
  for (size_t i = 0; i < list->n_items; i++)
    {
      size_t length = strcspn (list->items[i], "=");

      if (length == 0 || (list->items[i][length] == '=') != with_value)
        return failure_set (failure, FAILURE_INVALID_ARGUMENT, "Argument “%s” must hold %s",
                            argument, with_value ? "NAME=value" : "names without “=”");
    }
  return true;
}

static bool
parse_environment (CommandSpec *spec, json_t *args, TextBudget *budget, Failure *failure)
{
  return argument_texts (args, "env", budget, &spec->env, failure)
         && argument_texts (args, "unset_env", budget, &spec->unset_env, failure)
         && check_names (&spec->env, "env", true, failure)
         && check_names (&spec->unset_env, "unset_env", false, failure);
}

/* Not normalised: the system resolves “..” in a working directory, and it stays as it was named. */
static bool
parse_directory (CommandSpec *spec, json_t *args, Failure *failure)
{
  if (!argument_text (args, "cwd", &spec->cwd, failure))
    return false;
  if (spec->cwd && *spec->cwd != '/')
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "Argument “cwd” must be an absolute path");
  return true;
}

static bool
parse_deadline (CommandSpec *spec, json_t *args, Failure *failure)
{
  int64_t milliseconds;

  if (!argument_integer (args, "deadline_ms", 1, ASB_WIRE_MAX_INTEGER, 0, &milliseconds, failure))
    return false;
  if (milliseconds > MAX_DEADLINE_MS)
    milliseconds = MAX_DEADLINE_MS;
  spec->deadline = milliseconds * 1000000;
  return true;
}

static bool
parse_user (CommandSpec *spec, json_t *args, Failure *failure)
{
  spec->user.keeps_home = environment_get (spec->env.items, "HOME") != NULL;
  return command_user_parse (&spec->user, args, failure);
}

bool
command_spec_parse (CommandSpec *spec, json_t *args, Failure *failure)
{
  TextBudget budget = { MAX_ITEMS, MAX_SIZE };

  *spec = (CommandSpec){ 0 };
  return parse_streams (spec, args, failure) && parse_terminal (spec, args, failure)
         && parse_program (spec, args, &budget, failure)
         && parse_environment (spec, args, &budget, failure)
         && parse_directory (spec, args, failure) && parse_deadline (spec, args, failure)
         && command_limits_parse (&spec->limits, args, failure) && parse_user (spec, args, failure);
}

void
command_spec_clear (CommandSpec *spec)
{
  text_list_clear (&spec->argv);
  text_list_clear (&spec->env);
  text_list_clear (&spec->unset_env);
  free (spec->shell);
  free (spec->cwd);
  *spec = (CommandSpec){ 0 };
}

static bool
is_streamed (json_t *args, const char *name)
{
  const char *mode = json_string_value (json_object_get (args, name));

  return !mode || (strcmp (mode, "discard") != 0 && strcmp (mode, "merge") != 0);
}

unsigned
command_spec_channels (json_t *args)
{
  return (is_streamed (args, "stdout") ? 1u << ASB_CHANNEL_OUTPUT : 0)
         | (is_streamed (args, "stderr") && !wants_terminal (args) ? 1u << ASB_CHANNEL_ERRORS : 0);
}
