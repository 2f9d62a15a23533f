/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The call “command.signal”. */

#include "command-private.h"

#include "arguments.h"

#include <stdlib.h>
#include <string.h>

/* So many have room in the socket of a supervisor that does not get to them. */
#define MAX_PENDING 64

/* A call of "command.signal" that waits for the supervisor. */
typedef struct
{
  List link;
  Call *call;
} PendingSignal;

static bool
has_room (const Command *self)
{
  size_t n = 0;

  LIST_FOREACH (node, &self->signals)
    n++;
  return n < MAX_PENDING;
}

static void
answer_signal (PendingSignal *pending, bool delivered)
{
  Outcome outcome
      = { .result = json_pack ("{s:b}", "delivered", delivered), .status = "succeeded" };

  list_remove (&pending->link);
  call_finish (pending->call, &outcome);
  free (pending);
}

/* The supervisor answers in the order it was asked. */
void
command_signal_answered (Command *self, bool delivered)
{
  if (!list_is_empty (&self->signals))
    answer_signal (LIST_ITEM (self->signals.next, PendingSignal, link), delivered);
}

void
command_signals_fail (Command *self)
{
  while (!list_is_empty (&self->signals))
    command_signal_answered (self, false);
}

Command *
command_find (const Broker *broker, const char *id)
{
  LIST_FOREACH (node, &broker->commands)
    {
      Command *self = LIST_ITEM (node, Command, link);

      if (strcmp (self->id, id) == 0)
        return self;
    }
  return NULL;
}

static void
finish (Call *call, bool delivered)
{
  Outcome outcome
      = { .result = json_pack ("{s:b}", "delivered", delivered), .status = "succeeded" };

  call_finish (call, &outcome);
}

void
command_signal_send (Call *call, const char *id)
{
  int64_t number;
  Command *self;
  PendingSignal *pending;

  if (argument_integer (call->args, "signal", 1, 64, 0, &number, &call->failure) && number == 0)
    failure_set (&call->failure, FAILURE_INVALID_ARGUMENT, "Argument “signal” is missing");
  if (call->failure.code)
    {
      call_fail (call, &call->failure);
      return;
    }
  self = command_find (call->broker, id);
  if (self && command_terminal_signal (&self->terminal, (int)number))
    {
      finish (call, true);
      return;
    }
  if (self && !has_room (self))
    {
      failure_set (&call->failure, FAILURE_TOO_MANY_REQUESTS,
                   "%d signals wait for the command to get to them", MAX_PENDING);
      call_fail (call, &call->failure);
      return;
    }
  pending = self && command_has_started (self) && !command_has_exited (self)
                ? calloc (1, sizeof *pending)
                : NULL;
  if (!pending)
    {
      finish (call, false);
      return;
    }
  pending->call = call;
  list_append (&self->signals, &pending->link);
  command_send (self, SUPERVISOR_SIGNAL, (int)number);
}

void
command_signal_start (Call *call)
{
  json_t *id = json_object_get (call->args, "command_id");

  if (json_is_string (id))
    {
      command_signal_send (call, json_string_value (id));
      return;
    }
  failure_set (&call->failure, FAILURE_INVALID_ARGUMENT, "Argument “command_id” is missing");
  call_fail (call, &call->failure);
}
