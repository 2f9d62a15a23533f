/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* asb-guest: the program that works inside a sandbox (docs/guest-protocol.md) */

#include "background.h"
#include "version.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
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
      "  --socket PATH         where it listens (/.agent-history/run/" GUEST_SOCKET_NAME ")\n"
      "  --history-dir DIR     where the history is (/.agent-history)\n"
      "Options of “serve”:\n"
      "  --listen-fd N         listen on the socket N that was passed in, instead of a path\n"
      "  --liveness-fd N       end when N is at its end\n"
      "  --removal-fd N        end when N can be read: our files are being removed\n"
      "  --ready-fd N          write “+” to N and close it when clients can connect\n"
      "  --expire-after MS     end when so many milliseconds have passed\n"
      "  --environment-fd N    read variables for commands from N: NAME=value and NUL, each\n"
      "  --command-limit NAME=NUMBER\n"
      "                        let no command take more: cpu_seconds, memory_bytes,\n"
      "                        file_size_bytes, open_files, processes\n"
      "  --listen [PORT]       let clients come by WebSockets too, at PORT of 127.0.0.1 or a free\n"
      "                        one; says on standard output where, and with which token\n"
      "  --token-fd N          read the token from N, instead of having a random one\n"
      "  --daemon              go on in the background when clients can connect\n"
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
  OPTION_TIME,
  OPTION_PORT, /* which may be left out */
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
  [OPTION_PORT] = "A port of 127.0.0.1, from 0 to 65535, is needed after",
  [OPTION_TIME] = "A number of milliseconds is needed after",
  [OPTION_LIMIT] = "The name of a limit, “=” and a number are needed after",
};

static int
fail (const char *problem, const char *option)
{
  fprintf (stderr, "asb-guest: %s “%s”\nTry “asb-guest --help”.\n", problem, option);
  return USAGE_ERROR;
}

static bool
parse_number (const char *text, long maximum, long *number)
{
  char *end;

  errno = 0;
  *number = strtol (text, &end, 10);
  return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' && *number <= maximum;
}

static bool
parse_descriptor (const char *text, int *fd)
{
  long number;
  bool done = parse_number (text, INT_MAX, &number);

  *fd = (int)number;
  return done;
}

static bool
parse_port (const char *text, unsigned *port)
{
  static const char ADDRESS[] = "127.0.0.1:";
  long number = 0;

  if (text && strncmp (text, ADDRESS, sizeof ADDRESS - 1) == 0)
    text += sizeof ADDRESS - 1;
  if (text && !parse_number (text, UINT16_MAX, &number))
    return false;
  *port = (unsigned)number;
  return true;
}

static bool
parse_time (const char *text, int64_t *milliseconds)
{
  long number;
  bool done = parse_number (text, LONG_MAX / 2, &number);

  *milliseconds = number;
  return done && number > 0;
}

static bool
set_option (const Option *option, const char *argument)
{
  switch (option->type)
    {
    case OPTION_FLAG:
      *(bool *)option->value = true;
      return true;
    case OPTION_DESCRIPTOR:
      return parse_descriptor (argument, option->value);
    case OPTION_TIME:
      return parse_time (argument, option->value);
    case OPTION_LIMIT:
      return command_limits_add (option->value, argument);
    case OPTION_PORT:
      ((ServeOptions *)option->value)->listens = true;
      return parse_port (argument, &((ServeOptions *)option->value)->port);
    default:
      *(const char **)option->value = argument;
      return *argument == '/';
    }
}

/* The value after the option, of which there may be none. */
static bool
takes_value (const Option *option, const char *next)
{
  if (option->type == OPTION_PORT)
    return next && *next != '-';
  return option->type != OPTION_FLAG;
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
    { "--removal-fd", FOR_SERVE, OPTION_DESCRIPTOR, &result->removal_fd },
    { "--expire-after", FOR_SERVE, OPTION_TIME, &result->expire_after },
    { "--environment-fd", FOR_SERVE, OPTION_DESCRIPTOR, &result->environment_fd },
    { "--command-limit", FOR_SERVE, OPTION_LIMIT, &result->command_limits },
    { "--token-fd", FOR_SERVE, OPTION_DESCRIPTOR, &result->token_fd },
    { "--ready-fd", FOR_SERVE, OPTION_DESCRIPTOR, &result->ready_fd },
    { "--listen", FOR_SERVE, OPTION_PORT, result },
    { "--daemon", FOR_SERVE, OPTION_FLAG, &result->goes_on_alone },
    { "--record-only", FOR_SERVE, OPTION_FLAG, &result->record_only },
    { NULL },
  };

  for (int i = 2; i < argc; i++)
    {
      const Option *option = find_option (options, argv[i], serves);
      const char *argument = NULL;

      if (!option)
        return fail ("Unknown option", argv[i]);
      if (takes_value (option, argv[i + 1]) && !(argument = argv[++i]))
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
                           .removal_fd = -1,
                           .environment_fd = -1,
                           .token_fd = -1,
                           .ready_fd = -1,
                           .socket_path = "/.agent-history/run/" GUEST_SOCKET_NAME,
                           .history_dir = "/.agent-history" };
  const char *verb = argc > 1 ? argv[1] : "";
  bool serves = strcmp (verb, "serve") == 0;
  int status;

  if (strcmp (verb, "--version") == 0)
    return puts ("asb-guest " GUEST_VERSION) < 0;
  if (strcmp (verb, "--help") == 0)
    return fputs (USAGE, stdout) < 0;
  if (!serves && strcmp (verb, "connect") != 0)
    return fail ("Unknown command", verb);
  status = parse (argc, argv, &options, serves);
  if (status != 0)
    return status;
  if (!serves)
    return connect_to_guest (&options);
  return options.goes_on_alone ? serve_in_background (&options) : serve (&options, false);
}
