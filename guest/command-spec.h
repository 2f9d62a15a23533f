/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What "command.start" asks for (docs/guest-protocol.md §4.1). */

#pragma once

#include "arguments.h"
#include "command-limits.h"
#include "command-user.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum
{
  OUTPUT_STREAM,
  OUTPUT_DISCARD,
  OUTPUT_MERGE
} OutputMode;

typedef struct
{
  uint16_t columns;
  uint16_t rows;
} TerminalSize;

typedef struct
{
  TextList argv;
  char *shell; /* instead of argv */
  char *cwd;   /* NULL: the guest's own */
  TextList env;
  TextList unset_env;
  bool has_input;
  bool has_terminal; /* then it is all three streams, and the second channel is not used */
  TerminalSize terminal_size;
  OutputMode outputs[2]; /* stdout, stderr */
  int64_t deadline;      /* nanoseconds; 0: none */
  CommandLimits limits;
  CommandUser user;
} CommandSpec;

bool command_spec_parse (CommandSpec *spec, json_t *args, Failure *failure);
bool terminal_size_parse (TerminalSize *size, json_t *args, Failure *failure);
void command_spec_clear (CommandSpec *spec);

/* The channels that will carry output, a bit each, even of arguments that are not in order. */
unsigned command_spec_channels (json_t *args);
