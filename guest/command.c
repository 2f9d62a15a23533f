/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command.h"

#include "asb-wire-json.h"
#include "call-kinds.h"
#include "command-input.h"
#include "command-job.h"
#include "command-output.h"
#include "command-spec.h"
#include "orphans.h"
#include "spare-supervisor.h"
#include "supervisor.h"
#include "wire-time.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What cannot be ended by then (a process that waits for a dead disk) must not hold the result. */
#define KILL_TIMEOUT (1900 * LOOP_MILLISECOND)

/* A supervisor that does not begin to kill by then has been stopped, or waits for a program that
 * does not come. */
#define SUPERVISOR_TIMEOUT (500 * LOOP_MILLISECOND)

#define ID_SIZE 48

typedef struct
{
  List link;
  Broker *broker;
  Call *call; /* NULL when the result has been given */
  char id[ID_SIZE];
  CommandSpec spec;
  CommandInput input;
  CommandOutput outputs[2];
  int begin_fds[SUPERVISOR_N_DESCRIPTORS]; /* for the supervisor; -1: none */
  pid_t supervisor;                        /* 0: waited for */
  int socket_fd;
  LoopSource *source;
  LoopTimer kill_timer;
  LoopTimer supervisor_timer;
  LoopTask free_task;
  const char *ended_by; /* "cancelled" or "timeout" */
  SupervisorMessage started;
  SupervisorMessage exited; /* its kind says whether it has come */
  List signals;
} Command;

/* A call of "command.signal" that waits for the supervisor. */
typedef struct
{
  List link;
  Call *call;
} PendingSignal;

static void
close_begin_fds (Command *self)
{
  for (size_t i = 0; i < SUPERVISOR_N_DESCRIPTORS; i++)
    {
      int fd = self->begin_fds[i];
      bool shared = fd == self->broker->nothing_fd || (i > 0 && fd == self->begin_fds[i - 1]);

      if (fd >= 0 && !shared)
        close (fd);
    }
  for (size_t i = 0; i < SUPERVISOR_N_DESCRIPTORS; i++)
    self->begin_fds[i] = -1;
}

static void
free_command (void *data)
{
  Command *self = data;

  list_remove (&self->link);
  loop_timer_stop (&self->kill_timer);
  loop_timer_stop (&self->supervisor_timer);
  loop_remove (self->source);
  if (self->socket_fd >= 0)
    close (self->socket_fd);
  close_begin_fds (self);
  command_input_close (&self->input);
  for (size_t i = 0; i < 2; i++)
    command_output_close (&self->outputs[i]);
  command_spec_clear (&self->spec);
  broker_stop_check (self->broker);
  free (self);
}

static void
send_message (Command *self, SupervisorMessageKind kind, int value)
{
  SupervisorMessage message = { .kind = kind, .value = value };

  if (self->socket_fd >= 0)
    send (self->socket_fd, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The result. */

static bool
has_started (const Command *self)
{
  return self->started.kind == SUPERVISOR_STARTED;
}

static bool
has_exited (const Command *self)
{
  return self->exited.kind == SUPERVISOR_EXITED;
}

static const char *
reason (const Command *self)
{
  if (self->ended_by)
    return self->ended_by;
  if (!has_exited (self))
    return "unknown";
  return WIFSIGNALED (self->exited.value) ? "signaled" : "exited";
}

static const char *
status (const Command *self)
{
  if (self->ended_by)
    return self->ended_by;
  if (!has_exited (self))
    return "unknown";
  return WIFEXITED (self->exited.value) && WEXITSTATUS (self->exited.value) == 0 ? "succeeded"
                                                                                 : "failed";
}

static json_t *
exit_code (const Command *self)
{
  if (!has_exited (self) || !WIFEXITED (self->exited.value))
    return json_null ();
  return json_integer (WEXITSTATUS (self->exited.value));
}

static json_t *
exit_signal (const Command *self)
{
  if (!has_exited (self) || !WIFSIGNALED (self->exited.value))
    return json_null ();
  return json_integer (WTERMSIG (self->exited.value));
}

static void
note_unseen_exit (Command *self)
{
  if (has_exited (self))
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

  if (recorded && has_exited (self) && WIFSIGNALED (self->exited.value))
    json_object_set_new (recorded, "signal", exit_signal (self));
  return recorded;
}

static void
finish (Command *self, Outcome *outcome)
{
  Call *call = self->call;

  self->call = NULL;
  loop_timer_stop (&self->kill_timer);
  loop_timer_stop (&self->supervisor_timer);
  command_input_close (&self->input);
  for (size_t i = 0; i < 2; i++)
    command_output_finish (&self->outputs[i]);
  call_finish (call, outcome);
}

static void
finish_with_failure (Command *self, Failure *failure)
{
  Outcome outcome = { 0 };

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
    failure_set (&failure, FAILURE_COMMAND_EXECUTION, "The command was ended before it began");
  else if (strcmp (self->ended_by, "timeout") == 0)
    failure_set (&failure, FAILURE_COMMAND_EXECUTION,
                 "The command had not begun when its deadline came");
  else
    failure_set (&failure, FAILURE_CANCELLED, "The command was cancelled before it began");
  finish_with_failure (self, &failure);
}

static void
finish_at_end (Command *self)
{
  if (!self->call)
    return;
  if (has_started (self))
    finish_with_result (self);
  else
    finish_not_started (self);
}

/* What the supervisor says. */

static void
describe_fault (const Command *self, const SupervisorMessage *message, Failure *failure)
{
  int error = message->value;
  const char *program = self->spec.shell ? "sh" : self->spec.argv.items[0];
  const char *code = FAILURE_COMMAND_EXECUTION;

  if (message->stage == SUPERVISOR_STAGE_DIRECTORY)
    {
      failure_set_errno_code (failure, FAILURE_WORKING_DIRECTORY, error,
                              "enter the working directory", self->spec.cwd);
      return;
    }
  if (error == ENOENT || error == ENOTDIR)
    code = FAILURE_COMMAND_NOT_FOUND;
  else if (error == EACCES || error == ENOEXEC)
    code = FAILURE_COMMAND_NOT_EXECUTABLE;
  failure_set_errno_code (failure, code, error, "run", program);
  if (message->stage == SUPERVISOR_STAGE_SHELL && error == E2BIG)
    snprintf (failure->message, sizeof failure->message,
              "Could not run the command text: with its environment it is longer than the system "
              "allows");
}

static void
command_failed (Command *self, const SupervisorMessage *message)
{
  Failure failure = { 0 };

  if (!self->call)
    return;
  if (self->ended_by)
    {
      finish_not_started (self);
      return;
    }
  describe_fault (self, message, &failure);
  finish_with_failure (self, &failure);
}

static void
command_started (Command *self, const SupervisorMessage *message)
{
  json_t *event = json_pack ("{s:s, s:s, s:i}", "event", "started", "command_id", self->id, "pid",
                             message->value);

  self->started = *message;
  if (self->call)
    call_event (self->call, event);
  json_decref (event);
}

static void
command_exited (Command *self, const SupervisorMessage *message)
{
  self->exited = *message;
  if (self->call && !self->ended_by)
    finish_at_end (self);
}

static void
command_is_being_killed (Command *self, const SupervisorMessage *message)
{
  loop_timer_stop (&self->supervisor_timer);
  if (!self->ended_by)
    self->ended_by = message->value ? "timeout" : "cancelled";
  if (self->call)
    loop_timer_start (self->broker->loop, &self->kill_timer, KILL_TIMEOUT);
}

static void
kill_timed_out (void *data)
{
  finish_at_end (data);
}

/* Then what it has left falls to us, which is seen when its socket closes. */
static void
supervisor_timed_out (void *data)
{
  Command *self = data;

  if (!self->ended_by)
    self->ended_by = "timeout";
  if (self->supervisor > 0)
    kill (self->supervisor, SIGKILL);
}

static void
kill_command (Command *self)
{
  send_message (self, SUPERVISOR_KILL, 0);
  loop_timer_start (self->broker->loop, &self->supervisor_timer, SUPERVISOR_TIMEOUT);
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
static void
signal_answered (Command *self, const SupervisorMessage *message)
{
  if (!list_is_empty (&self->signals))
    answer_signal (LIST_ITEM (self->signals.next, PendingSignal, link), message->value != 0);
}

/* The supervisor is gone, at its end or @killed before. */
static void
command_ended (Command *self, bool killed)
{
  loop_remove (self->source);
  self->source = NULL;
  close (self->socket_fd);
  self->socket_fd = -1;
  LIST_FOREACH (node, &self->signals)
  answer_signal (LIST_ITEM (node, PendingSignal, link), false);
  list_remove (&self->link);
  if (killed)
    orphans_kill (self->broker);
  finish_at_end (self);
  loop_task_queue (self->broker->loop, &self->free_task);
}

static void
receive (Command *self, const SupervisorMessage *message)
{
  switch (message->kind)
    {
    case SUPERVISOR_STARTED:
      command_started (self, message);
      break;
    case SUPERVISOR_FAILED:
      command_failed (self, message);
      break;
    case SUPERVISOR_EXITED:
      command_exited (self, message);
      break;
    case SUPERVISOR_KILLING:
      command_is_being_killed (self, message);
      break;
    case SUPERVISOR_SIGNALLED:
      signal_answered (self, message);
      break;
    default:
      break;
    }
}

static void
socket_ready (void *data, uint32_t events)
{
  Command *self = data;
  SupervisorMessage message;
  ssize_t n;

  for (;;)
    {
      n = recv (self->socket_fd, &message, sizeof message, MSG_DONTWAIT);
      if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
      if (n != sizeof message || message.kind == SUPERVISOR_ENDED)
        break;
      receive (self, &message);
    }
  command_ended (self, n != sizeof message);
}

/* How it begins. */

static bool
open_streams (Command *self, Call *call)
{
  int *fds = self->begin_fds;

  fds[0]
      = self->spec.has_input ? command_input_open (&self->input, call) : self->broker->nothing_fd;
  if (fds[0] < 0)
    return false;
  fds[1] = command_output_open (&self->outputs[0], call, ASB_CHANNEL_OUTPUT);
  if (fds[1] < 0)
    return false;
  if (self->spec.outputs[1] == OUTPUT_MERGE)
    fds[2] = fds[1];
  else
    fds[2] = command_output_open (&self->outputs[1], call, ASB_CHANNEL_ERRORS);
  return fds[2] >= 0;
}

static bool
open_job (Command *self)
{
  char **environment = environment_merge (self->broker->options->environment, &self->spec.unset_env,
                                          &self->spec.env);

  if (environment)
    self->begin_fds[3] = command_job_write (&self->spec, environment);
  free (environment);
  return self->begin_fds[3] >= 0;
}

static bool
send_begin (const Command *self)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (sizeof self->begin_fds)];
  } control = { .header = { .cmsg_len = CMSG_LEN (sizeof self->begin_fds),
                            .cmsg_level = SOL_SOCKET,
                            .cmsg_type = SCM_RIGHTS } };
  SupervisorMessage message = { .kind = SUPERVISOR_BEGIN };
  struct iovec vector = { &message, sizeof message };
  struct msghdr header = { .msg_iov = &vector,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes };

  memcpy (CMSG_DATA (&control.header), self->begin_fds, sizeof self->begin_fds);
  return sendmsg (self->socket_fd, &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* The one that was ready may have been killed meanwhile; a new one has not. */
static bool
send_to_supervisor (Command *self)
{
  if (!spare_supervisor_take (self->broker, false, &self->supervisor, &self->socket_fd))
    return false;
  if (send_begin (self))
    return true;
  close (self->socket_fd);
  return spare_supervisor_take (self->broker, true, &self->supervisor, &self->socket_fd)
         && send_begin (self);
}

static bool
launch (Command *self)
{
  if (!send_to_supervisor (self))
    return false;
  self->source = loop_add (self->broker->loop, self->socket_fd, EPOLLIN, socket_ready, self);
  return self->source != NULL;
}

static Command *
command_new (Call *call)
{
  Command *self = calloc (1, sizeof *self);

  if (!self)
    return NULL;
  self->broker = call->broker;
  self->call = call;
  self->socket_fd = -1;
  memset (self->begin_fds, -1, sizeof self->begin_fds);
  self->input.fd = -1;
  self->outputs[0].fd = -1;
  self->outputs[1].fd = -1;
  list_init (&self->signals);
  loop_timer_init (&self->kill_timer, kill_timed_out, self);
  loop_timer_init (&self->supervisor_timer, supervisor_timed_out, self);
  loop_task_init (&self->free_task, free_command, self);
  list_append (&self->broker->commands, &self->link);
  snprintf (self->id, sizeof self->id, "%.12s-%llu", self->broker->boot_id,
            (unsigned long long)++self->broker->n_commands_started);
  return self;
}

static void
set_launch_failure (const Command *self, Failure *failure)
{
  failure_set_errno_code (failure, FAILURE_COMMAND_EXECUTION, errno, "make a process for",
                          self->spec.shell ? "sh" : self->spec.argv.items[0]);
}

static void
command_prepare (Call *call)
{
  Command *self = command_new (call);

  if (!self)
    {
      failure_set (&call->failure, FAILURE_INTERNAL, "There is not enough memory");
      return;
    }
  call->operation = self;
  if (!command_spec_parse (&self->spec, call->args, &call->failure))
    return;
  if (self->spec.has_input)
    call_open_inlet (call);
  if (!open_streams (self, call) || !open_job (self))
    set_launch_failure (self, &call->failure);
}

static void
command_abandon (Call *call)
{
  Command *self = call->operation;

  if (!self)
    return;
  self->call = NULL;
  loop_task_queue (self->broker->loop, &self->free_task);
}

static void
command_start (Call *call)
{
  Command *self = call->operation;
  Failure failure = { 0 };

  if (!launch (self))
    {
      set_launch_failure (self, &failure);
      finish_with_failure (self, &failure);
      loop_task_queue (self->broker->loop, &self->free_task);
      return;
    }
  close_begin_fds (self);
  spare_supervisor_prepare (self->broker);
  if (self->spec.deadline > 0)
    loop_timer_start (self->broker->loop, &self->supervisor_timer,
                      self->spec.deadline + SUPERVISOR_TIMEOUT);
  if (self->spec.has_input)
    command_input_write (&self->input);
}

static void
command_cancel (Call *call)
{
  Command *self = call->operation;

  if (!self->ended_by)
    self->ended_by = "cancelled";
  kill_command (self);
}

static void
command_receives_input (Call *call)
{
  Command *self = call->operation;

  command_input_write (&self->input);
}

static void
command_has_room (Call *call, unsigned channel)
{
  Command *self = call->operation;

  if (channel >= ASB_CHANNEL_OUTPUT)
    command_output_resume (&self->outputs[channel - ASB_CHANNEL_OUTPUT]);
}

static void
command_lost (Call *call)
{
  Command *self = call->operation;

  command_input_close (&self->input);
  command_output_resume (&self->outputs[0]);
  command_output_resume (&self->outputs[1]);
}

void
command_cancel_all (Broker *broker)
{
  LIST_FOREACH (node, &broker->commands)
  {
    Command *self = LIST_ITEM (node, Command, link);

    if (self->call)
      call_cancel (self->call);
    else
      kill_command (self);
  }
}

void
command_give_up_all (Broker *broker)
{
  LIST_FOREACH (node, &broker->commands)
  {
    Command *self = LIST_ITEM (node, Command, link);

    /* One that waits for its start to be recorded has nothing to tell. */
    if (self->call && self->call->started)
      finish_at_end (self);
  }
}

size_t
command_count (const Broker *broker)
{
  size_t n = 0;

  LIST_FOREACH (node, &broker->commands)
  n++;
  return n;
}

size_t
command_list_supervisors (const Broker *broker, pid_t *pids)
{
  size_t n = 0;

  LIST_FOREACH (node, &broker->commands)
  {
    Command *self = LIST_ITEM (node, Command, link);

    if (self->supervisor > 0)
      pids[n++] = self->supervisor;
  }
  return n;
}

void
command_reaped (Broker *broker, pid_t pid)
{
  LIST_FOREACH (node, &broker->commands)
  {
    Command *self = LIST_ITEM (node, Command, link);

    if (self->supervisor == pid)
      self->supervisor = 0;
  }
}

/* command.signal */

static Command *
find_command (const Broker *broker, const char *id)
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
finish_undelivered (Call *call)
{
  Outcome outcome = { .result = json_pack ("{s:b}", "delivered", 0), .status = "succeeded" };

  call_finish (call, &outcome);
}

static void
signal_start (Call *call)
{
  json_t *id = json_object_get (call->args, "command_id");
  int64_t number;
  Command *self;
  PendingSignal *pending;

  if (!argument_integer (call->args, "signal", 1, 64, 0, &number, &call->failure))
    {
      call_fail (call, &call->failure);
      return;
    }
  if (!json_is_string (id) || number == 0)
    {
      failure_set (&call->failure, FAILURE_INVALID_ARGUMENT, "Argument “%s” is missing",
                   number == 0 ? "signal" : "command_id");
      call_fail (call, &call->failure);
      return;
    }
  self = find_command (call->broker, json_string_value (id));
  pending = self && has_started (self) && !has_exited (self) ? calloc (1, sizeof *pending) : NULL;
  if (!pending)
    {
      finish_undelivered (call);
      return;
    }
  pending->call = call;
  list_append (&self->signals, &pending->link);
  send_message (self, SUPERVISOR_SIGNAL, (int)number);
}

const CallKind COMMAND_KINDS[] = {
  {
      .name = "command.start",
      .is_recorded = true,
      .feeds = command_spec_channels,
      .prepare = command_prepare,
      .start = command_start,
      .abandon = command_abandon,
      .cancel = command_cancel,
      .input = command_receives_input,
      .room = command_has_room,
      .stop = command_has_room,
      .lost = command_lost,
  },
  {
      .name = "command.signal",
      .start = signal_start,
  },
  { .name = NULL },
};
