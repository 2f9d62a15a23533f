/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* asb-guest: the program that works inside a sandbox (docs/guest-protocol.md) */

#include "config.h"

#include "serve.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USAGE_ERROR 2

static const char USAGE[]
    = "Usage:\n"
      "  asb-guest serve [OPTION…]    serve clients until told to end\n"
      "  asb-guest connect [OPTION…]  join standard input and output to the guest that serves,\n"
      "                               and start it if there is none\n"
      "  asb-guest --version | --help\n"
      "\n"
      "Options:\n"
      "  --socket PATH         where it listens (/.agent-history/run/guest-1.sock)\n"
      "  --history-dir DIR     where the history is (/.agent-history)\n"
      "Options of “serve”:\n"
      "  --listen-fd N         listen on the socket N that was passed in, instead of a path\n"
      "  --liveness-fd N       end when N is at its end\n"
      "  --environment-fd N    read variables for commands from N: NAME=value and NUL, each\n"
      "  --command-limit NAME=NUMBER\n"
      "                        let no command take more: cpu_seconds, memory_bytes,\n"
      "                        file_size_bytes, open_files, processes\n"
      "  --record-only         serve the record of a sandbox that is gone, and nothing else\n";

typedef enum
{
  FOR_BOTH,
  FOR_SERVE
} OptionScope;

typedef enum
{
  OPTION_PATH,
  OPTION_DESCRIPTOR,
  OPTION_LIMIT,
  OPTION_FLAG
} OptionType;

typedef struct
{
  const char *name;
  OptionScope scope;
  OptionType type;
  void *value;
} Option;

static const char *const NEEDED[] = {
  [OPTION_PATH] = "An absolute path is needed after",
  [OPTION_DESCRIPTOR] = "A descriptor number is needed after",
  [OPTION_LIMIT] = "The name of a limit, “=” and a number are needed after",
};

static int
fail (const char *problem, const char *option)
{
  fprintf (stderr, "asb-guest: %s “%s”\nTry “asb-guest --help”.\n", problem, option);
  return USAGE_ERROR;
}

static bool
parse_descriptor (const char *text, int *fd)
{
  char *end;
  long number;

  errno = 0;
  number = strtol (text, &end, 10);
  *fd = (int)number;
  return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' && number <= INT_MAX;
}

static bool
set_option (const Option *option, const char *argument)
{
  if (option->type == OPTION_FLAG)
    *(bool *)option->value = true;
  else if (option->type == OPTION_DESCRIPTOR)
    return parse_descriptor (argument, option->value);
  else if (option->type == OPTION_LIMIT)
    return command_limits_add (option->value, argument);
  else
    *(const char **)option->value = argument;
  return option->type != OPTION_PATH || *argument == '/';
}

static const Option *
find_option (const Option *options, const char *name, bool serves)
{
  for (; options->name; options++)
    if (strcmp (options->name, name) == 0 && (serves || options->scope == FOR_BOTH))
      return options;
  return NULL;
}

/* 0, or the exit status. */
static int
parse (int argc, char **argv, ServeOptions *result, bool serves)
{
  const Option options[] = {
    { "--socket", FOR_BOTH, OPTION_PATH, &result->socket_path },
    { "--history-dir", FOR_BOTH, OPTION_PATH, &result->history_dir },
    { "--listen-fd", FOR_SERVE, OPTION_DESCRIPTOR, &result->listen_fd },
    { "--liveness-fd", FOR_SERVE, OPTION_DESCRIPTOR, &result->liveness_fd },
    { "--environment-fd", FOR_SERVE, OPTION_DESCRIPTOR, &result->environment_fd },
    { "--command-limit", FOR_SERVE, OPTION_LIMIT, &result->command_limits },
    { "--record-only", FOR_SERVE, OPTION_FLAG, &result->record_only },
    { NULL },
  };

  for (int i = 2; i < argc; i++)
    {
      const Option *option = find_option (options, argv[i], serves);
      const char *argument = NULL;

      if (!option)
        return fail ("Unknown option", argv[i]);
      if (option->type != OPTION_FLAG && !(argument = argv[++i]))
        return fail ("A value is missing after", option->name);
      if (!set_option (option, argument))
        return fail (NEEDED[option->type], option->name);
    }
  return 0;
}

int
main (int argc, char **argv)
{
  ServeOptions options = { .listen_fd = -1,
                           .liveness_fd = -1,
                           .environment_fd = -1,
                           .socket_path = "/.agent-history/run/guest-1.sock",
                           .history_dir = "/.agent-history" };
  const char *verb = argc > 1 ? argv[1] : "";
  bool serves = strcmp (verb, "serve") == 0;
  int status;

  if (strcmp (verb, "--version") == 0)
    return puts ("asb-guest " ASB_VERSION) < 0;
  if (strcmp (verb, "--help") == 0)
    return fputs (USAGE, stdout) < 0;
  if (!serves && strcmp (verb, "connect") != 0)
    return fail ("Unknown command", verb);
  status = parse (argc, argv, &options, serves);
  if (status != 0)
    return status;
  return serves ? serve (&options, -1) : connect_to_guest (&options);
}
