/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command-size.h"

#include <string.h>
#include <unistd.h>

/* Of the kernel, for one argument or variable with its NUL: MAX_ARG_STRLEN. */
#define MAX_PAGES 32

#define MAX_NAME_SHOWN 100

static bool
is_too_long (const char *text, size_t most)
{
  return text && strlen (text) > most;
}

static const char *
find_variable (const CommandSpec *spec, const Environment *environment, size_t most)
{
  for (size_t i = 0; i < spec->env.n_items; i++)
    if (is_too_long (spec->env.items[i], most))
      return spec->env.items[i];
  for (size_t i = 0; i < environment->n_entries; i++)
    if (is_too_long (environment->entries[i], most))
      return environment->entries[i];
  return NULL;
}

static size_t
find_argument (const CommandSpec *spec, size_t most)
{
  size_t i = 0;

  while (i < spec->argv.n_items && !is_too_long (spec->argv.items[i], most))
    i++;
  return i;
}

static int
name_length (const char *variable)
{
  int length = (int)strcspn (variable, "=");

  return length < MAX_NAME_SHOWN ? length : MAX_NAME_SHOWN;
}

static void
describe (const CommandSpec *spec, const Environment *environment, size_t most, Failure *failure)
{
  const char *code = FAILURE_TOO_LARGE;
  const char *program = spec->shell ? "sh" : spec->argv.items[0];
  const char *variable = find_variable (spec, environment, most);
  size_t argument = find_argument (spec, most);

  if (is_too_long (spec->shell, most))
    failure_set (failure, code,
                 "Could not run the command text: it has %zu bytes, and the system takes %zu at "
                 "most; write it to a file and run that, or give it to a shell as its standard "
                 "input",
                 strlen (spec->shell), most);
  else if (argument < spec->argv.n_items)
    failure_set (failure, code,
                 "Could not run “%.200s”: its argument %zu has %zu bytes, and the system takes "
                 "%zu at most in one; put it into a file, or give it as standard input",
                 program, argument, strlen (spec->argv.items[argument]), most);
  else if (variable)
    failure_set (failure, code,
                 "Could not run “%.200s”: the variable “%.*s” of its environment has %zu bytes, "
                 "and the system takes %zu at most in one; put it into a file",
                 program, name_length (variable), variable, strlen (variable), most);
  else
    failure_set (failure, code,
                 "Could not run “%.200s”: its arguments and its environment together are longer "
                 "than the system takes, a quarter of the limit of its stack; put what is long "
                 "into a file, or give it as standard input",
                 program);
}

void
command_size_describe_fault (const CommandSpec *spec, const Environment *environment,
                             Failure *failure)
{
  size_t most = MAX_PAGES * (size_t)sysconf (_SC_PAGESIZE) - 1;

  describe (spec, environment, most, failure);
  failure_add_detail (failure, "errno", json_string ("E2BIG"));
  failure_add_path (failure, spec->shell ? "sh" : spec->argv.items[0]);
}
