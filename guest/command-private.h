/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of commands know of one. */

#pragma once

#include "broker.h"
#include "call.h"
#include "command-input.h"
#include "command-output.h"
#include "command-spec.h"
#include "command-terminal.h"
#include "supervisor.h"

#include <stdbool.h>
#include <sys/types.h>

#define COMMAND_ID_SIZE 48

typedef struct
{
  List link;
  Broker *broker;
  Call *call; /* NULL when the result has been given */
  char id[COMMAND_ID_SIZE];
  CommandSpec spec;
  CommandTerminal terminal;
  CommandInput input;
  CommandOutput outputs[2];
  int begin_fds[SUPERVISOR_N_DESCRIPTORS]; /* for the supervisor; -1: none */
  pid_t supervisor;                        /* 0: waited for */
  int socket_fd;
  LoopSource *source;
  LoopTimer start_timer;
  LoopTimer kill_timer;
  LoopTimer crowd_timer;
  LoopTimer supervisor_timer;
  unsigned n_supervisor_waits;
  unsigned n_continued; /* before it began */
  LoopTask free_task;
  int go_fd;            /* tells the supervisor that has the job already to begin; -1: none has */
  bool is_second;       /* supervisor of this command */
  bool has_told;        /* the supervisor something that it may not have heard yet */
  const char *ended_by; /* "cancelled" or "timeout" */
  SupervisorMessage started;
  SupervisorMessage exited; /* its kind says whether it has come */
  List signals;
} Command;

/* Whether the program has begun to run, and whether its main process has ended. */
bool command_has_started (const Command *self);
bool command_has_exited (const Command *self);

void command_send (Command *self, SupervisorMessageKind kind, int value);

/* Opens what the supervisor needs (begin_fds). False with errno set. */
bool command_open (Command *self, Call *call);
void command_close_begin_fds (Command *self);

/* Gives the job to a supervisor that gets ready and waits until it is launched, if there is one. */
void command_launch_early (Command *self);

/* Gives the job to a supervisor. False with errno set. Then command_message_received () comes
 * for each message, and in the end command_supervisor_ended (). */
bool command_launch (Command *self);
void command_launch_init (Command *self);

/* Its supervisor has been waited for, whoever else still has its socket. */
void command_supervisor_reaped (Command *self);
void command_message_received (Command *self, const SupervisorMessage *message);
void command_supervisor_ended (Command *self, bool killed);

/* Gives the result, or the error when the program never ran, unless that has been done. */
void command_finish (Command *self);
void command_finish_with_failure (Command *self, Failure *failure);

/* What “command.start” does, and “job.start” too. */
void command_prepare (Call *call);
void command_start (Call *call);
void command_abandon (Call *call);
void command_cancel (Call *call);
void command_lost (Call *call);

/* The command of that name that has not been forgotten, or NULL. */
Command *command_find (const Broker *broker, const char *id);

/* “command.resize” */
void command_resize_start (Call *call);

/* “command.signal” */
void command_signal_start (Call *call);

/* Sends the command @id the signal that @call asks for, and answers. */
void command_signal_send (Call *call, const char *id);
void command_signal_answered (Command *self, bool delivered);
void command_signals_fail (Command *self);
