/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Jobs: commands in the background of execd, with a folder in the sandbox for what they print. */

#pragma once

#include "asb-opensandbox-execd.h"
#include "asb-opensandbox-job.h"

/* [io] Answers @task. @spec and @name are read here. */
void asb_opensandbox_native_start_job (AsbOpensandboxExecd *execd, AsbCommandSpec *spec,
                                       const char *name, GTask *task);

/* [io] Whether it is one of the calls for jobs; answers @task then. @arguments is an a{sv}. */
gboolean asb_opensandbox_native_call_job (AsbOpensandboxExecd *execd, const char *name,
                                          GVariant *arguments, GTask *task);

/* [io] “job.output”. Answers @task with a stream. */
void asb_opensandbox_native_open_job_output (AsbOpensandboxExecd *execd, GVariant *arguments,
                                             GTask *task);

/* [io] What is known of one now. @callback gets NULL and an error, or a job, which it takes. */
typedef void (*AsbOpensandboxJobFound) (AsbOpensandboxJob *job, GError *error, gpointer data);
void asb_opensandbox_native_look_up_job (AsbOpensandboxExecd *execd, const char *id,
                                         AsbOpensandboxJobFound callback, gpointer data);
