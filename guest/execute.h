/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last steps of a new process before it becomes the command. */

#pragma once

#include "command-job.h"
#include "supervisor.h"

typedef struct
{
  SupervisorStage stage;
  int error; /* 0: the command runs */
  int detail;
} ExecuteFault;

/* Becomes the command with @descriptors as SUPERVISOR_BEGIN has them, which are all above 2; or
 * sets @fault and ends. If @go_fd is not negative it first waits until something can be read there.
 * To be called in a process made by vfork (), so it changes nothing else in memory. Umask, what
 * signals do, and the limits that the job does not name it takes over as they are. */
_Noreturn void execute_command (const CommandJob *job,
                                const int descriptors[SUPERVISOR_N_DESCRIPTORS], int go_fd,
                                volatile ExecuteFault *fault);
