/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The jobs (docs/guest-protocol.md §4.5): commands whose call has let go of its session, and
 * what is kept of them. */

#pragma once

#include "call.h"
#include "command-private.h"
#include "job-output.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define JOB_MAX_COUNT 1000
#define JOB_MAX_TOTAL_KEPT ((uint64_t)128 * 1024 * 1024)
#define JOB_MAX_NAME 128
#define JOB_MAX_SHOWN 256

typedef enum
{
  JOB_STARTING, /* and not to be seen */
  JOB_RUNNING,
  JOB_ENDED
} JobState;

struct Job
{
  List link;       /* of all, in the order of their numbers */
  List ended_link; /* of those that have ended, in that order */
  Broker *broker;
  Call *call; /* that runs it; NULL when it has ended */
  JobState state;
  char id[COMMAND_ID_SIZE];
  int64_t number;
  char *name;
  char shown[JOB_MAX_SHOWN + 1];
  pid_t pid;
  struct timespec started_at;
  JobOutput output;
  json_t *result;
  json_t *record;
  List readers;
  List waiters;
};

/* The job that @call names by “job_id”; NULL with the failure of the call set. */
Job *job_find (Call *call);

json_t *job_status (const Job *job);

/* Forgets one that does not run. */
void job_forget (Job *job);

/* For the command that is one. */
void job_started (Job *job, const SupervisorMessage *started);
void job_add_output (Job *job, unsigned channel, const void *bytes, size_t size);

/* At the very end. */
void job_free_all (Broker *broker);

/* For those who read the output of a job: something new is there, or never will be. */
void job_readers_pump (Job *job);
void job_readers_fail (Job *job);

/* For those who wait: it has ended. */
void job_waiters_answer (Job *job);

/* The calls. */
void job_output_start (Call *call);
void job_output_cancel (Call *call);
void job_output_room (Call *call, unsigned channel);
void job_output_stop (Call *call, unsigned channel);
