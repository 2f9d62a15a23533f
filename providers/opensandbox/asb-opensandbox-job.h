/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A job, as the folder that was made for it in the sandbox tells of it: whoever connects finds it
 * there. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-command-end.h"

#define ASB_OPENSANDBOX_JOBS "/tmp/.asb-jobs"

/* For $1, the folder: lines that asb_opensandbox_job_parse () takes; none when there is no job. */
#define ASB_OPENSANDBOX_JOB_TELL                                                                   \
  "if [ -f \"$1/m\" ]; then\n"                                                                     \
  "  cat \"$1/m\"\n"                                                                               \
  "  for i in o e; do\n"                                                                           \
  "    if [ -f \"$1/$i\" ]; then echo $(($(wc -c <\"$1/$i\"))); else echo 0; fi\n"                 \
  "  done\n"                                                                                       \
  "  if [ -f \"$1/c\" ]; then echo 1; else echo 0; fi\n"                                           \
  "fi\n"
#define ASB_OPENSANDBOX_JOB_LINES 10

typedef struct
{
  char *id;         /* of the job: “COMMAND.TOKEN” */
  char *command_id; /* execd's */
  char *token;
  gint64 number;
  int pid;
  gint64 started_us; /* since 1970 */
  guint64 timeout_ms;
  char *name; /* may be NULL */
  char *command;
  guint64 sizes[2];
  gboolean stopped; /* somebody asked for its end */

  gboolean running;
  gboolean known; /* how it ended is */
  AsbOpensandboxCommandEnd end;
  gint64 ended_us;
} AsbOpensandboxJob;

void asb_opensandbox_job_free (AsbOpensandboxJob *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxJob, asb_opensandbox_job_free)

/* Returns: (transfer full) (nullable) */
AsbOpensandboxJob *asb_opensandbox_job_parse (char **lines, GError **error);

/* What execd says of it; NULL: it knows of no such command. */
gboolean asb_opensandbox_job_take_status (AsbOpensandboxJob *self, JsonObject *status,
                                          GError **error);

/* The status of docs/guest-protocol.md §4.5. Returns: floating */
GVariant *asb_opensandbox_job_to_variant (AsbOpensandboxJob *self);

/* Takes an id apart. FALSE when it cannot be one. */
gboolean asb_opensandbox_job_split_id (const char *id, char **command_id, char **token);
