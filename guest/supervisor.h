/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The process between the broker and one command. All that the command ever starts descends from
 * it, so that it can end it all, and it does when the broker is gone. */

#pragma once

#include "process.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef enum
{
  /* To the supervisor. */
  SUPERVISOR_BEGIN, /* with SUPERVISOR_N_DESCRIPTORS descriptors; value: with one more, see there */
  SUPERVISOR_KILL,  /* everything shall end */
  SUPERVISOR_SIGNAL, /* value: the signal */

  /* From the supervisor. */
  SUPERVISOR_STARTED,   /* value: the process ID */
  SUPERVISOR_FAILED,    /* value: an errno, stage: what failed; it never ran; last */
  SUPERVISOR_EXITED,    /* value: the status of waitpid (), last: nothing else is left */
  SUPERVISOR_KILLING,   /* value: whether because of the deadline; everything is being ended */
  SUPERVISOR_SIGNALLED, /* value: whether it was sent */
  SUPERVISOR_ENDED,     /* nothing that descends from the command is left, last: always */
  SUPERVISOR_GAVE_UP    /* something of the command cannot be ended and is waited for no longer */
} SupervisorMessageKind;

typedef enum
{
  SUPERVISOR_STAGE_FORK,
  SUPERVISOR_STAGE_DIRECTORY,
  SUPERVISOR_STAGE_EXECUTE,
  SUPERVISOR_STAGE_SHELL,
  SUPERVISOR_STAGE_LIMIT, /* detail: which */
  SUPERVISOR_STAGE_USER   /* detail: of command_user_become () */
} SupervisorStage;

typedef struct
{
  SupervisorMessageKind kind;
  SupervisorStage stage;
  int value;
  int detail; /* of the stage */
  bool last;  /* nothing comes after it */
  bool idle;  /* with last: another command may be given to it */
  bool crowd; /* with SUPERVISOR_KILLING: it has begun a standstill (standstill.h), and waits */
  struct timespec realtime;
  int64_t monotonic; /* nanoseconds */
} SupervisorMessage;

/* What comes with SUPERVISOR_BEGIN: what becomes 0, 1 and 2, and the job (command-job.h). One more
 * is the end of a pipe: what has got ready becomes the command when it reads something there, and
 * ends when there is nothing more to be read. */
#define SUPERVISOR_N_DESCRIPTORS 4
#define SUPERVISOR_MAX_DESCRIPTORS (SUPERVISOR_N_DESCRIPTORS + 1)

/* For process_fork () with SOCK_SEQPACKET; @data is the ProcessState of the guest. */
int supervisor_main (int socket_fd, void *data);
