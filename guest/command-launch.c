/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a command comes to its supervisor. */

#include "command-private.h"

#include "command-job.h"
#include "process-tree.h"
#include "spare-supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A program that has not begun by then may have been stopped on its way to that. */
#define START_INTERVAL (100 * LOOP_MILLISECOND)

/* What is stopped so often in a row would be held for ever by whoever does it. */
#define MAX_CONTINUED 50

static void socket_ready (void *data, uint32_t events);

void
command_close_begin_fds (Command *self)
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

/* The terminal itself is all three. */
static bool
open_terminal (Command *self, Call *call)
{
  int *fds = self->begin_fds;

  if (!command_terminal_open (&self->terminal, &self->spec.terminal_size)
      || (self->spec.has_input
          && !command_input_open_terminal (&self->input, call, self->terminal.master_fd))
      || !command_output_open_terminal (&self->outputs[0], call, ASB_CHANNEL_OUTPUT,
                                        self->terminal.master_fd))
    return failure_set_errno_code (&call->failure, FAILURE_COMMAND_EXECUTION, errno,
                                   "make a terminal for",
                                   self->spec.shell ? "sh" : self->spec.argv.items[0]);
  fds[0] = fcntl (self->terminal.slave_fd, F_DUPFD_CLOEXEC, 0);
  fds[1] = fds[0];
  fds[2] = fds[0];
  return fds[0] >= 0;
}

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

static void
give_streams (const Command *self)
{
  for (size_t i = 0; i < SUPERVISOR_N_DESCRIPTORS - 1; i++)
    if (self->begin_fds[i] != self->broker->nothing_fd)
      command_user_give (&self->spec.user, self->begin_fds[i]);
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

/* @wait_fd: where it is told to go on once it is ready; -1: it need not wait. */
static bool
send_begin (const Command *self, int wait_fd)
{
  size_t n = wait_fd < 0 ? SUPERVISOR_N_DESCRIPTORS : SUPERVISOR_MAX_DESCRIPTORS;
  int descriptors[SUPERVISOR_MAX_DESCRIPTORS];
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (sizeof descriptors)];
  } control = { .header = { .cmsg_len = CMSG_LEN (n * sizeof (int)),
                            .cmsg_level = SOL_SOCKET,
                            .cmsg_type = SCM_RIGHTS } };
  SupervisorMessage message = { .kind = SUPERVISOR_BEGIN, .value = wait_fd >= 0 };
  struct iovec vector = { &message, sizeof message };
  struct msghdr header = { .msg_iov = &vector,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = CMSG_SPACE (n * sizeof (int)) };

  memcpy (descriptors, self->begin_fds, sizeof self->begin_fds);
  descriptors[SUPERVISOR_N_DESCRIPTORS] = wait_fd;
  memcpy (CMSG_DATA (&control.header), descriptors, n * sizeof (int));
  return sendmsg (self->socket_fd, &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

bool
command_open (Command *self, Call *call)
{
  if (!(self->spec.has_terminal ? open_terminal : open_streams) (self, call) || !open_job (self))
    return false;
  give_streams (self);
  return true;
}

/* Gives the job to the supervisor that is ready, or to a new one. */
static bool
launch (Command *self, bool fresh)
{
  if (!spare_supervisor_take (self->broker, fresh, &self->supervisor, &self->socket_fd))
    return false;
  /* Before it has the job, which is not undone. */
  self->source = loop_add (self->broker->loop, self->socket_fd, EPOLLIN, socket_ready, self);
  if (!self->source)
    return false;
  if (!send_begin (self, -1))
    {
      loop_remove (self->source);
      self->source = NULL;
      close (self->socket_fd);
      self->socket_fd = -1;
      return !fresh && launch (self, true);
    }
  loop_timer_start (self->broker->loop, &self->start_timer, START_INTERVAL);
  return true;
}

/* The supervisor that was ready may have been killed before it saw the job; another can have it
 * then. */
static bool
launch_again (Command *self)
{
  if (!self->call || self->ended_by || self->is_second || command_has_started (self)
      || self->begin_fds[3] < 0 || command_job_is_taken (self->begin_fds[3]))
    return false;
  self->is_second = true;
  return launch (self, true);
}

/* One that is idle serves another command, unless it may take for that one what was meant for
 * this. */
static void
part_from_supervisor (Command *self, bool is_idle)
{
  loop_remove (self->source);
  self->source = NULL;
  if (is_idle && !self->has_told)
    {
      spare_supervisor_return (self->broker, self->supervisor, self->socket_fd);
      self->supervisor = 0;
    }
  else
    close (self->socket_fd);
  self->socket_fd = -1;
}

static void
supervisor_is_gone (Command *self, bool killed, bool is_idle)
{
  part_from_supervisor (self, is_idle);
  if (!launch_again (self))
    command_supervisor_ended (self, killed);
}

/* @is_over: nothing follows what stands in the socket. */
static void
read_messages (Command *self, bool is_over)
{
  SupervisorMessage message;

  for (;;)
    {
      ssize_t n = recv (self->socket_fd, &message, sizeof message, MSG_DONTWAIT);
      bool whole = n == sizeof message;

      if (n < 0 && (errno == EAGAIN || errno == EINTR) && !is_over)
        return;
      if (whole)
        command_message_received (self, &message);
      if (!whole || message.last)
        {
          supervisor_is_gone (self, !whole, whole && message.idle);
          return;
        }
    }
}

static void
socket_ready (void *data, uint32_t events)
{
  read_messages (data, false);
}

void
command_supervisor_reaped (Command *self)
{
  self->supervisor = 0;
  if (self->source && self->go_fd < 0)
    read_messages (self, true);
}

/* Who is about to become a program can be stopped by others, and nobody hears of it: its parent
 * sleeps until it has become one. */
static void
start_is_late (void *data)
{
  Command *self = data;

  if (command_has_started (self) || self->supervisor <= 0)
    return;
  if (process_tree_state_of (self->supervisor) == 'D')
    self->n_continued += process_tree_continue (self->supervisor);
  if (self->n_continued > MAX_CONTINUED)
    kill (self->supervisor, SIGKILL);
  else
    loop_timer_start (self->broker->loop, &self->start_timer, START_INTERVAL);
}

void
command_launch_init (Command *self)
{
  loop_timer_init (&self->start_timer, start_is_late, self);
}

static void
close_go (Command *self)
{
  close (self->go_fd);
  self->go_fd = -1;
}

/* Who waits there finds the pipe closed, and ends. */
static void
discard_early (Command *self)
{
  close_go (self);
  loop_remove (self->source);
  self->source = NULL;
  if (self->socket_fd >= 0)
    close (self->socket_fd);
  self->socket_fd = -1;
  self->supervisor = 0;
}

/* What it says meanwhile is not read before the command is to run. */
void
command_launch_early (Command *self)
{
  int ends[2];

  if (pipe2 (ends, O_CLOEXEC) != 0)
    return;
  self->go_fd = ends[1];
  if (spare_supervisor_take (self->broker, false, &self->supervisor, &self->socket_fd))
    self->source = loop_add (self->broker->loop, self->socket_fd, 0, socket_ready, self);
  if (!self->source || !send_begin (self, ends[0]))
    discard_early (self);
  close (ends[0]);
}

/* FALSE when nobody waits any more: then nothing has run. */
static bool
go (Command *self)
{
  if (self->supervisor <= 0 || !loop_set_events (self->source, EPOLLIN)
      || write (self->go_fd, "", 1) != 1)
    return false;
  close_go (self);
  loop_timer_start (self->broker->loop, &self->start_timer, START_INTERVAL);
  return true;
}

bool
command_launch (Command *self)
{
  if (self->go_fd >= 0 && go (self))
    return true;
  if (self->go_fd >= 0)
    discard_early (self);
  return launch (self, false);
}
