/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a command ended, for the client and the record. */

#include "command-private.h"

#include "wire-time.h"

#include <string.h>
#include <sys/wait.h>

static const char *
reason (const Command *self)
{
  if (self->ended_by)
    return self->ended_by;
  if (!command_has_exited (self))
    return "unknown";
  return WIFSIGNALED (self->exited.value) ? "signaled" : "exited";
}

static const char *
status (const Command *self)
{
  if (self->ended_by)
    return self->ended_by;
  if (!command_has_exited (self))
    return "unknown";
  return WIFEXITED (self->exited.value) && WEXITSTATUS (self->exited.value) == 0 ? "succeeded"
                                                                                 : "failed";
}

static json_t *
exit_code (const Command *self)
{
  if (!command_has_exited (self) || !WIFEXITED (self->exited.value))
    return json_null ();
  return json_integer (WEXITSTATUS (self->exited.value));
}

static json_t *
exit_signal (const Command *self)
{
  if (!command_has_exited (self) || !WIFSIGNALED (self->exited.value))
    return json_null ();
  return json_integer (WTERMSIG (self->exited.value));
}

static void
note_unseen_exit (Command *self)
{
  if (command_has_exited (self))
    return;
  clock_gettime (CLOCK_REALTIME, &self->exited.realtime);
  self->exited.monotonic = loop_now ();
}

static json_t *
make_result (const Command *self)
{
  return json_pack (
      "{s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "command_id", self->id, "reason",
      reason (self), "exit_code", exit_code (self), "signal", exit_signal (self), "duration_ns",
      (json_int_t)(self->exited.monotonic - self->started.monotonic), "stdout_bytes",
      (json_int_t)self->outputs[0].total, "stderr_bytes", (json_int_t)self->outputs[1].total,
      "started_at", wire_time_new (&self->started.realtime), "ended_at",
      wire_time_new (&self->exited.realtime));
}

/* The historian adds what it kept of the output. */
static json_t *
make_recorded (const Command *self)
{
  json_t *recorded = json_pack ("{s:s, s:s, s:o, s:I, s:I}", "command_id", self->id, "state",
                                status (self), "exit_code", exit_code (self), "stdout_total_bytes",
                                (json_int_t)self->outputs[0].total, "stderr_total_bytes",
                                (json_int_t)self->outputs[1].total);

  if (recorded && command_has_exited (self) && WIFSIGNALED (self->exited.value))
    json_object_set_new (recorded, "signal", exit_signal (self));
  return recorded;
}

static void
finish (Command *self, Outcome *outcome)
{
  Call *call = self->call;

  self->call = NULL;
  loop_timer_stop (&self->kill_timer);
  loop_timer_stop (&self->crowd_timer);
  loop_timer_stop (&self->supervisor_timer);
  command_input_close (&self->input);
  for (size_t i = 0; i < 2; i++)
    command_output_finish (&self->outputs[i]);
  command_terminal_close (&self->terminal);
  call_finish (call, outcome);
}

void
command_finish_with_failure (Command *self, Failure *failure)
{
  Outcome outcome = { 0 };

  /* Nothing comes before an error. */
  for (size_t i = 0; i < 2; i++)
    self->outputs[i].call = NULL;
  call_outcome_failed (&outcome, failure);
  finish (self, &outcome);
}

static void
finish_with_result (Command *self)
{
  Outcome outcome = { 0 };

  note_unseen_exit (self);
  /* The totals are known when the pipes have been emptied. */
  for (size_t i = 0; i < 2; i++)
    command_output_finish (&self->outputs[i]);
  outcome.result = make_result (self);
  outcome.status = status (self);
  outcome.recorded = make_recorded (self);
  outcome.details = json_pack ("{s:{s:o, s:s}}", "command", "exit_code", exit_code (self),
                               "provider_command_id", self->id);
  if (!outcome.result)
    failure_set (&outcome.failure, FAILURE_INTERNAL, "There is not enough memory");
  finish (self, &outcome);
}

static void
finish_not_started (Command *self)
{
  Failure failure = { 0 };

  if (!self->ended_by)
    failure_set (&failure, FAILURE_COMMAND_EXECUTION,
                 "The supervisor of the command was killed before it began");
  else if (strcmp (self->ended_by, "timeout") == 0)
    failure_set (&failure, FAILURE_COMMAND_EXECUTION,
                 "The command had not begun when its deadline came");
  else
    failure_set (&failure, FAILURE_CANCELLED, "The command was cancelled before it began");
  command_finish_with_failure (self, &failure);
}

void
command_finish (Command *self)
{
  if (!self->call)
    return;
  if (command_has_started (self))
    finish_with_result (self);
  else
    finish_not_started (self);
}
