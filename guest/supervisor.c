/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "supervisor.h"

#include "command-job.h"
#include "execute.h"
#include "loop.h"
#include "pause.h"
#include "process-tree.h"
#include "standstill.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE (500 * LOOP_MILLISECOND)
#define FIRST_KILL_INTERVAL (20 * LOOP_MILLISECOND)
#define LAST_KILL_INTERVAL (1000 * LOOP_MILLISECOND)

/* What cannot be ended by then (a process that waits for a dead disk) must not hold the result.
 * What merely gets no processor to end with may, for a while: with it goes the exit status. */
#define PATIENCE (1300 * LOOP_MILLISECOND)
#define LAST_PATIENCE (8000 * LOOP_MILLISECOND)
#define PATIENCE_INTERVAL (100 * LOOP_MILLISECOND)

#define NEVER INT64_MAX

typedef enum
{
  STATE_WAITING,
  STATE_RUNNING,
  STATE_TERMINATING,
  STATE_KILLING,
  STATE_ENDED
} State;

typedef struct
{
  const ProcessState *process;
  State state;
  int socket_fd; /* -1: the broker is gone */
  int signal_fd;
  pid_t pid;
  bool main_runs;
  bool is_reusable; /* nothing of its command stays behind in us */
  bool exit_is_due; /* to be told */
  int exit_status;
  int64_t deadline; /* by the time we run */
  PauseWatch pauses;
  int64_t next_step; /* from TERM to KILL, and of KILL again */
  int64_t kill_interval;
  int64_t give_up; /* waiting for what was killed */
  int64_t last_give_up;
  size_t n_ending; /* processes that were killed and will end */
} Supervisor;

static void
tell (Supervisor *self, SupervisorMessage message)
{
  clock_gettime (CLOCK_REALTIME, &message.realtime);
  message.monotonic = loop_now ();
  if (self->socket_fd >= 0)
    send (self->socket_fd, &message, sizeof message, MSG_NOSIGNAL);
}

static void
fail (Supervisor *self, ExecuteFault fault)
{
  tell (self, (SupervisorMessage){ .kind = SUPERVISOR_FAILED,
                                   .stage = fault.stage,
                                   .value = fault.error,
                                   .detail = fault.detail,
                                   .last = true });
  self->state = STATE_ENDED;
}

static void
fail_to_fork (Supervisor *self)
{
  fail (self, (ExecuteFault){ .stage = SUPERVISOR_STAGE_FORK, .error = errno });
}

static void
start_clock (Supervisor *self, const CommandJob *job)
{
  if (job->deadline <= 0)
    return;
  pause_watch_init (&self->pauses, loop_now ());
  self->deadline = self->pauses.last + job->deadline;
}

/* We sleep until the new process is the command or has failed. Should that take for ever (a
 * program on a dead disk), the broker ends us. */
static void
execute (Supervisor *self, const CommandJob *job, const int descriptors[SUPERVISOR_MAX_DESCRIPTORS],
         bool waits)
{
  volatile ExecuteFault fault = { 0 };

  if (!waits)
    start_clock (self, job);
  self->pid = vfork ();
  if (self->pid == 0)
    execute_command (job, descriptors, waits ? descriptors[SUPERVISOR_N_DESCRIPTORS] : -1, &fault);
  if (self->pid < 0)
    {
      fail_to_fork (self);
      return;
    }
  if (fault.error != 0)
    {
      waitpid (self->pid, NULL, 0);
      fail (self, fault);
      return;
    }
  if (waits)
    start_clock (self, job);
  self->main_runs = true;
  self->state = STATE_RUNNING;
  tell (self, (SupervisorMessage){ .kind = SUPERVISOR_STARTED, .value = self->pid });
}

/* Descriptors there is no room for are left out. */
static void
begin (Supervisor *self, const int *descriptors, size_t n_descriptors, bool waits)
{
  CommandJob job;

  if (self->state != STATE_WAITING)
    return;
  if (n_descriptors < (waits ? SUPERVISOR_MAX_DESCRIPTORS : SUPERVISOR_N_DESCRIPTORS))
    {
      fail (self, (ExecuteFault){ .stage = SUPERVISOR_STAGE_FORK, .error = EMFILE });
      return;
    }
  if (command_job_take (descriptors[3], &job))
    {
      self->is_reusable = job.user.uid < 0 && job.user.gid < 0;
      command_user_resolve (&job.user, job.environment);
      execute (self, &job, descriptors, waits);
    }
  else
    fail_to_fork (self);
  command_job_release (&job);
}

static void
terminate_all (const Supervisor *self)
{
  if (process_tree_is_visible ())
    {
      process_tree_terminate (NULL);
      return;
    }
  if (!self->main_runs)
    return;
  kill (-self->pid, SIGTERM);
  kill (-self->pid, SIGCONT);
}

/* Where it takes one, as we may not come before all others, and the broker is the first process:
 * that sees to all the rest, for which it has a processor then, and lets us go on. -1, or what is
 * to be closed after that. */
static int
begin_standstill (const Supervisor *self)
{
  int lock_fd;

  if (process_take_precedence () || !self->process->is_first || self->socket_fd < 0
      || !standstill_is_needed ())
    return -1;
  lock_fd = standstill_lock ();
  if (lock_fd >= 0)
    standstill_begin ();
  return lock_fd;
}

static void
terminate (Supervisor *self, bool timed_out)
{
  int lock_fd;

  if (self->state == STATE_WAITING)
    self->state = STATE_ENDED;
  if (self->state >= STATE_TERMINATING)
    return;
  self->state = STATE_TERMINATING;
  self->deadline = NEVER;
  self->next_step = loop_now () + GRACE;
  lock_fd = begin_standstill (self);
  tell (self, (SupervisorMessage){
                  .kind = SUPERVISOR_KILLING, .value = timed_out, .crowd = lock_fd >= 0 });
  if (lock_fd >= 0)
    {
      raise (SIGSTOP);
      close (lock_fd);
    }
  terminate_all (self);
}

static void
kill_all (Supervisor *self)
{
  /* A group is stopped in one step, which a fork cannot outrun. */
  if (self->main_runs)
    kill (-self->pid, SIGSTOP);
  self->n_ending = process_tree_kill (NULL);
  if (self->main_runs)
    kill (-self->pid, SIGKILL);
}

/* The clock runs from when it is done: that may have taken long. */
static void
begin_killing (Supervisor *self)
{
  kill_all (self);
  self->state = STATE_KILLING;
  self->give_up = loop_now () + PATIENCE;
  self->last_give_up = loop_now () + LAST_PATIENCE;
}

static void
kill_again (Supervisor *self)
{
  if (self->state < STATE_KILLING)
    begin_killing (self);
  else
    kill_all (self);
  self->next_step = loop_now () + self->kill_interval;
  /* What has not gone by now is somebody else's, or waits for a disk. */
  if (self->kill_interval < LAST_KILL_INTERVAL)
    self->kill_interval *= 2;
}

static void
main_ended (Supervisor *self)
{
  /* Without /proc its group is all that is known, and only until it has been waited for. */
  if (self->state >= STATE_TERMINATING && !process_tree_is_visible ())
    kill (-self->pid, SIGKILL);
  waitpid (self->pid, &self->exit_status, 0);
  self->main_runs = false;
  self->exit_is_due = true;
}

/* Waits for those that have ended; false when there are no more. */
static bool
reap_ended (Supervisor *self)
{
  siginfo_t info = { 0 };

  while (waitid (P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
    {
      if (info.si_pid == 0)
        return true;
      if (info.si_pid == self->pid && self->main_runs)
        main_ended (self);
      else
        waitpid (info.si_pid, NULL, 0);
      info.si_pid = 0;
    }
  return errno != ECHILD;
}

/* As it was when it began. */
static void
wait_for_command (Supervisor *self)
{
  self->state = STATE_WAITING;
  self->pid = 0;
  self->deadline = NEVER;
  self->next_step = NEVER;
  self->give_up = NEVER;
  self->kill_interval = FIRST_KILL_INTERVAL;
  self->n_ending = 0;
}

/* A command that nobody had to end, and that left nothing, leaves us as we were: to make another
 * process for the next one costs as much as all the rest. */
static void
reap (Supervisor *self)
{
  bool some_left;
  bool is_idle;

  if (self->state == STATE_WAITING)
    return;
  some_left = reap_ended (self);
  is_idle = !some_left && self->exit_is_due && self->state == STATE_RUNNING && self->is_reusable;
  if (self->exit_is_due)
    tell (self, (SupervisorMessage){ .kind = SUPERVISOR_EXITED,
                                     .value = self->exit_status,
                                     .last = !some_left,
                                     .idle = is_idle });
  else if (!some_left)
    tell (self, (SupervisorMessage){ .kind = SUPERVISOR_ENDED, .last = true });
  self->exit_is_due = false;
  if (is_idle)
    wait_for_command (self);
  else if (!some_left)
    self->state = STATE_ENDED;
}

static void
send_signal (Supervisor *self, int number)
{
  bool sent;

  reap (self);
  sent = self->main_runs && kill (-self->pid, number) == 0;
  tell (self, (SupervisorMessage){ .kind = SUPERVISOR_SIGNALLED, .value = sent });
}

/* Puts the descriptors that came with @header into @descriptors; how many. */
static size_t
take_descriptors (struct msghdr *header, int descriptors[SUPERVISOR_MAX_DESCRIPTORS])
{
  struct cmsghdr *control = CMSG_FIRSTHDR (header);
  size_t n = 0;

  if (!control || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
    return 0;
  n = (control->cmsg_len - CMSG_LEN (0)) / sizeof (int);
  memcpy (descriptors, CMSG_DATA (control), n * sizeof (int));
  return n;
}

static void
close_descriptors (const int *descriptors, size_t n)
{
  for (size_t i = 0; i < n; i++)
    close (descriptors[i]);
}

static void
broker_is_gone (Supervisor *self)
{
  close (self->socket_fd);
  self->socket_fd = -1;
  terminate (self, false);
}

static void
read_message (Supervisor *self)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (SUPERVISOR_MAX_DESCRIPTORS * sizeof (int))];
  } control;
  SupervisorMessage message = { 0 };
  struct iovec vector = { &message, sizeof message };
  struct msghdr header = { .msg_iov = &vector,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes };
  int descriptors[SUPERVISOR_MAX_DESCRIPTORS];
  size_t n_descriptors;
  ssize_t n = recvmsg (self->socket_fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0)
    {
      broker_is_gone (self);
      return;
    }
  n_descriptors = take_descriptors (&header, descriptors);
  if (message.kind == SUPERVISOR_BEGIN)
    begin (self, descriptors, n_descriptors, message.value != 0);
  else if (message.kind == SUPERVISOR_KILL)
    terminate (self, false);
  else if (message.kind == SUPERVISOR_SIGNAL)
    send_signal (self, message.value);
  close_descriptors (descriptors, n_descriptors);
}

/* The result can wait no longer for what does not end, unless it is about to. */
static void
give_up (Supervisor *self)
{
  kill_all (self);
  reap (self);
  if (self->state == STATE_ENDED)
    return;
  if (self->n_ending > 0 && loop_now () < self->last_give_up)
    {
      self->give_up = loop_now () + PATIENCE_INTERVAL;
      return;
    }
  self->give_up = NEVER;
  tell (self, (SupervisorMessage){ .kind = SUPERVISOR_GAVE_UP });
}

static int64_t
earlier (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Nanoseconds, NEVER when nothing is due. Where a deadline runs a pause must be noticed. */
static int64_t
time_to_wait (const Supervisor *self)
{
  int64_t due = earlier (self->give_up, earlier (self->deadline, self->next_step));
  int64_t left = due - loop_now ();

  if (due == NEVER)
    return NEVER;
  if (left < 0)
    return 0;
  return self->deadline != NEVER ? earlier (left, PAUSE_HEARTBEAT) : left;
}

static int
to_milliseconds (int64_t time)
{
  int64_t milliseconds = time / LOOP_MILLISECOND + (time % LOOP_MILLISECOND > 0);

  if (time == NEVER)
    return -1;
  return milliseconds > INT_MAX ? INT_MAX : (int)milliseconds;
}

/* As it stood when we last looked whether we had been stopped: it may have come since, and is then
 * seen in the next turn. */
static void
look_at_clock (Supervisor *self)
{
  int64_t now = self->pauses.last;

  if (now >= self->deadline)
    terminate (self, true);
  if (now >= self->next_step)
    kill_again (self);
  if (now >= self->give_up)
    give_up (self);
}

static void
turn (Supervisor *self)
{
  struct signalfd_siginfo info;
  struct pollfd polled[] = {
    { .fd = self->socket_fd, .events = POLLIN },
    { .fd = self->signal_fd, .events = POLLIN },
  };

  int64_t wait = time_to_wait (self);
  int n_polled = poll (polled, 2, to_milliseconds (wait));
  int64_t pause = pause_watch_look (&self->pauses, wait == NEVER ? NEVER / 2 : wait, loop_now ());

  if (self->deadline != NEVER)
    self->deadline += pause;
  if (n_polled < 0)
    return;
  if (polled[1].revents && read (self->signal_fd, &info, sizeof info) > 0)
    reap (self);
  if (polled[0].revents && self->state != STATE_ENDED)
    read_message (self);
  if (self->state != STATE_ENDED)
    look_at_clock (self);
}

int
supervisor_main (int socket_fd, void *data)
{
  Supervisor self = { .process = data, .socket_fd = socket_fd };
  sigset_t child;

  wait_for_command (&self);
  process_take_short_turns ();
  /* The command inherits all this. */
  process_soften (self.process);
  sigemptyset (&child);
  sigaddset (&child, SIGCHLD);
  sigprocmask (SIG_BLOCK, &child, NULL);
  self.signal_fd = signalfd (-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  if (prctl (PR_SET_CHILD_SUBREAPER, 1) != 0 || self.signal_fd < 0)
    fail_to_fork (&self);
  while (self.state != STATE_ENDED)
    turn (&self);
  return 0;
}
