/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command.h"

#include "call-kinds.h"
#include "command-job.h"
#include "command-private.h"
#include "command-size.h"
#include "crowd.h"
#include "job.h"
#include "orphans.h"
#include "process-tree.h"
#include "spare-supervisor.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A supervisor that has begun to kill says by then how that went. */
#define KILL_TIMEOUT (1900 * LOOP_MILLISECOND)

/* One that does not begin to by then has been stopped, or waits for a program that does not come.
 */
#define SUPERVISOR_TIMEOUT (1200 * LOOP_MILLISECOND)

/* What is asked to end is given so long by its supervisor. */
#define SUPERVISOR_GRACE (500 * LOOP_MILLISECOND)

/* So many do not all get a turn within the grace when there are too few for those who wait. */
#define MANY_PROCESSES 512

/* One that merely gets no processor must not be taken for such: with it goes the exit status, and
 * what it should have ended may escape. */
#define MAX_SUPERVISOR_WAITS 40

/* What the wait for one counts that sleeps, and may be stuck: it does not merely lack a processor.
 */
#define SLEEPING_WAIT 5

static void
free_command (void *data)
{
  Command *self = data;

  loop_task_cancel (&self->free_task);
  list_remove (&self->link);
  loop_timer_stop (&self->start_timer);
  loop_timer_stop (&self->kill_timer);
  loop_timer_stop (&self->crowd_timer);
  loop_timer_stop (&self->supervisor_timer);
  loop_remove (self->source);
  if (self->socket_fd >= 0)
    close (self->socket_fd);
  if (self->go_fd >= 0)
    close (self->go_fd);
  command_close_begin_fds (self);
  command_input_close (&self->input);
  for (size_t i = 0; i < 2; i++)
    command_output_close (&self->outputs[i]);
  command_terminal_close (&self->terminal);
  command_spec_clear (&self->spec);
  broker_stop_check (self->broker);
  free (self);
}

void
command_send (Command *self, SupervisorMessageKind kind, int value)
{
  SupervisorMessage message = { .kind = kind, .value = value };

  self->has_told = true;
  if (self->socket_fd >= 0)
    send (self->socket_fd, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool
command_has_started (const Command *self)
{
  return self->started.kind == SUPERVISOR_STARTED;
}

bool
command_has_exited (const Command *self)
{
  return self->exited.kind == SUPERVISOR_EXITED;
}

/* What the supervisor says. */

static void
describe_missing_loader (const char *program, Failure *failure)
{
  failure_set (failure, FAILURE_COMMAND_NOT_EXECUTABLE,
               "Could not run “%.256s”: it is there, but the interpreter that its first line names,"
               " or the loader it was built for, is not",
               program);
  failure_add_detail (failure, "errno", json_string ("ENOENT"));
  failure_add_path (failure, program);
}

static void
describe_fault (const Command *self, const SupervisorMessage *message, Failure *failure)
{
  int error = message->value;
  const char *program = self->spec.shell ? "sh" : self->spec.argv.items[0];
  const char *code = FAILURE_COMMAND_EXECUTION;

  if (message->stage == SUPERVISOR_STAGE_DIRECTORY && self->spec.cwd)
    {
      failure_set_errno_code (failure, FAILURE_WORKING_DIRECTORY, error,
                              "enter the working directory", self->spec.cwd);
      return;
    }
  if (message->stage == SUPERVISOR_STAGE_LIMIT)
    {
      command_limits_describe_fault (message->detail, error, program, failure);
      return;
    }
  if (message->stage == SUPERVISOR_STAGE_USER)
    {
      command_user_describe_fault (&self->spec.user, message->detail, error, program, failure);
      return;
    }
  if (error == ENOENT || error == ENOTDIR)
    code = FAILURE_COMMAND_NOT_FOUND;
  else if (error == EACCES || error == ENOEXEC)
    code = FAILURE_COMMAND_NOT_EXECUTABLE;
  if (error == E2BIG)
    command_size_describe_fault (&self->spec, self->broker->options->environment, failure);
  else if (error == ELIBACC)
    describe_missing_loader (program, failure);
  else
    failure_set_errno_code (failure, code, error, "run", program);
}

static void
command_failed (Command *self, const SupervisorMessage *message)
{
  Failure failure = { 0 };

  if (!self->call)
    return;
  if (self->ended_by)
    {
      command_finish (self);
      return;
    }
  describe_fault (self, message, &failure);
  command_finish_with_failure (self, &failure);
}

static void
tell_started (Command *self)
{
  json_t *event = json_pack ("{s:s, s:s, s:i}", "event", "started", "command_id", self->id, "pid",
                             self->started.value);

  call_event (self->call, event);
  json_decref (event);
}

static void
command_started (Command *self, const SupervisorMessage *message)
{
  self->started = *message;
  loop_timer_stop (&self->start_timer);
  command_close_begin_fds (self);
  if (!self->call)
    return;
  if (self->call->job)
    job_started (self->call->job, message);
  else
    tell_started (self);
  command_output_resume (&self->outputs[0]);
  command_output_resume (&self->outputs[1]);
  command_input_write (&self->input);
}

static void
command_exited (Command *self, const SupervisorMessage *message)
{
  self->exited = *message;
  if (self->call && !self->ended_by)
    command_finish (self);
}

/* False when there is none, or it has been left alone. Those that are so many are not asked to end
 * first: where it takes this they would have no turn to do so. */
static bool
end_crowd (Command *self, size_t least)
{
  return self->supervisor > 0 && crowd_kill (self->broker, self->supervisor, NULL, least) > 0;
}

static void
crowd_is_due (void *data)
{
  Command *self = data;

  if (!end_crowd (self, 1) && self->call)
    loop_timer_start (self->broker->loop, &self->crowd_timer, SUPERVISOR_GRACE);
}

static void
command_is_being_killed (Command *self, const SupervisorMessage *message)
{
  loop_timer_stop (&self->supervisor_timer);
  if (!self->ended_by)
    self->ended_by = message->value ? "timeout" : "cancelled";
  if (message->crowd && self->supervisor > 0)
    crowd_kill_stopped (self->broker, self->supervisor, MANY_PROCESSES);
  else
    end_crowd (self, MANY_PROCESSES);
  loop_timer_start (self->broker->loop, &self->crowd_timer, SUPERVISOR_GRACE);
  if (self->call)
    loop_timer_start (self->broker->loop, &self->kill_timer, KILL_TIMEOUT);
}

/* Whether the supervisor may yet do what it is late with. */
static bool
supervisor_is_slow (Command *self)
{
  char state = self->supervisor > 0 ? process_tree_state_of (self->supervisor) : 0;
  bool is_stopped = state == 'T' || state == 't';
  bool is_first = self->n_supervisor_waits == 0;

  if (self->n_supervisor_waits >= MAX_SUPERVISOR_WAITS)
    return false;
  self->n_supervisor_waits += state == 'R' ? 1 : SLEEPING_WAIT;
  /* Whoever stopped it once can do so again. */
  if (is_stopped && is_first)
    return kill (self->supervisor, SIGCONT) == 0;
  return state == 'R' || state == 'S' || state == 'Z';
}

/* Then what it has left falls to us, which is seen when its socket closes. */
static void
kill_supervisor (Command *self)
{
  if (self->supervisor > 0)
    kill (self->supervisor, SIGKILL);
}

static void
kill_timed_out (void *data)
{
  Command *self = data;

  if (supervisor_is_slow (self))
    {
      loop_timer_start (self->broker->loop, &self->kill_timer, SUPERVISOR_TIMEOUT);
      return;
    }
  kill_supervisor (self);
  command_finish (self);
}

static void
supervisor_timed_out (void *data)
{
  Command *self = data;

  if (supervisor_is_slow (self))
    {
      loop_timer_start (self->broker->loop, &self->supervisor_timer, SUPERVISOR_TIMEOUT / 2);
      return;
    }
  if (!self->ended_by)
    self->ended_by = "timeout";
  kill_supervisor (self);
}

static void
kill_command (Command *self)
{
  /* Before all else: what is left of our turn may be short, and the next one far. */
  end_crowd (self, MANY_PROCESSES);
  command_send (self, SUPERVISOR_KILL, 0);
  loop_timer_start (self->broker->loop, &self->crowd_timer, SUPERVISOR_GRACE);
  /* A command can stop its own supervisor. */
  if (self->supervisor > 0)
    kill (self->supervisor, SIGCONT);
  loop_timer_start (self->broker->loop, &self->supervisor_timer, SUPERVISOR_TIMEOUT);
}

void
command_message_received (Command *self, const SupervisorMessage *message)
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
    case SUPERVISOR_GAVE_UP:
      command_finish (self);
      break;
    case SUPERVISOR_SIGNALLED:
      command_signal_answered (self, message->value != 0);
      break;
    default:
      break;
    }
}

/* A command can kill its supervisor before that has said that it began. */
static void
look_whether_it_began (Command *self)
{
  SupervisorMessage started = { .kind = SUPERVISOR_STARTED, .monotonic = loop_now () };

  if (!self->call || self->ended_by || command_has_started (self) || self->begin_fds[3] < 0)
    return;
  started.value = command_job_get_begun (self->begin_fds[3]);
  clock_gettime (CLOCK_REALTIME, &started.realtime);
  if (started.value > 0)
    command_started (self, &started);
}

void
command_supervisor_ended (Command *self, bool killed)
{
  look_whether_it_began (self);
  command_signals_fail (self);
  list_remove (&self->link);
  if (killed)
    orphans_kill (self->broker);
  command_finish (self);
  loop_task_queue (self->broker->loop, &self->free_task);
}

/* How it begins. */

static Command *
command_new (Call *call)
{
  Command *self = calloc (1, sizeof *self);

  if (!self)
    return NULL;
  self->broker = call->broker;
  self->call = call;
  self->socket_fd = -1;
  self->go_fd = -1;
  memset (self->begin_fds, -1, sizeof self->begin_fds);
  self->input.fd = -1;
  command_terminal_init (&self->terminal);
  command_output_init (&self->outputs[0]);
  command_output_init (&self->outputs[1]);
  list_init (&self->signals);
  command_launch_init (self);
  loop_timer_init (&self->kill_timer, kill_timed_out, self);
  loop_timer_init (&self->crowd_timer, crowd_is_due, self);
  loop_timer_init (&self->supervisor_timer, supervisor_timed_out, self);
  loop_timer_count_running (&self->supervisor_timer);
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

void
command_prepare (Call *call)
{
  Command *self = command_new (call);

  if (!self)
    {
      failure_set (&call->failure, FAILURE_INTERNAL, "There is not enough memory");
      return;
    }
  call->operation = self;
  if (!command_spec_parse (&self->spec, call->args, &call->failure)
      || !command_limits_bound (&self->spec.limits, &self->broker->options->command_limits,
                                &call->failure))
    return;
  if (self->spec.has_input)
    call_open_inlet (call);
  if (!command_open (self, call) && !call->failure.code)
    set_launch_failure (self, &call->failure);
  /* It gets ready while its start is recorded, so that it need only begin then. Of several that
   * come at once that would keep the historian from its turn. */
  if (!call->failure.code && call->record.state == RECORD_STARTING
      && self->broker->commands.next == &self->link)
    command_launch_early (self);
}

void
command_abandon (Call *call)
{
  Command *self = call->operation;

  if (!self)
    return;
  self->call = NULL;
  loop_task_queue (self->broker->loop, &self->free_task);
}

void
command_start (Call *call)
{
  Command *self = call->operation;
  Failure failure = { 0 };

  if (!command_launch (self))
    {
      set_launch_failure (self, &failure);
      command_finish_with_failure (self, &failure);
      loop_task_queue (self->broker->loop, &self->free_task);
      return;
    }
  spare_supervisor_prepare_later (self->broker);
  if (self->spec.deadline > 0)
    loop_timer_start (self->broker->loop, &self->supervisor_timer,
                      self->spec.deadline + SUPERVISOR_TIMEOUT);
}

void
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

  if (command_has_started (self))
    command_input_write (&self->input);
}

static void
command_has_room (Call *call, unsigned channel)
{
  Command *self = call->operation;

  if (channel >= ASB_CHANNEL_OUTPUT && command_has_started (self))
    command_output_resume (&self->outputs[channel - ASB_CHANNEL_OUTPUT]);
}

/* Nobody sits at its terminal any more. */
static void
hang_up (Command *self)
{
  command_output_finish (&self->outputs[0]);
  command_terminal_close (&self->terminal);
}

void
command_lost (Call *call)
{
  Command *self = call->operation;

  command_input_close (&self->input);
  if (!command_has_started (self))
    return;
  if (self->spec.has_terminal && self->spec.has_input)
    hang_up (self);
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
        command_finish (self);
    }
}

void
command_free_all (Broker *broker)
{
  while (!list_is_empty (&broker->commands))
    free_command (LIST_ITEM (broker->commands.next, Command, link));
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
        command_supervisor_reaped (self);
    }
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
      .name = "command.resize",
      .start = command_resize_start,
  },
  {
      .name = "command.signal",
      .start = command_signal_start,
  },
  { .name = NULL },
};
