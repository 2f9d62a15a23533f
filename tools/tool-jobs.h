/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From what a user types to the jobs of a sandbox, and what the commands about them share. */

#pragma once

#include "tool-command.h"
#include "tool-json.h"

typedef struct
{
  AsbBackend *backend;
  GListModel *jobs; /* AsbJob, as they were when asked for */
} ToolJobs;

void tool_jobs_clear (ToolJobs *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolJobs, tool_jobs_clear)

gboolean tool_jobs_open_in (Tool *tool, const char *sandbox, ToolJobs *self, GError **error);
/* Connects to the sandbox that the first argument names. */
gboolean tool_jobs_open (Tool *tool, const ToolParsed *parsed, ToolJobs *self, GError **error);

/* Does something with the one job that the second argument names. Returns: what @func returned,
 * which has said what went wrong, or @failed, after saying why there is no job */
int tool_jobs_do (Tool *tool, const ToolParsed *parsed,
                  int (*func) (Tool *tool, ToolJobs *jobs, AsbJob *job), int failed);

/* Does something with a job. */
typedef gboolean (*ToolJobFunc) (Tool *tool, AsbJob *job, GError **error);

/* Does it with each job that an argument after the first names. Returns: the exit status */
int tool_jobs_each (Tool *tool, const ToolParsed *parsed, ToolJobFunc func);

/* Copies what a job printed to asb's own standard output and error. Returns: the exit status */
int tool_job_print (Tool *tool, AsbJob *job, gboolean follow);

/* What is known of it, as an object without a name. */
void tool_job_add_json (ToolJson *json, AsbJob *job);

/* Waits for the end. Returns: whether it has ended; @status is that of its command then. What @job
 * says stays as it was. */
gboolean tool_job_wait (Tool *tool, AsbJob *job, int *status);

/* The arguments ID JOB, and ID JOB…. */
extern const ToolArgument tool_job_arguments[];
extern const ToolArgument tool_jobs_arguments[];
