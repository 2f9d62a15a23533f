/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The call “command.resize”. */

#include "command-private.h"

static bool
parse (Call *call, const char **id, TerminalSize *size)
{
  *id = json_string_value (json_object_get (call->args, "command_id"));
  if (!*id)
    return failure_set (&call->failure, FAILURE_INVALID_ARGUMENT,
                        "Argument “command_id” must be a string");
  return terminal_size_parse (size, call->args, &call->failure);
}

void
command_resize_start (Call *call)
{
  Outcome outcome = { .status = "succeeded" };
  TerminalSize size = { 0 };
  const char *id;
  Command *self;
  bool resized;

  if (!parse (call, &id, &size))
    {
      call_fail (call, &call->failure);
      return;
    }
  self = command_find (call->broker, id);
  if (self && self->call && !self->spec.has_terminal)
    {
      failure_set (&call->failure, FAILURE_INVALID_ARGUMENT, "Command “%.64s” has no terminal", id);
      call_fail (call, &call->failure);
      return;
    }
  resized = self && command_terminal_resize (&self->terminal, &size);
  outcome.result = json_pack ("{s:b}", "resized", resized);
  call_finish (call, &outcome);
}
